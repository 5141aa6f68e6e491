//! TD403 bad-input.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadInput,
    name: "bad-input",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "tool call arguments that are not a JSON object",
    page: "\
The arguments of a call are cut, no JSON, or JSON of another type. Servers that parse them refuse the request.

Repair: safe where the record holds a second copy of the values, and where the call was never run so that the host's own
sentinel says the truth.
",
    reported_by: &["formats/langchain", "formats/openhands", "requests/arguments"],
    check: claim::diagnostics,
};
