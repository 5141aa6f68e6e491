//! TD307 session-mismatch.

use super::page::Page;
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SessionMismatch,
    name: "session-mismatch",
    layer: layer::IDS,
    severity: Severity::Warning,
    summary: "records from another session",
    page: Page {
        fix: "unsafe",
        means: "The id in the session header is not the one in the file name, or a second header \
            names another session. Hosts look for a session by one of the two, and refuse it or \
            mix up two sessions.",
        causes: &[(
            "Any host",
            "a file that was renamed or copied by hand; two sessions joined into one file",
        )],
        repair: "Nothing without `--unsafe`.",
        otherwise: "`transcript-doctor repair --unsafe FILE` sets the id to the one in the file name.",
        example: None,
    },
    reported_by: &["formats/claude_code", "formats/pi", "formats/qwen_code"],
    check: reported::diagnostics,
};
