//! TD205 ends-with-assistant.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::EndsWithAssistant,
    name: "ends-with-assistant",
    layer: layer::STATE,
    severity: Severity::Warning,
    summary: "the request ends with an assistant message",
    page: RulePage {
        fix: "unsafe",
        means: "The request ends with an assistant message (a \"prefill\"). Newer Anthropic models \
            reject that: a conversation must end with a user message. OpenAI's models accept it. \
            A session in which it is your turn is healthy.",
        causes: &[(
            "Agents built on an SDK",
            "requests that continue an unfinished response",
        )],
        repair: "Nothing without `--unsafe`. The code that builds the request must change.",
        otherwise: "`transcript-doctor repair --unsafe FILE` removes the last message.",
        example: RuleExample {
            from: "bedrock-converse",
            options: &["--unsafe"],
            diff: br##"-{"modelId":"eu.anthropic.claude-sonnet-4-6","messages":[{"role":"user","content":[{"text":"Go"}]},{"role":"assistant","content":[{"text":"There are"}]}]}
+{"modelId":"eu.anthropic.claude-sonnet-4-6","messages":[{"role":"user","content":[{"text":"Go"}]}]}
"##,
        },
    },
    reported_by: &["requests/ends_with_user", "requests/strict_order"],
    check: reported::diagnostics,
};
