//! Texts that hosts write themselves, by which records are recognized. Each format lists the texts of its host; redacted
//! copies keep them.

use crate::json::node::Node;

/// The start and the end of such a text; what is between them is not the host's.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HostText {
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

    pub(crate) fn is_around(&self, inner: &str) -> bool {
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

/// Whether a string may be one of these texts, by its first character after white space. It rules out almost all strings.
pub(crate) fn may_be_one_of(known: &[HostText], text: Node<'_>) -> bool {
    let Some(first) = text.first_char() else {
        return true;
    };
    known.iter().any(|known| known.start.starts_with(|own: char| own.eq_ignore_ascii_case(&first)))
}

pub(crate) fn first_byte(text: &str) -> Option<u8> {
    text.bytes().next().map(|byte| byte.to_ascii_lowercase())
}
