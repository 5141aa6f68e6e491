//! The manual page of a rule.

use crate::transcript::Code;
use serde::Serialize;

use crate::report::build;
use crate::report::model::Level;
use crate::rules::Rule;
use crate::targets;

/// A rule as its manual page tells it. All of it is our own text.
#[derive(Clone, Debug, Serialize)]
pub struct Manual {
    /// `TD104`.
    pub code: Code,
    /// `two-results`.
    pub name: &'static str,
    /// How bad, where neither the format nor the provider says otherwise.
    pub severity: Level,
    /// One line.
    pub summary: &'static str,
    /// The page: paragraphs, headings and `code` in Markdown.
    pub page: &'static str,
    /// What somebody says who meets the damage: who, and the text.
    pub says: Vec<(&'static str, &'static str)>,
}

impl Manual {
    /// The page of this rule.
    pub fn of(rule: &Rule) -> Manual {
        let texts = targets::ALL
            .iter()
            .flat_map(|target| target.texts.iter().map(|text| (target.title, text)));
        Manual {
            code: rule.code,
            name: rule.name,
            severity: build::level(rule.severity),
            summary: rule.summary,
            page: rule.page,
            says: texts
                .filter(|(_, text)| text.0 == rule.code)
                .map(|(title, text)| (title, text.1))
                .collect(),
        }
    }
}
