//! What became of one source of a repair.

use std::path::PathBuf;

use crate::app::error::NotChecked;
use crate::app::plan::SourcePlan;
use crate::report::model::{Conversation, SqlScript, Verdict};

/// What became of one source.
pub(super) enum SourceOutcome {
    Done(DoneSource),
    /// It could not be checked. The others are.
    NotChecked(NotChecked),
}

/// A source that was examined.
pub(super) struct DoneSource {
    /// The entries of the transcript as it is afterwards.
    pub after: Vec<Conversation>,
    /// Rows that could not be checked, and why.
    pub missed: Vec<String>,
    pub written: bool,
    pub refused: bool,
    /// It was written, and something failed after that.
    pub unconfirmed: bool,
    /// There was something to do, and it was not done.
    pub undone: bool,
}

/// What was written.
#[derive(Default)]
pub(super) struct WrittenRepair {
    /// The journal's operation.
    pub op: Option<u64>,
    /// Where the bytes are, to be read again.
    pub path: Option<PathBuf>,
    /// Their verdict, if they were judged before they got their place.
    pub verdict: Option<Verdict>,
    /// What the user runs, if that was written instead.
    pub script: Option<SqlScript>,
    /// Notes to print below the result.
    pub remarks: Vec<String>,
}

impl DoneSource {
    /// A source that is not repaired. `after`: its entries, as they are.
    pub(super) fn refused(after: Vec<Conversation>) -> Self {
        Self {
            after,
            missed: Vec::new(),
            written: false,
            refused: true,
            unconfirmed: false,
            undone: true,
        }
    }

    /// A source that stays as it is. `undone`: there was something to do.
    pub(super) fn unwritten(work: SourcePlan<'_>, undone: bool) -> Self {
        Self { missed: work.missed, refused: false, undone, ..Self::refused(work.before) }
    }
}
