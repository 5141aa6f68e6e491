//! TD104 two-results.

use super::{Case, Finding, Prefer, Rule, layer};
use crate::transcript::pairs::Standing;
use crate::transcript::{Effect, LabelRole, Origin, PartNo, Remedy, Severity, Subject, Treatment};

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD104",
    name: "two-results",
    layer: layer::RESULTS,
    severity: Severity::Fatal,
    summary: "one call answered more than once",
    page: "\
A call may be answered once. Here two records answer it. Causes: crash recovery wrote an error and the tool finished after
all; a session was resumed and ran the call again; two processes on one folder; a host's placeholder and a late result.

Repair: the result that is worth most stays (a tool's own output, its errors included, before a rejection, before an error
of the host, before a placeholder; of equals the first), the others are parked. --prefer first|last decides otherwise.
",
    check,
};

fn check(rule: &'static Rule, case: &Case<'_>, found: &mut Vec<Finding>) {
    find(rule, case, false, found);
}

/// Calls with several results: those of which two are real and differ, or the others.
pub(super) fn find(rule: &'static Rule, case: &Case<'_>, conflicting: bool, found: &mut Vec<Finding>) {
    let pairs = &case.view.pairs;
    for (call, standing) in pairs.all() {
        let Standing::Answered(best) = standing else { continue };
        let results: Vec<PartNo> =
            pairs.results(call).iter().copied().filter(|r| !of_copy(case, call, *r)).collect();
        if results.len() < 2 || conflict(case, &results) != conflicting {
            continue;
        }
        let kept = match case.prefer {
            Prefer::First => results.first().copied(),
            Prefer::Last => results.last().copied(),
            Prefer::Rank => results.contains(&best).then_some(best).or(results.first().copied()),
        };
        let Some(kept) = kept else { continue };
        let mut finding = Finding::new(rule, case, said(case, &results, kept));
        finding.part(case, call, LabelRole::Call);
        let mut parks = Vec::new();
        // A kept result that is not the first goes to the place of the first once that is free.
        let by_place = case.format.habits.pairs_in_frames || case.format.habits.takes_reused_ids;
        if results.first() != Some(&kept) && by_place {
            let batch = pairs.batch_of(call).map(|batch| batch.calls.as_slice()).unwrap_or_default();
            let own = batch.iter().flat_map(|call| [Some(*call), pairs.answer(*call)]).flatten();
            finding.covers.extend(own.map(Subject::Place));
        }
        for result in results {
            finding.part(case, result, case.result_role(result));
            if result != kept {
                parks.push(Remedy::ParkPart(result));
                finding.about.push(Subject::Surplus(result));
                finding.covers.extend([Subject::Identity(result), Subject::Place(result)]);
            }
        }
        if !conflicting || case.prefer != Prefer::Rank {
            finding.treatments = vec![Treatment::safe(parks)];
        }
        let sent = |result: &&PartNo| case.is_sent(case.transcript.a_part(**result).event);
        if !pairs.results(call).iter().filter(sent).any(|result| *result != kept) {
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        }
        found.push(finding);
    }
}

/// Whether two of them are real and differ, and the host does not settle that itself.
fn conflict(case: &Case<'_>, results: &[PartNo]) -> bool {
    let real = results.iter().map(|result| case.transcript.a_part(*result));
    let mut real = real.filter(|part| part.origin == Origin::Real).map(|part| part.digest);
    let first = real.next();
    !case.format.habits.takes_first_result && real.any(|digest| Some(digest) != first)
}

/// Whether a result belongs to a copy of the call, and goes with it.
fn of_copy(case: &Case<'_>, call: PartNo, result: PartNo) -> bool {
    let pairs = &case.view.pairs;
    if pairs.copies(call).is_empty() || pairs.answer(call) == Some(result) {
        return false;
    }
    super::repeated_call::goes_with_copy(case, call, result)
}

fn said(case: &Case<'_>, results: &[PartNo], kept: PartNo) -> &'static str {
    let part = |result: &PartNo| case.transcript.a_part(*result);
    let is_real = |result: &&PartNo| part(result).origin == Origin::Real;
    let same = |result: &PartNo| part(result).digest == part(&kept).digest;
    match results.iter().filter(is_real).count() {
        _ if results.iter().all(same) => "one call is answered twice with the same result",
        0 | 1 => "two results answer one call",
        _ if results.iter().filter(is_real).all(same) => {
            "several results answer one call; the real ones are the same"
        }
        _ => "two real results that differ answer one call",
    }
}
