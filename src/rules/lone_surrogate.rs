//! TD009 lone-surrogate.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LoneSurrogate,
    name: "lone-surrogate",
    layer: layer::BYTES,
    severity: Severity::Fatal,
    summary: "half a surrogate pair in a string",
    page: RulePage {
        fix: "safe",
        means: "An escape such as `\\ud83d` without its other half: a program that counts UTF-16 \
            units cut the text in the middle of an emoji. JavaScript and Python read it, but \
            providers and strict parsers reject the whole request.",
        causes: &[("JavaScript hosts", "`text.slice(0, n)` on tool output")],
        repair: "The escape is replaced with `\\ufffd`. The other half is already lost.",
        otherwise: "",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##"-{"role":"user","content":"Hi \ud83d"}
+{"role":"user","content":"Hi \ufffd"}
 {"role":"assistant","content":"Hello"}
"##,
        },
    },
    reported_by: &["containers", "requests/lone_surrogates"],
    check: reported::diagnostics,
};
