//! TD007 raw-line-separator.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RawLineSeparator,
    name: "raw-line-separator",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "a raw U+2028, U+2029 or U+0085 in a string",
    page: RulePage {
        fix: "safe",
        means: "U+2028, U+2029, and U+0085 are allowed in JSON strings, but a host that splits lines \
            by Unicode rules splits the record there. Reported only for such hosts.",
        causes: &[("Python hosts", "`str.splitlines()` on the file")],
        repair: "The character is escaped. The text stays the same.",
        otherwise: "",
        example: RuleExample {
            from: "copilot-cli",
            options: &[],
            diff: r##" {"type":"session.start","data":{"sessionId":"11111111-1111-4111-8111-111111111111","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","startTime":"2026-01-05T09:00:00.000Z"},"id":"22222222-2222-4222-8222-222222222222","timestamp":"2026-01-05T09:00:00.000Z","parentId":null}
-{"type":"user.message","data":{"content":"one two"},"id":"33333333-3333-4333-8333-333333333333","timestamp":"2026-01-05T09:00:01.000Z","parentId":"22222222-2222-4222-8222-222222222222"}
+{"type":"user.message","data":{"content":"one\u2028two"},"id":"33333333-3333-4333-8333-333333333333","timestamp":"2026-01-05T09:00:01.000Z","parentId":"22222222-2222-4222-8222-222222222222"}
"##.as_bytes(),
        },
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
