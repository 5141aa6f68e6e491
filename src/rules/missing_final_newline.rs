//! TD014 missing-final-newline.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::MissingFinalNewline,
    name: "missing-final-newline",
    layer: layer::BYTES,
    severity: Severity::Note,
    summary: "no newline at end of file",
    page: RulePage {
        fix: "on request",
        means: "The last record is whole, but the file does not end with a newline. A host that \
            appends without checking would put the next record on the same line.",
        causes: &[
            ("Editors and scripts", "files written without a final newline"),
        ],
        repair: "Nothing by default.",
        otherwise: "`transcript-doctor repair --only TD014 FILE` adds a newline in the style of the \
            file.",
        example: RuleExample {
            from: "pi",
            options: &["--only", "missing-final-newline"],
            diff: br##" {"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}
-{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
\ No newline at end of file
+{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
"##,
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
