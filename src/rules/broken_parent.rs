//! TD301 broken-parent.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BrokenParent,
    name: "broken-parent",
    layer: layer::TREE,
    severity: Severity::Error,
    summary: "a parent that does not exist, or a second first record",
    page: RulePage {
        fix: "safe or unsafe",
        means: "A record names a parent that does not exist, or claims to be the first although the \
            conversation started before it. The host refuses to load the session, or silently \
            hides everything before the record.",
        causes: &[
            ("Claude Code", "a lost line; sessions joined by hand"),
            ("OpenHands", "two servers on one folder"),
            ("pi, OpenClaw", "entries that were removed by hand"),
        ],
        repair: "Safe if only one earlier record can be the parent, or if a tool result belongs to \
            its call.",
        otherwise: "`transcript-doctor repair --unsafe FILE` uses the newest candidate.",
        example: RuleExample {
            from: "pi",
            options: &["--unsafe"],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
 {"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
-{"type":"message","id":"m3","parentId":"gone","timestamp":"2026-01-05T09:00:03Z","message":{"role":"user","content":"Go on"}}
+{"type":"message","id":"m3","parentId":"m2","timestamp":"2026-01-05T09:00:03Z","message":{"role":"user","content":"Go on"}}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/openhands", "hosts/qwen_code", "shapes/tree"],
    check: reported::diagnostics,
};
