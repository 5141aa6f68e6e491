//! TD902 growing-tail.

use super::page::Page;
use super::{Finding, Rule, RuleContext, layer, reported, torn_tail};
use crate::transcript::{Code, Effect, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::GrowingTail,
    name: "growing-tail",
    layer: layer::NAMES,
    severity: Severity::Note,
    summary: "the last record is still being written",
    page: Page {
        fix: "nothing to fix",
        means: "The transcript is open for writing, and its last record is still incomplete. Without \
            a writer the same bytes are TD001.",
        causes: &[("Any host", "the session is open")],
        repair: "Nothing: the rest is still to come.",
        otherwise: "",
        example: None,
    },
    reported_by: &[],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    if !cx.live {
        return;
    }
    let start = found.len();
    reported::diagnostics(&torn_tail::RULE, cx, found);
    for finding in &mut found[start..] {
        finding.rule = rule;
        finding.severity = Severity::Note;
        finding.effect = Effect::None;
        finding.fixes.clear();
    }
}
