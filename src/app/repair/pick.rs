//! `repair --pick`: a person decides about each fix, as with `git add -p`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::Job;
use crate::app::plan::{self, Planning, SourcePlan};
use crate::app::prompt::{self, Answer, Pick};
use crate::app::{Error, Result, streams};
use crate::bytes::overlay::Overlay;
use crate::engine::CheckOptions;
use crate::explain::Explained;
use crate::explain::rule::Manual;
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{explained, human};
use crate::repair::{FindingKey, Focus, Policy, Refused};
use crate::report::build::conversation;
use crate::report::fold::folded;
use crate::report::model::{Conversation, ReportedFinding};
use crate::rules::{self, Prefer, Preference};
use crate::transcript::{Applicability, Code, Severity};

/// What a person has decided about a transcript.
#[derive(Default)]
struct Picks {
    /// The fixes to apply, each with the worst class that was agreed to.
    fixes: BTreeMap<FindingKey, Applicability>,
    /// The results to keep.
    results: Vec<Preference>,
    /// What was asked about.
    asked: BTreeSet<FindingKey>,
    /// All further safe fixes are applied without a question.
    rest_is_safe: bool,
    /// The user has finished with this transcript.
    ended: bool,
}

impl Picks {
    /// The plan restricted to what was decided.
    fn planning(&self, given: &Planning, is_draft: bool) -> Planning {
        let guesses = self.fixes.values().any(|worst| *worst > Applicability::Safe);
        Planning {
            check: CheckOptions { prefer: self.results.clone(), ..given.check.clone() },
            policy: Policy {
                focus: Some(Focus { picked: self.fixes.clone(), ..Focus::default() }),
                with_unsafe: guesses,
                is_draft,
                ..given.policy.clone()
            },
            every_row: given.every_row,
            most_shown: given.most_shown,
        }
    }

    fn apply(&mut self, finding: &ReportedFinding) {
        let worst = match finding.resolution.fix.applicability {
            Applicability::Safe | Applicability::OnRequest => Applicability::Safe,
            _ => Applicability::Unsafe,
        };
        self.fixes.extend(finding.identity.keys.iter().map(|key| (*key, worst)));
    }

    /// Keeps the result with this number.
    fn keep(&mut self, finding: &ReportedFinding, number: usize) {
        let own = finding.call_ids.first().map(|id| Preference {
            keep: Prefer::Choice(number),
            call: Some(id.exact().to_owned()),
        });
        self.results.extend(own);
        self.apply(finding);
    }

    fn take(&mut self, finding: &ReportedFinding, pick: Pick) {
        match pick {
            Pick::Apply => self.apply(finding),
            Pick::Keep(number) => self.keep(finding, number),
            Pick::Leave => {}
            Pick::ApplyRest => {
                self.apply(finding);
                self.rest_is_safe = true;
            }
            Pick::LeaveRest | Pick::Quit => self.ended = true,
        }
    }
}

impl Job<'_> {
    /// Refuses to ask where nobody can answer.
    ///
    /// # Errors
    /// No terminal is connected.
    pub(super) fn can_ask(&self) -> Result<()> {
        match streams::screen(!self.app.options.output.interactive) {
            Some(_) => Ok(()),
            None => Err(Error::usage(
                "--pick asks about each fix, which needs a terminal; without one, name the rules with --only",
            )),
        }
    }

    /// Asks about each finding that a fix or a choice exists for, and plans what was decided. What shows only after that is
    /// asked about, too. `work`: the plan that is made without questions.
    pub(super) fn picked<'w>(
        &self,
        work: SourcePlan<'w>,
    ) -> Result<std::result::Result<SourcePlan<'w>, Refused>> {
        let found = work.found;
        let given = &self.planning(found);
        let make = |picks: &Picks, is_draft: bool| {
            let planning = picks.planning(given, is_draft);
            plan::make(found, planning, &self.app.options.reader)
        };
        let rest_is_safe = self.rest.get() == Some(Answer::All);
        let mut picks = Picks { rest_is_safe, ..Picks::default() };
        let mut entries = work.before;
        let mut after_fixes = false;
        loop {
            let decided = picks.fixes.len();
            self.walk(&entries, after_fixes, &mut picks)?;
            // What the fixes uncover may keep them from being written until it is fixed, too.
            let goes_on = !picks.ended && picks.fixes.len() > decided;
            let work = match make(&picks, goes_on) {
                Ok(work) => work,
                Err(refused) => return Ok(Err(refused)),
            };
            let Some(after) = work.after().filter(|_| goes_on) else {
                if picks.fixes.is_empty() && !picks.asked.is_empty() {
                    self.app.say(Tone::Warn, "no fix was picked; nothing was written");
                }
                return Ok(if goes_on { make(&picks, false) } else { Ok(work) });
            };
            let patched = Overlay::new(&found.source, &work.patch);
            entries = vec![folded(conversation(&found.path, &patched, after, false))];
            after_fixes = true;
        }
    }

    /// Asks about the findings of these conversations that were not asked about yet.
    fn walk(&self, entries: &[Conversation], after_fixes: bool, picks: &mut Picks) -> Result<()> {
        let Some(screen) = streams::screen(!self.app.options.output.interactive) else {
            return Ok(());
        };
        let style = self.app.shown_style();
        let entries = self.app.read(entries.to_vec());
        let layout = human::layout(&entries, &style);
        let is_new = |finding: &ReportedFinding, picks: &Picks| {
            self.is_offered(finding)
                && !finding.identity.keys.iter().all(|key| picks.asked.contains(key))
        };
        let findings = entries.iter().flat_map(|entry| &entry.findings);
        // Findings that nothing tells apart are decided together.
        let new = findings.filter(|finding| is_new(finding, picks));
        let all = new.map(|finding| &finding.identity.keys).collect::<BTreeSet<_>>().len();
        let mut number = 0;
        let mut out = self.app.stream(screen);
        for entry in &entries {
            let mut is_introduced = false;
            for finding in &entry.findings {
                if picks.ended || !is_new(finding, picks) {
                    continue;
                }
                picks.asked.extend(&finding.identity.keys);
                number += 1;
                if picks.rest_is_safe && finding.is_safe() {
                    picks.apply(finding);
                    continue;
                }
                if !std::mem::replace(&mut is_introduced, true) {
                    if after_fixes {
                        writeln!(out, "\n{}", paint(Tone::Strong, AFTER_FIXES))?
                    } else {
                        human::heading(entry, &mut out, &style)?
                    }
                }
                writeln!(out)?;
                human::asked(finding, &entry.path, &layout, &mut out)?;
                let equal = entry
                    .findings
                    .iter()
                    .filter(|other| other.identity.keys == finding.identity.keys)
                    .count();
                let keys = prompt::PickKeys::of(finding, equal, (number, all));
                let pick = keys.ask(&mut io::stdin().lock(), &mut out, |out| {
                    self.explain(finding.code, out)
                })?;
                picks.take(finding, pick);
                match pick {
                    Pick::Quit => self.rest.set(Some(Answer::Quit)),
                    Pick::ApplyRest => self.rest.set(Some(Answer::All)),
                    _ => {}
                }
            }
        }
        Ok(out.flush()?)
    }

    /// Whether there is something to decide.
    pub(super) fn has_questions(&self, entries: &[Conversation]) -> bool {
        let mut findings = entries.iter().flat_map(|entry| &entry.findings);
        findings.any(|finding| self.is_offered(finding))
    }

    /// Whether something can be done about a finding, and is worth a question.
    fn is_offered(&self, finding: &ReportedFinding) -> bool {
        let only = &self.options.plan.policy.only;
        let is_named = only.iter().any(|rule| rule.code == finding.code);
        let counts = finding.severity > Severity::Note || finding.code == Code::PendingCall;
        let can =
            !finding.resolution.fix.actions.is_empty() || !finding.resolution.choices.is_empty();
        can && (is_named || (only.is_empty() && counts))
    }

    /// The page of a rule.
    pub(super) fn explain(&self, code: Code, out: &mut dyn Write) -> io::Result<()> {
        match rules::ALL.iter().find(|rule| rule.code == code) {
            Some(own) => {
                let page = Explained::Rule(Manual::of(own));
                explained::write(&[page], out, &self.app.style)
            }
            None => Ok(()),
        }
    }
}

/// What is said before findings that only the chosen fixes make visible.
const AFTER_FIXES: &str = "After these fixes (with the numbers that records have then):";
