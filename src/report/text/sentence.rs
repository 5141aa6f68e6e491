//! Sentences of ours that name strings of a transcript.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{ReportIds, Shown};
use crate::report::redact::{Redact, Redactor};

/// Words of ours with foreign strings between them, of which each reader gets what they may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    parts: Vec<SentencePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SentencePart {
    Words(String),
    /// A foreign string, and how it is printed where its reader sees it as it is.
    Foreign(Shown, Option<String>),
}

impl Sentence {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds a foreign string.
    pub(crate) fn name(mut self, shown: Shown) -> Sentence {
        self.parts.push(SentencePart::Foreign(shown, None));
        self
    }

    /// Adds an ID that is printed as short as these.
    pub(crate) fn id(mut self, shown: Shown, ids: &ReportIds) -> Sentence {
        let short = ids.short_of(&shown).map(str::to_owned);
        self.parts.push(SentencePart::Foreign(shown, short));
        self
    }

    /// Adds words of ours, or another sentence.
    pub(crate) fn and(mut self, more: impl Into<Sentence>) -> Sentence {
        for part in more.into().parts {
            match (self.parts.last_mut(), part) {
                (Some(SentencePart::Words(words)), SentencePart::Words(more)) => {
                    words.push_str(&more)
                }
                (_, part) => self.parts.push(part),
            }
        }
        self
    }
}

impl From<String> for Sentence {
    fn from(words: String) -> Sentence {
        let parts = Some(words).filter(|words| !words.is_empty());
        Sentence { parts: parts.map(SentencePart::Words).into_iter().collect() }
    }
}

impl From<&str> for Sentence {
    fn from(words: &str) -> Sentence {
        words.to_owned().into()
    }
}

impl Redact for Sentence {
    fn redact(&mut self, reader: &Redactor) {
        for part in &mut self.parts {
            match part {
                SentencePart::Words(_) => {}
                SentencePart::Foreign(shown, _) => shown.redact(reader),
            }
        }
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            SentencePart::Words(words) => f.write_str(words),
            SentencePart::Foreign(shown, Some(short)) if shown.is_whole() => f.write_str(short),
            SentencePart::Foreign(shown, _) => write!(f, "{shown}"),
        })
    }
}

impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
