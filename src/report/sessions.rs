//! Sessions, as a list shows them.

use serde::Serialize;

use super::model::{Conversation, Level, Verdict};
use super::redact::redact_fields;
use super::text::Shown;

/// The name and version of the shape.
pub(crate) const SCHEMA: &str = "transcript-doctor/sessions/v1";

/// A list of sessions.
#[derive(Debug, Serialize)]
pub struct Sessions {
    /// [`SCHEMA`].
    pub schema: &'static str,
    pub sessions: Vec<Session>,
    /// How many there are, listed or not.
    pub total: u64,
    /// They are numbered, for somebody who chooses one.
    #[serde(skip)]
    pub is_numbered: bool,
}

/// A session that was checked.
#[derive(Debug, Serialize)]
pub struct Session {
    /// What commands take for it: its ID, shortened as far as it is unique, or its path.
    pub name: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Shown>,
    pub path: Shown,
    pub host: &'static str,
    pub verdict: Verdict,
    /// Findings above a note.
    pub findings: u64,
    /// How many of them `repair` fixes.
    pub safe_fixes: u64,
    /// Bytes.
    pub size: u64,
    /// When it was changed last, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// The same for people: `3 h ago`.
    #[serde(skip)]
    pub age: String,
    /// The folder that was worked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<Shown>,
    /// The title, or else the first words of the first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Shown>,
}

redact_fields! {
    Sessions { sessions }
    Session { name, session, path, folder, title }
}

impl Session {
    /// A session that was checked, and can be named like this.
    pub fn of(conversation: Conversation, name: Shown) -> Session {
        let count = |is: &dyn Fn(&super::model::Finding) -> bool| {
            let findings = conversation.findings.iter();
            let counted = findings.filter(|f| f.severity > Level::Note && is(f));
            counted.map(|finding| finding.count).sum()
        };
        Session {
            name,
            findings: count(&|_| true),
            safe_fixes: count(&|finding| finding.fix.class == "safe"),
            session: conversation.session,
            path: conversation.path,
            host: conversation.host,
            verdict: conversation.verdict,
            size: 0,
            modified: None,
            age: String::new(),
            folder: conversation.introduction.folder,
            title: conversation.introduction.words,
        }
    }
}
