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
mod templates;

/// An error text and what it means for a transcript.
#[derive(Debug)]
pub struct ErrorText {
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
    /// Where it was seen; empty: where the texts of its table were.
    pub source: &'static str,
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
    /// The text has no number: the last two messages are meant.
    Last,
}

impl ErrorText {
    /// A text; `means` says it in our own words.
    pub const fn new(
        pattern: &'static str,
        codes: &'static [Code],
        at: At,
        means: &'static str,
    ) -> ErrorText {
        ErrorText { pattern, codes, at, means, hint: "", listed: false, piece: false, source: "" }
    }

    /// Adds where it was seen: a public report, or the source or documentation of the program that says it.
    pub const fn seen(self, source: &'static str) -> ErrorText {
        ErrorText { source, ..self }
    }

    /// How it is worded, where the pattern is nothing but words: once for each alternative.
    pub fn wordings(&self) -> Vec<String> {
        let alternatives = written_out(self.pattern).into_iter().map(|words| {
            let names = [("{q}", "'"), ("{ids}", "ID"), ("{id}", "ID"), ("{n}", "N")];
            names.iter().fold(words, |words, (mark, name)| words.replace(mark, name))
        });
        alternatives.filter(|words| !words.contains(|c| r"\[](){}*+?^$".contains(c))).collect()
    }

    /// Adds what to tell the user if nothing in the transcript proves the cause.
    pub const fn hint(self, hint: &'static str) -> ErrorText {
        ErrorText { hint, ..self }
    }

    /// Whether it can name a message by number.
    pub fn is_placed(&self) -> bool {
        self.pattern.contains("{n}") || self.pattern.contains("{L}")
    }

    /// Whether it is about an item of the Responses API that only the server knows well enough.
    pub fn names_item(&self) -> bool {
        matches!(self.codes.first(), Some(Code::ServerItem | Code::ReasoningItem))
    }

    /// Marks it as a part of other texts, which users quote alone and hosts search for.
    pub const fn piece(self) -> ErrorText {
        ErrorText { piece: true, ..self }
    }

    /// Marks it as followed by its IDs in a Python list of calls.
    pub const fn listed(self) -> ErrorText {
        ErrorText { listed: true, ..self }
    }
}

/// The alternatives of a pattern, each as a whole: `(?:a|b) c` as `a c` and `b c`.
fn written_out(pattern: &str) -> Vec<String> {
    let Some((before, after)) = outside_groups(pattern, '|') else {
        let Some((head, group)) = pattern.split_once("(?:") else {
            return vec![pattern.to_owned()];
        };
        let (inner, tail) = outside_groups(group, ')').unwrap_or((group, ""));
        let tails = written_out(tail);
        return written_out(inner)
            .into_iter()
            .flat_map(|inner| tails.iter().map(move |tail| format!("{head}{inner}{tail}")))
            .collect();
    };
    let mut all = written_out(before);
    all.extend(written_out(after));
    all
}

/// What is before and after the first of these characters that is not inside a group.
fn outside_groups(pattern: &str, sought: char) -> Option<(&str, &str)> {
    let (mut depth, mut is_escaped) = (0_u32, false);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if depth == 0 && c == sought => {
                let (before, after) = pattern.split_at(at);
                return Some((before, after.get(c.len_utf8()..)?));
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The error texts of one provider, host or gateway.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ErrorTable {
    /// Name of the target or format.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Where its texts were seen, unless they say so themselves.
    pub source: &'static str,
    /// The texts; the first match decides.
    pub texts: &'static [ErrorText],
}

impl ErrorTable {
    /// Whether these are the texts of a provider, not of a host or a gateway.
    pub(crate) fn is_provider(&self) -> bool {
        PROVIDERS.iter().any(|table| table.name == self.name)
    }
}

pub(crate) const PROVIDERS: &[&ErrorTable] = &[
    &anthropic::TABLE,
    &bedrock::TABLE,
    &openai_chat::TABLE,
    &mistral::TABLE,
    &openai_responses::TABLE,
    &gemini::TABLE,
    &templates::TABLE,
];

/// The texts of gateways and of unsupported hosts, and texts without damage: checked after those of
/// the supported hosts.
pub(crate) const OTHERS: &[&ErrorTable] =
    &[&others::GATEWAYS, &others::DATABASES, &others::NO_DAMAGE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_written_out_as_a_whole() {
        assert_eq!(written_out("a|b"), ["a", "b"]);
        assert_eq!(written_out("(?:a|b) c"), ["a c", "b c"]);
        assert_eq!(written_out("x (?:a|b(?:1|2)) c|d"), ["x a c", "x b1 c", "x b2 c", "d"]);
        assert_eq!(written_out(r"\((?:a|b)"), [r"\(a", r"\(b"]);
    }
}
