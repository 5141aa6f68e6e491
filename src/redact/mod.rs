//! Copies a transcript without anything that anybody said: byte by byte, so that structure, order,
//! damage and line endings are kept, and a check of the copy has the same findings.

pub(crate) mod entry;
pub(crate) mod fields;
mod mask;
mod media;
pub(crate) mod proof;
mod record;

pub use entry::copy;
pub(crate) use entry::{Copied, Stopped, is_copy};
