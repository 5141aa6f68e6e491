//! Annotations of GitHub Actions: `::error file=PATH,line=N,title=CODE name::message`, which a workflow shows next to the
//! lines of a pull request.
//!
//! GitHub shows ten errors, ten warnings and ten notices of a step and drops the others without a word. So the worst come
//! first, and the tenth of a kind says how many are not shown.
//! Source: "Workflow commands for GitHub Actions" and "Annotation limits" in GitHub's documentation.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::concise::total;
use super::human::{fix_word, level_word, next_command};
use super::review::{self, Reported};
use super::{Detail, OutputStyle, many, table};
use crate::report::model::Report;
use crate::transcript::Severity;

/// Annotations of one kind that GitHub shows of a step.
const SHOWN: usize = 10;

/// Prints the report. Notes only where everything is asked for.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let findings = review::findings(report, style);
    let found = findings.iter().map(|reported| {
        let text = annotation(reported);
        (command(reported.finding.severity), text)
    });
    let missed = report.not_checked.iter().map(|gone| {
        let file = property(&review::missed(gone));
        let why = data(&gone.why);
        // The run fails with a status of its own: nobody knows what is in it.
        ("error", format!("file={file},title=not checked::{why}"))
    });
    let all: Vec<(&str, String)> = found.chain(missed).collect();
    for kind in ["error", "warning", "notice"] {
        let own: Vec<&String> =
            all.iter().filter(|(own, _)| *own == kind).map(|(_, text)| text).collect();
        // The last one that is shown says how many are not.
        let room = if own.len() > SHOWN { SHOWN - 1 } else { SHOWN };
        for (at, text) in own.iter().enumerate() {
            if at == room {
                let more = many((own.len() - room) as u64, kind);
                writeln!(
                    out,
                    "::{kind} title={more} more::GitHub shows {SHOWN} of each kind; the log of this step has all"
                )?;
            }
            writeln!(out, "::{kind} {text}")?;
        }
    }
    writeln!(out, "{}", total(report))
}

/// Prints the summary of a step, in Markdown: how many conversations ended how, and what the rules found.
pub(crate) fn summary(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    writeln!(out, "### {}\n\n{}\n", report.tool.name, total(report))?;
    let rows = table::by_rule(report);
    if !rows.is_empty() {
        writeln!(out, "| rule | severity | conversations | findings | fix |")?;
        writeln!(out, "|---|---|---:|---:|---|")?;
    }
    for (code, row) in rows {
        let fixes: Vec<&str> = row.fixes.iter().map(|own| fix_word(*own)).collect();
        writeln!(
            out,
            "| {code} {} | {} | {} | {} | {} |",
            row.name,
            level_word(row.severity),
            row.conversations,
            row.findings,
            fixes.join(", ")
        )?;
    }
    match next_command(report, style) {
        Some((word, line)) => writeln!(out, "\n{word}:\n\n```sh\n{line}\n```"),
        None => Ok(()),
    }
}

/// The workflow command for a severity.
fn command(level: Severity) -> &'static str {
    match level {
        Severity::Fatal | Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

/// The properties and the message of an annotation.
fn annotation(reported: &Reported<'_>) -> String {
    let mut text = format!("file={}", property(&reported.file()));
    if let Some(line) = reported.line() {
        let _ = write!(text, ",line={line}");
    }
    if let Some(range) = reported.range() {
        let _ = write!(text, ",endLine={},col={}", range.end.line, range.start.character);
    }
    let (title, says) = (reported.title(), reported.says("\n"));
    let _ = write!(text, ",title={}::{}", property(&title), data(&says));
    text
}

/// A message, in which a line would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, in which a colon or a comma would end it, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::model::ReportedFinding;
    use crate::report::sample;

    #[test]
    fn a_finding_is_an_annotation() {
        assert_eq!(
            text("github", &sample::stuck(), &OutputStyle::default()),
            "::error file=conversations/fcbbaec2/events/event-00063-7f0c.json,title=TD104 two-results\
             ::two results for one tool call: terminal toolu_01EvREYhc5WD2xswPAvEc8ir%0Afix (safe): remove event 63 (kept in the journal)\
             %0ASTUCK: Anthropic will reject the next request: two results for one tool call\nchecked 1 of 1 conversation: 1 stuck\n"
        );
    }

    #[test]
    fn the_worst_come_first_and_what_is_not_shown_is_counted() {
        let mut report = sample::many();
        let finding = sample::stuck().conversations.remove(0).findings.remove(0);
        let light = ReportedFinding { severity: Severity::Warning, ..finding.clone() };
        report.conversations[0].findings.push(light);
        let printed = text("github", &report, &OutputStyle::default());
        let kinds: Vec<&str> = printed.lines().filter_map(|line| line.get(2..5)).collect();
        assert!(kinds.iter().rposition(|k| *k == "err") < kinds.iter().position(|k| *k == "war"));
        let missed =
            printed.lines().find(|line| line.ends_with("title=not checked::permission denied"));
        assert!(missed.is_some_and(|line| line.starts_with("::error ")), "{printed}");
        assert!(!printed.contains("GitHub shows"), "{printed}");
        let [first, ..] = report.conversations.as_mut_slice() else { panic!("an empty sample") };
        first.findings = vec![finding; SHOWN + 3];
        let printed = text("github", &report, &OutputStyle::default());
        let shown: Vec<&str> = printed.lines().take(SHOWN).collect();
        assert!(shown.iter().all(|line| line.starts_with("::error ")), "{printed}");
        let (more, findings) = shown.split_last().unwrap();
        assert!(findings.iter().all(|line| line.contains("title=TD")), "{printed}");
        let errors = printed.lines().filter(|line| line.starts_with("::error file"));
        let hidden = errors.count() - findings.len();
        assert!(more.starts_with(&format!("::error title={hidden} errors more::")), "{printed}");
    }

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(property("a:b,c%\r\nd"), "a%3Ab%2Cc%25%0D%0Ad");
        assert_eq!(data("a:b,c%\nd"), "a:b,c%25%0Ad");
    }
}
