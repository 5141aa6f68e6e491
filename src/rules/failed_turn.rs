//! TD203 failed-turn-with-calls.

use super::{Case, Finding, Rule, claim, layer};
use crate::transcript::{Effect, LabelRole, Remedy, Severity, Subject, Treatment};

/// The rule; its page is the manual.
pub const RULE: Rule = Rule {
    code: "TD203",
    name: "failed-turn-with-calls",
    layer: layer::ORPHANS,
    severity: Severity::Fatal,
    summary: "results of a response that failed",
    page: "\
The provider failed, or the user stopped it, in the middle of a response that had calls in it already. The host leaves such a
response out of the next request, but sends the results that were recorded for it: to the provider they answer nothing. The
host's own repair after a failure often is what wrote them. Without results it is a note.

Repair: all results of the failed response are parked, real ones and placeholders. The response itself stays as it is, and
so does all that stands between. A tool that had run has run: the model will not know.
",
    check,
};

fn check(rule: &'static Rule, case: &Case<'_>, found: &mut Vec<Finding>) {
    let pairs = &case.view.pairs;
    for calls in &pairs.failed {
        let mut finding = Finding::new(rule, case, "results of a failed response are sent without it");
        let mut parks = Vec::new();
        for call in calls {
            finding.part(case, *call, LabelRole::Call);
            for result in pairs.results(*call) {
                finding.part(case, *result, case.result_role(*result));
                finding.about.push(Subject::Orphan(*result));
                parks.push(Remedy::ParkPart(*result));
            }
        }
        if parks.is_empty() {
            finding.message = "a failed response has calls that nothing answers".to_owned();
            finding.severity = Severity::Note;
            finding.effect = Effect::None;
        } else {
            finding.treatments = vec![Treatment::safe(parks)];
        }
        found.push(finding);
    }
    claim::faults(rule, case, found);
}
