//! TD207 role-order.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RoleOrder,
    name: "role-order",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "roles that do not alternate as the provider requires",
    page: "\
Two messages of one role stand in a row, results stand in a message of the assistant, or a second system message stands where
only one may be. Causes: a retry, a message that was sent twice, a summary that was added behind the conversation.

Repair: neighbors of one role become one message, with all of their content in order. Where a text would change its place,
nothing is done by itself.
",
    reported_by: &["formats/gemini_cli", "formats/langchain", "formats/openai_chat", "requests/roles_alternate"],
    check: claim::diagnostics,
};
