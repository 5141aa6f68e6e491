//! Texts that hosts write themselves, by which records are recognized. Each format lists the texts of its host; redacted
//! copies keep them.

use std::sync::LazyLock;

use crate::hosts::ALL;
use crate::dialects::{gemini, placeholders, responses};
use crate::json::node::Node;

/// The start and the end of such a text; what is between them is not the host's.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HostText {
    /// Its start.
    pub start: &'static str,
    /// Its end; "" if only the start is the host's.
    pub end: &'static str,
}

/// A text of which only the start is the host's.
pub(crate) const fn begins(start: &'static str) -> HostText {
    HostText { start, end: "" }
}

/// A text of which the start and the end are the host's.
pub(crate) const fn around(start: &'static str, end: &'static str) -> HostText {
    HostText { start, end }
}

impl HostText {
    /// Whether a text matches, ignoring case and white space around it.
    pub fn is(&self, text: &str) -> bool {
        self.is_around(text.trim())
    }

    fn is_around(&self, inner: &str) -> bool {
        let same =
            |part: Option<&str>, own: &str| part.is_some_and(|part| part.eq_ignore_ascii_case(own));
        // Of a hundred such texts, the first byte rules out almost all.
        if !self.start.is_empty() && first_byte(inner) != first_byte(self.start) {
            return false;
        }
        let tail = inner.len().checked_sub(self.end.len());
        tail.filter(|tail| *tail >= self.start.len()).is_some_and(|tail| {
            same(inner.get(..self.start.len()), self.start) && same(inner.get(tail..), self.end)
        })
    }
}

/// Whether a string may be one of these texts, by its first character behind white space. It rules out almost all strings.
pub(crate) fn may_be_one_of(known: &[HostText], text: Node<'_>) -> bool {
    let first = text.first_char();
    first.is_none_or(|first| {
        let is_first = |own: char| own.eq_ignore_ascii_case(&first);
        known.iter().any(|known| known.start.starts_with(is_first))
    })
}

/// Texts of dialects, which several hosts write.
const SHARED: &[HostText] = &[
    begins(placeholders::NO_CONTENT),
    begins("(no content)"),
    begins(placeholders::LOST_BEGINNING),
    begins(gemini::CANCELLED),
    begins(responses::ABORTED),
];

/// The texts of all hosts, by the first byte of their start; those without one are under 0.
static BY_FIRST: LazyLock<Vec<Vec<HostText>>> = LazyLock::new(|| {
    let own = ALL.iter().flat_map(|format| format.traits.texts);
    let mut by_first = vec![Vec::new(); 256];
    for text in own.copied().flatten().chain(SHARED) {
        let first = usize::from(first_byte(text.start).unwrap_or_default());
        by_first[first].push(*text);
    }
    by_first
});

fn first_byte(text: &str) -> Option<u8> {
    text.bytes().next().map(|byte| byte.to_ascii_lowercase())
}

/// The lengths of the start and the end of a text that a host wrote; `None`: the host wrote none of it.
pub(crate) fn frame(text: &str) -> Option<(usize, usize)> {
    let inner = text.trim();
    let first = first_byte(inner).unwrap_or_default();
    let own = |first: u8| BY_FIRST.get(usize::from(first)).into_iter().flatten();
    // The longest start that matches is the most specific one.
    let found = own(first)
        .chain(own(0))
        .filter(|own| own.is_around(inner))
        .map(|own| (own.start.len(), own.end.len()))
        .max_by_key(|(front, back)| front + back)
        .map(|(front, back)| {
            let before = text.len() - text.trim_start().len();
            let after = text.len() - text.trim_end().len();
            (before + front, after + back)
        });
    placeholders::frame(text).or(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_host_wrote_is_its_own() {
        let kept = |text: &'static str| {
            let (front, back) = frame(text).unwrap();
            (&text[..front], &text[text.len() - back..])
        };
        assert_eq!(kept(" aborted\n"), (" aborted", "\n"));
        assert_eq!(kept("[Operation Cancelled] Reason: mine"), ("[Operation Cancelled]", ""));
        assert_eq!(kept("<skill>mine</skill>"), ("<skill>", "</skill>"));
        assert_eq!(
            kept(" <HOOK_PROMPT x>mine</hook_prompt> "),
            (" <HOOK_PROMPT", "</hook_prompt> ")
        );
        assert_eq!(kept("[Request interrupted by user]").0, "[Request interrupted by user]");
        assert_eq!(kept("Tool 'mine' did not complete (session was interrupted).").0, "Tool '");
        assert_eq!(kept(placeholders::NO_RESULT).0, placeholders::NO_RESULT);
        for text in ["what I said: aborted", "<skill>", "<skill></ski", "", "é"] {
            assert_eq!(frame(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_format_knows_a_record_by_is_in_the_list() {
        for own in ALL.iter().flat_map(|format| format.traits.texts).copied().flatten() {
            let text = format!("{} mine {}", own.start, own.end);
            let (front, back) = frame(&text).unwrap();
            assert!(front >= own.start.len() && back >= own.end.len(), "{text}");
        }
    }
}
