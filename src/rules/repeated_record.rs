//! TD012 repeated-record.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RepeatedRecord,
    name: "repeated-record",
    layer: layer::IDS,
    severity: Severity::Warning,
    summary: "the same record stored twice",
    page: RulePage {
        fix: "safe",
        means: "The same bytes with the same ID are stored twice.",
        causes: &[
            ("Any host", "a write that was retried"),
            ("Scripts", "two dumps joined into one file"),
        ],
        repair: "The later copy is removed.",
        otherwise: "",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
 {"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
-{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
"##,
        },
    },
    reported_by: &["shapes/copies", "hosts/pi"],
    check: reported::diagnostics,
};
