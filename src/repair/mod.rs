//! Repair: from findings over fixes to one patch against the original, which is verified by reading the result.

mod bound;
mod branch;
mod choose;
mod extent;
mod gate;
mod ledger;
mod members;
mod places;
mod rounds;
mod steps;
mod texts;

use std::io;

use hashbrown::HashSet;
use thiserror::Error;

use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Span};
use crate::containers::ReadError;
use crate::engine::habits::Habits;
use crate::engine::{CheckOptions, Judged, RuleSelection, TargetFrom, judge};
use crate::format::Detection;
use crate::proof::TextKey;
use crate::rules::{Finding, Rule};
use crate::transcript::{Applicability, Code, Place};

pub use branch::WriteStyle;
pub use choose::Policy;
pub(crate) use choose::{Focus, admitted};
use extent::Trace;
pub(crate) use extent::{Excess, applicability_of};
pub use extent::{FEW_RECORDS, FEW_TURNS, ONE_RECORD_IN, ONE_TURN_IN};
use gate::Failure;
pub(crate) use gate::{FindingKey, ids as about};
use ledger::Ledger;
use rounds::{Rounds, RoundsEnd, RoundsState};
pub(crate) use steps::{Op, RepairStep, proposed};

/// What a repair would do.
#[derive(Debug)]
pub struct RepairPlan {
    /// The conversation as it is.
    pub before: Judged,
    /// The difference, against the original bytes.
    pub patch: Patch,
    /// The findings that it fixes, in the order of the rounds.
    pub taken: Vec<Taken>,
    /// The first remaining thinking after a change: some models reject thinking if the text before it has changed.
    pub bound: Option<Place>,
    /// Records change in more than their bytes, IDs and numbers, or calls get placeholder results.
    pub changes_records: bool,
    /// Why fixes that the policy admits were left out, as text for the user.
    pub withheld: Vec<String>,
    /// The conversation after the repair; `None`: it does not change.
    changed: Option<Judged>,
}

impl RepairPlan {
    /// The conversation after the repair.
    pub fn after(&self) -> &Judged {
        self.changed.as_ref().unwrap_or(&self.before)
    }

    /// Adds what only the file around the conversation shows, before and after the repair.
    pub(crate) fn add(&mut self, code: Code, message: String, selection: &RuleSelection) {
        if let Some(changed) = &mut self.changed {
            changed.add(code, message.clone(), selection);
        }
        self.before.add(code, message, selection);
    }
}

/// A finding that the plan fixes.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The rule.
    pub rule: &'static Rule,
    /// What was wrong.
    pub message: String,
    /// The applicability of its fix.
    pub applicability: Applicability,
    /// The steps.
    pub steps: Vec<RepairStep>,
    /// The IDs of the calls that it is about, or of the records if it is not about calls.
    pub(crate) ids: Vec<String>,
    /// The texts that it removes, each with a proven reason.
    pub(crate) covers: Vec<TextKey>,
}

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum Refused {
    /// The conversation cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// The edits conflict, which is a bug of this program. Nothing was written.
    #[error(
        "the repair was refused ({0}); nothing was written. This is a bug of transcript-doctor"
    )]
    Bug(String),
    /// It would change more than any transcript of its format needs.
    #[error("{0}; nothing was written. {hint}", hint = .0.hint())]
    Excess(Excess),
    /// It cannot be written in the style that the user asked for.
    #[error(
        "it cannot be written as a branch: {0}; nothing was written. --write-style in-place repairs it"
    )]
    Style(&'static str),
    /// A member of the archive cannot be read, so it cannot be in a copy.
    #[error("{0}; no copy of the archive can be written without it")]
    UnreadableMember(io::Error),
}

/// Plans the repair of a conversation, in as many rounds as it takes.
///
/// # Errors
/// The conversation cannot be read, or its repair is refused as a whole.
pub fn plan(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    asked: &CheckOptions,
    policy: &Policy,
) -> Result<RepairPlan, Refused> {
    let before = judge(entries, name, detection, asked)?;
    plan_of(before, entries, name, detection, asked, policy).map_err(|(refused, _)| refused)
}

/// Whether a policy admits a fix of any finding of a conversation.
pub(crate) fn admits_any(judged: &Judged, policy: &Policy) -> bool {
    let mut findings = judged.findings.iter();
    findings.any(|finding| policy.admits(judged, finding).is_some())
}

/// The findings of `before` that a repair leaves although the policy admits their fixes: `after` has them, too, by their IDs, or
/// by their places if they are about places or share their IDs with others.
fn left_over(before: &Judged, after: &Judged, policy: &Policy, trace: Trace<'_>) -> Vec<usize> {
    let impossible = choose::impossible(after, policy);
    if impossible.is_empty() {
        return Vec::new();
    }
    let shared = shared_keys(before);
    let is_by_place = |judged: &Judged, finding: &Finding| {
        gate::is_by_place(judged, finding) || shared.contains(&FindingKey::of(judged, finding))
    };
    let (mut keys, mut places) = (HashSet::new(), HashSet::new());
    for at in impossible {
        let finding = &after.findings[at];
        if is_by_place(after, finding) {
            places.extend(places_of(after, finding, trace))
        } else {
            _ = keys.insert(FindingKey::of(after, finding))
        }
    }
    let is_left = |finding: &Finding| {
        if is_by_place(before, finding) {
            places_of(before, finding, &extent::in_place).any(|place| places.contains(&place))
        } else {
            keys.contains(&FindingKey::of(before, finding))
        }
    };
    let findings = before.findings.iter().enumerate();
    findings.filter(|(_, finding)| is_left(finding)).map(|(at, _)| at).collect()
}

/// The keys that several findings have: where an ID was given to several calls.
fn shared_keys(judged: &Judged) -> HashSet<FindingKey> {
    let mut seen = HashSet::new();
    let keys = judged.findings.iter().map(|finding| FindingKey::of(judged, finding));
    keys.filter(|key| !seen.insert(*key)).collect()
}

/// The rule of a finding, with the place of each of its records.
fn places_of<'a>(
    judged: &'a Judged,
    finding: &'a Finding,
    trace: Trace<'a>,
) -> impl Iterator<Item = (Code, extent::RecordOrigin)> + 'a {
    let labels = finding.labels.iter();
    labels.filter_map(move |label| {
        let at = judged.transcript.event(label.event).at();
        Some((finding.rule.code, trace(at)?))
    })
}

/// Takes the fixes that a policy admits off the findings of a conversation, because no repair applies them. `why`: as the end
/// of a sentence, for a finding.
pub(crate) fn withhold(
    judged: &mut Judged,
    policy: &Policy,
    why: &dyn Fn(&Judged, &Finding) -> Option<&'static str>,
) {
    for at in choose::impossible(judged, policy) {
        refuse(judged, at, why);
    }
}

/// Takes the fixes that a policy admits off the findings of a document that would still not be JSON after them.
pub(crate) fn withhold_in_broken(judged: &mut Judged, policy: &Policy) {
    withhold(judged, policy, &|_, _| Some(Failure::NotJson.because()));
}

/// Takes the fixes off a finding.
fn refuse(judged: &mut Judged, at: usize, why: &dyn Fn(&Judged, &Finding) -> Option<&'static str>) {
    let refused = why(judged, &judged.findings[at]);
    let finding = &mut judged.findings[at];
    finding.refused = refused;
    finding.fixes.clear();
}

/// [`plan`] of a conversation that was judged; given back if its repair would change too much.
///
/// # Errors
/// As [`plan`].
pub(crate) fn plan_of(
    mut before: Judged,
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    asked: &CheckOptions,
    policy: &Policy,
) -> Result<RepairPlan, (Refused, Option<Box<Judged>>)> {
    // The repair must not change the provider: new IDs may look like those of another one.
    let found_by = Some(before.target_from).filter(|from| *from != TargetFrom::ASKED);
    let options = &CheckOptions {
        target: Some(before.target_choice),
        found_by,
        // Nor what counts as a habit.
        habits: match &asked.habits {
            Habits::Counted => Habits::Known(Default::default(), before.habits.clone()),
            known => known.clone(),
        },
        ..asked.clone()
    };
    let done = repeat_until_stable(&|start| {
        Rounds { entries, name, detection, options, asked, policy, source: &before, start }.all()
    });
    let RoundsEnd { state, failures, refused, .. } = match done {
        Ok(done) => done,
        Err(refused) => return Err((refused, Some(Box::new(before)))),
    };
    let of_all = [Failure::NoEnd, Failure::NotJson];
    let of_all = of_all.into_iter().find(|own| failures.contains(own));
    let why = |judged: &Judged, finding: &Finding, trace: Trace<'_>| {
        let own = refused.get(&Ledger::key(judged, finding, trace)).copied();
        own.or_else(|| of_all.map(Failure::because))
    };
    let why_before = |judged: &Judged, finding: &Finding| why(judged, finding, &extent::in_place);
    let RoundsState { patch, taken, bound, extent, judged } = state;
    // Later rounds may have undone earlier ones.
    let mut changed = judged.filter(|_| !patch.is_empty());
    match &mut changed {
        Some(changed) => {
            let patched = Overlay::new(entries, &patch);
            let trace = |at: Span| Some((at.entry, patched.origin(at.entry, at.start)?));
            for at in left_over(&before, changed, policy, &trace) {
                refuse(&mut before, at, &why_before);
            }
            withhold(changed, policy, &|judged, finding| why(judged, finding, &trace));
        }
        None => withhold(&mut before, policy, &why_before),
    }
    let known = detection.format.traits.blames.is_some();
    let bound = bound::first(changed.as_ref().unwrap_or(&before), bound).filter(|_| known);
    let mut withheld: Vec<String> = failures.iter().map(|failure| failure.why()).collect();
    withheld.dedup();
    let changes_records = !extent.is_empty();
    let plan = RepairPlan { before, patch, taken, bound, changes_records, withheld, changed };
    match policy.style {
        WriteStyle::Branch if !plan.patch.is_empty() => {
            branch::as_branch(entries, name, options, policy, plan)
                .map_err(|refused| (refused, None))
        }
        _ => Ok(plan),
    }
}

/// At most this many repairs in a row are tried if fixes were left out.
const MOST_REPAIRS: usize = 4;

/// Repeats the repair until a further one changes nothing. If no fix was left out, one is enough, because its last round
/// found nothing to do. Otherwise a fix that was left out on the way may be possible at the end.
fn repeat_until_stable(
    repair: &dyn Fn(&RoundsState) -> Result<RoundsEnd, Refused>,
) -> Result<RoundsEnd, Refused> {
    let mut all = RoundsEnd::default();
    for _ in 0..MOST_REPAIRS {
        let end = repair(&all.state)?;
        let is_stable = end.state.patch == all.state.patch;
        all.failures.extend(end.failures);
        all.refused.extend(end.refused);
        if is_stable {
            return Ok(all);
        }
        all.state = end.state;
        if !end.withheld {
            return Ok(all);
        }
    }
    all.failures.push(Failure::NoEnd);
    all.state = RoundsState::default();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Read};

    use crate::bytes::edit::Edit;
    use crate::bytes::source::{EntryId, Source, Span};
    use crate::detect::recognize;
    use crate::format::head::Sample;

    /// A file of which no part can be read anymore, only all of it.
    struct Failing(Source);

    impl Entries for Failing {
        fn ids(&self) -> Vec<EntryId> {
            self.0.ids()
        }

        fn name(&self, entry: EntryId) -> &str {
            self.0.name(entry)
        }

        fn len(&self, entry: EntryId) -> u64 {
            self.0.len(entry)
        }

        fn open(&self, entry: EntryId) -> io::Result<Box<dyn Read + '_>> {
            self.0.open(entry)
        }

        fn fetch(&self, at: Span) -> io::Result<Vec<u8>> {
            match at.start {
                0 => self.0.fetch(at),
                _ => Err(io::Error::other("the disk is gone")),
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_what_cannot_be_repaired() {
        let call = r#"{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}"#;
        let text = format!(
            r#"[{{"role":"user","content":"a"}},{{"role":"assistant","content":null,"tool_calls":[{call}]}},{{"role":"user","content":"b"}}]"#
        );
        let name = "run.json";
        let source = Source::memory(name, vec![(name.to_owned(), text.into_bytes())]);
        let detection =
            recognize(&Sample::of_file(&source, EntryId(0), name).unwrap(), None).unwrap();
        let plan = |entries: &dyn Entries| {
            let (asked, policy) = (CheckOptions::default(), Policy::default());
            super::plan(entries, name, &detection, &asked, &policy)
        };
        assert_eq!(plan(&source).unwrap().taken.len(), 1);
        let failed = plan(&Failing(source));
        assert!(matches!(failed, Err(Refused::Read(ReadError::Io(_)))));
    }

    /// Each repair leaves something out and requires another one.
    #[test]
    fn repairs_without_an_end_are_left_out() {
        let repaired = |start: &RoundsState, withheld: bool| {
            let next = start.taken.len() as u32;
            let patch = Patch::new(vec![Edit::Remove(EntryId(next))]).unwrap();
            let taken = Taken {
                rule: crate::rules::of(crate::transcript::Code::TornTail),
                message: String::new(),
                applicability: Applicability::Safe,
                steps: Vec::new(),
                ids: Vec::new(),
                covers: Vec::new(),
            };
            let taken = [&start.taken[..], &[taken]].concat();
            Ok(RoundsEnd {
                state: RoundsState { patch, taken, ..RoundsState::default() },
                withheld,
                ..RoundsEnd::default()
            })
        };
        let end = repeat_until_stable(&|start| repaired(start, true)).unwrap();
        assert!(end.state.patch.is_empty());
        assert_eq!(end.failures, [Failure::NoEnd]);
        // If nothing was left out, one repair is enough.
        let end = repeat_until_stable(&|start| repaired(start, false)).unwrap();
        assert_eq!((end.state.taken.len(), &end.failures[..]), (1, &[][..]));
    }
}
