//! TD507 stale-side-file.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::StaleSideFile,
    name: "stale-side-file",
    layer: layer::STATE,
    severity: Severity::Warning,
    summary: "a cache or index that contradicts the transcript",
    page: RulePage {
        fix: "safe or unsafe",
        means: "The host keeps a copy or an index of the events to read faster, and it differs from \
            the events or cannot be read. What you see depends on which one the host opens. VS Code shows only the chats of its index, so \
            a note says if a healthy chat is not in it, or counts as empty there.",
        causes: &[
            (
                "OpenHands V0",
                "events edited by hand; half a folder copied; a server killed between two writes",
            ),
            (
                "VS Code",
                "a workspace with a new ID, to which the files were copied without the index; more than 400 chats; a lost index",
            ),
        ],
        repair: "The copy is removed if the host works without it or writes it again. One that may have \
            the only record of a result stays. An index of VS Code is never changed.",
        otherwise: "Look for the result in the copy that the host keeps. `transcript-doctor repair --unsafe FILE` removes it.",
        example: RuleExample {
            from: "openhands-v0",
            options: &[],
            diff: br##"@@ events/0.json
 {"id": 0, "timestamp": "2026-01-05T09:00:00.000000", "source": "user", "message": "Hi", "action": "message", "args": {"content": "Hi"}}
@@ event_cache/0-25.json
-[{"id": 0, "timestamp": "2026-01-05T09:00:00.000000", "source
"##,
        },
    },
    reported_by: &["hosts/openhands_v0"],
    check: reported::diagnostics,
};
