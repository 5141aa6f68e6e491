//! Diagnostics of reviewdog: one JSON object per finding, a line each.
//!
//! Source: the Reviewdog Diagnostic Format, `proto/rdf` in its repository. Columns count bytes, from 1; ends are exclusive.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::value;
use super::review::{self, Reported};
use super::{Detail, OutputStyle};
use crate::report::model::{Report, TextPosition};
use crate::transcript::Severity;

/// Prints the report; `-qq` prints nothing.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    review::findings(report, style)
        .iter()
        .try_for_each(|reported| value(&diagnostic(reported), out))?;
    report.not_checked.iter().try_for_each(|gone| {
        let missed = json!({
            "message": format!("not checked: {}", gone.why),
            "location": {"path": review::missed(gone)},
            "severity": severity(Severity::Error),
            "source": source(),
            "code": {"value": "not-checked"},
        });
        value(&missed, out)
    })
}

fn diagnostic(reported: &Reported<'_>) -> Value {
    let finding = reported.finding;
    let mut location = json!({"path": reported.file()});
    let range = match (reported.range(), reported.line()) {
        (Some(range), _) => Some(json!({
            "start": position(&range.start),
            "end": position(&range.end),
        })),
        (None, Some(line)) => Some(json!({"start": {"line": line}})),
        (None, None) => None,
    };
    if let (Some(range), Some(members)) = (range, location.as_object_mut()) {
        members.insert("range".to_owned(), range);
    }
    json!({
        "message": reported.says("\n"),
        "location": location,
        "severity": severity(finding.severity),
        "source": source(),
        "code": {"value": finding.code},
    })
}

fn position(at: &TextPosition) -> Value {
    json!({"line": at.line, "column": at.column})
}

fn source() -> Value {
    json!({"name": env!("CARGO_PKG_NAME")})
}

fn severity(level: Severity) -> &'static str {
    match level {
        Severity::Fatal | Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::Note => "INFO",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_finding_is_a_line() {
        let mut report = sample::stuck();
        let shown = text("rdjsonl", &report, &OutputStyle::default());
        assert_eq!(shown.lines().count(), 1);
        let diagnostic: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(diagnostic["severity"], "ERROR");
        assert_eq!(diagnostic["code"]["value"], "TD104");
        let finding = &mut report.conversations[0].findings[0];
        let record = &mut finding.records[1];
        record.range = Some(Box::new(sample::range(3, 5)));
        let shown = text("rdjsonl", &report, &OutputStyle::default());
        let diagnostic: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(diagnostic["location"]["range"]["start"], json!({"line": 3, "column": 5}));
    }
}
