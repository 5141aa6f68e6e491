//! TD413 undeclared-call.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::UndeclaredCall,
    name: "undeclared-call",
    layer: layer::CALLS,
    severity: Severity::Warning,
    summary: "a tool call that does not fit the declared tools",
    page: RulePage {
        fix: "nothing to fix",
        means: "A training row declares its tools, and calls one that is not among them, or with arguments that do not fit its schema: a \
            required one is missing, or one has another type or another value than declared. A model that is trained with it \
            learns to call tools that it was not given.",
        causes: &[
            ("Any program", "the model made the call up, and the tool answered with an error that was kept"),
            ("Any program", "rows of several sources that share one list of tools"),
        ],
        repair: "Nothing. Remove the row, or declare the tool. Of a schema `type`, `required`, `enum`, `properties`, and `items` are \
            checked. Bodies of requests, which name a model, are not.",
        otherwise: "",
        example: RuleExample {
            from: "openai-chat",
            options: &[],
            diff: br##" {"tools":[{"type":"function","function":{"name":"stock","parameters":{"type":"object","properties":{},"required":["item"]}}}],"messages":[{"role":"user","content":"Bolts?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"stock","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"4"},{"role":"assistant","content":"Four."}]}
"##,
        },
    },
    reported_by: &["requests/declared_tools"],
    check: reported::diagnostics,
};
