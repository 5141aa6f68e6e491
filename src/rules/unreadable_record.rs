//! TD002 unreadable-record.

use super::{Rule, claim, layer};
use crate::transcript::Severity;

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD002",
    name: "unreadable-record",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "a record in the middle is not JSON",
    page: "\
A record that others follow cannot be read. What was in it may be the call of an answer behind it, or the answer of a call
before it, so such findings become lines of this one and nothing of them is repaired by itself.

Repair: safe where exactly one open call stands directly before the record and the fragment is not the model's or the
user's own word: then a marked error result takes its place and id. Otherwise --unsafe closes the hole: what hung on the
record hangs on what stood before it.
",
    check: claim::faults,
};
