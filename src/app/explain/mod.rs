//! What `explain` tells of recordings: their story, single records, and what an error text means in them.

mod error;
pub(crate) mod paste;
pub(super) mod rows;
mod story;

pub(crate) use error::run as of_error;
pub(crate) use story::{Records, run as of_recording};
