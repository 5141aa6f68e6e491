//! What a pasted text means by itself, if no transcript is named.

use serde::Serialize;

use super::account::PastedText;
use super::best_match;
use super::ids::KnownIds;
use super::paste::{Paste, Preferred};
use crate::explain::SCHEMA;
use crate::report::model::Tool;
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::Shown;
use crate::rules;
use crate::transcript::{Code, Severity, Transcript};

/// The meaning of a text without a transcript.
#[derive(Debug, Serialize)]
pub struct Meaning {
    /// [`SCHEMA`].
    pub schema: &'static str,
    pub tool: Tool,
    /// What the text says.
    pub read: PastedText,
    /// The kinds of damage that cause it, most likely first.
    pub rules: Vec<Suspect>,
    /// Whether it names something that transcripts can be searched for.
    pub searchable: bool,
    /// What was searched for, and not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// A hint; empty if there is none.
    pub hint: &'static str,
}

redact_fields! { Meaning { read } }

/// What sessions were searched for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Searched {
    /// The IDs of the text.
    Ids,
    /// What causes the text.
    Causes,
}

/// A kind of damage.
#[derive(Debug, Serialize)]
pub struct Suspect {
    /// `TD104`.
    pub code: Code,
    /// `two-results`.
    pub name: &'static str,
    /// Its severity, unless the format or target changes it.
    pub severity: Severity,
    /// One line.
    pub summary: &'static str,
}

/// Interprets a text without a transcript.
pub(crate) fn meaning(paste: &Paste) -> Meaning {
    let nothing = Transcript::default();
    let preferred = Preferred { target: "", format: "" };
    let (matched, hits) = best_match(paste, preferred, &KnownIds::of(&nothing));
    let matched = matched.unwrap_or_default();
    let text = matched.first().map(|matched| paste.text(matched));
    let mut ids: Vec<String> =
        hits.iter().map(|(asked, _)| asked.trim_end_matches('.').to_owned()).collect();
    if text.is_none() {
        ids = paste.needles();
    }
    let ids = ids.iter().map(|id| Shown::of(StringKind::Call, id.as_str())).collect();
    let codes = text.map_or(&[][..], |text| text.codes);
    Meaning {
        schema: SCHEMA,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        read: PastedText::of(paste, matched, ids),
        rules: codes.iter().map(|code| suspect(rules::of(*code))).collect(),
        searchable: !paste.needles().is_empty(),
        searched: None,
        hint: text.map_or("", |text| text.hint),
    }
}

fn suspect(rule: &rules::Rule) -> Suspect {
    Suspect { code: rule.code, name: rule.name, severity: rule.severity, summary: rule.summary }
}
