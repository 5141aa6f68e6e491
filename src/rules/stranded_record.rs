//! TD303 stranded-record.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::StrandedRecord,
    name: "stranded-record",
    layer: layer::TREE,
    severity: Severity::Fatal,
    summary: "a record that belongs on the active branch is not on it",
    page: RulePage {
        fix: "safe or unsafe",
        means: "Only one half of a tool call and its result is on the branch that is sent: the call of the result is on a side branch, or the placeholder is on the branch and the real result is not. A branch that was abandoned on purpose is not reported.",
        causes: &[
            ("OpenHands", "crash recovery that continued from one of several parallel calls"),
            ("Claude Code", "parallel results of which only one is on the branch"),
        ],
        repair: "The parent of the record is set so that it is on the branch with its call.",
        otherwise: "What is left of a message whose start is missing is removed only with `--unsafe`.",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"ls","arguments":{}}]}}
-{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"user","content":"Go on"}}
 {"type":"message","id":"m3","parentId":"m1","timestamp":"2026-01-05T09:00:03Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"ls","content":[{"type":"text","text":"a.txt"}]}}
+{"type":"message","id":"m2","parentId":"m3","timestamp":"2026-01-05T09:00:02Z","message":{"role":"user","content":"Go on"}}
 {"type":"message","id":"m4","parentId":"m2","timestamp":"2026-01-05T09:00:04Z","message":{"role":"user","content":"Thanks"}}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/kimi_code", "hosts/opencode", "hosts/openhands", "shapes/tree"],
    check: reported::diagnostics,
};
