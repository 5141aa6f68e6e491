//! TD901 live-writer.

use super::{Finding, Rule, RuleContext, layer};
use crate::transcript::{Code, Effect, Label, LabelRole, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LiveWriter,
    name: "live-writer",
    layer: layer::STATE,
    severity: Severity::Note,
    summary: "file is being written by another process",
    page: "\
A lease, a lock, an open file or growth says that a process has the recording open. `check` reads what is there up to the last
whole record. `repair` refuses to write in place (exit status 4): the process would go on writing from what it has in memory,
and its next lines would be lost. Close it, wait for it, or repair a copy with -o.
",
    reported_by: &[],
    check,
};

fn check(rule: &'static Rule, case: &RuleContext<'_>, found: &mut Vec<Finding>) {
    if !case.live {
        return;
    }
    let mut finding = Finding::new(rule, case, "file is being written by another process");
    finding.effect = Effect::None;
    let last = case
        .transcript
        .host_state()
        .or_else(|| case.transcript.records().last());
    finding.labels.extend(last.map(|event| Label {
        event,
        role: LabelRole::State,
    }));
    found.push(finding);
}
