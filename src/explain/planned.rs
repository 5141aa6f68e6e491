//! What `repair` would do about a recording: tried, not written.

use crate::transcript::Code;
use serde::Serialize;

use crate::report::model::{Applied, Verdict};
use crate::report::redact::redact_fields;
use crate::report::text::Shown;

/// A repair that was tried.
#[derive(Debug, Serialize)]
pub struct Planned {
    /// In numbers.
    pub counts: Applied,
    /// Record by record, a few of them.
    pub steps: Vec<Step>,
    /// Records besides.
    pub more: usize,
    /// The verdict afterwards.
    pub verdict: Verdict,
    /// The codes of what is left afterwards.
    pub left: Vec<Code>,
}

/// What is done to a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// It is taken out; the journal keeps it.
    Park,
    Insert,
    Move,
    Change,
    /// Each of the records on its line gets a line of its own.
    Split,
}

impl Verb {
    /// For people.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Verb::Park => "remove",
            Verb::Insert => "insert",
            Verb::Move => "move",
            Verb::Change => "change",
            Verb::Split => "split",
        }
    }
}

/// A record that it would change.
#[derive(Debug, Serialize)]
pub struct Step {
    /// What is done to it.
    pub what: Verb,
    /// The number that people find the record by; of an inserted one there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u64>,
    /// Its kind.
    pub kind: Shown,
    /// Its id.
    pub id: Shown,
}

redact_fields! {
    Planned { counts, steps }
    Step { kind, id }
}
