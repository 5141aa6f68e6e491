//! TD004 split-record.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SplitRecord,
    name: "split-record",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "a raw line feed splits one record over several lines",
    page: RulePage {
        fix: "safe",
        means: "A string has a control character that is not escaped, which JSON does not allow. \
            A raw line feed splits the record over several lines; in a file of its own, the \
            host's parser rejects the record.",
        causes: &[
            ("Any host", "text that was written without a JSON encoder, or edited by hand"),
        ],
        repair: "The character is escaped, and the lines become one record again. This is safe \
            because together they are exactly one record.",
        otherwise: "",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
-{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Two
-lines"}}
+{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Two\nlines"}}
"##,
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
