//! The record of a repaired row, and of a row that could not be checked.

use serde::Serialize;

use super::model::{AppliedFix, Conversation, ReportedFinding, RowAt, Verdict};
use super::redact::redact_fields;
use crate::journal::Blob;

/// A row as it is after its repair.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RepairedRow {
    /// What a check of the new text finds, and what was done in numbers.
    #[serde(flatten)]
    pub conversation: Conversation,
    /// Its bytes; see [`text_of`].
    pub text: Blob,
    /// The text is not that of the input.
    pub changed: bool,
    /// What a check of the old text finds, where it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<WasRow>,
    /// The fixes that were applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<AppliedFix>,
    /// Why a repair that was planned was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// A row as it was.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WasRow {
    pub verdict: Verdict,
    pub findings: Vec<ReportedFinding>,
}

/// A row that could not be checked.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MissedRow {
    row: RowAt,
    error: String,
    /// Of a repair.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Blob>,
}

impl RepairedRow {
    /// A row with which nothing was done.
    pub(crate) fn unchanged(conversation: Conversation, text: Blob) -> RepairedRow {
        RepairedRow {
            conversation,
            text,
            changed: false,
            before: None,
            changes: Vec::new(),
            refused: None,
        }
    }
}

impl WasRow {
    pub(crate) fn of(conversation: Conversation) -> WasRow {
        WasRow { verdict: conversation.verdict, findings: conversation.findings }
    }
}

/// The bytes of a row without its line ending. They are data, and never redacted.
pub(crate) fn text_of(mut row: Vec<u8>) -> Blob {
    row.pop_if(|last| *last == b'\n');
    Blob(row)
}

impl MissedRow {
    /// `text`: the row, where it is to be passed on.
    pub(crate) fn new(line: u64, error: String, text: Option<Blob>) -> MissedRow {
        let row = RowAt { line: Some(line), ..RowAt::default() };
        MissedRow { row, error, text }
    }
}

redact_fields! {
    RepairedRow { conversation, before, changes }
    WasRow { findings }
}
