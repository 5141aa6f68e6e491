//! What `repair` prints while it works, and the question that it asks.

use std::io::{self, Write};

use super::{Job, RepairOutput};
use crate::app::plan::{ChangedConversation, SourcePlan};
use crate::app::prompt::{self, Answer};
use crate::app::{Result, streams};
use crate::diff::records::RecordComparison;
use crate::hosts;
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{Detail, OutputStyle, human, many};
use crate::repair::Taken;
use crate::report::model::{Conversation, ReportedFinding, Verdict};

/// Changed rows that are shown one by one.
const PARTS: usize = 10;
/// Fixes that a question about one of several transcripts names, and steps of each.
const FIXES: usize = 3;
const STEPS: usize = 3;

/// `Apply 3 safe fixes?`
fn question(work: &SourcePlan<'_>) -> String {
    match work.fixes {
        (1, 0) => String::from("Apply 1 safe fix?"),
        (n, 0) => format!("Apply {n} safe fixes?"),
        (n, guesses) => format!("Apply {n} safe and {guesses} unsafe fixes?"),
    }
}

impl Job<'_> {
    /// Prints the plan and, at a terminal, asks: both on one stream, so that nobody is asked about what they do not see.
    pub(super) fn ask(&self, work: &SourcePlan<'_>) -> Result<Answer> {
        if work.patch.is_empty() {
            return Ok(Answer::Yes);
        }
        let decided = self.options.yes
            || self.options.output != RepairOutput::InPlace
            || self.rest.get().is_some();
        let Some(screen) =
            streams::screen(!self.app.options.output.interactive).filter(|_| !decided)
        else {
            return Ok(Answer::Yes);
        };
        self.shown.set(true);
        self.was_asked.set(true);
        if self.app.style.detail >= Detail::Normal {
            let is_brief = self.several && self.app.style.detail < Detail::All;
            self.app.write_to(screen, |out| {
                if is_brief {
                    self.write_brief_plan(work, out)
                } else {
                    self.write_plan(work, human::plan, out)
                }
            })?;
        }
        let keys = if self.several { prompt::SEVERAL } else { prompt::ONE };
        let mut out = self.app.stream(screen);
        let answer =
            prompt::ask(&question(work), keys, &mut io::stdin().lock(), &mut out, |out| {
                self.write_difference(work, out)
            })?;
        if matches!(answer, Answer::All | Answer::Quit) {
            self.rest.set(Some(answer));
        }
        Ok(answer)
    }

    /// `2/15  LOSSY  9f1b67ff · ~/work/api · "look at both files"`: which one of several is asked about.
    pub(super) fn write_place(&self, entry: &Conversation, out: &mut dyn Write) -> io::Result<()> {
        let (number, all) = self.position.get();
        let style = self.app.shown_style();
        if !self.is_apart.replace(false) {
            writeln!(out)?;
        }
        human::place(&format!("{number}/{all}"), entry, out, &style)
    }

    /// The same with what would be done: `TD301: set the parent of line 12 to line 11`.
    fn write_brief_plan(&self, work: &SourcePlan<'_>, out: &mut dyn Write) -> io::Result<()> {
        if let Some(own) = work.before.first() {
            self.write_place(&self.app.read(own.clone()), out)?;
        }
        let all = work.parts.iter().flat_map(|part| &part.taken);
        for taken in all.take(FIXES) {
            let steps = taken.steps.iter().take(STEPS).map(|step| step.says.as_str());
            let more = if taken.steps.len() > STEPS { "; …" } else { "" };
            let steps = steps.collect::<Vec<_>>().join("; ");
            let says = format!("{}: {steps}{more}", taken.rule.code);
            human::sentences(&[says], out, &self.app.style)?;
        }
        let fixes = work.fixes.0 + work.fixes.1;
        match fixes.checked_sub(FIXES).filter(|more| *more > 0) {
            Some(1) => writeln!(out, "and 1 more fix"),
            Some(more) => writeln!(out, "and {more} more fixes"),
            None => Ok(()),
        }
    }

    /// Says that the user ended the run.
    pub(super) fn say_stopped(&self, left: usize) {
        let were = if left == 1 { "was" } else { "were" };
        let files = many(left as u64, "more transcript");
        self.app.say(Tone::Warn, &format!("Stopped. {files} {were} not checked."));
    }

    /// The parts that are shown. `--plan-out` keeps more of them.
    fn shown_parts<'w>(&self, work: &'w SourcePlan<'_>) -> &'w [ChangedConversation] {
        let most = self.most_shown().min(work.parts.len());
        work.parts.get(..most).unwrap_or_default()
    }

    /// Most changed conversations that are shown: a few of many rows, unless everything is asked for.
    pub(super) fn most_shown(&self) -> usize {
        if self.app.style.detail == Detail::All { usize::MAX } else { PARTS }
    }

    /// Prints what would be done; of a restricted repair only that.
    pub(super) fn print_plan(&self, work: &SourcePlan<'_>) -> Result<()> {
        if !self.aloud || self.brief || self.shown.replace(true) {
            return Ok(());
        }
        self.app.write(|out| self.write_plan(work, human::plan, out))
    }

    fn write_plan(
        &self,
        work: &SourcePlan<'_>,
        write: fn(&Conversation, &mut dyn Write, &OutputStyle) -> io::Result<()>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for ChangedConversation { before, taken, .. } in self.shown_parts(work) {
            let mut before = before.clone();
            if work.planning.policy.focus.is_some() {
                let same = |t: &Taken, f: &ReportedFinding| {
                    let about =
                        f.call_ids.iter().all(|id| t.ids.iter().any(|own| own == id.exact()));
                    t.rule.code == f.code && t.message == f.message && about
                };
                before.findings.retain(|f| taken.iter().any(|t| same(t, f)));
            }
            let before = self.app.read(before);
            // A row has a heading of its own.
            let write = if before.row.is_some() { human::plan } else { write };
            write(&before, out, &self.app.shown_style())?;
        }
        let kept = work.parts.len() - self.shown_parts(work).len();
        match kept + work.more_parts {
            0 => Ok(()),
            more => writeln!(out, "and {}; -v shows them", many(more as u64, "more row")),
        }
    }

    fn write_difference(&self, work: &SourcePlan<'_>, out: &mut dyn Write) -> io::Result<()> {
        for part in self.shown_parts(work).iter().filter(|part| !part.records.rows.is_empty()) {
            if part.before.row.is_some() {
                let place = self.app.read(part.before.clone()).place();
                writeln!(out, "{}", paint(Tone::Strong, &place))?;
            }
            part.records.write(RecordComparison::Repair, out, &self.app.style)?;
        }
        Ok(())
    }

    /// What all sessions of a host have to say is said once, at the end.
    fn say_once(&self, remarks: &mut Vec<String>) {
        let mut summary = self.summary.borrow_mut();
        remarks.retain(|remark| {
            let mut hosts = hosts::ALL.iter().filter(|format| !format.after_write.is_empty());
            let is_of_host = hosts.any(|format| format.after_write == *remark);
            if is_of_host && !summary.remarks.contains(remark) {
                summary.remarks.push(remark.clone());
            }
            !is_of_host
        });
    }

    fn print_difference(&self, work: &SourcePlan<'_>) -> Result<()> {
        if !self.aloud || self.brief || self.options.no_diff {
            return Ok(());
        }
        self.app.write(|out| self.write_difference(work, out))
    }

    /// Prints what would be done, or that there is nothing to do.
    pub(super) fn print_unwritten(
        &self,
        work: &SourcePlan<'_>,
        after: &[Conversation],
    ) -> Result<()> {
        let Some(own) = after.first().filter(|_| self.aloud) else {
            return Ok(());
        };
        let own = self.app.read(own.clone());
        let nothing = work.patch.is_empty();
        // The summary names what is left; who repairs several wants nothing of healthy ones.
        let damaged = after.iter().any(|entry| entry.verdict > Verdict::Pending);
        let is_told = self.app.style.detail == Detail::All || !self.several;
        if nothing && !is_told && (self.sums_up() || !damaged) {
            return Ok(());
        }
        if self.brief {
            return if nothing {
                Ok(())
            } else {
                self.app.write(|out| human::applied_line(&own, out, &self.app.style))
            };
        }
        if nothing {
            self.app.write(|out| human::heading(&own, out, &self.app.style))?;
        } else {
            self.print_plan(work)?;
            self.print_difference(work)?;
        }
        self.print_end(after)
    }

    /// Prints what was written.
    pub(super) fn print_written(
        &self,
        work: &SourcePlan<'_>,
        after: &[Conversation],
    ) -> Result<()> {
        let Some(own) = after.first().filter(|_| self.aloud) else {
            return Ok(());
        };
        let own = self.app.read(own.clone());
        if self.brief {
            return self.app.write(|out| human::applied_line(&own, out, &self.app.style));
        }
        let before = work.before.first().map(|before| before.verdict);
        match before.filter(|_| !work.patch.is_empty()) {
            None => self.app.write(|out| human::heading(&own, out, &self.app.style))?,
            Some(before) => self.app.write(|out| {
                let style = self.app.shown_style();
                human::repaired(before, std::slice::from_ref(&own), out, &style)?;
                if self.shown.replace(true) {
                    Ok(())
                } else {
                    self.write_plan(work, human::fixes, out)
                }
            })?,
        }
        if !self.sums_up() || self.app.style.detail == Detail::All {
            self.print_difference(work)?;
        }
        self.print_end(after)
    }

    fn print_end(&self, after: &[Conversation]) -> Result<()> {
        let mut after = self.app.read(after.to_vec());
        if self.sums_up() {
            after.iter_mut().for_each(|own| self.say_once(&mut own.remarks));
        }
        self.is_apart.set(true);
        self.app.write(|out| {
            human::applied(&after, out, &self.app.shown_style())?;
            writeln!(out)
        })
    }
}
