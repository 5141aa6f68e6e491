//! TD003 glued-records.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::GluedRecords,
    name: "glued-records",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "two or more records on one line",
    page: RulePage {
        fix: "safe",
        means: "Two or more records share a line: a line feed was lost, or a record was appended \
            after the fragment of a crash. An object inside a cut-off record does not count, \
            even if it looks like a record.",
        causes: &[
            ("Any host", "two processes that append to one file; a crash in the middle of a line, then a \
                resume"),
        ],
        repair: "Each whole record gets its own line. A fragment is removed, unless it may be a whole \
            record with wrong bytes or has an ID that no other record has; then it gets its own \
            line, too. One with the ID of a call without a result is not removed by itself.",
        otherwise: "",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
-{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
+{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
+{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
"##,
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
