//! TD404 bad-tool-name.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadToolName,
    name: "bad-tool-name",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "the name of a tool, or of who speaks, with characters or a length that the provider rejects",
    page: RulePage {
        fix: "safe or unsafe",
        means: "A tool name has characters that the provider rejects, or is too long. OpenAI also rejects white space \
            and `<`, `|`, `\\`, `/`, `>` in the `name` of a message.",
        causes: &[
            ("Models", "markup such as `<|channel|>` that leaked into the name"),
            (
                "Agents",
                "names that were made from long titles; LangChain puts the name of an agent on its answers",
            ),
        ],
        repair: "Markup after a good name is cut, everywhere the name of this call is stored. So is white space around a \
            name.",
        otherwise: "`transcript-doctor repair --unsafe FILE` replaces other bad characters with `_` and \
            cuts the name.",
        example: RuleExample {
            from: "openai-responses",
            options: &[],
            diff: br##" {"type":"message","role":"user","content":"Go"}
-{"type":"function_call","call_id":"call_1","name":"ls<|channel|>","arguments":"{}"}
+{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call_output","call_id":"call_1","output":"a.txt"}
"##,
        },
    },
    reported_by: &[
        "requests/call_names",
        "requests/chat_members",
        "requests/strict_members",
        "requests/tool_names",
    ],
    check: reported::diagnostics,
};
