//! TD010 unknown-record.

use super::{Rule, claim, layer};
use crate::transcript::Severity;

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD010",
    name: "unknown-record",
    layer: layer::BYTES,
    severity: Severity::Note,
    summary: "a record kind or member that this version does not know",
    page: "\
Written by a newer host, or with a private extension. It is carried through byte for byte. A host that does not know it may
refuse the conversation: load it with the version that wrote it.
",
    check: claim::faults,
};
