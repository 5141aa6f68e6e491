//! TD002 unreadable-record.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::UnreadableRecord,
    name: "unreadable-record",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "a record is not JSON",
    page: "\
A record cannot be read: it stops in the middle and others follow, or it has wrong bytes in it. What was in it may be the
call of a result after it, or the result of a call before it, so such findings become lines of this one and nothing of them
is repaired by itself.

Repair: none that is safe for wrong bytes: put right, the record may be whole. Of one that stops: safe where exactly one
open call stands directly before the record and the fragment is not the model's or the user's own word: then a marked error result takes its place and id. Otherwise --unsafe closes the hole: what hung on the
record hangs on what stood before it.

A line that ends in a mark such as `[REDACTED]` was cut by a program that redacts; `explain` says so.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
