//! Results that differ: at a terminal, the user is asked which one is right.

use std::io::{self, Write};

use super::{Job, RepairOutput, in_place};
use crate::app::plan::{self, SourcePlan};
use crate::app::prompt::{Answer, Pick, PickKeys};
use crate::app::{Error, Result, streams};
use crate::outputs::human;
use crate::repair::Refused;
use crate::report::model::{Conversation, ReportedFinding};
use crate::rules::{Prefer, Preference};
use crate::transcript::{Applicability, Severity};

/// Whether only the user knows which result of a call is right.
fn is_undecided(finding: &ReportedFinding) -> bool {
    let resolution = &finding.resolution;
    finding.severity > Severity::Note
        && resolution.fix.applicability == Applicability::Manual
        && !resolution.choices.is_empty()
        && resolution.choices.iter().all(|choice| choice.does.is_empty())
}

/// Whether results with the numbers of `--prefer` exist.
///
/// # Errors
/// A call has fewer results.
pub(crate) fn check_numbers(prefer: &[Preference], entries: &[Conversation]) -> Result<()> {
    for preference in prefer {
        let Prefer::Choice(number) = preference.keep else {
            continue;
        };
        let findings = entries.iter().flat_map(|entry| &entry.findings);
        let most = findings.filter(|own| is_undecided(own)).map(|own| own.resolution.choices.len());
        if let Some(most) = most.max().filter(|most| *most < number) {
            return Err(Error::usage(format!(
                "--prefer {number}: there are only {most} results to choose from"
            )));
        }
    }
    Ok(())
}

impl Job<'_> {
    /// Whether the user is asked which results are right.
    pub(super) fn asks_for_results(&self, work: &SourcePlan<'_>) -> bool {
        let is_decided = self.options.yes
            || self.options.dry_run
            || self.options.reviewed.is_some()
            || self.rest.get().is_some()
            || self.options.output == RepairOutput::Stdout;
        let is_restricted = self.options.plan.policy.focus.is_some();
        let can_be_written =
            !self.writes_in_place() || in_place::copy_only(self.app, work).is_none();
        !is_decided
            && !is_restricted
            && can_be_written
            && streams::screen(!self.app.options.output.interactive).is_some()
            && work.before.iter().any(|entry| self.undecided(entry).next().is_some())
    }

    fn undecided<'c>(
        &self,
        entry: &'c Conversation,
    ) -> impl Iterator<Item = &'c ReportedFinding> + use<'c, '_> {
        let only = &self.options.plan.policy.only;
        let is_meant = |finding: &&ReportedFinding| {
            only.is_empty() || only.iter().any(|rule| rule.code == finding.code)
        };
        entry.findings.iter().filter(|finding| is_undecided(finding)).filter(is_meant)
    }

    /// Asks which results are right, and plans a repair that keeps those.
    pub(super) fn with_results<'w>(
        &self,
        work: SourcePlan<'w>,
    ) -> Result<std::result::Result<SourcePlan<'w>, Refused>> {
        let mut chosen = Vec::new();
        for entry in self.app.read(work.before.clone()) {
            let is_last = !self.ask_results(&entry, &mut chosen)?;
            if is_last {
                break;
            }
        }
        if chosen.is_empty() {
            return Ok(Ok(work));
        }
        let mut planning = self.planning(work.found);
        // The first that fits a call counts.
        planning.check.prefer.splice(0..0, chosen);
        Ok(plan::make(work.found, planning, &self.app.options.reader))
    }

    /// The flag: more may be asked.
    fn ask_results(&self, entry: &Conversation, chosen: &mut Vec<Preference>) -> Result<bool> {
        let open: Vec<&ReportedFinding> = self.undecided(entry).collect();
        let Some(screen) = streams::screen(!self.app.options.output.interactive) else {
            return Ok(false);
        };
        if open.is_empty() {
            return Ok(true);
        }
        let style = self.app.shown_style();
        let layout = human::layout(std::slice::from_ref(entry), &style);
        let mut out = self.app.stream(screen);
        if self.several {
            self.write_place(entry, &mut out)?;
        } else {
            human::heading(entry, &mut out, &style)?;
        }
        for finding in &open {
            writeln!(out)?;
            human::asked(finding, &entry.path, &layout, &mut out)?;
            let keys = PickKeys::of_results(finding, open.len() == 1 && !self.several);
            let pick =
                keys.ask(&mut io::stdin().lock(), &mut out, |out| self.explain(finding.code, out))?;
            match pick {
                Pick::Keep(number) => chosen.extend(finding.call_ids.first().map(|id| {
                    Preference { keep: Prefer::Choice(number), call: Some(id.exact().to_owned()) }
                })),
                Pick::LeaveRest => return Ok(false),
                Pick::Quit => {
                    self.rest.set(Some(Answer::Quit));
                    return Ok(false);
                }
                Pick::Leave | Pick::Apply | Pick::ApplyRest => {}
            }
        }
        out.flush()?;
        Ok(true)
    }
}
