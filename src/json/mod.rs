//! JSON with byte ranges: read without loss, never re-serialized.
//!
//! `serde_json::Value` and back does not keep a recording's bytes, so everything that looks into a record
//! goes through a [`Tape`](tape::Tape): the tokens of one JSON value with their byte ranges. This module does no I/O and
//! cannot fail: whatever the bytes are, the result is a tape with an [`End`](tape::End) and a list of flaws.

pub(crate) mod alike;
pub(crate) mod build;
pub(crate) mod cut;
mod decode;
pub(crate) mod members;
pub(crate) mod node;
pub(crate) mod order;
pub(crate) mod quote;
pub(crate) mod record;
#[cfg(test)]
mod samples;
pub(crate) mod scan;
pub(crate) mod tape;
