//! What a pasted text says by itself, where no recording is named.

use serde::Serialize;

use super::account::Read;
use super::ids::Known;
use super::listen;
use super::paste::{Own, Paste};
use crate::explain::SCHEMA;
use crate::report::build;
use crate::report::model::{Level, Tool};
use crate::report::redact::{Is, redact_fields};
use crate::report::text::Shown;
use crate::rules;
use crate::transcript::{Code, Transcript};

/// A text without a recording.
#[derive(Debug, Serialize)]
pub struct Meaning {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// What the text says.
    pub read: Read,
    /// The kinds of damage that make somebody say it, likeliest first.
    pub rules: Vec<Suspect>,
    /// It names something that recordings can be searched for.
    pub searchable: bool,
    /// What to know besides; "" for nothing.
    pub hint: &'static str,
}

redact_fields! { Meaning { read } }

/// A kind of damage.
#[derive(Debug, Serialize)]
pub struct Suspect {
    /// `TD104`.
    pub code: Code,
    /// `two-results`.
    pub name: &'static str,
    /// How bad it is, where no format or target says otherwise.
    pub severity: Level,
    /// One line.
    pub summary: &'static str,
}

/// Reads a text by itself.
pub(crate) fn meaning(paste: &Paste) -> Meaning {
    let nothing = Transcript::default();
    let own = Own {
        target: "",
        format: "",
    };
    let (heard, hits) = listen(paste, own, &Known::of(&nothing));
    let heard = heard.unwrap_or_default();
    let text = heard.first().map(|heard| paste.text(heard));
    let ids = hits
        .iter()
        .map(|(asked, _)| Shown::of(Is::Call, asked.trim_end_matches('.')))
        .collect();
    let codes = text.map_or(&[][..], |text| text.codes);
    Meaning {
        schema: SCHEMA,
        tool: Tool {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        read: Read::of(paste, heard, ids),
        rules: codes.iter().map(|code| suspect(rules::of(*code))).collect(),
        searchable: !paste.needles().is_empty(),
        hint: text.map_or("", |text| text.hint),
    }
}

fn suspect(rule: &rules::Rule) -> Suspect {
    Suspect {
        code: rule.code,
        name: rule.name,
        severity: build::level(rule.severity),
        summary: rule.summary,
    }
}
