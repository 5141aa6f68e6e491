//! Findings and fixes in stable lines, for `.report.txt`.

use std::fmt::Write as _;

use transcript_doctor::testing::engine::Judged;
use transcript_doctor::testing::repair::RepairPlan;
use transcript_doctor::testing::report::build;
use transcript_doctor::testing::rules::Finding;
use transcript_doctor::testing::transcript::Confidence;

fn word(shown: impl std::fmt::Debug) -> String {
    format!("{shown:?}").to_lowercase()
}

/// The findings of a conversation, one per line, with the findings that they explain indented
/// below.
pub(crate) fn findings(judged: &Judged) -> String {
    let mut out = format!("{} for {}\n", word(judged.verdict), judged.target_choice.name());
    judged.findings.iter().for_each(|finding| one(&mut out, judged, finding, 1));
    out
}

fn one(out: &mut String, judged: &Judged, finding: &Finding, depth: usize) {
    let t = &judged.transcript;
    let mut labels = finding.labels.clone();
    labels.sort_by_key(|label| label.event);
    // Once for each record, however many of its calls are meant.
    labels.dedup_by_key(|label| (label.event, label.role));
    let place = |event| t.event(event).place().number();
    let places: Vec<String> = labels
        .iter()
        .map(|label| format!("{} {}", build::role(label.role), place(label.event)))
        .collect();
    let calls: Vec<&str> = finding.calls.iter().map(|id| t.ids.get(*id)).collect();
    let sure = if finding.confidence == Confidence::Certain { "" } else { " likely" };
    let class =
        finding.fixes.iter().map(|fix| word(fix.applicability)).collect::<Vec<_>>().join("/");
    let class = if class.is_empty() { "none" } else { &class };
    let (code, severity) = (finding.rule.code, word(finding.severity));
    let (effect, message) = (word(finding.effect), &finding.message);
    let _ =
        write!(out, "{:1$}{code} {severity}{sure}, {effect}, {class}: {message}", "", depth * 2);
    let _ = write!(out, " | {}", places.join(", "));
    if !calls.is_empty() {
        let _ = write!(out, " | {}", calls.join(", "));
    }
    out.push('\n');
    finding.consequences.iter().for_each(|inner| one(out, judged, inner, depth + 1));
}

/// What a plan does, one line per fix.
pub(crate) fn taken(done: &RepairPlan) -> String {
    let mut out = String::new();
    for taken in &done.taken {
        let steps: Vec<String> = taken
            .steps
            .iter()
            .map(|action| {
                format!(
                    "{} {}: {}",
                    action.op,
                    action.line.or(action.index).unwrap_or_default(),
                    action.says
                )
            })
            .collect();
        let _ = writeln!(
            out,
            "  {} {}: {}",
            taken.rule.code,
            word(taken.applicability),
            steps.join("; ")
        );
    }
    out
}
