//! What `repair` would do with a transcript. Nothing is written.

use crate::transcript::Code;
use serde::Serialize;

use crate::report::model::{Applied, Verdict};
use crate::report::redact::redact_fields;
use crate::report::text::Shown;

/// A planned repair.
#[derive(Debug, Serialize)]
pub struct Planned {
    /// Its numbers.
    pub counts: Applied,
    /// The first steps, record by record.
    pub steps: Vec<PlannedRecord>,
    /// Number of further steps.
    pub more: usize,
    /// The verdict after the repair.
    pub verdict: Verdict,
    /// The codes of the findings that remain.
    pub left: Vec<Code>,
}

/// What is done to a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// It is removed; the journal keeps it.
    Remove,
    Insert,
    Move,
    Change,
    /// Each of the records on its line gets a line of its own.
    Split,
}

impl Verb {
    /// The word that users see.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Verb::Remove => "remove",
            Verb::Insert => "insert",
            Verb::Move => "move",
            Verb::Change => "change",
            Verb::Split => "split",
        }
    }
}

/// A changed record.
#[derive(Debug, Serialize)]
pub struct PlannedRecord {
    /// What is done to it.
    pub what: Verb,
    /// The line or event number; `None` for an inserted record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u64>,
    /// Its kind.
    pub kind: Shown,
    /// Its id.
    pub id: Shown,
}

redact_fields! {
    Planned { counts, steps }
    PlannedRecord { kind, id }
}
