//! Explanations: how a transcript came to be as it is, and what one of its records is.
//!
//! Only models, ready to be serialized or printed by the outputs.

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

pub(crate) use go_on::{CallEffect, GoOn, MayContinue};

/// Name and version of the JSON schema of this module.
pub(crate) const SCHEMA: &str = "transcript-doctor/explain/v1";

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Explained {
    /// A transcript.
    Story(Box<story::Account>),
    /// A pasted error.
    Error(Box<error::ErrorAccount>),
    /// A pasted error without a transcript.
    Meaning(error::Meaning),
    Records(record::RecordsAccount),
    Rule(rule::Manual),
    Rules(Vec<rule::Manual>),
    Formats(Vec<format::ListedFormat>),
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
