//! What a repair did.

use serde::Serialize;

use super::finding::PlannedAction;
use super::rows::RowAt;
use crate::engine::Verdict;
use crate::repair::Taken;
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::Shown;
use crate::transcript::{Applicability, Code};

/// A script that repairs a session in its database once its user runs it.
#[derive(Debug, Clone)]
pub struct SqlScript {
    pub database: Shown,
    pub apply: Shown,
    /// The script that takes it back.
    pub undo: Shown,
}

/// What a repair did.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Applied {
    /// Number of the operation in the journal; `None` if a copy was written, or nothing.
    pub op: Option<u64>,
    /// The batch of operations that it belongs to: the number of the first one of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Records kept byte for byte.
    pub kept: u64,
    /// Records removed.
    pub removed: u64,
    /// Records moved.
    pub moved: u64,
    /// Records inserted.
    pub inserted: u64,
    /// Records with changed bytes.
    pub replaced: u64,
    /// The fixes, also of damage that was found only after other damage was repaired. Where many rows are changed, those of the
    /// first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<AppliedFix>,
    /// Whether there was nothing to repair.
    #[serde(skip)]
    pub nothing: bool,
    /// Whether nothing was written: `--dry-run` or `diff`.
    #[serde(skip)]
    pub planned_only: bool,
    /// Path of the copy.
    #[serde(skip)]
    pub output: Option<Shown>,
    /// What was written instead of a transcript.
    #[serde(skip)]
    pub script: Option<SqlScript>,
    /// The verdict of the written bytes, re-read from disk.
    #[serde(skip)]
    pub proved: Option<Verdict>,
}

impl Applied {
    /// Adds the numbers of another conversation.
    pub(crate) fn add(&mut self, other: &Applied) {
        self.kept += other.kept;
        self.removed += other.removed;
        self.moved += other.moved;
        self.inserted += other.inserted;
        self.replaced += other.replaced;
    }
}

/// A fix that was applied.
#[derive(Clone, Debug, Serialize)]
pub struct AppliedFix {
    /// The row that was fixed, where a transcript has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<RowAt>,
    pub code: Code,
    pub name: &'static str,
    pub applicability: Applicability,
    /// What was wrong.
    pub message: String,
    /// The calls, else the records, that it was about.
    pub ids: Vec<Shown>,
    pub actions: Vec<PlannedAction>,
}

impl AppliedFix {
    /// `row`: the row that was fixed, where the transcript has several.
    pub(crate) fn of(taken: Taken, row: Option<RowAt>) -> AppliedFix {
        AppliedFix {
            row,
            code: taken.rule.code,
            name: taken.rule.name,
            applicability: taken.applicability,
            message: taken.message,
            ids: taken.ids.into_iter().map(|id| Shown::of(StringKind::Call, id)).collect(),
            actions: taken.steps.into_iter().map(PlannedAction::from).collect(),
        }
    }

    /// The same, in the row of this line.
    pub(crate) fn in_row(mut self, line: u64) -> AppliedFix {
        self.actions.iter_mut().for_each(|action| action.step.line = Some(line));
        self
    }
}

redact_fields! {
    SqlScript { database, apply, undo }
    Applied { output, script, changes }
    AppliedFix { row, ids, actions }
}
