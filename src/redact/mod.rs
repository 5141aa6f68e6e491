//! A copy of a recording without anything that somebody said: byte by byte, so that structure, order, damage and line
//! endings stay, and the same is found in it.

pub(crate) mod entry;
pub(crate) mod fields;
mod mask;
mod media;
pub(crate) mod proof;
mod record;

pub use entry::copy;
pub(crate) use entry::{Copied, Stopped, is_copy};
