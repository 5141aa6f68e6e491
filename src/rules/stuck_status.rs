//! TD503 stuck-status.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::StuckStatus,
    name: "stuck-status",
    layer: layer::STATE,
    severity: Severity::Warning,
    summary: "status is \"running\" but no process is",
    page: RulePage {
        fix: "unsafe",
        means: "The saved state says that the conversation is running, waiting, or stuck, but no \
            process has it open and no tool call is pending.",
        causes: &[("OpenHands", "a server that was killed")],
        repair: "Nothing without `--unsafe`.",
        otherwise: "`transcript-doctor repair --unsafe FILE` sets the status to idle.",
        example: RuleExample {
            from: "openhands",
            options: &["--unsafe"],
            diff: br##"@@ base_state.json
-{"id":"00000000-0000-4000-8000-000000000001","execution_status":"running"}
+{"id":"00000000-0000-4000-8000-000000000001","execution_status":"idle"}
@@ events/event-00000-00000000-0000-4000-8000-000000000002.json
 {"id":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-05T09:00:01.000000","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"Hi"}]},"kind":"MessageEvent"}
"##,
        },
    },
    reported_by: &["hosts/openhands"],
    check: reported::diagnostics,
};
