//! TD205 ends-with-assistant.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::EndsWithAssistant,
    name: "ends-with-assistant",
    layer: layer::STATE,
    severity: Severity::Warning,
    summary: "the request ends with an assistant message",
    page: "\
What was sent, or what will be sent next, ends with a message of the assistant (\"prefill\"). Newer models refuse it: the
conversation must end with a user message. OpenAI's own models take it. A recording of which the next user turn is still to come
is healthy.

Repair: none that is safe; what builds such a request is the agent's code. --unsafe adds a user message, marked as ours.
",
    reported_by: &["formats/openai_chat", "requests/ends_with_user"],
    check: claim::diagnostics,
};
