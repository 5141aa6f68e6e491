//! TD412 server-item.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ServerItem,
    name: "server-item",
    layer: layer::COMPACTION,
    severity: Severity::Fatal,
    summary: "an item that the server does not have or cannot decrypt",
    page: RulePage {
        fix: "unsafe",
        means: "Reasoning and compactions of the Responses API are encrypted for the account and the provider that made \
            them, and an ID without content is known only to the server that stored it. Reasoning without encrypted content is \
            found where the request says that nothing is stored (`store: false`). Everything else is found only by the \
            provider's error, which names the ID, or both ends of the encrypted content.",
        causes: &[
            ("Codex", "a session that continues with another account, region, or provider"),
            (
                "Agents built on the AI SDK, opencode, pi",
                "IDs of items in the history, although the requests are not stored, and lack \
                `include: [\"reasoning.encrypted_content\"]`",
            ),
        ],
        repair: "Nothing without `--unsafe`.",
        otherwise: "`transcript-doctor repair --unsafe --error TEXT FILE` removes the item that the pasted error names; of \
            an item that has its content, only the ID. Without a compaction, the model no longer knows what it replaced. A \
            compaction of opencodex (`ocx1:`) is not encrypted, and becomes a message with its summary.",
        example: RuleExample {
            from: "openai-responses",
            options: &["--unsafe"],
            diff: br##"-{"store":false,"input":[{"role":"user","content":"Go"},{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes"}]}]}
+{"store":false,"input":[{"role":"user","content":"Go"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes"}]}]}
"##,
        },
    },
    reported_by: &["format/server_items", "requests/reasoning_items"],
    check: reported::diagnostics,
};
