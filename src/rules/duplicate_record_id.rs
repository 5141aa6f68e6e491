//! TD306 duplicate-record-id.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: Code::DuplicateRecordId,
    name: "duplicate-record-id",
    layer: layer::IDS,
    severity: Severity::Error,
    summary: "two different records share one id",
    page: "\
Two records that differ have the same id. The host keeps one of them and drops or refuses the other.

Repair: --unsafe parks the later one.
",
    check: claim::faults,
};
