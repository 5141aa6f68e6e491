//! What a run found and did, ready to be printed. Its serialization is the schema
//! `transcript-doctor/report/v1`; changes within v1 only add members.

use crate::engine::TargetFrom;
use crate::transcript::{Applicability, Code, Confidence, Severity};
use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::file::RecordFile;
use super::introduction::Introduction;
use super::offer::Offer;
use super::redact::{Redact, RedactMode, Redactor, redact_fields};
use super::text::Shown;
pub(crate) use crate::engine::Verdict;
use crate::repair::{FindingKey, RepairStep};
use crate::report::redact::StringKind;

/// Name and version of the JSON schema.
pub(crate) const SCHEMA: &str = "transcript-doctor/report/v1";

/// A whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// The target of all conversations; `several` if they differ, `none` without conversations.
    pub target: &'static str,
    /// Which rules counted, if not all did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Number of conversations by verdict.
    pub summary: Summary,
    /// Every conversation that was checked, in the order of their paths.
    pub conversations: Vec<Conversation>,
    /// What could not be checked.
    pub not_checked: Vec<Unchecked>,
    /// What a walk found and did not check.
    pub skipped: Vec<Skipped>,
    /// How much of the baseline was found, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineUse>,
    /// Findings that are left out, because there is a limit.
    #[serde(skip_serializing_if = "is_none")]
    pub left_out: u64,
    /// The exit status of the process.
    pub exit_code: u8,
    /// The lowest severity that makes the run fail; `None` if no finding does.
    #[serde(skip)]
    pub fail_on: Option<Severity>,
}

/// This program.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// `transcript-doctor`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Which rules counted: codes, names, or prefixes of codes, as typed.
#[derive(Clone, Debug, Serialize)]
pub struct Selection {
    /// Only these rules; all if empty.
    pub select: Vec<String>,
    /// Not these rules.
    pub ignore: Vec<String>,
}

/// How much of a baseline was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BaselineUse {
    /// Findings that are in it, and therefore not reported.
    pub known: u64,
    /// Entries that were not found.
    pub unused: u64,
}

/// Conversations by verdict.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Summary {
    /// The total number.
    pub conversations: u64,
    /// Nobody speaks in it.
    pub empty: u64,
    /// Nothing above a warning.
    pub healthy: u64,
    /// The next request will be rejected.
    pub stuck: u64,
    /// It loads, but something is hidden or dropped.
    pub lossy: u64,
    /// It waits for a tool or a person.
    pub pending: u64,
    /// It cannot be opened.
    pub unreadable: u64,
    /// The format is not recognized.
    pub unknown: u64,
    /// Could not be checked.
    pub not_checked: u64,
}

/// One conversation.
#[derive(Clone, Debug, Serialize)]
pub struct Conversation {
    /// The path, as the user named it or the walk found it.
    pub path: Shown,
    /// The bytes of the path in hex, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The recorded format.
    pub format: &'static str,
    /// The host that writes it.
    pub host: &'static str,
    /// The display name of the host: `OpenHands`.
    #[serde(skip)]
    pub host_title: &'static str,
    /// One line for people: `OpenHands SDK event log`.
    #[serde(skip)]
    pub title: &'static str,
    /// The session ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Shown>,
    /// The path of the conversation that started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Shown>,
    /// For a file of many conversations: its rows. Each row with findings has an entry of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Rows>,
    /// For the entry of a row: which row it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<RowAt>,
    /// The answer.
    pub verdict: Verdict,
    /// A process is writing it.
    pub live: bool,
    /// The target; `strictest` for all providers.
    pub target: &'static str,
    /// The display name of the target: `Anthropic`.
    #[serde(skip)]
    pub target_title: &'static str,
    /// The display names of the providers that will reject the next request.
    #[serde(skip)]
    pub refused_by: Vec<&'static str>,
    /// The verdict by kind of client, if the host has several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clients: BTreeMap<&'static str, ClientVerdict>,
    /// The kind of the client that wrote last, if that is known. Its verdict and that of newer
    /// ones count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_by: Option<&'static str>,
    /// Why that one: `--target`, `the only API it uses`, `from the file`, `recorded model`, `shape of the messages`,
    /// `guessed from tool call IDs`, `assumed`, `default`.
    #[serde(flatten)]
    pub target_from: TargetFrom,
    /// What else the conversation may be if nothing shows whose messages these are, and the option
    /// for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether a finding may be a habit of the program that wrote the file, were its other rows known.
    #[serde(skip)]
    pub may_be_habits: bool,
    /// What users recognize it by.
    #[serde(skip)]
    pub introduction: Introduction,
    /// Records in it.
    pub records: u64,
    /// Calls in the next request.
    pub calls: u64,
    /// The findings, in the order of the records.
    pub findings: Vec<ReportedFinding>,
    /// Number of findings above a note that the selection of rules hides, by code. The verdict does
    /// not count them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_selected: BTreeMap<Code, u64>,
    /// Number of findings that the baseline hides. The verdict counts them.
    #[serde(skip_serializing_if = "is_none")]
    pub known: u64,
    /// Records that a known version of the host cannot load, which the verdict does not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
    /// IDs of calls that wait for a result.
    pub pending: Vec<Shown>,
    /// Calls that may have run although the next request has no result, or only a placeholder.
    pub unknown_side_effects: Vec<Shown>,
    /// What `repair` did or would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<Applied>,
    /// How to continue it in its host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeCommand>,
    /// The name of a repaired copy, if a repair cannot replace it.
    #[serde(skip)]
    pub copy: Option<String>,
    /// The file that it is in, if the files of its records are parts of that: a database, an archive.
    #[serde(skip)]
    pub container: Option<Shown>,
    /// Why no repair is safe although each fix alone is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_safe_fix: Option<String>,
    /// Whether unsafe fixes would change so much that the format has to be named, too.
    #[serde(skip)]
    pub needs_from: bool,
    /// What a safe repair of the transcript would write, if an output offers that.
    #[serde(skip)]
    pub offer: Option<Offer>,
    /// Further remarks for the user, one sentence each, in our own words.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// How it is stored, if a page for support asks for that.
    #[serde(skip)]
    pub stored: Option<StoredFiles>,
    /// The mode in which it was redacted.
    #[serde(skip)]
    pub redacted: RedactMode,
}

/// The files of a transcript.
#[derive(Clone, Debug)]
pub struct StoredFiles {
    /// Bytes of all files.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
    /// The SHA-256 of the only file.
    pub checksum: Option<String>,
}

/// How a conversation ends for a kind of client.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ClientVerdict {
    /// The answer.
    pub verdict: Verdict,
    /// Their versions, as a sentence names them.
    #[serde(skip)]
    pub versions: &'static str,
}

/// How to continue a conversation in its host.
#[derive(Clone, Debug, Serialize)]
pub struct ResumeCommand {
    /// The words of the command.
    pub command: Vec<Shown>,
    /// Where to type it: the folder in which the conversation was started.
    #[serde(skip)]
    pub folder: Option<Shown>,
    /// Whether the folder exists on this machine, if that was checked.
    #[serde(skip)]
    pub has_folder: bool,
    /// Whether the transcript is where the host looks for it.
    pub at_home: bool,
}

impl Conversation {
    /// Its place for users: the path, with the line of a row.
    pub fn place(&self) -> String {
        let path = self.path.whole();
        match &self.row {
            Some(row) => row.place(path),
            None => path,
        }
    }

    /// Whose rules it was checked against, and why.
    pub fn provider(&self) -> String {
        let title = if self.target_from == TargetFrom::ONLY_TEXTS {
            "no provider"
        } else {
            self.target_title
        };
        format!("{title} ({})", self.target_from.words)
    }

    /// The rows that are shown instead of a verdict: those of a file without other problems.
    pub fn listed_rows(&self) -> Option<&Rows> {
        self.rows.as_ref().filter(|rows| !rows.is_file_damaged && !rows.are_none())
    }
}

impl RowAt {
    /// Its place in the file at `path`, for users.
    pub(crate) fn place(&self, path: String) -> String {
        let part = self.part.as_deref().unwrap_or_default();
        if let Some(file) = &self.file {
            return match part {
                "" => format!("{path}/{file}"),
                part => format!("{path}/{file}#{part}"),
            };
        }
        match (self.line, self.index) {
            (Some(line), _) if part.is_empty() => format!("{path}:{line}"),
            (Some(line), _) => format!("{path}:{line}#{part}"),
            (None, Some(index)) => match self.list {
                Some(list) => format!("{path}#/{list}/{index}{part}"),
                None => format!("{path}#/{index}{part}"),
            },
            (None, None) if part.is_empty() => path,
            (None, None) => format!("{path}#{part}"),
        }
    }
}

/// Records that a host cannot load although nothing is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Caveat {
    /// Number of records.
    pub records: u64,
    /// `2 records are of kinds that OpenHands SDK 1.58 does not know`
    pub says: String,
}

/// The rows of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rows {
    /// The total number.
    pub total: u64,
    /// Conversations that are healthy.
    pub healthy: u64,
    /// Rows without a conversation.
    pub skipped: u64,
    /// Healthy conversations without an entry of their own.
    pub unlisted: u64,
    /// Other conversations without an entry of their own, by verdict: their findings are in the
    /// entry of the file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<Verdict, u64>,
    /// Whether something is wrong with the file itself rather than with a row.
    #[serde(skip)]
    pub is_file_damaged: bool,
}

impl Rows {
    /// Whether no row has a conversation.
    pub fn are_none(&self) -> bool {
        self.total == self.skipped
    }

    /// Number of conversations without an entry of their own, by verdict.
    pub fn without_entry(&self) -> impl Iterator<Item = (Verdict, u64)> + '_ {
        let shared = self.shared.iter().map(|(verdict, rows)| (*verdict, *rows));
        [(Verdict::Healthy, self.unlisted)].into_iter().chain(shared)
    }

    /// Whether some of them have entries of their own.
    pub fn are_listed(&self) -> bool {
        let unlisted: u64 = self.without_entry().map(|(_, rows)| rows).sum();
        self.total > self.skipped.saturating_add(unlisted)
    }
}

/// Identifies a row of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowAt {
    /// 1-based line number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 0-based index in an array, or among the files of an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The file that it is, in an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Shown>,
    /// The member of the document that is the array; absent where the document is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<&'static str>,
    /// Which conversation of the row it is: the JSON pointer of its list, or of the string with its text. Absent where the
    /// row has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The ID in the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Shown>,
}

/// What a repair did.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Applied {
    /// Number of the operation in the journal; `None` if a copy was written, or nothing.
    pub op: Option<u64>,
    /// The batch of operations that it belongs to: the number of the first one of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Records kept byte for byte.
    pub kept: u64,
    /// Records removed.
    pub removed: u64,
    /// Records moved.
    pub moved: u64,
    /// Records inserted.
    pub inserted: u64,
    /// Records with changed bytes.
    pub replaced: u64,
    /// Whether there was nothing to repair.
    #[serde(skip)]
    pub nothing: bool,
    /// Whether nothing was written: `--dry-run` or `diff`.
    #[serde(skip)]
    pub planned_only: bool,
    /// Path of the copy.
    #[serde(skip)]
    pub output: Option<Shown>,
    /// The verdict of the written bytes, re-read from disk.
    #[serde(skip)]
    pub proved: Option<Verdict>,
}

impl Applied {
    /// Adds the numbers of another conversation.
    pub(crate) fn add(&mut self, other: &Applied) {
        self.kept += other.kept;
        self.removed += other.removed;
        self.moved += other.moved;
        self.inserted += other.inserted;
        self.replaced += other.replaced;
    }
}

impl ReportedFinding {
    /// Whether a repair fixes it without being told more.
    pub(crate) fn is_safe(&self) -> bool {
        self.resolution.fix.applicability == Applicability::Safe
    }

    /// The IDs of the calls that it names.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Shown> {
        let records = self.records.iter();
        records.filter_map(|record| record.call.as_ref()).chain(&self.call_ids)
    }

    /// The files that it names.
    pub(super) fn files(&mut self) -> impl Iterator<Item = &mut RecordFile> {
        let records = self.records.iter_mut().map(|record| &mut record.file);
        let actions = self.resolution.fix.actions.iter_mut().map(|action| &mut action.file);
        records.chain(actions).flatten()
    }
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedFinding {
    /// `TD104`.
    pub code: Code,
    /// `two-results`.
    pub name: &'static str,
    pub severity: Severity,
    pub confidence: Confidence,
    #[serde(flatten)]
    pub effect: ReportedEffect,
    #[serde(flatten)]
    pub identity: FindingIdentity,
    /// What is wrong, in our own words.
    pub message: String,
    /// The calls involved.
    pub call_ids: Vec<Shown>,
    #[serde(flatten)]
    pub affected: Affected,
    pub records: Vec<FindingRecord>,
    #[serde(flatten)]
    pub resolution: Resolution,
    /// Findings that this one explains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub consequences: Vec<Consequence>,
}

/// What a finding does to the session.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct ReportedEffect {
    /// Whether it keeps the host from opening the conversation.
    #[serde(skip)]
    pub load_fails: bool,
    /// Whether it makes the host run a call again.
    #[serde(skip)]
    pub runs_again: bool,
    /// Number of messages that it hides, as far as they can be counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub hides: u32,
}

/// Which finding it is, and which ones are reported as one with it.
#[derive(Clone, Debug, Serialize)]
pub struct FindingIdentity {
    /// Number of findings with this cause, which are reported as one.
    #[serde(skip_serializing_if = "is_one")]
    pub count: u64,
    /// Whether it is about the inside of records, each alone.
    #[serde(skip)]
    pub is_local: bool,
    /// A stable ID of this finding: the same damage has the same value, wherever the file is.
    pub fingerprint: String,
    /// The fingerprints of all findings with this cause, as far as they are listed.
    #[serde(skip)]
    pub fingerprints: Vec<String>,
    /// Identifies this finding and those that are folded into it.
    #[serde(skip)]
    pub(crate) keys: Vec<FindingKey>,
}

/// Who objects.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Affected {
    /// The providers or kinds of client that object, if the conversation was checked for several and only some object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen_by: Vec<&'static str>,
    /// The same for people: `only in Claude Code 2.1.20 and older`. Empty if all object.
    #[serde(skip)]
    pub says: String,
    /// Position in the request, from 0, by target.
    pub api_index: BTreeMap<&'static str, u32>,
}

/// What can be done about a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Resolution {
    pub fix: PlannedFix,
    /// What the user may choose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Whether the user made that choice.
    #[serde(skip)]
    pub is_chosen: bool,
    /// What the user can do if no fix is known, or why its fix was refused; empty otherwise.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub advice: Cow<'static, str>,
}

// Serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(number: &u64) -> bool {
    *number == 1
}

// Serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(number: &u64) -> bool {
    *number == 0
}

// Serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A choice: a result to keep, with equal ones, or something else to do.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// What it does, if it does not keep a result.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub does: &'static str,
    /// What the numbers count: `line` (from 1) or `event` (from 0).
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'static str,
    /// The records with the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<u64>,
    /// The time of the first of them, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The options of `repair` for it.
    pub options: Vec<Shown>,
    /// Whether it is kept if the user makes no choice.
    pub is_kept: bool,
    /// Its text.
    #[serde(skip)]
    pub text: Option<Shown>,
}

/// A finding that another one explains.
#[derive(Clone, Debug, Serialize)]
pub struct Consequence {
    /// `TD101`.
    pub code: Code,
    /// What is wrong, in our own words.
    pub message: String,
}

/// A record of a finding, with the kinds of places that apply.
#[derive(Debug, Clone, Serialize)]
pub struct FindingRecord {
    /// Its role in the finding: `call`, `result`, `placeholder`, `intruder`, …
    pub role: &'static str,
    /// The file, in folders and archives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<RecordFile>,
    /// 1-based line number, in line files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 0-based event number, in folders and lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Whether `explain` finds it by its number.
    #[serde(skip)]
    pub is_numbered: bool,
    /// What its number counts: `line`, `message`.
    #[serde(skip)]
    pub unit: &'static str,
    /// JSON pointer inside a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Shown>,
    /// Byte range in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<[u64; 2]>,
    /// The same as lines and columns, for records of JSON documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<TextRange>,
    /// The ID of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Shown>,
    /// The kind of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Shown>,
    /// When it was recorded, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The tool of the call or result that is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Shown>,
    /// The ID of the call or result that is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Shown>,
}

/// A range of text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextRange {
    /// Its first character.
    pub start: TextPosition,
    /// The character after the last one.
    pub end: TextPosition,
}

/// A position in a text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextPosition {
    /// 1-based line number.
    pub line: u64,
    /// 1-based byte in the line.
    pub column: u64,
    /// 1-based character in the line.
    #[serde(skip)]
    pub character: u64,
}

/// What repair can do about a finding.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedFix {
    /// Who decides.
    pub applicability: Applicability,
    /// The steps of the least lossy fix.
    pub actions: Vec<PlannedAction>,
}

/// One step, as its reader may see it.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedAction {
    #[serde(flatten)]
    pub step: RepairStep,
    /// The file, in folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<RecordFile>,
    /// The first words of what is removed.
    #[serde(skip)]
    pub text: Option<Shown>,
}

impl From<RepairStep> for PlannedAction {
    fn from(mut step: RepairStep) -> Self {
        let (file, text) = (step.file.take(), step.text.take());
        PlannedAction {
            step,
            file: file.map(RecordFile::inside),
            text: text.map(|text| Shown::of(StringKind::Text, text)),
        }
    }
}

/// A file, or a folder with everything in it, that a walk found and did not check.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    /// Where it is.
    pub path: Shown,
    /// The bytes of the path in hex, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The reason in a few words of ours.
    pub why: Cow<'static, str>,
}

/// Something that could not be checked.
#[derive(Clone, Debug, Serialize)]
pub struct Unchecked {
    /// The path as named.
    pub path: Shown,
    /// The bytes of the path in hex, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The reason in one line, with the line number if there is one.
    pub why: String,
    /// The possible formats, most likely first, if its records do not show which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<&'static str>,
    /// The database that it is in.
    #[serde(skip)]
    pub container: Option<Shown>,
}

impl Redact for Conversation {
    fn redact(&mut self, reader: &Redactor) {
        self.redacted = reader.mode();
        self.path.redact(reader);
        self.container.redact(reader);
        show_bytes(&mut self.path_hex, reader);
        self.session.redact(reader);
        self.parent.redact(reader);
        self.row.redact(reader);
        self.findings.redact(reader);
        self.pending.redact(reader);
        self.unknown_side_effects.redact(reader);
        self.applied.redact(reader);
        self.offer.redact(reader);
        self.resume.redact(reader);
        // Last, because outputs leave out its hidden words: the numbers of the others then start
        // with 1.
        self.introduction.redact(reader);
        // A command with words that are hidden from its reader is useless.
        self.resume.take_if(|resume| resume.command.iter().any(|word| word.typed().is_none()));
    }
}

impl Redact for Skipped {
    fn redact(&mut self, reader: &Redactor) {
        self.path.redact(reader);
        show_bytes(&mut self.path_hex, reader);
    }
}

impl Redact for Unchecked {
    fn redact(&mut self, reader: &Redactor) {
        self.path.redact(reader);
        self.container.redact(reader);
        show_bytes(&mut self.path_hex, reader);
    }
}

/// The bytes of a path, as far as its reader may see them.
fn show_bytes(path_hex: &mut Option<String>, reader: &Redactor) {
    *path_hex = path_hex.take().and_then(|hex| reader.hex(&hex));
}

redact_fields! {
    Report { conversations, not_checked, skipped }
    ResumeCommand { command, folder }
    RowAt { file, key }
    Applied { output }
    ReportedFinding { call_ids, records, resolution }
    Resolution { fix, choices }
    Choice { options, text }
    FindingRecord { file, pointer, id, kind, tool, call }
    PlannedFix { actions }
    PlannedAction { file, text }
}
