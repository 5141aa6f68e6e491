//! Whose a transcript is: goes through all formats, and through what is only known by name.

mod damaged;
pub(crate) mod fit;
mod named;
mod recognize;
pub(crate) mod rows;
mod streams;

pub use recognize::recognize;
pub(crate) use recognize::{
    named_format, read_as, recognize_again, recognize_row, recognize_rows, with_changed,
};
