//! One line per finding: `PATH:LINE: fatal TD104 two results for one tool call: ls toolu_1 (lines 63 and 65) [safe]`.

use std::io::{self, Write};

use super::human::{
    VerdictLine, decision, known, lines, main_record, message, not_selected, position, verdict_word,
};
use super::layout::numbered;
use super::paint::{Tone, of_fix, of_level, of_verdict, paint};
use super::{Detail, OutputStyle, link, many};
use crate::report::model::{Conversation, Report, ReportedFinding, Verdict};
use crate::transcript::Severity;

/// Records of one finding that are listed.
const LISTED: usize = 8;

/// Prints the report. Notes only where everything is asked for.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    if style.detail == Detail::Verdicts {
        for VerdictLine { verdict, place, aside } in lines(report) {
            let word =
                paint(of_verdict(verdict), &verdict_word(verdict).to_lowercase()).to_string();
            writeln!(
                out,
                "{place}: {word}{}",
                if aside.is_empty() { aside } else { format!(" ({aside})") }
            )?;
        }
    }
    // With verdicts only, these were printed above.
    for conversation in report.conversations.iter().filter(|_| style.detail > Detail::Verdicts) {
        super::human::applied_line(conversation, out, &style.unbroken())?;
        for finding in &conversation.findings {
            if finding.is_told() || style.detail == Detail::All {
                line(finding, conversation, out, style)?;
            }
        }
    }
    for gone in &report.not_checked {
        writeln!(out, "{}: {}: {}", gone.path.whole(), paint(Tone::Warn, "not checked"), gone.why)?;
    }
    for skipped in report.skipped.iter().filter(|_| style.detail == Detail::All) {
        writeln!(out, "{}: skipped: {}", skipped.path.whole(), skipped.why)?;
    }
    if style.detail == Detail::Verdicts { Ok(()) } else { writeln!(out, "{}", total(report)) }
}

fn line(
    finding: &ReportedFinding,
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let record = main_record(finding);
    let at = record.map_or_else(|| conversation.place(), |r| position(&conversation.path, r));
    let at = link::to(style.links.as_ref(), &conversation.path, record, &at);
    let level = super::human::level_word(finding.severity);
    write!(
        out,
        "{at}: {} {} {}",
        paint(of_level(finding.severity), level),
        finding.code,
        message(finding)
    )?;
    if let Some(records) = records(finding) {
        write!(out, " ({records})")?;
    }
    if finding.severity == Severity::Note && finding.resolution.fix.actions.is_empty() {
        return writeln!(out);
    }
    writeln!(out, " [{}]", paint(of_fix(finding.resolution.fix.applicability), decision(finding)))
}

/// `lines 3 and 4`. `None` where the place of the finding says it already.
fn records(finding: &ReportedFinding) -> Option<String> {
    let records = finding.records.as_slice();
    let first = records.first()?;
    let mut numbers: Vec<u64> =
        records.iter().filter_map(|record| record.index.or(record.line)).collect();
    numbers.dedup();
    let says_all = records.len() == 1 && first.line.is_some() && first.index.is_none();
    (!numbers.is_empty() && !says_all).then(|| numbered(first.unit, &numbers, LISTED))
}

/// `checked 3 of 4 conversations: 2 healthy, 1 stuck`
pub(super) fn total(report: &Report) -> String {
    let sum = &report.summary;
    let kinds = [
        (sum.healthy, Verdict::Healthy),
        (sum.empty, Verdict::Empty),
        (sum.pending, Verdict::Pending),
        (sum.lossy, Verdict::Lossy),
        (sum.stuck, Verdict::Stuck),
        (sum.unreadable, Verdict::Unreadable),
        (sum.unknown, Verdict::Unknown),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, verdict)| format!("{count} {}", verdict_word(verdict).to_lowercase()))
        .collect();
    // What was not checked is part of the whole, or it would look complete.
    let all = sum.conversations.saturating_add(sum.not_checked);
    let mut out = format!("checked {} of {}", sum.conversations, many(all, "conversation"));
    if !parts.is_empty() {
        out = format!("{out}: {}", parts.join(", "));
    }
    if !report.skipped.is_empty() {
        out = format!("{out}; skipped {}", report.skipped.len());
    }
    if let Some(hidden) = not_selected(&report.conversations) {
        out = format!("{out}; not shown: {hidden}");
    }
    if let Some(known) = known(report) {
        out = format!("{out}; {known}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_finding_is_a_line() {
        assert_eq!(
            text("concise", &sample::stuck(), &OutputStyle::default()),
            "conversations/fcbbaec2/events/event-00063-7f0c.json: fatal TD104 two results for one tool call: \
             terminal toolu_01EvREYhc5WD2xswPAvEc8ir (events 61, 63 and 65) [safe]\nchecked 1 of 1 conversation: 1 stuck\n"
        );
        let shown = text("concise", &sample::many(), &OutputStyle::default());
        assert!(
            shown.contains("store/ab.jsonl:61: error TD301 the parent of a record does not exist"),
            "{shown}"
        );
        assert!(shown.contains("store/b01e.jsonl: not checked: permission denied\n"), "{shown}");
    }

    #[test]
    fn quiet_is_a_line_per_conversation() {
        let style = OutputStyle { detail: Detail::Verdicts, ..OutputStyle::default() };
        assert_eq!(text("concise", &sample::stuck(), &style), "conversations/fcbbaec2: stuck\n");
    }
}
