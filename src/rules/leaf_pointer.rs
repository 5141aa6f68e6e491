//! TD501 leaf-pointer.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LeafPointer,
    name: "leaf-pointer",
    layer: layer::STATE,
    severity: Severity::Error,
    summary: "saved state points to a missing record",
    page: RulePage {
        fix: "safe or unsafe",
        means: "The host's saved state names the newest record of the active branch, and that record \
            does not exist or is not the newest.",
        causes: &[
            (
                "OpenHands",
                "two servers on one folder; `base_state.json` written before the event; killed while a tool \
                    ran, because the pointer is saved after the whole step",
            ),
            (
                "Claude Code",
                "clocks that jump; bookkeeping records appended to an old branch",
            ),
        ],
        repair: "Safe if only one record can be the newest. Calls that the pointer does not have yet are answered, too, \
            or they would run again; and only if the process that ran them is known to have ended.",
        otherwise: "`transcript-doctor repair --unsafe FILE` uses the newest candidate.",
        example: RuleExample {
            from: "claude-code",
            options: &[],
            diff: br##" {"type":"user","uuid":"m1","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-05T09:00:01Z","message":{"role":"user","content":"Hi"}}
 {"type":"assistant","uuid":"m2","parentUuid":"m1","sessionId":"s1","timestamp":"2026-01-05T09:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}
 {"type":"user","uuid":"m3","parentUuid":"m2","sessionId":"s1","timestamp":"2026-01-05T09:00:03Z","message":{"role":"user","content":"Go on"}}
 {"type":"assistant","uuid":"m4","parentUuid":"m3","sessionId":"s1","timestamp":"2026-01-05T09:00:04Z","message":{"role":"assistant","content":[{"type":"text","text":"Done"}]}}
-{"type":"system","uuid":"m5","parentUuid":"m2","sessionId":"s1","timestamp":"2026-01-05T09:00:05Z","subtype":"turn_duration","durationMs":5}
+{"type":"system","uuid":"m5","parentUuid":"m4","sessionId":"s1","timestamp":"2026-01-05T09:00:05Z","subtype":"turn_duration","durationMs":5}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/openhands"],
    check: reported::diagnostics,
};
