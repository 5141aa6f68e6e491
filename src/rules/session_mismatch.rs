//! TD307 session-mismatch.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SessionMismatch,
    name: "session-mismatch",
    layer: layer::IDS,
    severity: Severity::Warning,
    summary: "records from another session",
    page: RulePage {
        fix: "unsafe or you decide",
        means: "The ID in the session header is not the one in the file name, or a second header \
            names another session. Hosts look for a session by one of the two, and refuse it or \
            mix up two sessions.",
        causes: &[(
            "Any host",
            "a file that was renamed or copied by hand; two sessions joined into one file",
        )],
        repair: "Nothing without `--unsafe`.",
        otherwise: "`transcript-doctor repair --unsafe FILE` sets the ID to that of the session, or removes the record if it is not part of the conversation. Move a second session to its own file.",
        example: RuleExample {
            from: "qwen-code",
            options: &["--unsafe"],
            diff: br##" {"uuid":"m1","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-05T09:00:01Z","type":"user","cwd":"/w","version":"0.24.4","message":{"role":"user","parts":[{"text":"Hi"}]}}
-{"uuid":"m2","parentUuid":"m1","sessionId":"s2","timestamp":"2026-01-05T09:00:02Z","type":"assistant","cwd":"/w","version":"0.24.4","message":{"role":"model","parts":[{"text":"Hello"}]}}
+{"uuid":"m2","parentUuid":"m1","sessionId":"s1","timestamp":"2026-01-05T09:00:02Z","type":"assistant","cwd":"/w","version":"0.24.4","message":{"role":"model","parts":[{"text":"Hello"}]}}
 {"uuid":"m3","parentUuid":"m2","sessionId":"s1","timestamp":"2026-01-05T09:00:03Z","type":"user","cwd":"/w","version":"0.24.4","message":{"role":"user","parts":[{"text":"Go on"}]}}
"##,
        },
    },
    reported_by: &["hosts/claude_code", "hosts/pi", "hosts/qwen_code"],
    check: reported::diagnostics,
};
