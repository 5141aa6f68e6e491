//! TD104 two-results.

use hashbrown::HashMap;

use super::page::{RuleExample, RulePage};
use super::{Finding, Prefer, Rule, RuleContext, layer};
use crate::format::SentResult;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Action, Code, Effect, Fix, Id, LabelRole, Origin, PartId, Severity, Subject, find_abbreviated,
};

pub(super) const RULE: Rule = Rule {
    code: Code::TwoResults,
    name: "two-results",
    layer: layer::RESULTS,
    severity: Severity::Fatal,
    summary: "more than one result for one tool call",
    page: RulePage {
        fix: "safe",
        means: "A tool call has more than one result, and at most one of them is what the tool said.",
        causes: &[
            (
                "OpenHands",
                "crash recovery wrote an error, then the tool finished after all; two servers on \
                one folder",
            ),
            ("Claude Code", "a placeholder and a late result"),
            ("Any host", "a session that was resumed and ran the call again"),
        ],
        repair: "Keeps the best result: what the tool said (its errors included), then a rejection, \
            then an error of the host, then a placeholder; of equal ones, the first. The others \
            are removed. Where the host always sends the last of different results, that one stays.",
        otherwise: "`transcript-doctor repair --prefer first FILE` keeps another one; `last` or a number works, too.",
        example: RuleExample {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call_output","call_id":"call_1","output":"a.txt"}
-{"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &[],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    find(rule, cx, false, found);
}

/// Reports calls with several results: with `conflicting` those with different real results, otherwise the others.
pub(super) fn find(
    rule: &'static Rule,
    cx: &RuleContext<'_>,
    conflicting: bool,
    found: &mut Vec<Finding>,
) {
    let several = calls_with_several(cx);
    let preferences = preferences(cx, &several);
    for (call, best, results) in several {
        let choices = choices(cx, &results);
        if is_conflict(cx, &choices) != conflicting {
            continue;
        }
        let preferred = preferred(cx, &preferences, call, &results, &choices);
        // What the user prefers comes first; without a preference, what nobody would dispute.
        let best = undisputed(cx, &choices)
            .or_else(|| newest(cx, &choices))
            .or(results.contains(&best).then_some(best));
        let Some(kept) = preferred.or(best).or(results.first().copied()) else {
            continue;
        };
        let mut finding = Finding::new(rule, cx, message(cx, &results, &choices));
        finding.add_part(cx, call, LabelRole::Call);
        finding.covers = covered_places(cx, call, &results, kept);
        let mut removals = Vec::new();
        for result in results {
            finding.add_part(cx, result, cx.result_role(result));
            if result != kept {
                removals.push(Action::RemovePart(result));
                finding.about.push(Subject::Surplus(result));
                finding.covers.extend([Subject::Identity(result), Subject::Place(result)]);
            }
        }
        if !conflicting || preferred.is_some() {
            finding.fixes = vec![Fix::safe(removals)];
        }
        finding.is_chosen = preferred.is_some() && choices.len() > 1;
        // If only the kept one is sent, the provider never sees the others.
        let mut sent = cx
            .request
            .pairs
            .results(call)
            .iter()
            .filter(|result| cx.is_sent(cx.transcript.part(**result).event));
        if sent.all(|result| *result == kept) {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        }
        if choices.len() > 1 && preferred.is_none() {
            finding.choices = choices;
        }
        found.push(finding);
    }
}

/// The result that the user prefers for a call, if there is one.
fn preferred(
    cx: &RuleContext<'_>,
    preferences: &[(PreferenceScope, Prefer)],
    call: PartId,
    results: &[PartId],
    choices: &[Vec<PartId>],
) -> Option<PartId> {
    let id = cx.transcript.part(call).id;
    let (_, prefer) = preferences.iter().find(|(scope, _)| match scope {
        PreferenceScope::All => true,
        PreferenceScope::One(named) => Some(*named) == id,
    })?;
    match prefer {
        Prefer::Rank => None,
        Prefer::First => results.first().copied(),
        Prefer::Last => results.last().copied(),
        Prefer::Choice(number) => choices.get(number.checked_sub(1)?)?.first().copied(),
    }
}

/// The places of a batch, if its order changes: a kept result that is not the first one moves to the place of the first one
/// after that is removed.
fn covered_places(
    cx: &RuleContext<'_>,
    call: PartId,
    results: &[PartId],
    kept: PartId,
) -> Vec<Subject> {
    let by_place = cx.format.traits.pairs.restarts_ids() || cx.format.traits.takes_reused_ids;
    if results.first() == Some(&kept) || !by_place {
        return Vec::new();
    }
    let pairs = &cx.request.pairs;
    let calls = pairs.batch_of(call).into_iter().flat_map(|batch| &batch.calls);
    let parts = calls.flat_map(|call| [Some(*call), pairs.answer(*call)]);
    parts.flatten().map(Subject::Place).collect()
}

/// The calls with several results, each with the best of them.
fn calls_with_several(cx: &RuleContext<'_>) -> Vec<(PartId, PartId, Vec<PartId>)> {
    let pairs = &cx.request.pairs;
    if !pairs.has_several_results() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (call, status) in pairs.all() {
        let PairStatus::Answered(best) = status else { continue };
        let mut results = pairs.results(call).to_vec();
        if results.len() < 2 {
            continue;
        }
        results.retain(|result| !belongs_to_copy(cx, call, *result));
        if results.len() > 1 {
            found.push((call, best, results));
        }
    }
    found
}

/// The calls that a preference applies to.
enum PreferenceScope {
    All,
    One(Id),
}

/// The preferences with their scope. A preference for a call that does not have several results is left out.
fn preferences(
    cx: &RuleContext<'_>,
    several: &[(PartId, PartId, Vec<PartId>)],
) -> Vec<(PreferenceScope, Prefer)> {
    let t = cx.transcript;
    cx.prefer
        .iter()
        .filter_map(|preference| {
            let Some(word) = preference.call.as_deref() else {
                return Some((PreferenceScope::All, preference.keep));
            };
            let ids = several.iter().map(|(call, ..)| t.text(t.part(*call).id));
            let id = t.ids.find(find_abbreviated(word, ids)?)?;
            Some((PreferenceScope::One(id), preference.keep))
        })
        .collect()
}

/// The different real results in order, each with the results that are equal to it.
fn choices(cx: &RuleContext<'_>, results: &[PartId]) -> Vec<Vec<PartId>> {
    let mut choices: Vec<Vec<PartId>> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for result in results.iter().copied() {
        let part = cx.transcript.part(result);
        if part.origin != Origin::Real {
            continue;
        }
        let place = *places.entry(part.digest).or_insert(choices.len());
        match choices.get_mut(place) {
            Some(equal) => equal.push(result),
            None => choices.push(vec![result]),
        }
    }
    choices
}

/// Whether real results differ, and neither the host nor the results show which one is right.
fn is_conflict(cx: &RuleContext<'_>, choices: &[Vec<PartId>]) -> bool {
    choices.len() > 1
        && cx.format.traits.sends_result == SentResult::Any
        && undisputed(cx, choices).is_none()
}

/// The last of the results that differ, if the host always sends that one.
fn newest(cx: &RuleContext<'_>, choices: &[Vec<PartId>]) -> Option<PartId> {
    let is_sent = choices.len() > 1 && cx.format.traits.sends_result == SentResult::Last;
    let last = choices.iter().filter_map(|equal| equal.last()).max();
    last.copied().filter(|_| is_sent)
}

/// The only result that does not report an error, if it was recorded twice. Then an error next to it is not from the tool.
fn undisputed(cx: &RuleContext<'_>, choices: &[Vec<PartId>]) -> Option<PartId> {
    let mut good = choices.iter().filter(|equal| !cx.transcript.part(equal[0]).reports_error);
    let (Some(only), None) = (good.next(), good.next()) else {
        return None;
    };
    let is_unknown = cx.format.traits.sends_result == SentResult::Any;
    (only.len() > 1 && is_unknown).then(|| only[0])
}

/// Whether a result belongs to a copy of the call and is removed with it.
fn belongs_to_copy(cx: &RuleContext<'_>, call: PartId, result: PartId) -> bool {
    let pairs = &cx.request.pairs;
    if pairs.copies(call).is_empty() || pairs.answer(call) == Some(result) {
        return false;
    }
    super::repeated_call::belongs_to_copy(cx, call, result)
}

fn message(cx: &RuleContext<'_>, results: &[PartId], choices: &[Vec<PartId>]) -> &'static str {
    let t = cx.transcript;
    debug_assert!(results.iter().all(|result| t.has_digest(t.part(*result))));
    let real: usize = choices.iter().map(Vec::len).sum();
    let mut digests = results.iter().map(|result| t.part(*result).digest);
    let first = digests.next();
    let are_equal = digests.all(|digest| Some(digest) == first);
    match (choices.len(), real) {
        _ if are_equal => "duplicate result for one tool call",
        (0, _) | (_, 1) => "two results for one tool call",
        (1, _) => "several results for one tool call; the real ones are the same",
        _ if undisputed(cx, choices).is_some() => {
            "a result recorded twice, and errors, for one tool call"
        }
        _ => "two different results for one tool call",
    }
}
