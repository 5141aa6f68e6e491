//! TD006 byte-order-mark.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ByteOrderMark,
    name: "byte-order-mark",
    layer: layer::BYTES,
    severity: Severity::Note,
    summary: "a byte order mark before a record",
    page: RulePage {
        fix: "safe",
        means: "A byte order mark (EF BB BF) is before a record. Most readers skip it at the start \
            of a file. Hosts that parse each line by itself reject the line.",
        causes: &[
            ("Editors on Windows", "files saved as \"UTF-8 with BOM\""),
        ],
        repair: "The mark is removed.",
        otherwise: "",
        example: RuleExample {
            from: "pi",
            options: &[],
            diff: b"-\xef\xbb\xbf{\"type\":\"session\",\"version\":3,\"id\":\"s1\",\"timestamp\":\"2026-01-05T09:00:00Z\",\"cwd\":\"/w\"}\n\
+{\"type\":\"session\",\"version\":3,\"id\":\"s1\",\"timestamp\":\"2026-01-05T09:00:00Z\",\"cwd\":\"/w\"}\n\
\x20{\"type\":\"message\",\"id\":\"m1\",\"parentId\":null,\"timestamp\":\"2026-01-05T09:00:01Z\",\"message\":{\"role\":\"user\",\"content\":\"Hi\"}}\n",
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
