//! TD008 invalid-utf8.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::InvalidUtf8,
    name: "invalid-utf8",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "invalid UTF-8",
    page: RulePage {
        fix: "unsafe",
        means: "A record has bytes that are not UTF-8. The rest of it is readable.",
        causes: &[
            ("Any host", "a character cut in two at the end of a buffer; output of a tool in another \
                encoding"),
        ],
        repair: "Nothing without `--unsafe`, because the original bytes are unknown.",
        otherwise: "`transcript-doctor repair --unsafe FILE` replaces each bad byte with U+FFFD.",
        example: RuleExample {
            from: "pi",
            options: &["--unsafe"],
            diff: b" {\"type\":\"session\",\"version\":3,\"id\":\"s1\",\"timestamp\":\"2026-01-05T09:00:00Z\",\"cwd\":\"/w\"}\n\
-{\"type\":\"message\",\"id\":\"m1\",\"parentId\":null,\"timestamp\":\"2026-01-05T09:00:01Z\",\"message\":{\"role\":\"user\",\"content\":\"Hi \xe9\"}}\n\
+{\"type\":\"message\",\"id\":\"m1\",\"parentId\":null,\"timestamp\":\"2026-01-05T09:00:01Z\",\"message\":{\"role\":\"user\",\"content\":\"Hi \xef\xbf\xbd\"}}\n",
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
