//! TD410 foreign-block.

use super::{Rule, claim, layer};
use crate::transcript::Severity;

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD410",
    name: "foreign-block",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "a block in another program's spelling",
    page: "\
A call or a result is written as another program writes it: its type or the member with its id has another name. The host does
not know it for what it is and leaves it out, or sends the other half of the pair alone.

Repair: only the names change. Where more than a name differs, a person must say what was meant.
",
    check: claim::sent_faults,
};
