//! One finding in the report, with its records and what can be done about it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::repair::{FindingKey, RepairStep};
use crate::report::file::RecordFile;
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::Shown;
use crate::transcript::{Applicability, Code, Confidence, Severity};

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

impl ReportedFinding {
    /// Whether a repair fixes it without being told more.
    pub(crate) fn is_safe(&self) -> bool {
        self.resolution.fix.applicability == Applicability::Safe
    }

    /// Whether it is worth a line without `-v`: notes are, if another version or provider stops at what they say, or if the
    /// host does not offer the session.
    pub(crate) fn is_told(&self) -> bool {
        self.severity > Severity::Note || self.effect.elsewhere
    }

    /// The IDs of the calls that it names.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Shown> {
        let records = self.records.iter();
        records.filter_map(|record| record.call.as_ref()).chain(&self.call_ids)
    }

    /// The files that it names.
    pub(in crate::report) fn files(&mut self) -> impl Iterator<Item = &mut RecordFile> {
        let records = self.records.iter_mut().map(|record| &mut record.file);
        let actions = self.resolution.fix.actions.iter_mut().map(|action| &mut action.file);
        records.chain(actions).flatten()
    }
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
    /// Whether it is worth a line although it is a note: see `Effect::Elsewhere`.
    #[serde(skip)]
    pub elsewhere: bool,
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
    /// Whether the record says in which zone that time is.
    #[serde(skip)]
    pub has_zone: bool,
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
    pub range: Option<Box<TextRange>>,
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
    /// Whether it says in which zone that time is. Only where its words are read, too.
    #[serde(skip)]
    pub has_zone: bool,
    /// Its first words, for people.
    #[serde(skip)]
    pub words: Option<Shown>,
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

/// Whether a member is left out of JSON.
pub(crate) fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

// Serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(number: &u64) -> bool {
    *number == 1
}

redact_fields! {
    ReportedFinding { call_ids, records, resolution }
    Resolution { fix, choices }
    Choice { options, text }
    FindingRecord { file, pointer, id, kind, tool, call, words }
    PlannedFix { actions }
    PlannedAction { file, text }
}
