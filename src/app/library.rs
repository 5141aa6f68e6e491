//! The library: bytes in, a report and bytes out. No file is read or written, and no process is examined.

use serde::Serialize;
use thiserror::Error;

use super::plan::{self, Planning};
use super::{exit, repair};
use crate::bytes::overlay::Overlay;
use crate::bytes::source::{Entries, EntryId, Source, Span};
use crate::engine::{CheckOptions, RuleSelection, TargetChoice, Verdict};
use crate::find::{self, FindOptions, Found};
use crate::format::Format;
use crate::hosts;
use crate::outputs::json;
use crate::repair::{Policy, Refused};
use crate::report::coverage::coverage;
use crate::report::model::{Conversation, Report, ReportedFinding, Unchecked};
use crate::report::places;
use crate::report::redact::{People, RedactMode, Redactor, redact};
use crate::report::rows::TranscriptReport;
use crate::report::text::Shown;
use crate::rows;
use crate::transcript::{Applicability, Severity};

/// What is known of bytes, and what may be done with them. By default, the bytes show their format and their provider, and a
/// repair does what is safe.
///
/// ```
/// let options = transcript_doctor::BytesOptions::default().with_target("anthropic")?;
/// # Ok::<(), transcript_doctor::BytesError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BytesOptions {
    format: Option<&'static Format>,
    target: Option<TargetChoice>,
    unsafe_fixes: bool,
}

impl BytesOptions {
    /// The format of the bytes: a name that `transcript-doctor formats` lists.
    ///
    /// # Errors
    /// No format has this name.
    pub fn with_format(self, name: &str) -> Result<BytesOptions, BytesError> {
        let format =
            hosts::by_name(name).ok_or_else(|| BytesError::UnknownName(name.to_owned()))?;
        Ok(BytesOptions { format: Some(format), ..self })
    }

    /// The provider to check against: `anthropic`, `bedrock`, `openai-chat`, …, or `strictest` for all of them.
    ///
    /// # Errors
    /// No provider has this name.
    pub fn with_target(self, name: &str) -> Result<BytesOptions, BytesError> {
        let target = TargetChoice::by_name(name);
        let target = target.ok_or_else(|| BytesError::UnknownName(name.to_owned()))?;
        Ok(BytesOptions { target: Some(target), ..self })
    }

    /// A repair also applies fixes that guess or lose content.
    #[must_use]
    pub fn with_unsafe_fixes(self) -> BytesOptions {
        BytesOptions { unsafe_fixes: true, ..self }
    }

    fn planning(&self) -> Planning {
        let check = CheckOptions { target: self.target, jobs: 1, ..CheckOptions::default() };
        let policy = Policy {
            with_unsafe: self.unsafe_fixes,
            format_named: self.format.is_some(),
            ..Policy::default()
        };
        Planning::new(check, policy)
    }

    fn find(&self, bytes: &[u8]) -> Result<Found, BytesError> {
        let target = self.target.map_or("auto", TargetChoice::name);
        let options = FindOptions { only: self.format, jobs: 1, ..FindOptions::default() };
        find::find_bytes(bytes.to_vec(), target, options)
            .map_err(|missed| BytesError::UnknownFormat(missed.why))
    }
}

/// Why there is no answer. It does not mean that the bytes are healthy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BytesError {
    /// No format or provider has this name.
    #[error("no format or provider is named {0}")]
    UnknownName(String),
    /// They are not a transcript of a known format.
    #[error("{0}")]
    UnknownFormat(String),
    /// A record is too large or nested too deeply.
    #[error("{0}")]
    Unreadable(String),
    /// A repair is refused: it would change more than one program damages, or cannot be proved.
    #[error("{0}")]
    Refused(String),
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct CheckedBytes {
    report: Report,
}

impl CheckedBytes {
    /// The worst verdict of all conversations.
    pub fn verdict(&self) -> Verdict {
        let verdicts = self.report.conversations.iter().map(|own| own.verdict);
        verdicts.max().unwrap_or(Verdict::Unknown)
    }

    /// The conversations: one, or of a file of rows one for the file and one more for each row with findings.
    pub fn conversations(&self) -> Vec<BytesConversation> {
        self.report.conversations.iter().map(BytesConversation::of).collect()
    }

    /// Rows that could not be checked, and why.
    pub fn not_checked(&self) -> Vec<String> {
        self.report.not_checked.iter().map(|own| own.why.clone()).collect()
    }

    /// The same as JSON: `transcript-doctor/report/v1`, as `check --format json` prints it. Within v1, members are added, never
    /// changed or removed.
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        _ = json::value(&self.report, &mut text);
        String::from_utf8_lossy(&text).trim_end().to_owned()
    }
}

/// A conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BytesConversation {
    /// The format, as `--from` names it.
    pub format: &'static str,
    /// The line of its row, in a file of rows.
    pub row: Option<u64>,
    /// The answer.
    pub verdict: Verdict,
    /// The provider that it was checked against.
    pub target: &'static str,
    /// Whether it is certainly for this provider.
    pub target_is_certain: bool,
    /// Records in it.
    pub records: u64,
    /// Calls in the next request.
    pub calls: u64,
    /// What is wrong, in the order of the records.
    pub findings: Vec<BytesFinding>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BytesFinding {
    /// The code of the rule: `TD104`. Codes do not change their meaning.
    pub code: &'static str,
    /// The name of the rule: `two-results`.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it is, for people.
    pub message: String,
    /// The IDs of the calls that it is about.
    pub calls: Vec<String>,
    /// The lines of the records that it is about, in line files, from 1.
    pub lines: Vec<u64>,
    /// What a repair does about it, by its name in reports: `safe`, `unsafe`, `manual`, or `on-request`.
    pub fix: &'static str,
}

impl BytesConversation {
    fn of(own: &Conversation) -> BytesConversation {
        BytesConversation {
            format: own.format,
            row: own.row.as_ref().and_then(|row| row.line),
            verdict: own.verdict,
            target: own.target,
            target_is_certain: own.target_from.is_certain,
            records: own.records,
            calls: own.calls,
            findings: own.findings.iter().map(BytesFinding::of).collect(),
        }
    }
}

impl BytesFinding {
    fn of(own: &ReportedFinding) -> BytesFinding {
        BytesFinding {
            code: own.code.as_str(),
            name: own.name,
            severity: own.severity,
            message: own.message.clone(),
            calls: own.call_ids.iter().map(|id| id.exact().to_owned()).collect(),
            lines: own.records.iter().filter_map(|record| record.line).collect(),
            fix: Applicability::name(own.resolution.fix.applicability),
        }
    }
}

/// What a repair made of bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RepairedBytes {
    /// The repaired bytes: those of the input, if there was nothing to do.
    pub bytes: Vec<u8>,
    /// Whether they differ from the input.
    pub changed: bool,
    /// What a check finds in the input.
    pub before: CheckedBytes,
    /// What is left.
    pub after: CheckedBytes,
}

/// Checks the bytes of a transcript, or the messages of a request as JSON. They may be a line file, a document, or rows, but
/// no archive, database, or compressed file.
///
/// ```
/// use transcript_doctor::{BytesOptions, Verdict, check_bytes};
///
/// let messages = br#"[
///   {"role": "user", "content": "List the files"},
///   {"role": "assistant", "content": null,
///    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
///   {"role": "user", "content": "Go on"}
/// ]"#;
/// let checked = check_bytes(messages, &BytesOptions::default())?;
/// assert_eq!(checked.verdict(), Verdict::Stuck);
/// assert_eq!(checked.conversations()[0].findings[0].name, "unanswered-call");
/// # Ok::<(), transcript_doctor::BytesError>(())
/// ```
///
/// # Errors
/// They are of no known format, or cannot be read.
pub fn check_bytes(bytes: &[u8], options: &BytesOptions) -> Result<CheckedBytes, BytesError> {
    let found = options.find(bytes)?;
    checked(&found, &found.source, &options.planning())
}

/// Repairs the bytes of a transcript, or the messages of a request as JSON. What is not repaired stays as it is, byte for byte. The
/// result is read and checked again before it is returned.
///
/// ```
/// use transcript_doctor::{BytesOptions, Verdict, repair_bytes};
///
/// let messages = br#"[{"role":"user","content":"List"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",
///   "type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"user","content":"Go on"}]"#;
/// let repaired = repair_bytes(messages, &BytesOptions::default())?;
/// assert!(repaired.changed);
/// assert_eq!(repaired.before.verdict(), Verdict::Stuck);
/// assert_eq!(repaired.after.verdict(), Verdict::Healthy);
/// # Ok::<(), transcript_doctor::BytesError>(())
/// ```
///
/// # Errors
/// They are of no known format, or cannot be read; or the repair is refused, because it would change more than one program
/// damages, or its result could not be proved.
pub fn repair_bytes(bytes: &[u8], options: &BytesOptions) -> Result<RepairedBytes, BytesError> {
    let found = options.find(bytes)?;
    let planning = options.planning();
    let before = checked(&found, &found.source, &planning)?;
    let work = plan::make(&found, planning.clone(), &reader()).map_err(BytesError::from)?;
    if work.patch.is_empty() {
        let (bytes, after) = (bytes.to_vec(), before.clone());
        return Ok(RepairedBytes { bytes, changed: false, before, after });
    }
    let patched = Overlay::new(&found.source, &work.patch);
    let bytes = all_of(&patched)?;
    repair::prove(&work, bytes.clone()).map_err(BytesError::Refused)?;
    let after = checked(&found, &patched, &planning)?;
    Ok(RepairedBytes { bytes, changed: true, before, after })
}

impl From<Refused> for BytesError {
    fn from(refused: Refused) -> BytesError {
        match refused {
            Refused::Read(why) => BytesError::Unreadable(why.to_string()),
            other => BytesError::Refused(other.to_string()),
        }
    }
}

fn checked(
    found: &Found,
    entries: &dyn Entries,
    planning: &Planning,
) -> Result<CheckedBytes, BytesError> {
    let (path, detection) = (&found.path, &found.detection);
    let mut report = TranscriptReport::new(path, detection.format).with_introductions(false);
    rows::judge(entries, &find::name_of(path), detection, &planning.check, &mut |examined| {
        report.add(&examined, false);
    })
    .map_err(|why| BytesError::Unreadable(why.to_string()))?;
    let mut all = report.finish();
    if let Ok(source) = all_of(entries) {
        places::locate(&mut all.conversations, &Source::row_of_stdin(source, 1));
    }
    let missed = all.missed.into_iter().map(|why| Unchecked {
        path: Shown::path(path),
        path_hex: None,
        why,
        candidates: Vec::new(),
        container: None,
    });
    let mut report = Report::new(all.conversations, missed.collect(), Vec::new());
    report.coverage = coverage(&report.conversations, &RuleSelection::default(), &|_| Vec::new());
    report.exit_code = status(&report);
    Ok(CheckedBytes { report: redact(report, &reader()) })
}

/// As the exit status of `check`.
fn status(report: &Report) -> u8 {
    if !report.not_checked.is_empty() {
        return exit::NOT_EXAMINED;
    }
    if report.reaches(Severity::Error) { exit::LEFT } else { exit::DONE }
}

/// The caller has the bytes, so that they may see IDs as they are.
fn reader() -> Redactor {
    Redactor::for_stream(RedactMode::Auto, false, People::default())
}

fn all_of(entries: &dyn Entries) -> Result<Vec<u8>, BytesError> {
    let only = EntryId(0);
    let whole = Span::new(only, 0, entries.len(only));
    entries.fetch(whole).map_err(|why| BytesError::Unreadable(why.to_string()))
}
