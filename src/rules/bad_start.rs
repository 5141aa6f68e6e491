//! TD206 bad-start.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadStart,
    name: "bad-start",
    layer: layer::STATE,
    severity: Severity::Fatal,
    summary: "the first message is not from the user",
    page: "\
The conversation begins with the assistant or with results: a history that was trimmed or summarized in the wrong place, or a
greeting that was stored first.

Repair: unsafe, since either a message is invented or messages are given up.
",
    reported_by: &["requests/starts_with_user"],
    check: claim::diagnostics,
};
