//! TD405 bad-call-id.

use super::{Case, Finding, Rule, layer};
use crate::transcript::{LabelRole, PartNo, Severity, Subject};

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD405",
    name: "bad-call-id",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "a call id outside the target's pattern or length",
    page: "\
Providers take ids of letters, digits, _ and -, at most 64 of them. Some models write others (functions.NAME:0). OpenHands'
client library replaces the bad characters on its way to Anthropic, so there this is a note.
",
    check,
};

fn check(rule: &'static Rule, case: &Case<'_>, found: &mut Vec<Finding>) {
    let t = case.transcript;
    let calls: Vec<PartNo> =
        case.view.pairs.batches.iter().flat_map(|batch| batch.calls.iter().copied()).collect();
    let bad = |call: &PartNo| t.a_part(*call).sent_id.is_some_and(|id| !is_good(t.ids.get(id)));
    let Some(first) = calls.iter().copied().find(bad) else { return };
    // One finding for all: a model that writes such ids writes nothing else.
    let mut finding = Finding::new(rule, case, "call ids with characters or a length that providers refuse");
    finding.effect = crate::transcript::Effect::None;
    finding.part(case, first, LabelRole::Call);
    finding.about = vec![Subject::Identity(first)];
    found.push(finding);
}

fn is_good(id: &str) -> bool {
    id.is_empty()
        || (id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))
}
