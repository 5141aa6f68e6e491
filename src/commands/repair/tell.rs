//! What `repair` tells while it works, and the question that it asks.

use std::io::{self, BufRead, IsTerminal};

use anyhow::Result;

use super::{Job, Output, Work};
use crate::commands::ask::{Answer, ask};
use crate::commands::streams;
use crate::outputs::human;
use crate::repair::Taken;
use crate::report::model::{Conversation, Finding};
use crate::transcript::Class;

impl Job<'_> {
    /// Tells the plan and, at a terminal, asks.
    pub(super) fn agreed(&self, work: &Work<'_>) -> Result<bool> {
        if work.plan.patch.is_empty() {
            return Ok(true);
        }
        self.tell_plan(&work.before, &work.plan.taken)?;
        let terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if self.args.yes || self.output != Output::InPlace || !terminal {
            return Ok(true);
        }
        let guesses = work.plan.taken.iter().filter(|taken| taken.class != Class::Safe).count();
        let question = match (work.plan.taken.len().saturating_sub(guesses), guesses) {
            (1, 0) => String::from("Apply 1 safe fix?"),
            (n, 0) => format!("Apply {n} safe fixes?"),
            (n, guesses) => format!("Apply {n} safe and {guesses} unsafe fixes?"),
        };
        let mut input: Box<dyn BufRead> = Box::new(io::stdin().lock());
        let mut err = streams::stderr(self.run.global.color);
        let answer = ask(&question, &mut *input, &mut err, |out| work.records.write(out, &self.run.style))?;
        Ok(answer == Answer::Yes)
    }

    /// Tells what would be done; of a restricted repair only that.
    fn tell_plan(&self, before: &Conversation, taken: &[Taken]) -> Result<()> {
        if !self.aloud || self.brief {
            return Ok(());
        }
        let mut before = before.clone();
        if self.policy.focus.is_some() {
            let same = |t: &Taken, f: &Finding| {
                let about = f.call_ids.iter().all(|id| t.ids.iter().any(|own| own == id.exact()));
                t.rule.code == f.code && t.message == f.message && about
            };
            let is_taken = |f: &Finding| taken.iter().any(|t| same(t, f));
            before.findings.retain(is_taken);
        }
        self.run.write(|out| human::plan(&before, out, &self.run.style))
    }

    fn tell_difference(&self, work: &Work<'_>) -> Result<()> {
        if !self.aloud || self.brief || self.args.no_diff {
            return Ok(());
        }
        self.run.write(|out| work.records.write(out, &self.run.style))
    }

    /// Tells what would be done, or that there is nothing to do.
    pub(super) fn tell_unwritten(&self, work: &Work<'_>, after: &Conversation) -> Result<()> {
        if !self.aloud {
            return Ok(());
        }
        let nothing = work.plan.patch.is_empty();
        if self.brief {
            return if nothing { Ok(()) } else { self.run.write(|out| human::applied_line(after, out)) };
        }
        if nothing {
            self.run.write(|out| human::heading(after, out, &self.run.style))?;
        } else {
            self.tell_plan(after, &work.plan.taken)?;
            self.tell_difference(work)?;
        }
        self.tell_end(after)
    }

    /// Tells what was written.
    pub(super) fn tell_written(&self, work: &Work<'_>, after: &Conversation) -> Result<()> {
        if !self.aloud {
            return Ok(());
        }
        if self.brief {
            return self.run.write(|out| human::applied_line(after, out));
        }
        if work.plan.patch.is_empty() {
            self.run.write(|out| human::heading(after, out, &self.run.style))?;
        }
        self.tell_difference(work)?;
        self.tell_end(after)
    }

    fn tell_end(&self, after: &Conversation) -> Result<()> {
        self.run.write(|out| {
            human::applied(after, out, &self.run.style)?;
            writeln!(out)
        })
    }
}
