//! TD902 growing-tail.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported, torn_tail};
use crate::transcript::{Code, Effect, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::GrowingTail,
    name: "growing-tail",
    layer: layer::NAMES,
    severity: Severity::Note,
    summary: "the last record is still being written",
    page: RulePage {
        fix: "nothing to fix",
        means: "The transcript is open for writing, and its last record is still incomplete. Without \
            a writer the same bytes are TD001.",
        causes: &[("Any host", "the session is open")],
        repair: "Nothing: the rest is still to come, and `repair` refuses to write in place (exit status 4). A copy \
            made with `-o` is complete up to the record before it.",
        otherwise: "",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
-{"type":"message","id":"m2","parentId":"m1","timestamp":"202
\ No newline at end of file
! another process has the file open
"##,
        },
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
