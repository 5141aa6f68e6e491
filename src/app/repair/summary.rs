//! What a repair of several transcripts came to: how many were repaired, and why each of the others was not.

use super::Job;
use super::outcome::DoneSource;
use crate::app::{Result, streams};
use crate::outputs::human;
use crate::outputs::many_left::{LeftTranscript, RunSummary};
use crate::report::model::{Conversation, Verdict};

impl Job<'_> {
    /// Whether the run ends with a summary.
    pub(super) fn sums_up(&self) -> bool {
        self.aloud && self.several && self.writes_in_place()
    }

    /// Remembers what became of a transcript.
    pub(super) fn remember(&self, done: &DoneSource) {
        let why = self.refusal.take();
        let Some(own) = worst(&done.after) else {
            return;
        };
        let mut summary = self.summary.borrow_mut();
        if done.refused || own.verdict > Verdict::Pending {
            let is_answered = done.undone && !done.refused && self.was_asked.get();
            let left = LeftTranscript { conversation: own.clone(), refused: why, is_answered };
            summary.left.push(left);
        } else if done.written {
            summary.repaired += 1;
        }
    }

    /// Prints it.
    pub(super) fn print_summary(&self) -> Result<()> {
        if !self.sums_up() {
            return Ok(());
        }
        let can_ask = streams::screen(!self.app.options.output.interactive).is_some();
        let summary = RunSummary { can_ask, ..self.summary.take() };
        let summary = self.app.read(summary);
        self.app.write(|out| human::summary(&summary, out, &self.app.shown_style()))
    }
}

/// The entry of a transcript that is in the worst state: of a file of rows, one of its rows.
fn worst(entries: &[Conversation]) -> Option<&Conversation> {
    let first = entries.first()?;
    let rows = entries.iter().filter(|entry| entry.rows.is_none());
    Some(
        rows.max_by_key(|entry| (entry.verdict, std::cmp::Reverse(entry.row.is_some())))
            .unwrap_or(first),
    )
}
