//! TD009 lone-surrogate.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LoneSurrogate,
    name: "lone-surrogate",
    layer: layer::BYTES,
    severity: Severity::Fatal,
    summary: "half a surrogate pair in a string",
    page: "\
An escape like \\ud83d without its partner: a text was cut in the middle of an emoji by a program that counts UTF-16 units.
JavaScript and Python read it, providers and strict parsers refuse the whole request.

Repair: the escape is replaced by \\ufffd. The other half is lost already.
",
    reported_by: &["containers", "requests/lone_surrogates"],
    check: claim::diagnostics,
};
