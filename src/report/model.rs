//! What a run found and did, ready to be printed. Serialized, this is the schema `transcript-doctor/report/v1`; changes
//! within v1 only add.

use crate::transcript::Code;
use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::introduction::Introduction;
use super::redact::{Mode, Redact, Redactor, redact_fields};
use super::text::Shown;
pub(crate) use crate::engine::Verdict;
use crate::repair::{FindingKey, Op, Step};
use crate::report::redact::Is;

/// The name and version of the shape.
pub(crate) const SCHEMA: &str = "transcript-doctor/report/v1";

/// A whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// The provider that everything was judged for; `several` where conversations differ, `none` where there is none.
    pub target: &'static str,
    /// Which rules counted, where not all did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// How many conversations ended how.
    pub summary: Summary,
    /// Every conversation looked at, healthy ones too, in the order of their paths.
    pub conversations: Vec<Conversation>,
    /// What could not be looked at.
    pub not_examined: Vec<NotExamined>,
    /// What was met on a walk and not checked.
    pub skipped: Vec<Skipped>,
    /// How many of them there are.
    pub passed_over: u64,
    /// What the baseline hides, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineUse>,
    /// The process' exit status.
    pub exit_code: u8,
    /// The severity from which on a finding makes the run fail; `None`: no finding does.
    #[serde(skip)]
    pub fail_on: Option<Level>,
}

/// This program.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// `transcript-doctor`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Which rules counted: codes, names or beginnings of codes, as they were typed.
#[derive(Clone, Debug, Serialize)]
pub struct Selection {
    /// Only these; empty: all.
    pub select: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
}

/// How much of a baseline was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BaselineUse {
    /// Findings that are in it, and so not reported.
    pub known: u64,
    /// Entries that were not found.
    pub unused: u64,
}

/// Conversations by verdict.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Summary {
    /// All of them.
    pub conversations: u64,
    /// Nobody speaks in it.
    pub empty: u64,
    /// Nothing above a warning.
    pub healthy: u64,
    /// The next request will be refused.
    pub stuck: u64,
    /// It loads, but something is hidden or dropped.
    pub lossy: u64,
    /// It waits for a tool or a person.
    pub pending: u64,
    /// It cannot be opened.
    pub unreadable: u64,
    /// Not recognized.
    pub unknown: u64,
    /// Could not be looked at.
    pub not_examined: u64,
}

/// One conversation.
#[derive(Clone, Debug, Serialize)]
pub struct Conversation {
    /// As the user named it or the walk found it.
    pub path: Shown,
    /// The path's bytes in hex, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The recorded format.
    pub format: &'static str,
    /// The host that writes it.
    pub host: &'static str,
    /// The host as a sentence names it: `OpenHands`.
    #[serde(skip)]
    pub host_title: &'static str,
    /// One line for people: `OpenHands SDK event log`.
    #[serde(skip)]
    pub title: &'static str,
    /// The host's id of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Shown>,
    /// The path of the conversation that started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Shown>,
    /// Of a recording of many conversations: how many rows it has. Each row with findings has an entry of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Rows>,
    /// Of such an entry: which row it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<RowAt>,
    /// The answer.
    pub verdict: Verdict,
    /// Somebody is writing it right now.
    pub live: bool,
    /// The provider it was judged for; `strictest`: all of them.
    pub target: &'static str,
    /// The same as a sentence names it: `Anthropic`.
    #[serde(skip)]
    pub target_title: &'static str,
    /// The providers that will reject the next request, as a sentence names them.
    #[serde(skip)]
    pub refused_by: Vec<&'static str>,
    /// The answer by kind of client, where the host has several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clients: BTreeMap<&'static str, Verdict>,
    /// Why that one: `--target`, `the recording's own API`, `recorded model`, `shape of the call ids`, `assumed`,
    /// `default`.
    pub target_from: &'static str,
    /// What else the conversation may be, where nothing shows whose messages these are, and how to say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What people know it by.
    #[serde(skip)]
    pub introduction: Introduction,
    /// Records in it.
    pub records: u64,
    /// Calls in what would be sent.
    pub calls: u64,
    /// What was found, in the order of places.
    pub findings: Vec<Finding>,
    /// Findings above a note that the selection of rules hides: how many, by code. The verdict says nothing of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_selected: BTreeMap<Code, u64>,
    /// Findings that the baseline hides. The verdict counts them.
    #[serde(skip_serializing_if = "is_none")]
    pub known: u64,
    /// What the verdict does not say: records that the host, in a version that is known here, cannot load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
    /// Ids of calls that wait for an answer.
    pub pending: Vec<Shown>,
    /// Calls that may have run, of which the next request holds no result but a placeholder.
    pub unknown_side_effects: Vec<Shown>,
    /// What `repair` did, or would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<Applied>,
    /// How to go on with it in its host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Why no repair of it is safe, although each fix by itself is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_safe_fix: Option<String>,
    /// What to tell the user besides, one sentence each, in our own words.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// For which kind of reader it was redacted.
    #[serde(skip)]
    pub redacted: Mode,
}

/// How to go on with a conversation in its host.
#[derive(Clone, Debug, Serialize)]
pub struct Resume {
    /// The words of the command.
    pub command: Vec<Shown>,
    /// Where it is typed: the folder in which the conversation was started.
    #[serde(skip)]
    pub folder: Option<Shown>,
    /// The folder exists on this machine, as far as somebody looked.
    #[serde(skip)]
    pub has_folder: bool,
    /// The recording lies where the host looks for it.
    pub at_home: bool,
}

impl Conversation {
    /// Where it is, for people: the path, with the line of a row.
    pub fn place(&self) -> String {
        let path = self.path.whole();
        match &self.row {
            Some(row) => row.place(path),
            None => path,
        }
    }

    /// The rows that tell of it instead of a verdict of its own: those of a file with which nothing else is wrong.
    pub fn sheet(&self) -> Option<&Rows> {
        self.rows
            .as_ref()
            .filter(|rows| !rows.is_file_damaged && !rows.are_none())
    }
}

impl RowAt {
    /// Where it is in the file at `path`, for people.
    pub(crate) fn place(&self, path: String) -> String {
        match (self.line, self.index) {
            (Some(line), _) => format!("{path}:{line}"),
            (None, Some(index)) => format!("{path}#/{index}"),
            (None, None) => path,
        }
    }
}

/// Records that a host cannot load although nothing is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Caveat {
    /// How many.
    pub records: u64,
    /// `2 records are of kinds that OpenHands SDK 1.58 does not know`
    pub says: String,
}

/// The rows of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rows {
    /// All of them.
    pub total: u64,
    /// Conversations that are healthy.
    pub healthy: u64,
    /// Rows that hold no conversation.
    pub skipped: u64,
    /// Healthy conversations without an entry of their own.
    pub unlisted: u64,
    /// Other conversations without an entry of their own, by verdict: what is wrong with them is told here.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<Verdict, u64>,
    /// Whether something is wrong with the file itself, which no row is to blame for.
    #[serde(skip)]
    pub is_file_damaged: bool,
}

impl Rows {
    /// Whether no conversation is in them.
    pub fn are_none(&self) -> bool {
        self.total == self.skipped
    }

    /// Conversations without an entry of their own, by verdict: how many rows.
    pub fn without_entry(&self) -> impl Iterator<Item = (Verdict, u64)> + '_ {
        let shared = self.shared.iter().map(|(verdict, rows)| (*verdict, *rows));
        [(Verdict::Healthy, self.unlisted)]
            .into_iter()
            .chain(shared)
    }

    /// Whether some of them have entries of their own.
    pub fn are_listed(&self) -> bool {
        let unlisted: u64 = self.without_entry().map(|(_, rows)| rows).sum();
        self.total > self.skipped.saturating_add(unlisted)
    }
}

/// Which row of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowAt {
    /// Its line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Its position in an array, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The id that it gives itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Shown>,
}

/// What a repair did.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Applied {
    /// Number of the operation in the journal; `None`: a copy was written, or nothing.
    pub op: Option<u64>,
    /// The batch of operations that it belongs to: the number of the first one of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Records kept byte for byte.
    pub kept: u64,
    /// Records taken out.
    pub parked: u64,
    /// Records in a new place.
    pub moved: u64,
    /// Records written anew.
    pub inserted: u64,
    /// Records with changed bytes.
    pub replaced: u64,
    /// There was nothing to repair.
    #[serde(skip)]
    pub nothing: bool,
    /// Nothing was written: `--dry-run` or `diff`.
    #[serde(skip)]
    pub planned_only: bool,
    /// Where the copy went.
    #[serde(skip)]
    pub output: Option<Shown>,
    /// The verdict of the bytes that were written, read again.
    #[serde(skip)]
    pub proved: Option<Verdict>,
}

impl Applied {
    /// Adds the numbers of another conversation.
    pub(crate) fn add(&mut self, other: &Applied) {
        self.kept += other.kept;
        self.parked += other.parked;
        self.moved += other.moved;
        self.inserted += other.inserted;
        self.replaced += other.replaced;
    }
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// `TD104`.
    pub code: Code,
    /// `two-results`.
    pub name: &'static str,
    /// How bad.
    pub severity: Level,
    /// How sure.
    pub confidence: Sure,
    /// The host cannot open the conversation because of it.
    #[serde(skip)]
    pub load_fails: bool,
    /// The host runs a call again because of it.
    #[serde(skip)]
    pub runs_again: bool,
    /// Messages that the host does not see because of it, as far as they can be counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub hides: u32,
    /// How often it is there: what has one cause is told once.
    #[serde(skip_serializing_if = "is_one")]
    pub count: u64,
    /// It is about what is inside records, each for itself.
    #[serde(skip)]
    pub is_local: bool,
    /// Stable name of this finding: same damage, same value, wherever the file lies.
    pub fingerprint: String,
    /// The fingerprints of all findings that it joins, as far as they are named.
    #[serde(skip)]
    pub fingerprints: Vec<String>,
    /// What is wrong, in our own words.
    pub message: String,
    /// The calls involved.
    pub call_ids: Vec<Shown>,
    /// Who minds, where it was judged for several providers or kinds of client and not all do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen_by: Vec<&'static str>,
    /// Position in the request, from 0, by target.
    pub api_index: BTreeMap<&'static str, u32>,
    /// The records involved.
    pub records: Vec<Record>,
    /// What may be done.
    pub fix: PlannedFix,
    /// What a person may choose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// What a person can do where no fix is known; "" where one is.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub advice: &'static str,
    /// What tells it, and those that are told with it, from all others.
    #[serde(skip)]
    pub(crate) keys: Vec<FindingKey>,
    /// Findings that this one explains: code and message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub consequences: Vec<Consequence>,
}

// Serde hands a reference to it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(number: &u64) -> bool {
    *number == 1
}

// Serde hands a reference to it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(number: &u64) -> bool {
    *number == 0
}

// Serde hands a reference to it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What may be chosen: a result to keep, with those that equal it, or something else to do.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// What is done, where it is not a result that is kept.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub does: &'static str,
    /// What the numbers count: `line` (from 1) or `event` (from 0).
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'static str,
    /// The records that hold it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<u64>,
    /// When the first of them was written, as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The options of `repair` that do it.
    pub options: Vec<Shown>,
    /// It is kept unless another one is chosen.
    pub is_kept: bool,
    /// What it says.
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

/// Severity in the report.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Level {
    Note,
    Warning,
    Error,
    Fatal,
}

/// Confidence in the report.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Sure {
    Guess,
    Likely,
    Certain,
}

/// A record of a finding. It carries whichever places apply.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// Its part in the finding: `call`, `result`, `placeholder`, `intruder`, …
    pub role: &'static str,
    /// The file, relative to the conversation: folders and archives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Shown>,
    /// The line, from 1: line files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The event number, from 0: folders and lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// JSON pointer inside a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Shown>,
    /// Byte range in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<[u64; 2]>,
    /// The same as lines and columns: records of JSON documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<TextRange>,
    /// The record's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Shown>,
    /// The record's own kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Shown>,
    /// When it was written, as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The tool of its call or result.
    #[serde(skip)]
    pub tool: Option<Shown>,
    /// The id of its call or result.
    #[serde(skip)]
    pub call: Option<Shown>,
}

/// A range of text; its end is after the last character.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextRange {
    /// Its first character.
    pub start: TextPosition,
    /// The character after the last one.
    pub end: TextPosition,
}

/// A place in a text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextPosition {
    /// The line, from 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: u64,
    /// The same in characters.
    #[serde(skip)]
    pub character: u64,
}

/// What may be done about a finding.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedFix {
    /// `safe`, `unsafe` or `manual`.
    pub class: &'static str,
    /// The steps of the least lossy treatment.
    pub actions: Vec<PlannedAction>,
}

/// One step.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedAction {
    /// What it does.
    pub op: Op,
    /// The file, relative to the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Shown>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The event number, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// One line for people, in our own words.
    pub says: String,
    /// The first words of what is removed.
    #[serde(skip)]
    pub text: Option<Shown>,
}

impl PlannedAction {
    /// What it takes out: `line 5`. `None`: it does something else.
    pub(crate) fn removed(&self) -> Option<&str> {
        self.says
            .strip_prefix("remove ")
            .filter(|_| self.op == Op::Park)
    }
}

impl From<Step> for PlannedAction {
    fn from(step: Step) -> Self {
        let Step {
            op,
            file,
            line,
            index,
            says,
            text,
        } = step;
        PlannedAction {
            op,
            file: file.map(|file| Shown::of(Is::Path, file)),
            line,
            index,
            says,
            text: text.map(|text| Shown::of(Is::Text, text)),
        }
    }
}

/// A file, or a folder with everything in it, that was met on a walk and not checked.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    /// Where it is.
    pub path: Shown,
    /// The path's bytes in hex, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// Why, a few words in our own.
    pub why: Cow<'static, str>,
}

/// Something that could not be looked at.
#[derive(Clone, Debug, Serialize)]
pub struct NotExamined {
    /// What was named.
    pub path: Shown,
    /// The path's bytes in hex, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// Why, one line; names the line where there is one.
    pub why: String,
    /// The formats that it may be of, likeliest first, where its records do not tell which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<&'static str>,
}

impl Redact for Conversation {
    fn redact(&mut self, reader: &Redactor) {
        self.redacted = reader.mode();
        self.path.redact(reader);
        hide_bytes(&mut self.path_hex, reader);
        self.session.redact(reader);
        self.parent.redact(reader);
        self.row.redact(reader);
        self.findings.redact(reader);
        self.pending.redact(reader);
        self.unknown_side_effects.redact(reader);
        self.applied.redact(reader);
        self.resume.redact(reader);
        // Last, because outputs leave its hidden words out: the numbers of the others begin with 1.
        self.introduction.redact(reader);
        // A command that its reader may not see is none.
        self.resume
            .take_if(|resume| resume.command.iter().any(|word| word.typed().is_none()));
    }
}

impl Redact for Skipped {
    fn redact(&mut self, reader: &Redactor) {
        self.path.redact(reader);
        hide_bytes(&mut self.path_hex, reader);
    }
}

impl Redact for NotExamined {
    fn redact(&mut self, reader: &Redactor) {
        self.path.redact(reader);
        hide_bytes(&mut self.path_hex, reader);
    }
}

/// The bytes of a path tell more than a reader of redacted reports may see.
fn hide_bytes(path_hex: &mut Option<String>, reader: &Redactor) {
    path_hex.take_if(|_| reader.hides_text());
}

redact_fields! {
    Report { conversations, not_examined, skipped }
    Resume { command, folder }
    RowAt { key }
    Applied { output }
    Finding { call_ids, records, fix, choices }
    Choice { options, text }
    Record { file, pointer, id, kind, tool, call }
    PlannedFix { actions }
    PlannedAction { file, text }
}
