//! TD104 two-results.

use hashbrown::HashMap;

use super::page::{Example, Page};
use super::{Finding, Prefer, Preference, Rule, RuleContext, layer};
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
    page: Page {
        fix: "safe",
        means: "A tool call has more than one result, and at most one of them is what the tool said.",
        causes: &[
            (
                "OpenHands",
                "crash recovery wrote an error, then the tool finished after all; two servers on \
                one folder",
            ),
            ("Claude Code", "a placeholder and a late result"),
            (
                "Any host",
                "a session that was resumed and ran the call again",
            ),
        ],
        repair: "Keeps the best result: what the tool said (its errors included), then a rejection, \
            then an error of the host, then a placeholder; of equal ones, the first. The others \
            are removed.",
        otherwise: "`--prefer first`, `--prefer last`, or `--prefer NUMBER` keeps another one.",
        example: Some(Example {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call_output","call_id":"call_1","output":"a.txt"}
-{"type":"function_call_output","call_id":"call_1","output":"a.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        }),
    },
    reported_by: &[],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    find(rule, case, false, found);
}

/// Calls with several results: those of which two are real and differ, or the others.
pub(super) fn find(
    rule: &'static Rule,
    case: &RuleContext<'_>,
    conflicting: bool,
    found: &mut Vec<Finding>,
) {
    let pairs = &case.request.pairs;
    let several = several(case);
    let preferences = preferences(case, &several);
    for (call, best, results) in several {
        let choices = choices(case, &results);
        if is_conflict(case, &choices) != conflicting {
            continue;
        }
        let best = settled(case, &choices).or(results.contains(&best).then_some(best));
        let id = case.transcript.a_part(call).id;
        let own = |(named, _): &&(Named, Prefer)| match named {
            Named::All => true,
            Named::One(named) => Some(*named) == id,
        };
        let prefer = preferences
            .iter()
            .find(own)
            .map_or(Prefer::Rank, |(_, keep)| *keep);
        let choice = |number: usize| choices.get(number.checked_sub(1)?)?.first().copied();
        let asked = match prefer {
            Prefer::Rank => None,
            Prefer::First => results.first().copied(),
            Prefer::Last => results.last().copied(),
            Prefer::Choice(number) => choice(number),
        };
        let Some(kept) = asked.or(best).or(results.first().copied()) else {
            continue;
        };
        let mut finding = Finding::new(rule, case, said(case, &results, &choices));
        finding.part(case, call, LabelRole::Call);
        let mut parks = Vec::new();
        // A kept result that is not the first goes to the place of the first once that is free.
        let by_place =
            case.format.traits.pairs.restarts_ids() || case.format.traits.takes_reused_ids;
        if results.first() != Some(&kept) && by_place {
            let batch = pairs
                .batch_of(call)
                .map(|batch| batch.calls.as_slice())
                .unwrap_or_default();
            let own = batch
                .iter()
                .flat_map(|call| [Some(*call), pairs.answer(*call)])
                .flatten();
            finding.covers.extend(own.map(Subject::Place));
        }
        for result in results {
            finding.part(case, result, case.result_role(result));
            if result != kept {
                parks.push(Action::RemovePart(result));
                finding.about.push(Subject::Surplus(result));
                finding
                    .covers
                    .extend([Subject::Identity(result), Subject::Place(result)]);
            }
        }
        if !conflicting || asked.is_some() {
            finding.fixes = vec![Fix::safe(parks)];
        }
        let sent = |result: &&PartId| case.is_sent(case.transcript.a_part(**result).event);
        if !pairs
            .results(call)
            .iter()
            .filter(sent)
            .any(|result| *result != kept)
        {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        }
        if choices.len() > 1 && asked.is_none() {
            finding.choices = choices;
        }
        found.push(finding);
    }
}

/// The calls with several results, each with the best of them.
fn several(case: &RuleContext<'_>) -> Vec<(PartId, PartId, Vec<PartId>)> {
    let pairs = &case.request.pairs;
    let answered = pairs.all().filter_map(|(call, standing)| match standing {
        PairStatus::Answered(best) => Some((call, best)),
        _ => None,
    });
    let own = |call: PartId| {
        pairs
            .results(call)
            .iter()
            .copied()
            .filter(move |r| !of_copy(case, call, *r))
    };
    answered
        .map(|(call, best)| (call, best, own(call).collect::<Vec<_>>()))
        .filter(|all| all.2.len() > 1)
        .collect()
}

/// The calls that a preference is for.
enum Named {
    All,
    One(Id),
}

/// The preferences, each for a call with several results, or for all of them. One that names no such call counts for none.
fn preferences(
    case: &RuleContext<'_>,
    several: &[(PartId, PartId, Vec<PartId>)],
) -> Vec<(Named, Prefer)> {
    let t = case.transcript;
    let resolved = |preference: &Preference| {
        let Some(word) = preference.call.as_deref() else {
            return Some((Named::All, preference.keep));
        };
        let ids = several.iter().map(|(call, ..)| t.text(t.a_part(*call).id));
        let id = t.ids.find(find_abbreviated(word, ids)?)?;
        Some((Named::One(id), preference.keep))
    };
    case.prefer.iter().filter_map(resolved).collect()
}

/// The real results that differ, each with those that equal it, in order.
fn choices(case: &RuleContext<'_>, results: &[PartId]) -> Vec<Vec<PartId>> {
    let part = |result: PartId| case.transcript.a_part(result);
    let mut choices: Vec<Vec<PartId>> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for result in results
        .iter()
        .copied()
        .filter(|result| part(*result).origin == Origin::Real)
    {
        let place = *places.entry(part(result).digest).or_insert(choices.len());
        match choices.get_mut(place) {
            Some(equal) => equal.push(result),
            None => choices.push(vec![result]),
        }
    }
    choices
}

/// Whether results differ, and neither the host nor the results themselves settle that.
fn is_conflict(case: &RuleContext<'_>, choices: &[Vec<PartId>]) -> bool {
    choices.len() > 1 && !case.format.traits.takes_first_result && settled(case, choices).is_none()
}

/// The one result that reports no error, where it was recorded twice: an error beside it is not what the tool said.
fn settled(case: &RuleContext<'_>, choices: &[Vec<PartId>]) -> Option<PartId> {
    let mut good = choices
        .iter()
        .filter(|equal| !case.transcript.a_part(equal[0]).reports_error);
    let (Some(only), None) = (good.next(), good.next()) else {
        return None;
    };
    (only.len() > 1 && !case.format.traits.takes_first_result).then(|| only[0])
}

/// Whether a result belongs to a copy of the call, and goes with it.
fn of_copy(case: &RuleContext<'_>, call: PartId, result: PartId) -> bool {
    let pairs = &case.request.pairs;
    if pairs.copies(call).is_empty() || pairs.answer(call) == Some(result) {
        return false;
    }
    super::repeated_call::goes_with_copy(case, call, result)
}

fn said(case: &RuleContext<'_>, results: &[PartId], choices: &[Vec<PartId>]) -> &'static str {
    let digest = |result: &PartId| case.transcript.a_part(*result).digest;
    let real: usize = choices.iter().map(Vec::len).sum();
    match (choices.len(), real) {
        _ if results
            .windows(2)
            .all(|pair| digest(&pair[0]) == digest(&pair[1])) =>
        {
            "duplicate result for one tool call"
        }
        (0, _) | (_, 1) => "two results for one tool call",
        (1, _) => "several results for one tool call; the real ones are the same",
        _ if settled(case, choices).is_some() => {
            "a result recorded twice, and errors, for one tool call"
        }
        _ => "two different results for one tool call",
    }
}
