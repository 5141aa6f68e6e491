//! Recordings as bytes: where they are, how they are edited, and the only code that opens or writes them.
//!
//! A [`Source`](source::Source) is what is written as one (a file, a folder, an archive). It has entries, named byte
//! strings, behind the trait [`Entries`](source::Entries). A [`Patch`](patch::Patch) says how the entries shall
//! differ, an [`Overlay`](overlay::Overlay) reads them as if that were written already.

pub(crate) mod archive;
mod beside;
pub(crate) mod checksum;
pub(crate) mod disk;
pub(crate) mod edit;
pub(crate) mod far;
pub(crate) mod overlay;
pub(crate) mod packed;
pub(crate) mod patch;
pub(crate) mod replace;
mod room;
pub(crate) mod source;
