//! TD103 orphan-result.

use super::{Case, Finding, Rule, layer};
use crate::transcript::pairs::Standing;
use crate::transcript::{LabelRole, Remedy, Severity, Subject, Treatment};

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD103",
    name: "orphan-result",
    layer: layer::ORPHANS,
    severity: Severity::Fatal,
    summary: "a result whose call does not exist",
    page: "\
A result answers a call that is nowhere in what is sent. Causes: the call was deleted by hand, a window that lost its
beginning, a second writer.

Repair: the result is parked. Its text stays in the journal.
",
    check,
};

fn check(rule: &'static Rule, case: &Case<'_>, found: &mut Vec<Finding>) {
    for (result, standing) in case.view.pairs.all() {
        let part = case.transcript.a_part(result);
        let no_id = part.id.is_none_or(|id| case.transcript.ids.is_empty(id));
        if standing != Standing::Orphan || no_id || !case.is_sent(part.event) {
            continue;
        }
        let mut finding = Finding::new(rule, case, "a result without a call");
        finding.part(case, result, LabelRole::Result);
        finding.about = vec![Subject::Orphan(result)];
        finding.treatments = vec![Treatment::safe(vec![Remedy::ParkPart(result)])];
        found.push(finding);
    }
}
