//! One conversation in the report.

use std::collections::BTreeMap;

use serde::Serialize;

use super::applied::Applied;
use super::finding::{ReportedFinding, is_zero};
use super::rows::{RowAt, Rows};
use crate::engine::{TargetFrom, Verdict};
use crate::report::introduction::Introduction;
use crate::report::offer::Offer;
use crate::report::redact::{Redact, RedactMode, Redactor, redact_fields};
use crate::report::text::Shown;
use crate::transcript::Code;

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
    #[serde(skip_serializing_if = "is_zero")]
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

/// Records that a host cannot load although nothing is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Caveat {
    /// Number of records.
    pub records: u64,
    /// `2 records are of kinds that OpenHands SDK 1.58 does not know`
    pub says: String,
}

impl Redact for Conversation {
    fn redact(&mut self, reader: &Redactor) {
        self.redacted = reader.mode();
        self.path.redact(reader);
        self.container.redact(reader);
        reader.redact_hex(&mut self.path_hex);
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

redact_fields! {
    ResumeCommand { command, folder }
}
