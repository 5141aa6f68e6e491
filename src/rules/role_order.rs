//! TD207 role-order.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RoleOrder,
    name: "role-order",
    layer: layer::ORDER,
    severity: Severity::Fatal,
    summary: "roles that do not alternate as the provider requires",
    page: RulePage {
        fix: "safe or you decide",
        means: "Two messages of one role follow each other, tool results are in an assistant \
            message, or there is a second system message where only one is allowed.",
        causes: &[(
            "Any host",
            "a retry; a message that was sent twice; a summary appended to the end",
        )],
        repair: "Consecutive messages with the same role become one message, with all content in order. If a text would have to move, nothing is changed.",
        otherwise: "Move the message in an editor, or check against another provider with `--target`.",
        example: RuleExample {
            from: "bedrock-converse",
            options: &[],
            diff: br##" {"role":"user","content":[{"text":"Hi"}]}
 {"role":"assistant","content":[{"text":"Yes?"}]}
-{"role":"user","content":[{"text":"Go on"}]}
-{"role":"user","content":[{"text":"Are you there?"}]}
+{"role":"user","content":[{"text":"Go on"},{"text":"Are you there?"}]}
 {"role":"assistant","content":[{"text":"Yes"}]}
"##,
        },
    },
    reported_by: &[
        "hosts/gemini_cli",
        "hosts/langchain",
        "requests/roles_alternate",
        "requests/strict_order",
    ],
    check: reported::diagnostics,
};
