//! TD302 parent-cycle.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ParentCycle,
    name: "parent-cycle",
    layer: layer::TREE,
    severity: Severity::Error,
    summary: "records that are each other's ancestors",
    page: RulePage {
        fix: "safe or unsafe",
        means: "The chain of parents returns to where it started. The link that cannot be right is \
            the one to a later record.",
        causes: &[
            ("Any host", "records rewritten with new IDs; two processes on one session"),
        ],
        repair: "Safe only if the first record of a Claude Code session closes the loop and no \
            message would be hidden.",
        otherwise: "`transcript-doctor repair --unsafe FILE` replaces that link with one to the record \
            before.",
        example: RuleExample {
            from: "pi",
            options: &["--unsafe"],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
-{"type":"message","id":"m1","parentId":"m2","timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
+{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
 {"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/openhands", "shapes/tree"],
    check: reported::diagnostics,
};
