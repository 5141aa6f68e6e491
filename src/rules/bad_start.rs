//! TD206 bad-start.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadStart,
    name: "bad-start",
    layer: layer::STATE,
    severity: Severity::Fatal,
    summary: "the first message is not from the user",
    page: RulePage {
        fix: "unsafe",
        means: "The conversation starts with the assistant or with tool results.",
        causes: &[(
            "Any host",
            "a history that was trimmed or summarized in the wrong place; a greeting stored \
                as the first message",
        )],
        repair: "Nothing without `--unsafe`, because a message must be invented or removed.",
        otherwise: "`transcript-doctor repair --unsafe FILE` inserts a user message that is marked as \
            ours, or removes results that have no call.",
        example: RuleExample {
            from: "anthropic-messages",
            options: &["--unsafe"],
            diff: br##"+{"role":"user","content":"(the beginning of this conversation was lost; inserted by transcript-doctor, TD206)"}
 {"role":"assistant","content":"Hello"}
 {"role":"user","content":"Hi"}
 {"role":"assistant","content":"Yes?"}
 {"role":"user","content":"Go"}
"##,
        },
    },
    reported_by: &["requests/starts_with_user"],
    check: reported::diagnostics,
};
