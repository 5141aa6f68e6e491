//! TD504 host-state.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::HostState,
    name: "host-state",
    layer: layer::STATE,
    severity: Severity::Error,
    summary: "saved state that is missing, unreadable, or from another conversation",
    page: RulePage {
        fix: "unsafe or you decide",
        means: "The file with the conversation's settings and status cannot be used. The events are \
            still checked, but the settings cannot be rebuilt from them.",
        causes: &[
            (
                "OpenHands",
                "`base_state.json` cut off or copied from another conversation",
            ),
            ("Strands", "`agent.json` cut off"),
        ],
        repair: "Nothing.",
        otherwise: "Restore the file from a backup, or start a new conversation with a copy of the events. `transcript-doctor repair --unsafe FILE` sets a status that the host does not know to idle.",
        example: RuleExample {
            from: "openhands",
            options: &["--unsafe"],
            diff: br##"@@ base_state.json
-{"id":"00000000-0000-4000-8000-000000000001","execution_status":"sleeping"}
+{"id":"00000000-0000-4000-8000-000000000001","execution_status":"idle"}
@@ events/event-00000-00000000-0000-4000-8000-000000000002.json
 {"id":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-05T09:00:01.000000","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"Hi"}]},"kind":"MessageEvent"}
"##,
        },
    },
    reported_by: &["hosts/converse", "hosts/openhands"],
    check: reported::diagnostics,
};
