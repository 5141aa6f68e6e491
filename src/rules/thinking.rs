//! TD407 thinking.

use super::{Rule, claim, layer};
use crate::transcript::Severity;

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD407",
    name: "thinking",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "thinking that the provider refuses",
    page: "\
A thinking block without its signature, or one that was altered: the provider that made it takes it back only as it was.

Repair: unsafe, the blocks are dropped.
",
    check: claim::sent_faults,
};
