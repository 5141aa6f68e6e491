//! Error texts: what providers and hosts say when they reject a conversation, as data. A new text
//! is a line in a table.
//!
//! Patterns are regular expressions on normalized text, matched anywhere and case-sensitively. They
//! may contain these placeholders: `{n}` is the number of a message, `{m}` the number of a block,
//! `{id}` and `{ids}` one ID and a list of IDs, `{q}` an optional quote, `{L}` an Anthropic
//! location such as `messages.3.content.0`. A space stands for one space, or for none where the
//! text is compared without spaces; so no quantifier may follow a space.

use crate::transcript::Code;

mod anthropic;
mod bedrock;
mod gemini;
mod mistral;
mod openai_chat;
mod openai_responses;
mod others;

/// An error text and what it means for a transcript.
#[derive(Debug)]
pub struct Text {
    pub pattern: &'static str,
    /// Rules whose damage causes this text, likeliest first. Empty if nothing is wrong with the
    /// transcript.
    pub codes: &'static [Code],
    /// What the number in the text counts.
    pub at: At,
    /// What it says, in our own words.
    pub means: &'static str,
    /// What to tell the user if nothing in the transcript proves the cause; empty for nothing.
    pub hint: &'static str,
    /// Whether the IDs are in a Python list of calls after the text.
    pub listed: bool,
    /// Whether it is part of other texts, and only checked if no complete text matches.
    pub piece: bool,
}

/// What the number of a message in a text means. Unless stated otherwise, it counts from 0 in the
/// request as sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The text has no number.
    Nowhere,
    /// The rejected message.
    This,
    /// The rejected message and all similar ones after it.
    Onward,
    /// The message with the call.
    Call,
    /// The message that holds the results, or should hold them.
    Results,
    /// The message where a result is missing: after the existing results, or at the end that of the
    /// call itself.
    Behind,
    /// The rejected message, counted from 1, in the path of an AWS list.
    Member,
    /// A rejected message as a client library reports it before sending; one text may name several.
    Parameter,
}

impl Text {
    /// A text; `means` says it in our own words.
    pub const fn new(
        pattern: &'static str,
        codes: &'static [Code],
        at: At,
        means: &'static str,
    ) -> Text {
        Text {
            pattern,
            codes,
            at,
            means,
            hint: "",
            listed: false,
            piece: false,
        }
    }

    /// How it is worded, where the pattern is nothing but words: once for each alternative.
    pub fn wordings(&self) -> Vec<String> {
        let inner = self.pattern.strip_prefix("(?:");
        let inner = inner.and_then(|inner| inner.strip_suffix(')'));
        let alternatives = inner.unwrap_or(self.pattern).split('|').map(|words| {
            let names = [("{q}", "'"), ("{ids}", "ID"), ("{id}", "ID"), ("{n}", "N")];
            names.iter().fold(words.to_owned(), |words, (mark, name)| {
                words.replace(mark, name)
            })
        });
        let is_plain = |words: &String| !words.contains(|c| r"\[](){}*+?^$".contains(c));
        alternatives.filter(is_plain).collect()
    }

    /// Adds what to tell the user if nothing in the transcript proves the cause.
    pub const fn hint(self, hint: &'static str) -> Text {
        Text { hint, ..self }
    }

    /// Whether it can name a message by number.
    pub fn is_placed(&self) -> bool {
        self.pattern.contains("{n}") || self.pattern.contains("{L}")
    }

    /// Marks it as a part of other texts, which users quote alone and hosts search for.
    pub const fn piece(self) -> Text {
        Text {
            piece: true,
            ..self
        }
    }

    /// Marks it as followed by its IDs in a Python list of calls.
    pub const fn listed(self) -> Text {
        Text {
            listed: true,
            ..self
        }
    }
}

/// The error texts of one provider, host or gateway.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ErrorTable {
    /// Name of the target or format.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// The texts; the first match decides.
    pub texts: &'static [Text],
}

impl ErrorTable {
    /// Whether these are the texts of a provider, not of a host or a gateway.
    pub(crate) fn is_provider(&self) -> bool {
        PROVIDERS.iter().any(|table| table.name == self.name)
    }
}

/// The texts of providers.
pub(crate) const PROVIDERS: &[&ErrorTable] = &[
    &anthropic::TABLE,
    &bedrock::TABLE,
    &openai_chat::TABLE,
    &mistral::TABLE,
    &openai_responses::TABLE,
    &gemini::TABLE,
];

/// The texts of gateways and of unsupported hosts, and texts without damage: checked after those of
/// the supported hosts.
pub(crate) const OTHERS: &[&ErrorTable] = &[&others::GATEWAYS, &others::NO_DAMAGE];
