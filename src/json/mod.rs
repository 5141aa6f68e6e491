//! JSON with byte ranges: read without loss, never re-serialised.
//!
//! `serde_json::Value` and back does not keep a recording's bytes, so everything that looks into a record
//! goes through a [`Tape`](tape::Tape): the tokens of one JSON value with their byte ranges. This module does no I/O and
//! cannot fail: whatever the bytes are, the result is a tape with an [`End`](tape::End) and a list of flaws.

pub mod alike;
pub mod build;
pub mod cut;
mod decode;
pub mod members;
pub mod node;
pub mod order;
pub mod quote;
#[cfg(test)]
mod samples;
pub mod scan;
pub mod tape;
