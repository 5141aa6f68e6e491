//! TD102 pending-call.

use super::{Finding, Rule, RuleContext, claim, layer};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, Code, Effect, Fix, LabelRole, PartId, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code::PendingCall,
    name: "pending-call",
    layer: layer::OPEN,
    severity: Severity::Note,
    summary: "a tool call that is still waiting for its result",
    page: "\
The recording ends with a call: a tool is running, a person must approve it, or the host was stopped. That is no damage; the
host answers it, or runs it, when the conversation is loaded again.

Repair: none by default. --answer-pending inserts a marked error result, for a conversation that shall go on without the tool.
",
    reported_by: &["formats/openai_chat"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    let pairs = &case.request.pairs;
    for batch in pairs.batches.iter().filter(|batch| batch.pending) {
        let is_open = |call: &&PartId| pairs.standing(**call) == PairStatus::Open;
        let open: Vec<PartId> = batch.calls.iter().filter(is_open).copied().collect();
        if open.is_empty() {
            continue;
        }
        let said = if open.len() == 1 {
            "tool call waiting for its result"
        } else {
            "tool calls waiting for their results"
        };
        let hint = case.format.traits.pending_hint;
        let said = if hint.is_empty() {
            said.to_owned()
        } else {
            format!("{said}; {hint}")
        };
        let mut finding = Finding::new(rule, case, said);
        finding.effect = Effect::None;
        for call in &open {
            finding.part(case, *call, LabelRole::Call);
        }
        finding.about = open.iter().map(|call| Subject::Open(*call)).collect();
        let answers = open
            .iter()
            .map(|call| Action::Answer {
                call: *call,
                hole: None,
            })
            .collect();
        finding.fixes = vec![Fix::with_guess(answers)];
        found.push(finding);
    }
    // Calls that have no id to be paired by.
    claim::diagnostics(rule, case, found);
}
