//! The habits of the program that wrote a file of rows. They are counted over all rows, once, when the first row has what may be
//! one: most files have none, and are read once.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::judge::Checked;
use super::walk::RowWalk;
use crate::bytes::source::Entries;
use crate::containers::Scanned;
use crate::engine::habits::{FileHabits, Habits};
use crate::engine::{self, CheckOptions};
use crate::format::Detection;
use crate::repair::{Policy, Refused};

/// The rows to count in, and what was counted.
pub(super) struct RowHabits<'a> {
    /// The file, and its name; `None`: one row of a stream, so there are no others.
    file: Option<(&'a dyn Entries, &'a str)>,
    counted: OnceLock<Option<Arc<FileHabits>>>,
}

impl<'a> RowHabits<'a> {
    pub(super) fn new(file: Option<(&'a dyn Entries, &'a str)>) -> RowHabits<'a> {
        RowHabits { file, counted: OnceLock::new() }
    }

    /// The habits in the file, if they were counted already.
    pub(super) fn counted(&self) -> Option<Arc<FileHabits>> {
        self.counted.get().cloned().flatten()
    }

    /// The habits in the file; `None` where there are none, or nothing may be one because the user named the format.
    pub(super) fn of(&self, walk: &RowWalk<'_>) -> Option<Arc<FileHabits>> {
        let (entries, name) = self.file?;
        if !walk.detection.detected {
            return None;
        }
        let counted = self.counted.get_or_init(|| count(entries, name, walk).ok()?);
        counted.clone()
    }
}

/// Judges all rows, and keeps only the counts.
fn count(
    entries: &dyn Entries,
    name: &str,
    walk: &RowWalk<'_>,
) -> Result<Option<Arc<FileHabits>>, Refused> {
    let all = Mutex::new(FileHabits::default());
    let work = |entries: &dyn Entries,
                scanned: Option<Scanned<'_>>,
                detection: &Detection,
                options: &CheckOptions| {
        let judged = engine::judge_scanned(entries, scanned, name, detection, options)?;
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Habits::Known(at, _) = options.habits {
            all.add(&judged.transcript, judged.target(), &judged.findings, at);
        }
        drop(all);
        Ok(Checked::Judged(Box::new(judged)))
    };
    let counting = RowWalk {
        detection: walk.detection,
        options: walk.options,
        policy: &Policy::default(),
        work: &work,
        habits: &RowHabits::new(None),
    };
    counting.all(entries, &mut |_| {})?;
    let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(all.found().map(Arc::new))
}
