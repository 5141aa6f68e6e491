//! TD011 bad-header.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadHeader,
    name: "bad-header",
    layer: layer::IDS,
    severity: Severity::Error,
    summary: "the session header is missing or truncated",
    page: "\
The record that a recording must begin with is cut, or not there. Hosts refuse the file, or take it for an empty one and
write over it: make a copy before you open it with the host.

Repair: safe where the id, the time and the folder of the session are known from the file's name, from what is left of the
record or from its neighbors. Otherwise --unsafe makes them up.
",
    reported_by: &["formats/codex", "formats/gemini_cli", "formats/pi"],
    check: claim::diagnostics,
};
