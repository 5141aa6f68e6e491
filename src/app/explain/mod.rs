//! What `explain` tells of transcripts: their story, single records, and what an error text means in them.

mod error;
pub(super) mod meant;
pub(crate) mod paste;
mod repaired;
mod search;
mod story;

pub(crate) use error::{PastedName, run as of_error};
pub(crate) use story::{MeantRecords, of_project, run as of_recording};
