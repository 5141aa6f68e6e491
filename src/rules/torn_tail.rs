//! TD001 torn-tail.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::TornTail,
    name: "torn-tail",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "the last record is cut off",
    page: RulePage {
        fix: "safe or unsafe",
        means: "The last record was not written completely: the agent was killed, or the disk was \
            full. Only its end is missing. A last record with wrong bytes in it is TD002, \
            because the rest of it may be fine.",
        causes: &[
            ("Any host", "killed while writing; disk full; power loss"),
        ],
        repair: "The fragment is removed (kept in the journal). If the transcript proves that the \
            host had continued (its own state names the record, or the fragment names the tool \
            call that it answers), an error result takes its place, with what is left of the text.",
        otherwise: "If the fragment shows the ID of a call without a result, and its text cannot be kept in a result, \
            only `transcript-doctor repair --unsafe FILE` removes it.",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
-{"type":"message","id":"m2","parentId":"m1","timestamp":"202
\ No newline at end of file
"##,
        },
    },
    reported_by: &["containers", "hosts/openhands"],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    // While a process is writing, the rest of the record may follow: TD902.
    if !cx.live {
        reported::diagnostics(rule, cx, found);
    }
}
