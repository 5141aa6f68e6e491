//! What outputs for code review have in common: findings worst first, each at a file, a line and a column.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::MAIN_SEPARATOR;

use super::human::{
    advice, decision, main_record, meaning, message, position, steps, verdict_word,
};
use super::{Detail, OutputStyle};
use crate::report::file::RecordFile;
use crate::report::model::{
    Conversation, FindingRecord, Report, ReportedFinding, TextRange, Unchecked,
};
use crate::report::text::{Shown, fit};
use crate::transcript::Severity;

/// Characters of a plan, at most.
const PLAN: usize = 400;

/// A finding with the conversation that it is in.
pub(super) struct Reported<'a> {
    pub conversation: &'a Conversation,
    pub finding: &'a ReportedFinding,
    /// Stable as the finding's own, and different for each finding of a report: `9b1f`, `9b1f-2`.
    pub fingerprint: String,
}

/// The findings of a report, the worst first. Notes only where everything is asked for; none where only verdicts are.
pub(super) fn findings<'a>(report: &'a Report, style: &OutputStyle) -> Vec<Reported<'a>> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut all = Vec::new();
    for conversation in &report.conversations {
        for finding in &conversation.findings {
            match style.detail {
                Detail::Nothing | Detail::Verdicts => continue,
                Detail::Normal if finding.severity == Severity::Note => continue,
                Detail::Normal | Detail::All => {}
            }
            let times = seen.entry(&finding.identity.fingerprint).or_default();
            *times = times.saturating_add(1);
            let fingerprint = match times {
                1 => finding.identity.fingerprint.clone(),
                times => format!("{}-{times}", finding.identity.fingerprint),
            };
            all.push(Reported { conversation, finding, fingerprint });
        }
    }
    all.sort_by_key(|reported| Reverse(reported.finding.severity));
    all
}

impl Reported<'_> {
    /// The file of its main record.
    pub(super) fn file(&self) -> String {
        file(self.conversation, main_record(self.finding))
    }

    /// The line of its main record in that file, from 1.
    pub(super) fn line(&self) -> Option<u64> {
        line(self.own_record()?)
    }

    /// Where its main record is, if that file is a JSON document.
    pub(super) fn range(&self) -> Option<&TextRange> {
        self.own_record()?.range.as_deref()
    }

    /// Its main record, if its places are those of that file.
    fn own_record(&self) -> Option<&FindingRecord> {
        let record = main_record(self.finding);
        record.filter(|_| self.conversation.container.is_none())
    }

    /// What is wrong; and where, if a file and a line do not say that.
    pub(super) fn message(&self) -> String {
        let message = message(self.finding);
        match inside(self.conversation, main_record(self.finding)) {
            Some(inside) => format!("{message} ({inside})"),
            None => message,
        }
    }

    /// What is wrong, what its fix does, and what that means for the session.
    pub(super) fn says(&self, between: &str) -> String {
        let said = [self.message(), fix(self.finding), outcome(self.conversation)];
        said.join(between)
    }

    /// `TD104 two-results`
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.finding.code, self.finding.name)
    }
}

/// `fix (safe): remove event 63 (kept in the journal)`
pub(super) fn fix(finding: &ReportedFinding) -> String {
    let decision = decision(finding);
    match (finding.resolution.fix.actions.is_empty(), finding.resolution.advice.is_empty()) {
        (false, _) => fit(&format!("fix ({decision}): {}", steps(finding).join("; ")), PLAN).into(),
        (true, false) => advice(finding),
        (true, true) => format!("fix: {decision}"),
    }
}

/// `STUCK: Anthropic will reject the next request: …`
pub(super) fn outcome(conversation: &Conversation) -> String {
    let word = verdict_word(conversation.verdict);
    match meaning(conversation) {
        Some(meaning) => format!("{word}: {}", meaning.trim_end_matches('.')),
        None => word.to_owned(),
    }
}

/// The path of a record's file as a repository names it: with slashes, and without `./` at the beginning. It is a file that
/// exists: of a session in a database, it is the database, and of a file in an archive the archive.
pub(super) fn file(conversation: &Conversation, record: Option<&FindingRecord>) -> String {
    match &conversation.container {
        Some(container) => path_of(container),
        None => file_in(&conversation.path, record.and_then(|r| r.file.as_ref())),
    }
}

/// The path of what could not be checked, in the same way.
pub(super) fn missed(gone: &Unchecked) -> String {
    path_of(gone.container.as_ref().unwrap_or(&gone.path))
}

/// What a place is in its file, if that is a database or an archive: `SESSION/TABLE:KEY`, `NAME:LINE`.
pub(super) fn inside(
    conversation: &Conversation,
    record: Option<&FindingRecord>,
) -> Option<String> {
    let container = conversation.container.as_ref()?;
    let place = match record {
        Some(record) => position(&conversation.path, record),
        None => conversation.place(),
    };
    let inside = place.strip_prefix(&container.whole()).unwrap_or(&place);
    let inside = inside.trim_start_matches(['#', '/']);
    (!inside.is_empty()).then(|| inside.to_owned())
}

/// The path of a transcript, or of a file in its folder, in the same way.
pub(super) fn file_in(path: &Shown, file: Option<&RecordFile>) -> String {
    match file {
        Some(file) => relative(&slashes(&file.below(&path.whole()))),
        None => path_of(path),
    }
}

fn path_of(path: &Shown) -> String {
    relative(&slashes(&path.whole()))
}

fn relative(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// A path with slashes. Elsewhere than on Windows, a backslash is a character of a name.
fn slashes(path: &str) -> String {
    match MAIN_SEPARATOR {
        '/' => path.to_owned(),
        separator => path.replace(separator, "/"),
    }
}

/// The line of a record, from 1.
pub(super) fn line(record: &FindingRecord) -> Option<u64> {
    record.line.or_else(|| record.range.as_ref().map(|range| range.start.line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::redact::at_hand;
    use crate::report::sample;

    #[test]
    fn fingerprints_of_a_report_are_unique() {
        let report = at_hand(sample::many());
        let all = findings(&report, &OutputStyle::default());
        let mut fingerprints: Vec<&str> =
            all.iter().map(|reported| reported.fingerprint.as_str()).collect();
        assert_eq!(fingerprints.first(), Some(&"9b1f"));
        fingerprints.sort_unstable();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), all.len());
        let levels: Vec<Severity> = all.iter().map(|reported| reported.finding.severity).collect();
        assert!(levels.is_sorted_by(|a, b| a >= b), "{levels:?}");
    }
}
