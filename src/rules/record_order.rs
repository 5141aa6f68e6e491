//! TD502 record-order.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RecordOrder,
    name: "record-order",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "event numbers with gaps or duplicates, or a wrong file name",
    page: RulePage {
        fix: "safe or unsafe",
        means: "Events are numbered, and the numbers have gaps or duplicates, or differ from what \
            the records say. The host stops at the gap, sees only one of two events, or does not \
            find the file.",
        causes: &[
            (
                "OpenHands",
                "two servers that write one folder; an event file that was deleted",
            ),
            (
                "Codex",
                "a thread that was resumed after a crash, or by two programs, so that a number was used twice: up to \
                0.153 the app shows no message after it (`expected ordinal 9, got 8`); lines that were removed by hand",
            ),
        ],
        repair: "A missing result is replaced with an error result that is marked as ours. A copy or \
            an extra result is removed. File names follow what the records say. In a rollout of Codex, numbers that do not \
            ascend become the next ones, up to the first number that fits again; close the app before, and open the \
            thread again after. Codex 0.154.0 and later need no repair: they read on after such a number.",
        otherwise: "If a missing event cannot be replaced, `transcript-doctor repair --unsafe FILE` closes the gap.",
        example: RuleExample {
            from: "codex",
            options: &[],
            diff: br##" {"timestamp":"2026-01-05T09:00:00Z","ordinal":0,"type":"session_meta","payload":{"id":"01930000-0000-7000-8000-000000000002","timestamp":"2026-01-05T09:00:00Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.160.0","source":"cli","history_mode":"paginated"}}
 {"timestamp":"2026-01-05T09:00:01Z","ordinal":2,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}
-{"timestamp":"2026-01-05T09:00:02Z","ordinal":1,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}}
+{"timestamp":"2026-01-05T09:00:02Z","ordinal":3,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}}
"##,
        },
    },
    reported_by: &[
        "hosts/atif",
        "hosts/codex",
        "hosts/converse",
        "hosts/openhands",
        "hosts/openhands_v0",
    ],
    check: reported::diagnostics,
};
