//! TD409 reasoning-item.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ReasoningItem,
    name: "reasoning-item",
    layer: layer::COMPACTION,
    severity: Severity::Fatal,
    summary: "a reasoning item without the item that followed it",
    page: "\
A reasoning item that names a record on the provider's server, and carries no encrypted content, is taken back only together
with the item that the model made next: a message, a call, a search. That one was taken out, or never recorded. Thinking
with encrypted content, or without an id, may stand alone.

Repair: unsafe, the thinking is dropped.
",
    reported_by: &["requests/reasoning_items"],
    check: claim::diagnostics,
};
