//! The transcript as a repair left it: read again, judged, and told.

use super::outcome::WrittenRepair;
use super::{Doubt, Failed, Job, RepairOutput, in_place};
use crate::app::copies::{self, Proposed};
use crate::app::place;
use crate::app::plan::{self, SourcePlan};
use crate::bytes::overlay::Overlay;
use crate::bytes::source::SourceShape;
use crate::repair::WriteStyle;
use crate::report::build::conversation;
use crate::report::fold::folded;
use crate::report::model::{Applied, Conversation, Verdict};
use crate::report::text::Shown;

/// What to know of a repair that was appended.
const BRANCHED: &str = "The repaired end was appended as a new branch. The old end stays in the file, unchanged and \
     still broken.";

impl Job<'_> {
    /// The entries of the transcript as it was written, read again.
    pub(super) fn afterwards(
        &self,
        work: &SourcePlan<'_>,
        written: WrittenRepair,
    ) -> Result<Vec<Conversation>, Failed> {
        let patched = Overlay::new(&work.found.source, &work.patch);
        let read = read_again(work, &written, &patched)?;
        let (mut after, planned) = planned_entries(work, &patched, written.op)?;
        if work.only_copy.is_some() {
            copies::name(&mut after, work.found, &Proposed::Planned(&work.patch));
        }
        if let Some(own) = after.first_mut() {
            // A folder's files may have new names now, so their texts cannot be read through the old ones.
            let was = work.before.first().map(|was| &was.introduction);
            let words = &mut own.introduction.words;
            *words = words.take().or_else(|| was?.words.clone());
            place::look_for_folder(own);
            // What went through a pipe cannot be read again; it is the plan's.
            self.tell(own, work, written, read.unwrap_or(planned));
        }
        Ok(after)
    }

    /// Says in an entry what was done.
    fn tell(
        &self,
        own: &mut Conversation,
        work: &SourcePlan<'_>,
        written: WrittenRepair,
        proved: Verdict,
    ) {
        let is_copy = self.options.output != RepairOutput::InPlace;
        let nothing = work.patch.is_empty();
        let is_exported = work.found.source.shape() == SourceShape::Database
            && !nothing
            && written.script.is_none();
        own.applied = Some(Applied {
            op: written.op,
            batch: written.op.and(self.first.get()).filter(|_| self.several),
            output: written.path.filter(|_| is_copy).map(|path| Shown::path(&path)),
            proved: Some(proved),
            script: written.script,
            nothing,
            ..work.applied()
        });
        own.remarks.extend_from_slice(&work.remarks);
        own.remarks.extend(written.remarks);
        let is_in_journal = written.op.is_some();
        if self.options.keep_mtime
            && is_in_journal
            && let Some(why) = in_place::watches_mtime(work)
        {
            own.remarks.push(format!("--keep-mtime was ignored: {why}."));
        }
        if work.planning.policy.style == WriteStyle::Branch && !nothing {
            own.remarks.push(BRANCHED.to_owned());
        }
        let next = work.found.detection.format.after_write;
        if (is_in_journal || is_exported) && !next.is_empty() {
            own.remarks.push(next.to_owned());
        }
    }
}

/// The verdict of what is where it was written. `None`: it went through a pipe.
fn read_again(
    work: &SourcePlan<'_>,
    written: &WrittenRepair,
    patched: &Overlay<'_>,
) -> Result<Option<Verdict>, Failed> {
    let Some(path) = &written.path else {
        return Ok(None);
    };
    let proved = written.verdict.map(|verdict| (verdict, patched));
    let judged = in_place::judge_again(&work.planning, path, work.found, proved);
    judged.map(Some).map_err(|why| Failed::Unconfirmed { op: written.op, why: Doubt::Unread(why) })
}

/// The entries of the transcript as it was planned, and the worst verdict among them. `op`: the journal's operation.
fn planned_entries(
    work: &SourcePlan<'_>,
    patched: &Overlay<'_>,
    op: Option<u64>,
) -> Result<(Vec<Conversation>, Verdict), Failed> {
    let found = work.found;
    if let Some(judged) = work.after() {
        let entry = folded(conversation(&found.path, patched, judged, false));
        return Ok((vec![entry], judged.verdict));
    }
    let entries = plan::entries_of(found, patched, &found.detection, &work.planning)
        .map_err(|error| Failed::Unconfirmed { op, why: Doubt::Io(error) })?;
    let worst = entries.iter().map(|entry| entry.verdict).max();
    Ok((entries, worst.unwrap_or(Verdict::Unknown)))
}
