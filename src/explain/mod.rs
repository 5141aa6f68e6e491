//! Explanations: how a recording came to be as it is, and where one of its records stands.
//!
//! Models only, ready to be printed or serialized; the outputs print them.

pub(crate) mod cuts;
pub(crate) mod error;
mod fill;
pub(crate) mod format;
mod go_on;
pub(crate) mod planned;
pub mod record;
pub(crate) mod recorded;
pub(crate) mod rule;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod story;
pub(crate) mod timeline;

use serde::Serialize;

use crate::report::redact::{Redact, Redactor};
use crate::report::sessions::Sessions;

pub(crate) use go_on::{Answer, Effect, GoOn};

/// The name and version of the shapes of this module.
pub(crate) const SCHEMA: &str = "transcript-doctor/explain/v1";

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
    Records(record::Records),
    Rule(rule::Manual),
    Rules(Vec<rule::Manual>),
    Formats(Vec<format::Listed>),
    Sessions(Sessions),
}

impl Redact for Explained {
    fn redact(&mut self, reader: &Redactor) {
        match self {
            Explained::Story(account) => account.redact(reader),
            Explained::Error(account) => account.redact(reader),
            Explained::Meaning(meaning) => meaning.redact(reader),
            Explained::Records(records) => records.redact(reader),
            Explained::Sessions(sessions) => sessions.redact(reader),
            Explained::Rule(_) | Explained::Rules(_) | Explained::Formats(_) => {}
        }
    }
}
