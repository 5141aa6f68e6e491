//! Annotations of GitHub Actions: `::error file=PATH,line=N,title=CODE name::message`, which a workflow shows beside the
//! lines of a pull request.
//!
//! GitHub shows ten errors, ten warnings and ten notices of a step and drops the others without a word. So the worst come
//! first, and the last line, which is in the log, says how many are not shown.
//! Source: "Workflow commands for GitHub Actions" and "Annotation limits" in GitHub's documentation.

use std::io::{self, Write};

use super::concise::total;
use super::human::{decision, main_record, message};
use super::{Detail, Style, many};
use crate::report::model::{Conversation, Finding, Level, Report};

/// Annotations of one kind that GitHub shows of a step.
const SHOWN: usize = 10;

/// Prints the report. Notes only where everything is asked for.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let is_told = |level: Level| level > Level::Note || style.detail == Detail::All;
    let mut told: Vec<(&Conversation, &Finding)> = report
        .conversations
        .iter()
        .flat_map(|conversation| conversation.findings.iter().map(move |f| (conversation, f)))
        .filter(|(_, finding)| style.detail > Detail::Verdicts && is_told(finding.severity))
        .collect();
    told.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
    for (conversation, finding) in &told {
        annotation(conversation, finding, out)?;
    }
    for gone in &report.not_examined {
        let file = property(&gone.path.whole());
        let why = data(&gone.why.to_string());
        writeln!(out, "::warning file={file},title=not checked::{why}")?;
    }
    let count = |kind| {
        told.iter()
            .filter(|(_, f)| command(f.severity) == kind)
            .count()
    };
    let warnings = count("warning") + report.not_examined.len();
    let hidden: usize = [count("error"), warnings, count("notice")]
        .into_iter()
        .map(|count| count.saturating_sub(SHOWN))
        .sum();
    writeln!(out, "{}", total(report))?;
    if hidden > 0 {
        let hidden = many(hidden as u64, "annotation");
        writeln!(
            out,
            "{hidden} more than GitHub shows: see the log of this step"
        )?;
    }
    Ok(())
}

/// The workflow command for a severity.
fn command(level: Level) -> &'static str {
    match level {
        Level::Fatal | Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

fn annotation(
    conversation: &Conversation,
    finding: &Finding,
    out: &mut dyn Write,
) -> io::Result<()> {
    let record = main_record(finding);
    let mut file = conversation.path.whole();
    if let Some(below) = record.and_then(|record| record.file.as_ref()) {
        file = format!("{file}/{}", below.whole());
    }
    // GitHub compares it with the paths of a repository, which begin with no dot.
    let file = property(file.strip_prefix("./").unwrap_or(&file));
    write!(out, "::{} file={file}", command(finding.severity))?;
    if let Some(line) = record.and_then(|record| record.line) {
        write!(out, ",line={line}")?;
    }
    let title = format!("{} {}", finding.code, finding.name);
    let fix = format!("{} [{}]", message(finding), decision(finding.fix.class));
    writeln!(out, ",title={}::{}", property(&title), data(&fix))
}

/// A message, in which a line would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, in which a colon or a comma would end it, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_finding_is_an_annotation() {
        assert_eq!(
            text("github", &sample::stuck(), &Style::default()),
            "::error file=conversations/fcbbaec2/events/event-00063-7f0c.json,title=TD104 two-results\
             ::two results for one tool call [safe]\nchecked 1 of 1 conversation: 1 stuck\n"
        );
    }

    #[test]
    fn the_worst_come_first_and_what_is_not_shown_is_counted() {
        let mut report = sample::many();
        let told = text("github", &report, &Style::default());
        let kinds: Vec<&str> = told.lines().filter_map(|line| line.get(2..5)).collect();
        assert!(kinds.iter().rposition(|k| *k == "err") < kinds.iter().position(|k| *k == "war"));
        assert!(
            told.contains("title=not checked::permission denied\n"),
            "{told}"
        );
        assert!(!told.contains("more than GitHub shows"), "{told}");
        let [first, ..] = report.conversations.as_mut_slice() else {
            panic!("an empty sample")
        };
        let finding = sample::stuck().conversations.remove(0).findings.remove(0);
        first.findings = vec![finding; SHOWN + 3];
        let told = text("github", &report, &Style::default());
        let errors = told
            .lines()
            .filter(|line| line.starts_with("::error"))
            .count();
        let end = format!("{} annotations more than GitHub shows", errors - SHOWN);
        assert!(errors > SHOWN + 2 && told.contains(&end), "{told}");
    }

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(property("a:b,c%\r\nd"), "a%3Ab%2Cc%25%0D%0Ad");
        assert_eq!(data("a:b,c%\nd"), "a:b,c%25%0Ad");
    }
}
