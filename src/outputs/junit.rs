//! JUnit XML: a test case per conversation, for whatever collects the results of tests.
//!
//! A case fails if a finding reaches `--fail-on`, and is an error if the conversation could not be checked. Findings below
//! are in its output. Source: the schema of the `junit` Ant task, as Jenkins and GitLab read it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::human::{level_word, main_record, message, position, verdict_word};
use super::review::{fix, outcome};
use super::{Detail, OutputStyle};
use crate::report::model::{Conversation, Report, ReportedFinding, Verdict};
use crate::transcript::Severity;

/// Prints the report; `-qq` prints nothing.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let cases = report.conversations.len() + report.not_checked.len();
    let known = report.conversations.iter().filter(|c| c.verdict != Verdict::Unknown);
    let errors = cases - known.clone().count();
    let failed = known.filter(|c| !failures(c, report).is_empty()).count();
    let skipped = report.conversations.iter().filter(is_empty).count();
    let name = env!("CARGO_PKG_NAME");
    let counts = format!("tests=\"{cases}\" failures=\"{failed}\" errors=\"{errors}\"");
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"{name}\" {counts}>")?;
    writeln!(out, "  <testsuite name=\"{name}\" {counts} skipped=\"{skipped}\">")?;
    let mut names = CaseNames::default();
    for conversation in &report.conversations {
        let name = names.unique(conversation.format, conversation.place());
        case(conversation, &name, report, out, style)?;
    }
    for gone in &report.not_checked {
        let name = xml(&names.unique("not checked", gone.path.whole()));
        writeln!(
            out,
            "    <testcase classname=\"not checked\" name=\"{name}\">\n      \
             <error type=\"not checked\" message=\"{}\"/>\n    </testcase>",
            xml(&gone.why)
        )?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

/// The names of cases. Readers take two cases of one class and name for one.
#[derive(Default)]
struct CaseNames(HashMap<(&'static str, String), u64>);

impl CaseNames {
    /// The name, with a number if there is such a case already: two sessions in one file, or names that a report hides.
    fn unique(&mut self, class: &'static str, name: String) -> String {
        let mut number = *self.0.get(&(class, name.clone())).unwrap_or(&0);
        loop {
            number += 1;
            let unique = if number == 1 { name.clone() } else { format!("{name} ({number})") };
            // A file may be named like that.
            if number == 1 || !self.0.contains_key(&(class, unique.clone())) {
                self.0.insert((class, unique.clone()), 1);
                self.0.insert((class, name), number);
                return unique;
            }
        }
    }
}

/// Nobody speaks in it, so there was nothing to test.
fn is_empty(conversation: &&Conversation) -> bool {
    conversation.verdict == Verdict::Empty && conversation.findings.is_empty()
}

/// The findings for which a case fails.
fn failures<'a>(conversation: &'a Conversation, report: &Report) -> Vec<&'a ReportedFinding> {
    conversation
        .findings
        .iter()
        .filter(|finding| report.fail_on.is_some_and(|level| finding.severity >= level))
        .collect()
}

fn case(
    conversation: &Conversation,
    name: &str,
    report: &Report,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    write!(out, "    <testcase classname=\"{}\" name=\"{}\"", xml(conversation.format), xml(name))?;
    let failures = failures(conversation, report);
    let word = verdict_word(conversation.verdict);
    let others = conversation.findings.iter().filter(|finding| {
        let is_reported = finding.severity > Severity::Note || style.detail == Detail::All;
        is_reported && !failures.iter().any(|failure| std::ptr::eq(*failure, *finding))
    });
    let others = lines(conversation, others);
    // A test case has one outcome, and the first of these that holds is it.
    if conversation.verdict == Verdict::Unknown {
        writeln!(out, ">\n      <error type=\"not checked\" message=\"{word}\"/>")?;
    } else if let Some(first) = failures.first() {
        writeln!(
            out,
            ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>",
            first.code,
            xml(&outcome(conversation)),
            xml(&lines(conversation, failures.iter().copied()))
        )?;
    } else if is_empty(&conversation) {
        writeln!(out, ">\n      <skipped message=\"{word}\"/>")?;
    } else if others.is_empty() {
        return writeln!(out, "/>");
    } else {
        writeln!(out, ">")?;
    }
    if !others.is_empty() {
        writeln!(out, "      <system-out>{}</system-out>", xml(&others))?;
    }
    writeln!(out, "    </testcase>")
}

/// `run.jsonl:4: fatal TD104 two results for one tool call: ls toolu_1; fix (safe): …`, a line each.
fn lines<'a>(
    conversation: &Conversation,
    findings: impl Iterator<Item = &'a ReportedFinding>,
) -> String {
    let mut text = String::new();
    for finding in findings {
        let record = main_record(finding);
        let at = record.map_or_else(|| conversation.place(), |r| position(&conversation.path, r));
        let _ = writeln!(
            text,
            "{at}: {} {} {}; {}",
            level_word(finding.severity),
            finding.code,
            message(finding),
            fix(finding)
        );
    }
    text
}

/// A text in an element or an attribute. Characters that XML cannot hold are replaced.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_conversation_is_a_case() {
        let shown = text("junit", &sample::stuck(), &OutputStyle::default());
        assert_eq!(
            shown,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites name=\"transcript-doctor\" tests=\"1\" failures=\"1\" errors=\"0\">\n  \
             <testsuite name=\"transcript-doctor\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n    \
             <testcase classname=\"openhands\" name=\"conversations/fcbbaec2\">\n      \
             <failure type=\"TD104\" message=\"STUCK: Anthropic will reject the next request: two results for one tool call\">\
             conversations/fcbbaec2/events/event-00063-7f0c.json: fatal TD104 \
             two results for one tool call: terminal toolu_01EvREYhc5WD2xswPAvEc8ir; \
             fix (safe): remove event 63 (kept in the journal)\n</failure>\n    </testcase>\n  </testsuite>\n</testsuites>\n"
        );
    }

    #[test]
    fn what_could_not_be_checked_is_an_error_and_warnings_do_not_fail() {
        let mut report = sample::many();
        let shown = text("junit", &report, &OutputStyle::default());
        assert!(shown.contains("tests=\"35\" failures=\"3\" errors=\"1\""), "{shown}");
        report.fail_on = None;
        let shown = text("junit", &report, &OutputStyle::default());
        assert!(shown.contains("failures=\"0\" errors=\"1\""), "{shown}");
        assert_eq!(shown.matches("<system-out>").count(), 3, "{shown}");
    }

    #[test]
    fn names_are_unique() {
        let mut names = CaseNames::default();
        let mut named = |class, name: &str| names.unique(class, name.to_owned());
        assert_eq!(named("pi", "a"), "a");
        assert_eq!(named("codex", "a"), "a");
        assert_eq!(named("pi", "a (2)"), "a (2)");
        assert_eq!(named("pi", "a"), "a (3)");
        assert_eq!(named("pi", "a"), "a (4)");
        let mut report = sample::stuck();
        report.conversations.push(report.conversations[0].clone());
        let shown = text("junit", &report, &OutputStyle::default());
        assert!(shown.contains("name=\"conversations/fcbbaec2 (2)\""), "{shown}");
    }

    #[test]
    fn nothing_breaks_the_markup() {
        assert_eq!(xml("<a b=\"1\">&\u{1b}"), "&lt;a b=&quot;1&quot;&gt;&amp;\u{fffd}");
    }
}
