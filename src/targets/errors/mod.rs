//! Error texts: what providers and hosts say when they refuse a conversation, as data. A new text is a line in a table.
//!
//! Patterns are regular expressions over normalized text, matched anywhere in it, case by case. They know these words in
//! braces: `{n}` a message's number, `{m}` a block's number, `{id}` and `{ids}` one id and a list of them, `{q}` a quote
//! or none, `{L}` an Anthropic place such as `messages.3.content.0`. A blank stands for one blank, or for none where the
//! text is compared without blanks; so no quantifier stands behind a blank.

use crate::transcript::Code;

mod anthropic;
mod bedrock;
mod gemini;
mod mistral;
mod openai_chat;
mod openai_responses;
mod others;

/// A text and what it means for a recording.
#[derive(Debug)]
pub struct Text {
    /// What to look for.
    pub pattern: &'static str,
    /// Rules whose damage makes somebody say it, likeliest first. None: nothing is wrong with the recording.
    pub codes: &'static [Code],
    /// What the number in it counts.
    pub at: At,
    /// What it says, in our own words.
    pub means: &'static str,
    /// What to know where nothing in the recording proves it; "" for nothing.
    pub hint: &'static str,
    /// The ids stand in a Python list of calls behind it.
    pub listed: bool,
    /// It is a piece of other texts: asked only where nothing whole is heard.
    pub piece: bool,
}

/// What the number of a message in a text means. It counts from 0 in the request as it was sent, where nothing else is said.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// There is none.
    Nowhere,
    /// The message that offends.
    This,
    /// The message that offends, and all that is like it behind it.
    Onward,
    /// The message with the call.
    Call,
    /// The message that holds the results, or should hold them.
    Results,
    /// The message where a result is missing: behind the results that are there; at the end the call's own.
    Behind,
    /// The message that offends, counted from 1: a path of an AWS list.
    Member,
    /// The message that offends, as a client library says it before it sends: several in one text.
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

    /// The same with something to know where the recording proves nothing.
    pub const fn hint(self, hint: &'static str) -> Text {
        Text { hint, ..self }
    }

    /// Whether it can name a message by its number.
    pub fn is_placed(&self) -> bool {
        self.pattern.contains("{n}") || self.pattern.contains("{L}")
    }

    /// The same as a piece of other texts, which people quote alone and hosts look for.
    pub const fn piece(self) -> Text {
        Text {
            piece: true,
            ..self
        }
    }

    /// The same with its ids in a Python list of calls behind it.
    pub const fn listed(self) -> Text {
        Text {
            listed: true,
            ..self
        }
    }
}

/// The texts of one speaker.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Table {
    /// The name of the target or format.
    pub name: &'static str,
    /// As people say it.
    pub title: &'static str,
    /// The texts; the first that matches decides.
    pub texts: &'static [Text],
}

impl Table {
    /// Whether a provider speaks, not a host or a program in between.
    pub(crate) fn is_provider(&self) -> bool {
        PROVIDERS.iter().any(|table| table.name == self.name)
    }
}

/// What providers say.
pub(crate) const PROVIDERS: &[&Table] = &[
    &anthropic::TABLE,
    &bedrock::TABLE,
    &openai_chat::TABLE,
    &mistral::TABLE,
    &openai_responses::TABLE,
    &gemini::TABLE,
];

/// What programs in between and hosts that are not read yet say, and what is no damage of a recording: asked behind the hosts.
pub(crate) const OTHERS: &[&Table] = &[&others::GATEWAYS, &others::COPILOT, &others::NO_DAMAGE];
