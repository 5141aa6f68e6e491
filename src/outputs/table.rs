//! What many conversations have in common: how many ended how, which rules found what, and the one command that repairs everything
//! that is safe.

use std::collections::BTreeMap;

use super::OutputStyle;
use crate::report::model::{Conversation, Report, Verdict};
use crate::transcript::{Applicability, Code, Severity};

/// More conversations than this are shown as a table.
pub(crate) const BULK: usize = 20;
/// Codes that the proposed command names.
const NAMED_CODES: usize = 6;

/// What one rule found.
pub(super) struct RuleRow {
    pub name: &'static str,
    /// The worst of its findings.
    pub severity: Severity,
    /// Conversations with findings of it.
    pub conversations: u64,
    pub findings: u64,
    /// What may be done about them.
    pub fixes: Vec<Applicability>,
}

/// The one command that repairs everything that is safe, where there is something.
pub(super) fn repair_all(report: &Report, style: &OutputStyle) -> Option<String> {
    let safe = safe_codes(report);
    if safe.is_empty() {
        return None;
    }
    // A short list says what will happen; without one everything that is safe is taken, which is the same.
    let only = safe.join(",");
    let only: &[&str] = if safe.len() <= NAMED_CODES { &["--only", &only] } else { &[] };
    style.next.for_all("repair", &[only, &["--yes", "--keep-mtime"]].concat())
}

/// How many conversations ended how, the worst first; none that did not occur.
pub(super) fn by_verdict(report: &Report) -> Vec<(Verdict, u64)> {
    let sum = &report.summary;
    let counts = [
        (Verdict::Unreadable, sum.unreadable),
        (Verdict::Stuck, sum.stuck),
        (Verdict::Lossy, sum.lossy),
        (Verdict::Unknown, sum.unknown),
        (Verdict::Pending, sum.pending),
        (Verdict::Healthy, sum.healthy),
        (Verdict::Empty, sum.empty),
    ];
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

/// By rule, worst first: severity, then conversations.
pub(super) fn by_rule(report: &Report) -> Vec<(Code, RuleRow)> {
    let mut rows: BTreeMap<Code, RuleRow> = BTreeMap::new();
    for conversation in &report.conversations {
        let mut here: Vec<Code> = Vec::new();
        for finding in &conversation.findings {
            let row = rows.entry(finding.code).or_insert(RuleRow {
                name: finding.name,
                severity: finding.severity,
                conversations: 0,
                findings: 0,
                fixes: Vec::new(),
            });
            row.severity = row.severity.max(finding.severity);
            row.findings += finding.identity.count;
            // A finding of a transcript with many conversations stands for as many of its rows.
            if conversation.rows.is_some() {
                row.conversations += finding.identity.count;
            } else if !here.contains(&finding.code) {
                here.push(finding.code);
                row.conversations += 1;
            }
            if finding.severity > Severity::Note
                && !row.fixes.contains(&finding.resolution.fix.applicability)
            {
                row.fixes.push(finding.resolution.fix.applicability);
            }
        }
    }
    let mut rows: Vec<(Code, RuleRow)> = rows.into_iter().collect();
    rows.sort_by_key(|(code, row)| (std::cmp::Reverse((row.severity, row.conversations)), *code));
    rows.iter_mut().for_each(|(_, row)| row.fixes.sort_unstable_by_key(|own| own.name()));
    rows
}

/// The codes of what is wrong with a conversation, with their counts: `2 TD104`.
pub(super) fn codes(c: &Conversation) -> Vec<String> {
    let mut codes: BTreeMap<Code, u64> = BTreeMap::new();
    for finding in c.findings.iter().filter(|f| f.severity > Severity::Note) {
        *codes.entry(finding.code).or_default() += finding.identity.count;
    }
    codes
        .into_iter()
        .map(|(code, n)| if n == 1 { code.to_string() } else { format!("{n} {code}") })
        .collect()
}

/// Codes that have a safe fix somewhere, in their order.
fn safe_codes(report: &Report) -> Vec<&'static str> {
    let findings = report.conversations.iter().flat_map(|c| &c.findings);
    let mut codes: Vec<&str> = findings
        .filter(|f| f.is_safe() && f.severity > Severity::Note)
        .map(|f| f.code.as_str())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}
