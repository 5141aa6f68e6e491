//! TD105 conflicting-results.

use super::page::{RuleExample, RulePage};
use super::{Finding, Rule, RuleContext, layer, two_results};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ConflictingResults,
    name: "conflicting-results",
    layer: layer::RESULTS,
    severity: Severity::Fatal,
    summary: "two different results for one tool call",
    page: RulePage {
        fix: "you decide",
        means: "A tool call has two results with different contents. The provider accepts only one, \
            and nothing in the transcript shows which one is right.",
        causes: &[("Any host", "a call that ran twice: a resumed session, two processes, a retry")],
        repair: "Nothing by itself. `check` and `repair` list the results with their first words and \
            a number.",
        otherwise: "`transcript-doctor repair --prefer NUMBER --call ID FILE` keeps that result and \
            removes the others; `--prefer first` or `--prefer last` decides for all calls.",
        example: RuleExample {
            from: "openai-responses",
            options: &["--prefer", "1"],
            diff: br##" {"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"}
 {"type":"function_call_output","call_id":"call_1","output":"a.txt"}
-{"type":"function_call_output","call_id":"call_1","output":"b.txt"}
 {"type":"message","role":"user","content":"Go on."}
"##,
        },
    },
    reported_by: &[],
    check,
};

fn check(rule: &'static Rule, cx: &RuleContext<'_>, found: &mut Vec<Finding>) {
    two_results::find(rule, cx, true, found);
}
