//! TD003 glued-records.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::GluedRecords,
    name: "glued-records",
    layer: layer::BYTES,
    severity: Severity::Error,
    summary: "two or more records on one line",
    page: "\
A line holds more than one record: a line feed was lost, or a record was appended behind the fragment that a crash left.

An object inside a torn record is not one of them, even if it looks like one: records fill the rest of the line, or have
the member that links them to others.

Repair: each whole record gets a line of its own. A fragment is parked, unless it may be a whole record with wrong bytes in
it, or shows the id of a record that nothing else holds; then it gets a line of its own and is judged there.
",
    reported_by: &["containers"],
    check: claim::diagnostics,
};
