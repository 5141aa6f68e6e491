//! A plan, written and proved.

mod after;
mod copy;
mod decide;
mod error;
mod in_place;
mod named;
mod one;
mod outcome;
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

use super::exit::{self, RunOutcome};
use super::plan::{Planning, SourcePlan};
use super::progress::Progress;
use super::prompt::Answer;
use super::{App, Error, Result, judge as judged};
use crate::bytes::source::{Entries, EntryId, Source};
use crate::find::{self, Finds, Found, Missed, name_of};
use crate::journal::RunPosition;
use crate::outputs::many_left::RunSummary;
use crate::outputs::paint::Tone;
use crate::outputs::{BULK, Detail, human};
use crate::report::model::Conversation;
pub(crate) use decide::check_numbers;
use error::{Doubt, Failed};
pub(crate) use in_place::finish;
pub(super) use in_place::is_covered;
pub(crate) use named::restrict;
use outcome::SourceOutcome;
pub(crate) use output::RepairOutput;
pub(crate) use reviewed::{PlanOptions, Reviewed, spare as spare_plan};

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

impl Job<'_> {
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
}
