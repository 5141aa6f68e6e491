//! TD507 stale-side-file.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::StaleSideFile,
    name: "stale-side-file",
    layer: layer::STATE,
    severity: Severity::Warning,
    summary: "a cache or index that contradicts the transcript",
    page: "\
Beside the recording the host keeps a copy of it, or an index, to read faster. It says something else than the recording,
or cannot be read: what is seen then depends on which of the two the host opens. Causes: events edited by hand, a copy of
half a folder, a kill between two writes.

Repair: the side file is parked, where the host does without it or writes it anew.
",
    reported_by: &["formats/openhands_v0"],
    check: claim::diagnostics,
};
