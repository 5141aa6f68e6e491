//! Into the transcript itself: through the journal, checked before and after.

use crate::transcript::Code;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Job;
use super::error::{Doubt, Failed, Refusal, Unfit, Unproved};
use super::outcome::WrittenRepair;
use crate::app::error::NotChecked;
use crate::app::plan::{Planning, SourcePlan, entries_of, outline};
use crate::app::{App, Result, late, owner, signals};
use crate::bytes::checksum::Checksum;
use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::replace::LateWrites;
use crate::bytes::source::{Entries, EntryId, Source, SourceShape, Span};
use crate::find::name_of;
use crate::find::{self, Found};
use crate::format::Detection;
use crate::journal::{Finished, Journal, Objection, WriteCheck, WriteOptions};
use crate::live::{Live, Readings, System};
use crate::outputs::many;
use crate::outputs::paint::Tone;
use crate::report::model::Verdict;
use crate::report::text::Shown;

/// Completes or withdraws what an earlier run was interrupted in.
///
/// # Errors
/// The journal is there and cannot be read.
pub(crate) fn finish(app: &App<'_>) -> Result<()> {
    let Some(journal) = Journal::standard() else {
        return Ok(());
    };
    journal.sweep();
    for operation in journal.unfinished()? {
        let _signals_wait = signals::writing();
        let path = app.options.reader.path(&operation.place.path);
        let op = operation.op;
        match journal.finish(op) {
            Ok(Finished::Completed) => app
                .say(Tone::Warn, &format!("{path}: the interrupted operation {op} was completed")),
            Ok(Finished::Withdrawn) => app
                .say(Tone::Warn, &format!("{path}: the interrupted operation {op} was withdrawn")),
            Err(error) => app.say(
                Tone::Bad,
                &format!("{path}: the interrupted operation {op} is still unfinished: {error}"),
            ),
        }
        if let Some(left) = late::left_beside(app, &journal, op, true) {
            app.say(Tone::Warn, &left);
        }
    }
    late::forget(&journal);
    Ok(())
}

/// Why a repair of a transcript has to be a copy, if it has.
pub(super) fn copy_only(app: &App<'_>, work: &SourcePlan<'_>) -> Option<Refusal> {
    work.only_copy.map(|why| Refusal::OnlyCopy(why, app.options.reader.path(&work.found.path)))
}

/// Writes a plan into its transcript. `read`: checksums of files, from before the plan was made.
///
/// # Errors
/// Why it was refused; then nothing was written, or the text says what was.
pub(super) fn write(
    job: &Job<'_>,
    work: &SourcePlan<'_>,
    read: &[(EntryId, Checksum)],
) -> Result<WrittenRepair, Failed> {
    let SourcePlan { found, patch, .. } = work;
    if let Some(why) = copy_only(job.app, work) {
        return Err(why.into());
    }
    let mut journal = Journal::standard().ok_or(Refusal::NoJournal)?;
    if let Some(folder) = &job.options.backup_dir {
        journal = journal.with_backups_in(std::path::absolute(folder)?);
    }
    let how = WriteOptions {
        now: SystemTime::now(),
        plan: job.options.reviewed.as_ref().and_then(|plan| plan.checksum()),
        keep_mtime: job.options.keep_mtime && watches_mtime(work).is_none(),
        backup: !job.options.no_backup,
        batch: job.batch(),
        undisturbed: false,
    };
    let mut judge = WatchedRepair { job, work, read, carried: 0, verdict: None };
    let is_folder = found.source.shape() == SourceShape::Folder;
    match journal.write(&found.source, patch, &how, &mut judge) {
        Ok(op) => {
            job.first.set(job.first.get().or(op));
            let unseen = owner::unseen(owner::of(&System, found, work.facts(), Readings::Once));
            let left = op.and_then(|op| late::left_beside(job.app, &journal, op, true));
            let remarks = carried(judge.carried).into_iter().chain(unseen).chain(left).collect();
            Ok(WrittenRepair {
                op,
                path: Some(found.path.clone()),
                // The old files of a folder, which the new ones are compared with, are not where they were.
                verdict: judge.verdict.filter(|_| !is_folder),
                script: None,
                remarks,
            })
        }
        Err(error) => match error.written() {
            None => Err(Refusal::Write(error).into()),
            op => {
                job.first.set(job.first.get().or(op));
                if let Some(left) =
                    op.and_then(|op| late::left_beside(job.app, &journal, op, false))
                {
                    job.app.say(Tone::Warn, &left);
                }
                Err(Failed::Unconfirmed { op, why: Doubt::Write(error) })
            }
        },
    }
}

/// What to know of lines that came in the moment of the repair.
fn carried(count: u64) -> Option<String> {
    (count > 0)
        .then(|| format!("Carried over {} written during the repair.", many(count, "record")))
}

/// Why the time of the file must not stay as it was, where that is so.
pub(super) fn watches_mtime(work: &SourcePlan<'_>) -> Option<&'static str> {
    (work.found.detection.format.traits.watches_mtime)(&work.found.path, work.facts())
}

/// Who is writing the transcript, and what can be done about it.
pub(super) fn belongs_to(job: &Job<'_>, work: &SourcePlan<'_>, live: Live) -> String {
    let found = work.found;
    let mut text = format!(
        "it {}; nothing was written\n",
        owner::name(live, found.detection.format.host_of(&found.path, work.facts()).name)
    );
    text.push_str(
        "  The process would overwrite the repair with what it has in memory. Close it, or:\n",
    );
    let path = job.app.read(Shown::path(&found.path));
    for (more, why) in
        [(["--output", "COPY"], "work on a copy"), (["--wait", "60"], "wait until it closes")]
    {
        if let Some(line) = job.app.shown_style().next.for_path("repair", &more, &path) {
            text.push_str(&format!("    {line}    {why}\n"));
        }
    }
    text.trim_end().to_owned()
}

/// What the journal asks while it writes.
struct WatchedRepair<'w> {
    job: &'w Job<'w>,
    work: &'w SourcePlan<'w>,
    /// Checksums of files, from before the plan was made.
    read: &'w [(EntryId, Checksum)],
    /// Records that came meanwhile.
    carried: u64,
    /// The verdict of the new bytes, of one conversation.
    verdict: Option<Verdict>,
}

impl WriteCheck for WatchedRepair<'_> {
    fn verify(&mut self, new: &Source) -> Result<(), Objection> {
        let found = self.work.found;
        if self.read.iter().any(|(id, sum)| found.source.checksum(*id).ok() != Some(*sum)) {
            return Err(Unproved::Changed.into());
        }
        self.verdict = verify(self.work, new)?;
        Ok(())
    }

    fn accept_late_writes(&mut self, came: &LateWrites) -> Result<(), Objection> {
        Ok(self.check_fit(came)?)
    }

    fn find_writer(&mut self, old: &[PathBuf]) -> Option<String> {
        if self.job.options.force_live {
            return None;
        }
        owner::holder(old)
    }
}

impl WatchedRepair<'_> {
    /// Whether what came makes nothing worse after the repair than before it.
    fn check_fit(&mut self, came: &LateWrites) -> Result<(), Unfit> {
        let SourcePlan { found, planning, .. } = self.work;
        let codes = |entries: &dyn Entries, detection: &Detection| {
            let outline = outline(
                entries,
                &name_of(&found.path),
                detection,
                &planning.check,
                &planning.policy,
                None,
            );
            outline.map(|outline| outline.codes)
        };
        let (source, detection) = read_again(&found.path, found)?;
        let (old, new, count) = match came {
            LateWrites::Lines(lines)
                if found.source.shape() == SourceShape::File && found.source.packed().is_none() =>
            {
                let (behind, ahead) = (appended(&found.source, lines)?, appended(&source, lines)?);
                let old = codes(&Overlay::new(&found.source, &behind), &found.detection)?;
                let new = codes(&Overlay::new(&source, &ahead), &detection)?;
                (old, new, memchr::memchr_iter(b'\n', lines).count())
            }
            LateWrites::Files(files) => {
                (codes(&found.source, &found.detection)?, codes(&source, &detection)?, files.len())
            }
            _ => return Err(Unfit::Unknown),
        };
        if !is_covered(&new, &old, &self.work.left) {
            return Err(Unfit::Worse);
        }
        self.carried = self.carried.saturating_add(count as u64);
        Ok(())
    }
}

/// The patch that adds lines to the only entry.
fn appended(entries: &dyn Entries, lines: &[u8]) -> Result<Patch, Unfit> {
    let entry = entries.ids().first().copied().ok_or(Unfit::NoEntry)?;
    let end = entries.len(entry);
    let edit = Edit::Bytes { at: Span { entry, start: end, end }, with: lines.to_vec() };
    Ok(Patch::new(vec![edit])?)
}

/// Has `new` each code at most as often as one of the other two?
pub(crate) fn is_covered(new: &[Code], old: &[Code], left: &[Code]) -> bool {
    let count = |codes: &[Code], code: Code| codes.iter().filter(|own| **own == code).count();
    new.iter().all(|code| count(new, *code) <= count(old, *code).max(count(left, *code)))
}

/// Reads the bytes that are about to be put in place: they are what was planned, and a second repair has nothing to do. Returns
/// the verdict of one conversation.
fn verify(work: &SourcePlan<'_>, staged: &Source) -> Result<Option<Verdict>, Unproved> {
    let SourcePlan { found, patch, .. } = work;
    if signals::arrived() {
        return Err(Unproved::Interrupted);
    }
    let planned = Overlay::new(&found.source, patch);
    if !same(&planned, staged)? {
        return Err(Unproved::OtherBytes);
    }
    if found.source.shape() == SourceShape::Folder {
        let (now, _) = read_again(&found.path, found)?;
        let names = |source: &Source| -> Vec<String> {
            source.ids().into_iter().map(|id| source.name(id).to_owned()).collect()
        };
        if names(&now) != names(&found.source) {
            return Err(Unproved::OtherFiles);
        }
    }
    let detection = find::recognize_again(staged, &name_of(&found.path), &found.detection)?;
    confirm(work, staged, &detection)
}

/// Whether what was written is what the plan promised: a second repair has nothing to do, and what is wrong is what was left.
/// Returns the verdict of one conversation.
///
/// # Errors
/// It is not.
pub(super) fn confirm(
    work: &SourcePlan<'_>,
    written: &Source,
    detection: &Detection,
) -> Result<Option<Verdict>, Unproved> {
    let name = name_of(&work.found.path);
    let again = outline(
        written,
        &name,
        detection,
        &work.planning.check,
        &work.planning.policy,
        work.judged(),
    )?;
    if !again.patch.is_empty() {
        return Err(if again.codes.is_empty() {
            Unproved::SecondRepair
        } else {
            Unproved::SecondRepairOf(again.codes)
        });
    }
    // A document of a session has no rows that its host never reads.
    let mut left = work.left.clone();
    if work.found.source.shape() == SourceShape::Database {
        left.retain(|code| again.codes.contains(code));
    }
    if again.codes != left {
        return Err(Unproved::OtherFindings);
    }
    Ok(again.verdict)
}

/// Whether two transcripts have the same entries, byte for byte.
fn same(a: &dyn Entries, b: &dyn Entries) -> io::Result<bool> {
    let (first, second) = (a.ids(), b.ids());
    if first.len() != second.len() {
        return Ok(false);
    }
    // A single file has its name from where it is.
    let single = first.len() == 1;
    for (x, y) in first.into_iter().zip(second) {
        let named = single || a.name(x) == b.name(y);
        if !named || a.len(x) != b.len(y) || !same_bytes(&mut *a.open(x)?, &mut *b.open(y)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn same_bytes(a: &mut dyn Read, b: &mut dyn Read) -> io::Result<bool> {
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let n = a.read(&mut left)?;
        if n == 0 {
            return Ok(b.read(&mut right)? == 0);
        }
        match b.read_exact(&mut right[..n]) {
            Ok(()) if left[..n] == right[..n] => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

/// Judges what is at `path` now: the worst verdict. `proved`: that of the planned bytes, if these were judged already.
///
/// # Errors
/// It cannot be read.
pub(super) fn judge_again(
    planning: &Planning,
    path: &Path,
    found: &Found,
    proved: Option<(Verdict, &Overlay<'_>)>,
) -> Result<Verdict, NotChecked> {
    let (source, detection) = read_again(path, found)?;
    if let Some((verdict, planned)) = proved
        && same(planned, &source)?
    {
        return Ok(verdict);
    }
    let entries = entries_of(found, &source, &detection, planning)?;
    let worst = entries.iter().map(|entry| entry.verdict).max();
    Ok(worst.unwrap_or(Verdict::Unknown))
}

/// Opens what was written.
///
/// # Errors
/// It cannot be read, or it is not a transcript of its format anymore.
pub(super) fn read_again(path: &Path, found: &Found) -> io::Result<(Source, Detection)> {
    if found.source.shape() == SourceShape::Database
        && let Some((_, session)) = find::store::of_member(&found.path)
    {
        let own = find::store::member(path, session);
        // The copy of a database has all of its sessions.
        if find::store::of_member(&own).is_some() {
            return find::open_again(&own, SourceShape::Database, &found.detection);
        }
    }
    let shape = match found.source.shape() {
        // What else is written of a session in a database is a document.
        SourceShape::Stream | SourceShape::Database => SourceShape::File,
        shape => shape,
    };
    find::open_again(path, shape, &found.detection)
}
