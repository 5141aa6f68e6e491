//! The list of sessions.

use crate::transcript::{Code, Severity};
use serde::Serialize;

use super::model::{Conversation, Verdict};
use super::redact::redact_fields;
use super::text::Shown;

/// Name and version of the JSON schema.
pub(crate) const SCHEMA: &str = "transcript-doctor/sessions/v1";

/// A list of sessions.
#[derive(Debug, Serialize)]
pub struct Sessions {
    /// [`SCHEMA`].
    pub schema: &'static str,
    pub sessions: Vec<Session>,
    /// Total number, listed or not.
    pub total: u64,
    /// Whether they are numbered, so that the user can choose one.
    #[serde(skip)]
    pub is_numbered: bool,
}

/// A session that was checked.
#[derive(Debug, Serialize)]
pub struct Session {
    /// The argument for it: its ID, shortened as far as it is unique, or its path.
    pub name: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Shown>,
    pub path: Shown,
    pub host: &'static str,
    /// The name of the host for people.
    #[serde(skip)]
    pub host_title: &'static str,
    pub verdict: Verdict,
    /// The rule of the worst finding, if it is above a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Code>,
    /// Its name.
    #[serde(skip)]
    pub rule_name: &'static str,
    /// Findings above a note.
    pub findings: u64,
    /// Number of findings that `repair` fixes.
    pub safe_fixes: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// Time since the last change: `3 h ago`.
    #[serde(skip)]
    pub age: String,
    /// The folder of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<Shown>,
    /// The title, or else the first words of the first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Shown>,
    /// The first words of the last prompt, if it is another one than the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_prompt: Option<Shown>,
}

redact_fields! {
    Sessions { sessions }
    Session { name, session, path, folder, title, last_prompt }
}

impl Session {
    /// A checked session, with its argument.
    pub fn of(conversation: Conversation, name: Shown) -> Session {
        let count = |is: &dyn Fn(&super::model::ReportedFinding) -> bool| {
            let findings = conversation.findings.iter();
            let counted = findings.filter(|f| f.severity > Severity::Note && is(f));
            counted.map(|finding| finding.identity.count).sum()
        };
        let errors = conversation.findings.iter().filter(|own| own.severity >= Severity::Error);
        let worst = errors.max_by_key(|own| own.severity);
        Session {
            name,
            rule: worst.map(|own| own.code),
            rule_name: worst.map_or("", |own| own.name),
            findings: count(&|_| true),
            safe_fixes: count(&|finding| finding.is_safe()),
            session: conversation.session,
            path: conversation.path,
            host: conversation.host,
            host_title: conversation.host_title,
            verdict: conversation.verdict,
            size: 0,
            modified: None,
            age: String::new(),
            folder: conversation.introduction.folder,
            title: conversation.introduction.words,
            last_prompt: conversation.introduction.last,
        }
    }
}
