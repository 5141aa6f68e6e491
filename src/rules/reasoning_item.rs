//! TD409 reasoning-item.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ReasoningItem,
    name: "reasoning-item",
    layer: layer::COMPACTION,
    severity: Severity::Fatal,
    summary: "a reasoning item without the item that followed it",
    page: RulePage {
        fix: "unsafe",
        means: "A reasoning item without encrypted content is accepted only together with the item \
            that the model made next: a message, a call, or a search. That item is missing. \
            Reasoning with encrypted content, or without an ID, may be alone.",
        causes: &[(
            "Agents built on the Responses API",
            "histories that were trimmed or filtered item by item",
        )],
        repair: "Nothing without `--unsafe`.",
        otherwise: "`transcript-doctor repair --unsafe FILE` removes the reasoning item.",
        example: RuleExample {
            from: "openai-responses",
            options: &["--unsafe"],
            diff: br##" {"type":"message","role":"user","content":"Go"}
-{"type":"reasoning","id":"rs_1","summary":[]}
 {"type":"message","role":"user","content":"Go on"}
"##,
        },
    },
    reported_by: &["requests/reasoning_items"],
    check: reported::diagnostics,
};
