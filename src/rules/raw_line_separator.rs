//! TD007 raw-line-separator.

use super::page::Page;
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RawLineSeparator,
    name: "raw-line-separator",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "a raw U+2028, U+2029 or U+0085 in a string",
    page: Page {
        fix: "safe",
        means: "U+2028, U+2029, and U+0085 are allowed in JSON strings, but a host that splits lines \
            by Unicode rules splits the record there. Reported only for such hosts.",
        causes: &[("Python hosts", "`str.splitlines()` on the file")],
        repair: "The character is escaped. The text stays the same.",
        otherwise: "",
        example: None,
    },
    reported_by: &["containers"],
    check: reported::diagnostics,
};
