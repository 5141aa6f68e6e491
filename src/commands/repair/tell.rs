//! What `repair` tells while it works, and the question that it asks.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::Result;

use super::work::{Part, Work};
use super::{Job, Output};
use crate::commands::ask::{Answer, ask};
use crate::commands::streams;
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{Detail, human, many};
use crate::repair::Taken;
use crate::report::model::{Conversation, Finding};
use crate::transcript::Class;

/// Changed rows that are told one by one.
const PARTS: usize = 10;

impl Job<'_> {
    /// Tells the plan and, at a terminal, asks.
    pub(super) fn agreed(&self, work: &Work<'_>) -> Result<bool> {
        if work.patch.is_empty() {
            return Ok(true);
        }
        self.tell_plan(work)?;
        let terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if self.args.yes || self.output != Output::InPlace || !terminal {
            return Ok(true);
        }
        let taken = || work.parts.iter().flat_map(|part| &part.taken);
        let guesses = taken().filter(|taken| taken.class != Class::Safe).count();
        let question = match (taken().count().saturating_sub(guesses), guesses) {
            (1, 0) => String::from("Apply 1 safe fix?"),
            (n, 0) => format!("Apply {n} safe fixes?"),
            (n, guesses) => format!("Apply {n} safe and {guesses} unsafe fixes?"),
        };
        let mut input: Box<dyn BufRead> = Box::new(io::stdin().lock());
        let mut err = streams::stderr(self.run.global.color);
        let answer = ask(&question, &mut *input, &mut err, |out| self.write_difference(work, out))?;
        Ok(answer == Answer::Yes)
    }

    /// The parts that are told: a few of many rows, unless everything is asked for.
    fn told<'w>(&self, work: &'w Work<'_>) -> &'w [Part] {
        let most = if self.run.style.detail == Detail::All { usize::MAX } else { PARTS };
        work.parts.get(..most.min(work.parts.len())).unwrap_or_default()
    }

    /// Tells what would be done; of a restricted repair only that.
    fn tell_plan(&self, work: &Work<'_>) -> Result<()> {
        if !self.aloud || self.brief {
            return Ok(());
        }
        for Part { before, taken, .. } in self.told(work) {
            let mut before = before.clone();
            if self.policy.focus.is_some() {
                let same = |t: &Taken, f: &Finding| {
                    let about = f.call_ids.iter().all(|id| t.ids.iter().any(|own| own == id.exact()));
                    t.rule.code == f.code && t.message == f.message && about
                };
                let is_taken = |f: &Finding| taken.iter().any(|t| same(t, f));
                before.findings.retain(is_taken);
            }
            self.run.write(|out| human::plan(&before, out, &self.run.style))?;
        }
        self.tell_more(work)
    }

    fn tell_more(&self, work: &Work<'_>) -> Result<()> {
        match work.parts.len().checked_sub(self.told(work).len()).filter(|more| *more > 0) {
            Some(more) => {
                let rows = many(more as u64, "more row");
                self.run.write(|out| writeln!(out, "and {rows}; -v shows them"))
            }
            None => Ok(()),
        }
    }

    fn write_difference(&self, work: &Work<'_>, out: &mut dyn Write) -> io::Result<()> {
        for part in self.told(work).iter().filter(|part| !part.records.rows.is_empty()) {
            if part.before.row.is_some() {
                writeln!(out, "{}", paint(Tone::Strong, &part.before.place()))?;
            }
            part.records.write(out, &self.run.style)?;
        }
        Ok(())
    }

    fn tell_difference(&self, work: &Work<'_>) -> Result<()> {
        if !self.aloud || self.brief || self.args.no_diff {
            return Ok(());
        }
        self.run.write(|out| self.write_difference(work, out))
    }

    /// Tells what would be done, or that there is nothing to do.
    pub(super) fn tell_unwritten(&self, work: &Work<'_>, after: &[Conversation]) -> Result<()> {
        let Some(own) = after.first().filter(|_| self.aloud) else { return Ok(()) };
        let nothing = work.patch.is_empty();
        if self.brief {
            return if nothing { Ok(()) } else { self.run.write(|out| human::applied_line(own, out)) };
        }
        if nothing {
            self.run.write(|out| human::heading(own, out, &self.run.style))?;
        } else {
            self.tell_plan(work)?;
            self.tell_difference(work)?;
        }
        self.tell_end(after)
    }

    /// Tells what was written.
    pub(super) fn tell_written(&self, work: &Work<'_>, after: &[Conversation]) -> Result<()> {
        let Some(own) = after.first().filter(|_| self.aloud) else { return Ok(()) };
        if self.brief {
            return self.run.write(|out| human::applied_line(own, out));
        }
        if work.patch.is_empty() {
            self.run.write(|out| human::heading(own, out, &self.run.style))?;
        }
        self.tell_difference(work)?;
        self.tell_end(after)
    }

    fn tell_end(&self, after: &[Conversation]) -> Result<()> {
        self.run.write(|out| {
            human::applied(after, out, &self.run.style)?;
            writeln!(out)
        })
    }
}
