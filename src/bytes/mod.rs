//! Transcripts as bytes: where they are stored and how they are edited. No other code opens or
//! writes them.
//!
//! A [`Source`](source::Source) is one unit of storage: a file, a folder or an archive. Its entries
//! are named byte strings, read through the trait [`Entries`](source::Entries). A
//! [`Patch`](patch::Patch) describes changes to the entries, and an [`Overlay`](overlay::Overlay)
//! reads the entries as if the patch had been written.

pub(crate) mod archive;
mod beside;
pub(crate) mod checksum;
pub(crate) mod disk;
pub(crate) mod edit;
mod entries;
pub(crate) mod far;
mod latched;
pub(crate) mod overlay;
pub(crate) mod packed;
pub(crate) mod patch;
pub(crate) mod replace;
mod room;
pub(crate) mod source;
pub(crate) mod window;
