//! A copy of a recording without anything that somebody said: byte by byte, so that structure, order, damage and line
//! endings stay, and the same is found in it.

pub mod entry;
pub mod fields;
mod mask;
mod media;
pub mod proof;
mod record;

pub use entry::{Copied, Stopped, copy, is_copy};
