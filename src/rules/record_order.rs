//! TD502 record-order.

use super::page::Page;
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RecordOrder,
    name: "record-order",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "event numbers with gaps or duplicates, or a wrong file name",
    page: Page {
        fix: "safe",
        means: "Events are numbered, and the numbers have gaps or duplicates, or differ from what \
            the records say. The host stops at the gap, sees only one of two events, or does not \
            find the file.",
        causes: &[
            (
                "OpenHands",
                "two servers that write one folder; an event file that was deleted",
            ),
            ("Codex", "lines that were removed by hand"),
        ],
        repair: "A missing result is replaced with an error result that is marked as ours. A copy or \
            an extra result is removed. File names follow what the records say.",
        otherwise: "",
        example: None,
    },
    reported_by: &[
        "formats/atif",
        "formats/codex",
        "formats/converse",
        "formats/openhands",
        "formats/openhands_v0",
    ],
    check: reported::diagnostics,
};
