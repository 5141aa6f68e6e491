//! TD001 torn-tail.

use super::{Finding, Rule, RuleContext, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::TornTail,
    name: "torn-tail",
    layer: layer::NAMES,
    severity: Severity::Error,
    summary: "the last record is cut off",
    page: "\
The host was killed, or the disk was full, while it wrote the last record. What is left of it is no JSON.
Nothing but its end is missing: a last record with wrong bytes in it may be whole, and is TD002.

Repair: the fragment is parked. Where the recording proves that the host had moved on (its own state names the record, or
the fragment names the open call that it answers), a marked error result takes the record's place, name and id.
Otherwise the call before it is pending again.
",
    reported_by: &["containers", "formats/openhands"],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    // While somebody writes, the rest of the record is still to come: TD902.
    if !case.live {
        claim::diagnostics(rule, case, found);
    }
}
