//! Whose a transcript is: goes through all formats, and through what is only known by name.

pub(crate) mod candidates;
mod clones;
mod damaged;
mod exports;
mod fit;
mod known;
mod named;
mod recognize;
pub(crate) mod rows;
pub(crate) mod shares;
mod streams;
mod unread;

pub(crate) use known::{named_format, read_as, recognize_rows, with_changed};
pub use recognize::recognize;
pub(crate) use recognize::{of_another_format, recognize_again, recognize_row};
