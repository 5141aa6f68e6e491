//! One round: chooses the fixes of the lowest layer and plans their edits together.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;

use super::extent::Trace;
use super::ledger::Ledger;
use super::places::SourcePlaces;
use super::{FindingKey, Taken, WriteStyle, bound, gate, steps};
use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::engine::Judged;
use crate::format::FormatContext;
use crate::proof::Case;
use crate::rules::{Finding, Rule, layer, offered};
use crate::transcript::touched::{TouchScope, scopes};
use crate::transcript::{
    Action, Applicability, Code, EventId, Fix, PartId, Request, Severity, Transcript,
};

/// The findings that a repair is restricted to.
#[derive(Clone, Debug, Default)]
pub struct Focus {
    /// Findings about one of these IDs of calls or records.
    pub ids: BTreeSet<String>,
    /// Findings of these rules that are not about anything with an ID.
    pub codes: BTreeSet<Code>,
    /// Findings that the user picked, each with the worst applicability that they agreed to.
    pub(crate) picked: BTreeMap<FindingKey, Applicability>,
}

impl Focus {
    fn includes(&self, judged: &Judged, finding: &Finding) -> bool {
        let ids = gate::ids(judged, finding);
        ids.iter().any(|id| self.ids.contains(id))
            || (ids.is_empty() && self.codes.contains(&finding.rule.code))
            || self.picked(judged, finding).is_some()
    }

    /// The worst applicability that the user agreed to, if they picked the finding.
    fn picked(&self, judged: &Judged, finding: &Finding) -> Option<Applicability> {
        let has_picked = !self.picked.is_empty();
        has_picked.then(|| self.picked.get(&FindingKey::of(judged, finding)).copied()).flatten()
    }
}

/// Which fixes a repair applies.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Also apply unsafe fixes.
    pub with_unsafe: bool,
    /// The user named the format, so it is not guessed.
    pub format_named: bool,
    /// Only fix findings of these rules; empty: all. Notes are only fixed for rules in this list.
    pub only: Vec<&'static Rule>,
    /// Also answer the open calls of the pending batch.
    pub answer_pending: bool,
    /// Only fix these findings; `None`: all.
    pub focus: Option<Focus>,
    /// How the repair is written.
    pub style: WriteStyle,
    /// The repair is a draft that is never written: what its fixes uncover is shown, so that it can be fixed, too.
    pub is_draft: bool,
}

impl Policy {
    /// Whether it applies what is safe, and the user asked for no more and no less.
    pub(crate) fn is_unasked(&self) -> bool {
        !self.with_unsafe && !self.is_draft && self.focus.is_none() && self.only.is_empty()
    }

    /// The fix to apply to a finding, if any.
    pub fn admits<'a>(&self, judged: &Judged, finding: &'a Finding) -> Option<&'a Fix> {
        let picked = self.focus.as_ref().map(|focus| focus.picked(judged, finding));
        if let Some(worst) = picked.flatten() {
            return finding.fixes.iter().find(|fix| fix.applicability <= worst);
        }
        let named = self.only.iter().any(|rule| rule.code == finding.rule.code);
        if !self.only.is_empty() && !named {
            return None;
        }
        let pending = finding.rule.code == Code::PendingCall;
        if pending {
            return finding.fixes.first().filter(|_| self.answer_pending);
        }
        if finding.severity == Severity::Note && !named {
            return None;
        }
        let worst = if self.with_unsafe { Applicability::Unsafe } else { Applicability::Safe };
        finding.fixes.iter().find(|fix| fix.applicability <= worst)
    }
}

/// What a round does.
pub(super) struct Round<'a> {
    pub patch: Patch,
    pub chosen: Vec<Chosen<'a>>,
}

/// The fixes that the policy admits, lowest layer first, with the indices of their findings. `open` says whether a finding
/// may be fixed at all.
fn possible<'a>(
    judged: &'a Judged,
    policy: &Policy,
    open: &dyn Fn(&Finding) -> bool,
) -> Vec<(usize, Chosen<'a>)> {
    let focused = |finding: &&'a Finding| {
        policy.focus.as_ref().is_none_or(|focus| focus.includes(judged, finding))
    };
    let findings = judged.findings.iter().enumerate();
    let findings = findings.filter(|(_, finding)| focused(finding) && open(finding));
    let admitted =
        findings.filter_map(|(at, finding)| Some((at, (finding, policy.admits(judged, finding)?))));
    let mut admitted: Vec<(usize, Chosen<'a>)> = admitted.collect();
    admitted.sort_by_key(|(_, (finding, _))| (finding.layer, finding.evaluation));
    let guessed = offered::guessed_parents(&judged.findings, |finding| {
        policy.admits(judged, finding).is_none() || !open(finding)
    });
    admitted.retain(|(_, (finding, fix))| {
        offered::waits_for(&judged.transcript, finding, fix, &guessed).is_none()
    });
    admitted
}

/// The indices of the findings that the policy admits but that remain after the last round, so they cannot be repaired.
pub(super) fn impossible(judged: &Judged, policy: &Policy) -> Vec<usize> {
    possible(judged, policy, &|_| true).into_iter().map(|(at, _)| at).collect()
}

/// The next round. `None`: there is nothing left that policy and ledger admit and the format can write. `contexts` has one
/// context for each evaluation.
pub(super) fn round<'a>(
    contexts: &[FormatContext<'_>],
    judged: &'a Judged,
    policy: &Policy,
    ledger: &Ledger,
    trace: Trace<'_>,
) -> Option<Round<'a>> {
    let open = |finding: &Finding| ledger.admits(judged, finding, trace);
    let mut admitted: Vec<Chosen<'_>> =
        possible(judged, policy, &open).into_iter().map(|(_, chosen)| chosen).collect();
    // The fixes of one evaluation are planned with its request; those of other evaluations in the same layer wait for the
    // next round.
    let group = |finding: &Finding| {
        (finding.layer, finding.evaluation, ledger.group(judged, finding, trace))
    };
    admitted.sort_by_cached_key(|(finding, _)| group(finding));
    for layer in admitted.chunk_by(|a, b| group(a.0) == group(b.0)) {
        let Some((evaluation, context)) = layer.first().and_then(|(finding, _)| {
            Some((judged.evaluations.get(finding.evaluation)?, contexts.get(finding.evaluation)?))
        }) else {
            continue;
        };
        let (patch, chosen) = plan_layer(context, judged, &evaluation.request, layer);
        if patch.is_empty() {
            continue;
        }
        return Some(Round { patch, chosen });
    }
    None
}

/// What the fixes of a round do, and the number of parts of thinking that are sent after what it changes. `places`: where
/// records are in the source, if not where `judged` has them.
pub(super) fn described(
    contexts: &[FormatContext<'_>],
    judged: &Judged,
    places: Option<&SourcePlaces<'_>>,
    chosen: &[Chosen<'_>],
) -> (Vec<Taken>, usize) {
    let evaluation = chosen.first().and_then(|(finding, _)| {
        Some((judged.evaluations.get(finding.evaluation)?, contexts.get(finding.evaluation)?))
    });
    let Some((evaluation, context)) = evaluation else { return Default::default() };
    let case = Case::new(context, &evaluation.request, judged.detection.format);
    let describe = |(finding, fix): &Chosen<'_>| {
        steps::taken(&case, finding, fix, gate::ids(judged, finding), places)
    };
    let taken = chosen.iter().map(describe).collect();
    let actions = chosen
        .iter()
        .flat_map(|(finding, fix)| fix.actions.iter().map(|action| (finding.layer, action)));
    (taken, bound::count_after(&judged.transcript, &evaluation.request, actions))
}

/// The fixes of a conversation that the policy admits, each with what it does. For findings that do not need rounds because
/// their fixes never conflict.
pub(crate) fn admitted(
    context: &FormatContext<'_>,
    judged: &Judged,
    policy: &Policy,
) -> Vec<(Vec<Action>, Taken)> {
    let chosen = judged
        .findings
        .iter()
        .filter(|finding| policy.focus.as_ref().is_none_or(|focus| focus.includes(judged, finding)))
        .filter_map(|finding| Some((finding, policy.admits(judged, finding)?)));
    let case = Case::new(context, judged.request(), judged.detection.format);
    chosen
        .map(|(finding, fix)| {
            let taken = steps::taken(&case, finding, fix, gate::ids(judged, finding), None);
            (fix.actions.clone(), taken)
        })
        .collect()
}

pub(super) type Chosen<'a> = (&'a Finding, &'a Fix);

/// What the fixes chosen so far change.
#[derive(Default)]
struct Busy {
    records: HashSet<EventId>,
    parts: HashSet<PartId>,
    /// The records of these parts.
    holders: HashSet<EventId>,
}

impl Busy {
    fn is_free(&self, t: &Transcript, scope: TouchScope) -> bool {
        match scope {
            TouchScope::Record(event) => {
                !self.records.contains(&event) && !self.holders.contains(&event)
            }
            TouchScope::Part(part) => {
                !self.records.contains(&t.part(part).event) && !self.parts.contains(&part)
            }
        }
    }

    fn add(&mut self, t: &Transcript, scope: TouchScope) {
        match scope {
            TouchScope::Record(event) => _ = self.records.insert(event),
            TouchScope::Part(part) => {
                self.parts.insert(part);
                self.holders.insert(t.part(part).event);
            }
        }
    }
}

/// Plans as many fixes of a layer as possible together. If two of them change the same record, or the same part of it, the
/// second waits for the next round.
fn plan_layer<'a>(
    context: &FormatContext<'_>,
    judged: &Judged,
    request: &Request,
    layer: &[Chosen<'a>],
) -> (Patch, Vec<Chosen<'a>>) {
    let t = &judged.transcript;
    let mut busy = Busy::default();
    let mut together: Vec<Chosen<'a>> = Vec::new();
    for (finding, fix) in layer {
        let own: Vec<TouchScope> =
            fix.actions.iter().flat_map(|action| scopes(t, action)).collect();
        if finding.layer == layer::BYTES || own.iter().all(|scope| busy.is_free(t, *scope)) {
            own.into_iter().for_each(|scope| busy.add(t, scope));
            together.push((finding, fix));
        }
    }
    if let Some(patch) = patch_of(context, judged, request, &together) {
        return (patch, together);
    }
    let mut done = Vec::new();
    let patch = plan_some(context, judged, request, &together, &mut done);
    (patch.unwrap_or_default(), done)
}

/// Adds to `done` as many fixes as possible of those that cannot all be planned together, and returns the patch of `done` if
/// anything was added. It bisects, so that a few impossible fixes cost little.
fn plan_some<'a>(
    context: &FormatContext<'_>,
    judged: &Judged,
    request: &Request,
    tried: &[Chosen<'a>],
    done: &mut Vec<Chosen<'a>>,
) -> Option<Patch> {
    if tried.len() < 2 {
        return None;
    }
    let (first, second) = tried.split_at(tried.len() / 2);
    let mut best = None;
    for half in [first, second] {
        let before = done.len();
        done.extend_from_slice(half);
        let patch = patch_of(context, judged, request, done).or_else(|| {
            done.truncate(before);
            plan_some(context, judged, request, half, done)
        });
        best = patch.or(best);
    }
    best
}

fn patch_of(
    context: &FormatContext<'_>,
    judged: &Judged,
    request: &Request,
    chosen: &[Chosen<'_>],
) -> Option<Patch> {
    let actions = chosen.iter().flat_map(|(_, fix)| &fix.actions);
    let edits: Vec<Edit> =
        (judged.detection.format.planner)(context, request).edits(actions).ok()?;
    Patch::new(edits).ok()
}
