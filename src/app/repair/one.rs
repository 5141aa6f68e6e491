//! The repair of one source, from its plan to the proof of what was written.

use std::collections::HashSet;
use std::path::PathBuf;

use super::outcome::{DoneSource, SourceOutcome, WrittenRepair};
use super::{Failed, Job, RepairOutput, check_numbers, copy, in_place};
use crate::app::plan::{self, Planning, SourcePlan};
use crate::app::prompt::Answer;
use crate::app::{Result, owner, signals};
use crate::bytes::checksum::Checksum;
use crate::bytes::source::EntryId;
use crate::find::{Found, Located, open_again};
use crate::live::{Live, Readings, System};
use crate::redact;
use crate::repair::Refused;
use crate::report::model::Applied;

impl Job<'_> {
    /// Plans, asks, writes, and reads again.
    pub(super) fn repair_source(
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
    pub(super) fn planning(&self, found: &Found) -> Planning {
        let mut plan = self.options.plan.clone();
        self.app.options.adapt_to(&found.path, &mut plan.check);
        if self.planned.is_none() {
            plan.most_shown = self.most_shown();
        }
        plan
    }

    /// A source for which no plan could be made.
    pub(super) fn no_plan(&self, found: &Found, refused: Refused) -> SourceOutcome {
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
}
