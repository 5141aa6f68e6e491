//! TD407 thinking.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::Thinking,
    name: "thinking",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "thinking that the provider rejects",
    page: RulePage {
        fix: "safe or unsafe",
        means: "A thinking block without its signature, or one that was changed: the provider \
            accepts thinking only exactly as it sent it. Changed thinking with a signature looks \
            like any other, so it is found only by the provider's error. DeepSeek, Kimi, and MiMo want back the \
            `reasoning_content` of answers with tool calls. An answer without it is found if other answers have it, because \
            only then thinking is switched on.",
        causes: &[
            ("Claude Code", "a session continued with another model or through a proxy"),
            ("Agents built on an SDK", "thinking that was stored without its signature"),
            ("Gemini", "function calls without their thought signature"),
            (
                "Agents that use DeepSeek, Kimi, or MiMo",
                "answers that were stored without their thinking, or come from another model",
            ),
        ],
        repair: "Safe if the block is empty: it is removed. Otherwise nothing.",
        otherwise: "`transcript-doctor repair --unsafe FILE` removes the thinking; with `--error TEXT`, \
            exactly what the pasted error names. Missing `reasoning_content` is copied from the member in which another \
            program recorded it; without one, it becomes a space, which all of these servers take. In sessions of Claude Code 2.1.329 and later \
            nothing is removed: an appended line makes the client leave the thinking out.",
        example: RuleExample {
            from: "anthropic-messages",
            options: &["--unsafe"],
            diff: br##" {"role":"user","content":"Go"}
-{"role":"assistant","content":[{"type":"thinking","thinking":"Hm"},{"type":"text","text":"Yes"}]}
+{"role":"assistant","content":[{"type":"text","text":"Yes"}]}
 {"role":"user","content":"Go on"}
"##,
        },
    },
    reported_by: &[
        "format/blamed",
        "hosts/claude_code",
        "requests/reasoning_content",
        "requests/signed_calls",
        "requests/thinking",
    ],
    check: reported::diagnostics,
};
