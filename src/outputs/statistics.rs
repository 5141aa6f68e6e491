//! How often each rule found something: `check --statistics`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::human::{fix_word, level_word};
use super::json::value;
use super::paint::{of_fix, of_level, paint};
use super::{Detail, OutputStyle};
use crate::report::model::Report;
use crate::report::text::pad;
use crate::transcript::{Applicability, Code, Severity};

/// What one rule found.
#[derive(Debug, Serialize)]
struct RuleCount {
    code: Code,
    name: &'static str,
    /// The highest of its findings.
    severity: Severity,
    findings: u64,
    /// Transcripts with findings of it.
    files: u64,
    /// How many findings have such fixes.
    fixes: BTreeMap<Applicability, u64>,
}

/// The rows, most findings first. Notes only where everything is asked for.
fn rows(report: &Report, style: &OutputStyle) -> Vec<RuleCount> {
    let mut rows: BTreeMap<Code, RuleCount> = BTreeMap::new();
    let mut last: BTreeMap<Code, &str> = BTreeMap::new();
    for conversation in &report.conversations {
        for finding in &conversation.findings {
            if finding.severity == Severity::Note && style.detail < Detail::All {
                continue;
            }
            let row = rows.entry(finding.code).or_insert(RuleCount {
                code: finding.code,
                name: finding.name,
                severity: finding.severity,
                findings: 0,
                files: 0,
                fixes: BTreeMap::new(),
            });
            row.severity = row.severity.max(finding.severity);
            row.findings = row.findings.saturating_add(finding.identity.count);
            *row.fixes.entry(finding.resolution.fix.applicability).or_default() +=
                finding.identity.count;
            // The rows of a file follow each other.
            let path = conversation.path.exact();
            if last.insert(finding.code, path) != Some(path) {
                row.files = row.files.saturating_add(1);
            }
        }
    }
    let mut rows: Vec<RuleCount> = rows.into_values().collect();
    rows.sort_by_key(|row| (Reverse(row.findings), row.code));
    rows
}

/// Prints a line for each rule, for people.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    let rows = rows(report, style);
    if style.detail == Detail::Nothing || rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "{:<28}  {:>8}  {:>8}  severity  fix", "rule", "findings", "files")?;
    for row in rows {
        let name = pad(&format!("{} {}", row.code, row.name), 28);
        let severity = format!("{:<8}", level_word(row.severity));
        let mut fixes: Vec<(Applicability, u64)> = row.fixes.into_iter().collect();
        fixes.sort_by_key(|(own, _)| own.name());
        let fixes: Vec<String> = fixes
            .into_iter()
            .map(|(own, count)| format!("{count} {}", paint(of_fix(own), fix_word(own))))
            .collect();
        writeln!(
            out,
            "{name}  {:>8}  {:>8}  {}  {}",
            row.findings,
            row.files,
            paint(of_level(row.severity), &severity),
            fixes.join(", ")
        )?;
    }
    Ok(())
}

/// Prints them as an array.
pub(crate) fn json(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    value(&rows(report, style), out)
}

/// Prints them as an object per line.
pub(crate) fn jsonl(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    rows(report, style).iter().try_for_each(|row| value(row, out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::redact::at_hand;
    use crate::report::sample;

    #[test]
    fn rules_are_counted_most_findings_first() {
        let mut out = Vec::new();
        json(&at_hand(sample::many()), &mut out, &OutputStyle::default()).unwrap();
        let rows: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(rows[0]["code"], "TD104");
        assert_eq!((&rows[0]["findings"], &rows[0]["files"]), (&3.into(), &2.into()));
        assert_eq!(rows[1]["fixes"]["unsafe"], 2);
        let mut out = Vec::new();
        write(&at_hand(sample::many()), &mut out, &OutputStyle::default()).unwrap();
        let text = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
        assert!(
            text.contains("TD104 two-results                    3         2  fatal     3 safe\n"),
            "{text}"
        );
    }
}
