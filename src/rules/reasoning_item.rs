//! TD409 reasoning-item.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ReasoningItem,
    name: "reasoning-item",
    layer: layer::COMPACTION,
    severity: Severity::Fatal,
    summary: "a reasoning item that the provider rejects",
    page: RulePage {
        fix: "unsafe",
        means: "A reasoning item without encrypted content is accepted only together with the item \
            that the model made next: a message, a call, or a search. Reasoning with encrypted \
            content, or without an ID, may be alone. OpenAI takes no reasoning with readable `content`, which \
            servers of open models record and want back; where no model is named, that is a warning.",
        causes: &[
            (
                "Agents built on the Responses API",
                "histories that were trimmed or filtered item by item",
            ),
            (
                "Codex and proxies",
                "a session that began with an open model and continues with one of OpenAI",
            ),
        ],
        repair: "Nothing without `--unsafe`.",
        otherwise: "`transcript-doctor repair --unsafe FILE` removes the reasoning item. If it is encrypted, too, only its \
            readable content.",
        example: RuleExample {
            from: "openai-responses",
            options: &["--unsafe"],
            diff: br##" {"type":"message","role":"user","content":"Go"}
-{"type":"reasoning","id":"rs_1","summary":[]}
 {"type":"message","role":"user","content":"Go on"}
"##,
        },
    },
    reported_by: &[
        "format/server_items",
        "requests/readable_reasoning",
        "requests/reasoning_items",
        "requests/reasoning_parts",
    ],
    check: reported::diagnostics,
};
