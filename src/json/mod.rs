//! JSON with byte ranges: parsed without loss and never re-serialized.
//!
//! A round trip through `serde_json::Value` does not preserve bytes. All code that looks into a
//! record therefore uses a [`Tape`](tape::Tape): the tokens of one JSON value with their byte
//! ranges. This module does no I/O and cannot fail: for any bytes, the result is a tape with an
//! [`RecordEnd`](tape::RecordEnd) and a list of flaws.

pub(crate) mod alike;
pub(crate) mod build;
pub(crate) mod cut;
pub(crate) mod cut_off;
pub(crate) mod decode;
pub(crate) mod embedded;
pub(crate) mod fields;
pub(crate) mod members;
mod nested;
pub(crate) mod node;
pub(crate) mod order;
pub(crate) mod quote;
pub(crate) mod record;
#[cfg(test)]
mod samples;
pub(crate) mod scan;
pub(crate) mod tape;
