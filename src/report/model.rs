//! What a run found and did, ready to be printed. Its serialization is the schema
//! `transcript-doctor/report/v1`; changes within v1 only add members.

mod applied;
mod conversation;
mod coverage;
mod finding;
mod rows;

use std::borrow::Cow;

use serde::Serialize;

pub(crate) use applied::{Applied, AppliedFix, SqlScript};
pub(crate) use conversation::{Caveat, ClientVerdict, Conversation, ResumeCommand, StoredFiles};
pub(crate) use coverage::{NotRun, RuleCoverage};
pub(crate) use finding::is_zero;
pub(crate) use finding::{
    Affected, Choice, Consequence, FindingIdentity, FindingRecord, PlannedAction, PlannedFix,
    ReportedEffect, ReportedFinding, Resolution, TextPosition, TextRange,
};
pub(crate) use rows::{RowAt, Rows};

use super::redact::{Redact, Redactor, redact_fields};
use super::text::Shown;
pub(crate) use crate::engine::Verdict;
use crate::transcript::Severity;

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
    /// Which rules were asked, by format and provider.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<RuleCoverage>,
    /// How much of the baseline was found, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineUse>,
    /// Findings that are left out, because there is a limit.
    #[serde(skip_serializing_if = "is_zero")]
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

impl Redact for Skipped {
    fn redact(&mut self, reader: &Redactor) {
        self.path.redact(reader);
        reader.redact_hex(&mut self.path_hex);
    }
}

impl Redact for Unchecked {
    fn redact(&mut self, reader: &Redactor) {
        self.path.redact(reader);
        self.container.redact(reader);
        reader.redact_hex(&mut self.path_hex);
    }
}

redact_fields! {
    Report { conversations, not_checked, skipped }
}
