//! TD101 unanswered-call.

use super::{Case, Finding, Rule, claim, layer};
use crate::transcript::pairs::Standing;
use crate::transcript::{Fate, LabelRole, PartNo, Remedy, Severity, Subject, Treatment};

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD101",
    name: "unanswered-call",
    layer: layer::OPEN,
    severity: Severity::Fatal,
    summary: "a call that the conversation moved past without a result",
    page: "\
The model asked for a tool, nothing answered, and the conversation went on. Every provider demands an answer to each call,
also to each of a batch. Causes: a crash, a cancelled tool, a session that was resumed elsewhere.

Repair: a marked error result is inserted for every open call of the batch, behind its last record. It says that the tool
may or may not have run. The call itself is never dropped.
",
    check,
};

fn check(rule: &'static Rule, case: &Case<'_>, found: &mut Vec<Finding>) {
    let pairs = &case.view.pairs;
    for batch in pairs.batches.iter().filter(|batch| !batch.pending) {
        let is_open = |call: &&PartNo| pairs.standing(**call) == Standing::Open;
        let open: Vec<PartNo> = batch.calls.iter().filter(is_open).copied().collect();
        if open.is_empty() {
            continue;
        }
        let said =
            if open.len() == 1 { "a call has no result" } else { "calls of one response have no result" };
        let mut finding = Finding::new(rule, case, said);
        for call in &batch.calls {
            finding.part(case, *call, LabelRole::Call);
            for result in pairs.results(*call) {
                finding.part(case, *result, case.result_role(*result));
            }
        }
        // The ids are those of the open calls: these are what the provider names.
        finding.calls = open.iter().filter_map(|call| case.transcript.a_part(*call).id).collect();
        finding.about = open.iter().map(|call| Subject::Open(*call)).collect();
        let answers = open.iter().map(|call| Remedy::Answer { call: *call, hole: None }).collect();
        let has_place = |call: &PartNo| case.view.no_place.binary_search(call).is_err();
        let forced = open.iter().all(has_place);
        finding.treatments =
            vec![if forced { Treatment::safe(answers) } else { Treatment::with_guess(answers) }];
        let fate = |call: &PartNo| case.view.fate(case.transcript.a_part(*call).event);
        if open.iter().all(|call| fate(call) == Fate::Forgotten) {
            finding.severity = Severity::Note;
            finding.effect = crate::transcript::Effect::None;
        }
        found.push(finding);
    }
    // Calls that no record of their own stands for.
    claim::faults(rule, case, found);
}
