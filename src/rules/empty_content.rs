//! TD401 empty-content.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::EmptyContent,
    name: "empty-content",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "an empty text block or message",
    page: RulePage {
        fix: "safe or unsafe",
        means: "A text block or a message is empty or only white space. Anthropic rejects it; some \
            hosts replace it with a placeholder first.",
        causes: &[
            ("Any host", "a response that had only thinking or tool calls; an empty prompt"),
        ],
        repair: "The empty block is removed if the message has other content; otherwise a placeholder \
            takes its place.",
        otherwise: "A message whose text is empty but that holds something in another member, such as images, is only \
            removed by `transcript-doctor repair --unsafe FILE`.",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##"-{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"Hi"}]}
+{"role":"user","content":[{"type":"text","text":"Hi"}]}
 {"role":"assistant","content":"Hello"}
"##,
        },
    },
    reported_by: &["hosts/gemini_cli", "hosts/openhands", "requests/empty_answers", "requests/empty_content", "requests/item_shape", "requests/strict_order"],
    check: reported::diagnostics,
};
