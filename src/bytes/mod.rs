//! Recordings as bytes: where they are, how they are edited, and the only code that opens or writes them.
//!
//! A [`Source`](source::Source) is what is written as one (a file, a folder, an archive). It has entries, named byte
//! strings, behind the trait [`Entries`](source::Entries). A [`Patch`](patch::Patch) says how the entries shall
//! differ, an [`Overlay`](overlay::Overlay) reads them as if that were written already.

pub mod archive;
mod beside;
pub mod checksum;
pub(crate) mod disk;
pub mod edit;
pub mod far;
pub mod overlay;
pub mod packed;
pub mod patch;
pub mod replace;
mod room;
pub mod source;
