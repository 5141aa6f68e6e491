//! Explanations: how a recording came to be as it is, and where one of its records stands.
//!
//! Models only, ready to be printed or serialised; the outputs print them.

pub mod cuts;
pub mod error;
mod fill;
mod go_on;
pub mod planned;
pub mod record;
pub mod recorded;
pub mod rule;
#[cfg(test)]
pub mod sample;
pub mod story;
pub mod timeline;

use serde::Serialize;

pub use go_on::{Answer, Effect, GoOn};

/// The name and version of the shapes of this module.
pub const SCHEMA: &str = "transcript-doctor/explain/v1";

/// One explanation, whatever it is about.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Explained {
    /// A recording.
    Story(Box<story::Account>),
    /// A pasted error.
    Error(Box<error::Account>),
    /// A pasted error without a recording.
    Meaning(error::Meaning),
    /// Records.
    Records(record::Records),
    /// A rule.
    Rule(rule::Manual),
    /// All rules.
    Rules(Vec<rule::Manual>),
}
