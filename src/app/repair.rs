//! A plan, written and proved.

mod copy;
mod decide;
mod error;
mod in_place;
mod named;
mod output;
mod pick;
mod print;
mod reviewed;
mod sql;
mod summary;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::copies::{self, Proposed};
use super::error::NotChecked;
use super::exit::{self, RunOutcome};
use super::plan::{self, Planning, SourcePlan};
use super::progress::Progress;
use super::prompt::Answer;
use super::{App, Error, Result, judge as judged, owner, place, signals};
use crate::bytes::checksum::Checksum;
use crate::bytes::overlay::Overlay;
use crate::bytes::source::{Entries, EntryId, Source, SourceShape};
use crate::find::{self, Finds, Found, Located, Missed, name_of, open_again};
use crate::journal::RunPosition;
use crate::live::{Live, Readings, System};
use crate::outputs::many_left::RunSummary;
use crate::outputs::paint::Tone;
use crate::outputs::{BULK, Detail, human};
use crate::redact;
use crate::repair::{Refused, WriteStyle};
use crate::report::build::conversation;
use crate::report::fold::folded;
use crate::report::model::{Applied, Conversation, SqlScript, Verdict};
use crate::report::text::Shown;
pub(crate) use decide::check_numbers;
use error::{Doubt, Failed};
pub(crate) use in_place::finish;
pub(super) use in_place::is_covered;
pub(crate) use named::restrict;
pub(crate) use output::RepairOutput;
pub(crate) use reviewed::{PlanOptions, Reviewed, spare as spare_plan};

/// What to know of a repair that was appended.
const BRANCHED: &str = "The repaired end was appended as a new branch. The old end stays in the file, unchanged and \
     still broken.";

/// How transcripts are repaired.
pub(crate) struct RepairOptions {
    pub output: RepairOutput,
    pub plan: Planning,
    /// A plan that was approved: nothing else is done.
    pub reviewed: Option<Arc<Reviewed>>,
    /// Where the plan is written, and with which options it is made.
    pub plan_out: Option<(PathBuf, PlanOptions)>,
    /// Only the plan is shown.
    pub dry_run: bool,
    /// `--force`: overwrite the output file if it exists.
    pub force: bool,
    /// Nothing is asked.
    pub yes: bool,
    /// Each fix is asked about.
    pub pick: bool,
    pub no_diff: bool,
    pub error_on_change: bool,
    pub keep_mtime: bool,
    /// Originals are kept in this folder instead of the journal's own.
    pub backup_dir: Option<PathBuf>,
    pub no_backup: bool,
    /// How long to wait for another process to stop writing.
    pub wait: Duration,
    /// Also where another process may be writing.
    pub force_live: bool,
}

/// One run of the command.
struct Job<'a> {
    app: &'a App<'a>,
    options: RepairOptions,
    /// A line for each source, because there are many.
    brief: bool,
    /// Progress is printed as it happens, as the human output does.
    aloud: bool,
    /// The plan of the current source was shown.
    shown: Cell<bool>,
    /// There is more than one source.
    several: bool,
    /// The answer to all further questions, if the user gave one.
    rest: Cell<Option<Answer>>,
    /// The first operation of this run.
    first: Cell<Option<u64>>,
    /// Which transcript it is, and of how many.
    position: Cell<(usize, usize)>,
    /// An empty line is above what comes next.
    is_apart: Cell<bool>,
    /// The user was asked about the current source.
    was_asked: Cell<bool>,
    /// Why the current source was refused.
    refusal: RefCell<Option<String>>,
    /// What became of the sources, where there are several.
    summary: RefCell<RunSummary>,
    /// The plan that is to be written.
    planned: Option<RefCell<Reviewed>>,
}

/// What became of one source.
enum SourceOutcome {
    Done(DoneSource),
    /// It could not be checked. The others are.
    NotChecked(NotChecked),
}

/// A source that was examined.
struct DoneSource {
    /// The entries of the transcript as it is afterwards.
    after: Vec<Conversation>,
    /// Rows that could not be checked, and why.
    missed: Vec<String>,
    written: bool,
    refused: bool,
    /// It was written, and something failed after that.
    unconfirmed: bool,
    /// There was something to do, and it was not done.
    undone: bool,
}

/// What was written.
#[derive(Default)]
struct WrittenRepair {
    /// The journal's operation.
    op: Option<u64>,
    /// Where the bytes are, to be read again.
    path: Option<PathBuf>,
    /// Their verdict, if they were judged before they got their place.
    verdict: Option<Verdict>,
    /// What the user runs, if that was written instead.
    script: Option<SqlScript>,
    /// Notes to print below the result.
    remarks: Vec<String>,
}

/// Repairs every transcript that was found, and reports on it.
///
/// # Errors
/// The report cannot be written.
pub(crate) fn all(app: &App<'_>, options: RepairOptions, mut finds: Finds) -> Result<u8> {
    let sizes = finds.found.iter().map(|located| located.size);
    let progress = Arc::new(Progress::start(app, "Checked", sizes));
    let app = &app.during(&progress);
    let job = Job {
        app,
        brief: finds.found.len() > BULK && app.style.detail < Detail::All,
        aloud: app.options.output.interactive && app.style.detail >= Detail::Normal,
        shown: Cell::new(false),
        several: finds.found.len() > 1,
        rest: Cell::new(None),
        first: Cell::new(None),
        position: Cell::new((0, finds.found.len())),
        is_apart: Cell::new(true),
        was_asked: Cell::new(false),
        refusal: RefCell::default(),
        summary: RefCell::default(),
        planned: options
            .plan_out
            .as_ref()
            .map(|(_, options)| RefCell::new(Reviewed::new(options.clone()))),
        options,
    };
    if let Some(plan) = &job.options.reviewed
        && let Err((path, why)) = plan.check_sources(&finds)
    {
        app.say(Tone::Bad, &format!("refused: {}: {why}", app.options.reader.path(&path)));
        return Ok(exit::REFUSED);
    }
    if job.options.pick {
        job.can_ask()?;
    }
    let mut trees = HashSet::new();
    let mut outcome = RunOutcome::default();
    let mut conversations = Vec::with_capacity(finds.found.len());
    for (number, located) in finds.found.iter().enumerate() {
        if job.rest.get() == Some(Answer::Quit) {
            outcome.left = true;
            job.say_stopped(finds.found.len().saturating_sub(number));
            break;
        }
        app.resume_progress();
        job.position.set((number + 1, finds.found.len()));
        let done = job.repair_source(located, &mut trees)?;
        progress.add(located.size);
        match done {
            SourceOutcome::Done(done) => {
                job.remember(&done);
                outcome.refused |= done.refused;
                outcome.unconfirmed |= done.unconfirmed;
                outcome.left |= done.undone || (done.written && job.options.error_on_change);
                conversations.extend(done.after);
                let missed = done.missed.into_iter();
                finds.missed.extend(missed.map(|why| Missed::new(&located.path, why)));
            }
            SourceOutcome::NotChecked(why) => finds.missed.push(Missed::new(&located.path, why)),
        }
    }
    job.keep_plan(outcome.refused)?;
    job.conclude(outcome, conversations, &finds)
}

/// Re-checks a repaired row: a second repair must find nothing to do, and only the findings that the plan kept may remain.
///
/// # Errors
/// Why it cannot be confirmed.
pub(super) fn prove(work: &SourcePlan<'_>, row: Vec<u8>) -> Result<(), String> {
    let source = Source::row_of_stdin(row, work.found.source.first_line(EntryId(0)));
    let detection =
        find::recognize_again(&source, &name_of(&work.found.path), &work.found.detection);
    let detection = detection.map_err(|why| why.to_string())?;
    let proved = in_place::confirm(work, &source, &detection);
    proved.map(|_| ()).map_err(|why| why.to_string())
}

impl DoneSource {
    /// A source that is not repaired. `after`: its entries, as they are.
    fn refused(after: Vec<Conversation>) -> Self {
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
    fn unwritten(work: SourcePlan<'_>, undone: bool) -> Self {
        Self { missed: work.missed, refused: false, undone, ..Self::refused(work.before) }
    }
}

impl Job<'_> {
    fn repair_source(
        &self,
        located: &Located,
        trees: &mut HashSet<PathBuf>,
    ) -> Result<SourceOutcome> {
        self.shown.set(false);
        self.was_asked.set(false);
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => return Ok(SourceOutcome::NotChecked(why.into())),
        };
        let (source, detection) = (&found.source, &found.detection);
        if !self.options.dry_run && redact::is_copy(source, detection).unwrap_or(false) {
            let why = "it is a redacted copy without the texts; repair the original (-n shows the \
                plan)";
            self.refuse(&found, why);
            return Ok(SourceOutcome::Done(DoneSource::refused(Vec::new())));
        }
        let read = self.fresh_sums(&found);
        let (work, live) = match self.work(&found) {
            Ok(planned) => planned,
            Err(refused) => return Ok(self.no_plan(&found, refused)),
        };
        // Who opens the file for each line is gone again soon: one more look. Without `--wait`, it is the only one.
        let waits = live.is_live()
            && self.writes_in_place()
            && (live.may_pass() || !self.options.wait.is_zero());
        if !waits || work.patch.is_empty() {
            return self.carry_out(work, live, &read, trees);
        }
        owner::wait(&System, &found, work.facts(), self.options.wait);
        // What was written meanwhile belongs to it.
        let (source, detection) = match open_again(&found.path, source.shape(), detection) {
            Ok(opened) => opened,
            Err(why) => return Ok(SourceOutcome::NotChecked(why.into())),
        };
        let again = Found {
            path: found.path.clone(),
            source,
            detection,
            parent: found.parent,
            database: found.database.clone(),
        };
        let read = self.fresh_sums(&again);
        match self.work(&again) {
            Ok((work, live)) => self.carry_out(work, live, &read, trees),
            Err(refused) => Ok(self.no_plan(&again, refused)),
        }
    }

    /// Writes the plan for `--plan-out`. `refused`: at least one source was.
    fn keep_plan(&self, refused: bool) -> Result<()> {
        let (Some(plan), Some((path, _))) = (&self.planned, &self.options.plan_out) else {
            return Ok(());
        };
        let plan = plan.borrow();
        let shown = self.app.options.reader.path(path);
        if refused && plan.paths().is_empty() {
            self.app.say(Tone::Warn, &format!("{shown}: no plan was written"));
            return Ok(());
        }
        let of_plan = Error::at(format!("cannot write the plan {shown}"));
        plan.write(path).map_err(of_plan)
    }

    /// Reports what was done. The answer is the exit status.
    fn conclude(
        &self,
        mut outcome: RunOutcome,
        conversations: Vec<Conversation>,
        finds: &Finds,
    ) -> Result<u8> {
        let app = self.app;
        let mut report = judged::report(app, conversations, finds);
        let found = judged::outcome(app, &report);
        outcome.left |= found.left;
        (outcome.not_examined, outcome.nothing) = (found.not_examined, found.nothing);
        report.exit_code = outcome.status();
        self.print_summary()?;
        if self.aloud {
            let report = app.read(report);
            app.write(|out| human::end(&report, out, &app.shown_style()))?;
            app.keep(report)?;
        } else {
            app.print(report)?;
        }
        Ok(outcome.status())
    }

    fn writes_in_place(&self) -> bool {
        self.options.output == RepairOutput::InPlace && !self.options.dry_run
    }

    /// The hashes of files that were written a moment ago, if they are to be replaced.
    fn fresh_sums(&self, found: &Found) -> Vec<(EntryId, Checksum)> {
        if self.writes_in_place() { owner::sums_of_fresh(&System, found) } else { Vec::new() }
    }

    /// Does what was planned: shows it, asks, writes. `live`: whether another process is writing the transcript.
    fn carry_out(
        &self,
        mut work: SourcePlan<'_>,
        live: Live,
        read: &[(EntryId, Checksum)],
        trees: &mut HashSet<PathBuf>,
    ) -> Result<SourceOutcome> {
        let found = work.found;
        if !self.several {
            check_numbers(&work.planning.check.prefer, &work.before)?;
        }
        if let Some(plan) = &self.options.reviewed
            && let Err(why) = plan.check_source(found).and_then(|()| plan.check_repair(&work))
        {
            self.refuse(found, why);
            return Ok(SourceOutcome::Done(DoneSource::refused(work.before)));
        }
        if let Some(plan) = &self.planned {
            // Nobody could apply it.
            if let Some(why) = in_place::copy_only(self.app, &work)
                && !work.patch.is_empty()
            {
                self.refuse(found, why);
                return Ok(SourceOutcome::Done(DoneSource::refused(work.before)));
            }
            plan.borrow_mut().add(self.app, &work)?;
        }
        let picks = self.options.pick && self.has_questions(&work.before);
        let decides = !picks && self.asks_for_results(&work);
        let nothing = work.patch.is_empty() && !picks && !decides;
        if self.options.dry_run || (nothing && self.options.output == RepairOutput::InPlace) {
            return Ok(SourceOutcome::Done(self.show_unwritten(work, nothing)?));
        }
        if live.is_live() && self.writes_in_place() {
            self.refuse(found, in_place::belongs_to(self, &work, live));
            return Ok(SourceOutcome::Done(DoneSource {
                refused: true,
                ..DoneSource::unwritten(work, true)
            }));
        }
        // Who chose a result wants that repair: only other fixes are asked about.
        let is_agreed = decides && work.patch.is_empty();
        if decides {
            self.was_asked.set(true);
            work = match self.with_results(work)? {
                Ok(work) => work,
                Err(refused) => return Ok(self.no_plan(found, refused)),
            };
            if work.patch.is_empty() || self.rest.get() == Some(Answer::Quit) {
                return Ok(SourceOutcome::Done(DoneSource::unwritten(work, true)));
            }
        }
        let answer = match (picks, is_agreed) {
            (true, _) => Answer::Pick,
            (false, true) => Answer::Yes,
            (false, false) => self.ask(&work)?,
        };
        if answer == Answer::Pick {
            work = match self.picked(work)? {
                Ok(work) => work,
                Err(refused) => return Ok(self.no_plan(found, refused)),
            };
        }
        if matches!(answer, Answer::No | Answer::Quit) || (work.patch.is_empty() && !nothing) {
            return Ok(SourceOutcome::Done(DoneSource::unwritten(work, true)));
        }
        Ok(SourceOutcome::Done(self.write(work, nothing, read, trees)?))
    }

    /// Shows what would be done, or that there is nothing to do.
    fn show_unwritten(&self, mut work: SourcePlan<'_>, nothing: bool) -> Result<DoneSource> {
        let mut after = std::mem::take(&mut work.before);
        if let Some(own) = after.first_mut() {
            own.applied = Some(Applied { planned_only: !nothing, nothing, ..work.applied() });
            own.remarks.extend_from_slice(&work.remarks);
        }
        self.print_unwritten(&work, &after)?;
        Ok(DoneSource { after, ..DoneSource::unwritten(work, !nothing) })
    }

    /// Writes what was planned, and reads it again. `nothing`: a copy is written as it is.
    fn write(
        &self,
        work: SourcePlan<'_>,
        nothing: bool,
        read: &[(EntryId, Checksum)],
        trees: &mut HashSet<PathBuf>,
    ) -> Result<DoneSource> {
        self.app.resume_progress();
        let written = {
            let _signals_wait = signals::writing();
            match self.options.output {
                RepairOutput::InPlace => in_place::write(self, &work, read),
                RepairOutput::Stdout => {
                    copy::to_stdout(&work).map(|()| WrittenRepair::default()).map_err(Failed::from)
                }
                RepairOutput::Copies(_) => copy::to_path(self, &work, trees),
            }
        };
        match written.and_then(|written| self.afterwards(&work, written)) {
            Ok(after) => {
                self.print_written(&work, &after)?;
                Ok(DoneSource { after, written: !nothing, ..DoneSource::unwritten(work, false) })
            }
            Err(Failed::Refused(why)) => {
                self.print_plan(&work)?;
                self.refuse(work.found, why);
                Ok(DoneSource { refused: true, ..DoneSource::unwritten(work, !nothing) })
            }
            Err(Failed::Unconfirmed { op, why }) => {
                self.app.say_unconfirmed(&work.found.path, op, why);
                Ok(DoneSource {
                    written: true,
                    unconfirmed: true,
                    ..DoneSource::unwritten(work, !nothing)
                })
            }
        }
    }

    /// What the next operation is done together with.
    fn batch(&self) -> RunPosition {
        match self.first.get() {
            _ if !self.several => RunPosition::Alone,
            None => RunPosition::First,
            Some(first) => RunPosition::Of(first),
        }
    }

    fn refuse(&self, found: &Found, why: impl Display) {
        self.refusal.replace(Some(why.to_string()));
        self.app.say(
            Tone::Bad,
            &format!("refused: {}: {why}", self.app.options.reader.path(&found.path)),
        );
    }

    /// The plan, and who is writing the transcript where we would: then what looks torn may be a record that is just being
    /// written.
    fn work<'a>(&self, found: &'a Found) -> Result<(SourcePlan<'a>, Live), Refused> {
        let (plan, reader) = (self.planning(found), &self.app.options.reader);
        let first = plan::make(found, plan.clone(), reader)?;
        let asked = self.options.output == RepairOutput::InPlace && !self.options.force_live;
        let looks = if self.options.dry_run || first.patch.is_empty() {
            Readings::Once
        } else {
            Readings::Twice
        };
        if !asked {
            return Ok((first, Live::Idle));
        }
        let live = owner::of(&System, found, first.facts(), looks);
        if !live.is_live() {
            return Ok((first, live));
        }
        Ok((plan::make(found, plan.live(), reader)?, live))
    }

    /// How the repair of a source is planned.
    fn planning(&self, found: &Found) -> Planning {
        let mut plan = self.options.plan.clone();
        self.app.options.adapt_to(&found.path, &mut plan.check);
        if self.planned.is_none() {
            plan.most_shown = self.most_shown();
        }
        plan
    }

    /// A source for which no plan could be made.
    fn no_plan(&self, found: &Found, refused: Refused) -> SourceOutcome {
        if let Refused::Read(why) = refused {
            return SourceOutcome::NotChecked(why.into());
        }
        self.refuse(found, refused);
        let plan = self.planning(found);
        match plan::entries_of(found, &found.source, &found.detection, &plan) {
            Ok(after) => SourceOutcome::Done(DoneSource::refused(after)),
            Err(why) => SourceOutcome::NotChecked(why.into()),
        }
    }

    /// The transcript as it was written, read again: its entries.
    fn afterwards(
        &self,
        work: &SourcePlan<'_>,
        written: WrittenRepair,
    ) -> Result<Vec<Conversation>, Failed> {
        let found = work.found;
        let patched = Overlay::new(&found.source, &work.patch);
        let read = written
            .path
            .as_ref()
            .map(|path| {
                let proved = written.verdict.map(|verdict| (verdict, &patched));
                in_place::judge_again(&work.planning, path, found, proved)
                    .map_err(|why| Failed::Unconfirmed { op: written.op, why: Doubt::Unread(why) })
            })
            .transpose()?;
        let (mut after, planned) = match work.after() {
            Some(judged) => {
                (vec![folded(conversation(&found.path, &patched, judged, false))], judged.verdict)
            }
            None => {
                let entries = plan::entries_of(found, &patched, &found.detection, &work.planning);
                let entries = entries.map_err(|error| Failed::Unconfirmed {
                    op: written.op,
                    why: Doubt::Io(error),
                })?;
                let worst =
                    entries.iter().map(|entry| entry.verdict).max().unwrap_or(Verdict::Unknown);
                (entries, worst)
            }
        };
        if work.only_copy.is_some() {
            copies::name(&mut after, found, &Proposed::Planned(&work.patch));
        }
        if let Some(own) = after.first_mut() {
            // A folder's files may have new names now, so their texts cannot be read through the old ones.
            let was = work.before.first().map(|was| &was.introduction);
            let words = &mut own.introduction.words;
            *words = words.take().or_else(|| was?.words.clone());
            place::look_for_folder(own);
            own.applied = Some(Applied {
                op: written.op,
                batch: written.op.and(self.first.get()).filter(|_| self.several),
                output: written
                    .path
                    .filter(|_| self.options.output != RepairOutput::InPlace)
                    .map(|path| Shown::path(&path)),
                // What went through a pipe cannot be read again; it is the plan's.
                proved: Some(read.unwrap_or(planned)),
                script: written.script,
                nothing: work.patch.is_empty(),
                ..work.applied()
            });
            own.remarks.extend_from_slice(&work.remarks);
            own.remarks.extend(written.remarks);
            let watched = in_place::watches_mtime(work)
                .filter(|_| self.options.keep_mtime && written.op.is_some());
            own.remarks.extend(watched.map(|why| format!("--keep-mtime was ignored: {why}.")));
            if work.planning.policy.style == WriteStyle::Branch && !work.patch.is_empty() {
                own.remarks.push(BRANCHED.to_owned());
            }
            let is_exported = found.source.shape() == SourceShape::Database
                && !work.patch.is_empty()
                && own.applied.as_ref().is_some_and(|own| own.script.is_none());
            let is_written = written.op.is_some() || is_exported;
            if is_written && !found.detection.format.after_write.is_empty() {
                own.remarks.push(found.detection.format.after_write.to_owned());
            }
        }
        Ok(after)
    }
}
