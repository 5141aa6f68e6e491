//! Code Quality of GitLab: an array with an issue per finding, which a merge request shows.
//!
//! Source: "Code Quality report format" in GitLab's documentation. `fingerprint` must be different for each issue, and
//! `location.lines.begin` must be there.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::value;
use super::review::{self, Reported};
use super::{Detail, OutputStyle};
use crate::report::model::Report;
use crate::transcript::Severity;

/// Prints the report; `-qq` prints nothing.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let findings = review::findings(report, style);
    let missed = report.not_checked.iter().map(|gone| {
        let path = review::missed(gone);
        json!({
            "description": format!("not checked: {}", gone.why),
            "check_name": "not-checked",
            "fingerprint": format!("not-checked:{path}"),
            "severity": severity(Severity::Error),
            "location": {"path": path, "lines": {"begin": 1}},
        })
    });
    let issues: Vec<Value> = findings.iter().map(issue).chain(missed).collect();
    value(&issues, out)
}

fn issue(reported: &Reported<'_>) -> Value {
    let finding = reported.finding;
    let description = format!("{}: {}", finding.code, reported.says("; "));
    json!({
        "description": description,
        "check_name": finding.name,
        "fingerprint": reported.fingerprint,
        "severity": severity(finding.severity),
        "location": {"path": reported.file(), "lines": {"begin": reported.line().unwrap_or(1)}},
    })
}

fn severity(level: Severity) -> &'static str {
    match level {
        Severity::Fatal => "critical",
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Note => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_finding_is_an_issue() {
        let issues: Value =
            serde_json::from_str(&text("gitlab", &sample::stuck(), &OutputStyle::default()))
                .unwrap();
        let path = "conversations/fcbbaec2/events/event-00063-7f0c.json";
        assert_eq!(
            issues,
            json!([{
                "description": "TD104: two results for one tool call: terminal toolu_01EvREYhc5WD2xswPAvEc8ir; \
                    fix (safe): remove event 63 (kept in the journal); STUCK: Anthropic will reject the next request: two results for one tool call",
                "check_name": "two-results",
                "fingerprint": "9b1f",
                "severity": "critical",
                "location": {"path": path, "lines": {"begin": 1}},
            }])
        );
    }
}
