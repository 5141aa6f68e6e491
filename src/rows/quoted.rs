//! A conversation whose list is JSON text in a string of a row: entries of their own, with the unescaped text. Edits of the text
//! become edits of the string that escape only what is new, so all other bytes stay.

use std::io::{self, Read};

use crate::bytes::edit::Edit;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::bytes::window::{ENTRY, Window};
use crate::detect::rows::JsonText;
use crate::json::decode::first_char;
use crate::json::quote::{quote, quote_ascii};
use crate::transcript::distinct;

/// The unescaped text of a string, as the only entry.
pub(super) struct Quoted {
    name: String,
    text: Vec<u8>,
    /// The string between its quotes, as it is written.
    raw: Vec<u8>,
    /// Where that begins in the row.
    start: u64,
}

impl Quoted {
    pub(super) fn new(window: &Window<'_>, text: JsonText) -> io::Result<Quoted> {
        let (start, end) = (u64::from(text.at.0) + 1, u64::from(text.at.1) - 1);
        let entry = ENTRY;
        Ok(Quoted {
            name: window.name(ENTRY).to_owned(),
            text: text.text,
            raw: window.fetch(Span { entry, start, end })?,
            start,
        })
    }

    /// Where the string is in the row, without its quotes.
    pub(super) fn span(&self) -> (u64, u64) {
        (self.start, self.start + self.raw.len() as u64)
    }

    /// Edits of the text as edits of the row.
    pub(super) fn outside(&self, edits: Vec<Edit>) -> Vec<Edit> {
        let places: Vec<u64> = distinct(edits.iter().flat_map(|edit| match edit {
            Edit::Bytes { at, .. } => vec![at.start, at.end],
            _ => Vec::new(),
        }));
        let escaped = self.escaped(&places);
        let place = |at: u64| match places.binary_search(&at) {
            Ok(found) => escaped.get(found).copied().unwrap_or_default(),
            Err(_) => self.start,
        };
        edits
            .into_iter()
            .map(|edit| match edit {
                Edit::Bytes { at, with } => Edit::bytes(
                    Span { entry: ENTRY, start: place(at.start), end: place(at.end) },
                    self.escape(&with),
                ),
                other => other,
            })
            .collect()
    }

    /// Where these places of the text, in order, are in the row.
    fn escaped(&self, places: &[u64]) -> Vec<u64> {
        let (mut at, mut raw_at) = (0, 0);
        let mut found = Vec::with_capacity(places.len());
        for place in places {
            while at < *place
                && let Some((char, used)) = first_char(self.raw.get(raw_at..).unwrap_or_default())
            {
                (at, raw_at) = (at + char.len_utf8() as u64, raw_at + used);
            }
            found.push(self.start + raw_at as u64);
        }
        found
    }

    /// New text as the string has it: other characters than ASCII are escaped if it has none.
    fn escape(&self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        let quoted = if self.raw.is_ascii() { quote_ascii(&text) } else { quote(&text) };
        quoted.as_bytes()[1..quoted.len() - 1].to_vec()
    }
}

impl Entries for Quoted {
    fn ids(&self) -> Vec<EntryId> {
        vec![ENTRY]
    }

    fn name(&self, _: EntryId) -> &str {
        &self.name
    }

    fn len(&self, _: EntryId) -> u64 {
        self.text.len() as u64
    }

    fn open(&self, _: EntryId) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.text.as_slice()))
    }

    fn fetch(&self, at: Span) -> io::Result<Vec<u8>> {
        let [start, end] = [at.start, at.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let bytes = self.text.get(start..end);
        bytes.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn in_memory(&self, _: EntryId) -> Option<&[u8]> {
        Some(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::Source;

    #[test]
    fn edits_escape_only_what_is_new() {
        let row = r#"{"messages":"[{\"a\":\"\\u00e9\\n\"}, \u00e9 1]"}"#;
        let files = vec![("rows.jsonl".to_owned(), row.as_bytes().to_vec())];
        let source = Source::memory("rows.jsonl", files);
        let entry = EntryId(0);
        let (start, end) = (0, row.len() as u64);
        let window = Window::new(&source, Span { entry, start, end }, None);
        let text = "[{\"a\":\"\\u00e9\\n\"}, é 1]";
        let at = (12, row.len() as u32 - 1);
        let text = JsonText { path: Vec::new(), at, text: text.as_bytes().to_vec() };
        let place = text.text.len() as u64 - 1;
        let quoted = Quoted::new(&window, text).unwrap();
        let (start, end) = (place - 1, place);
        let with = "2, \"ü\"".as_bytes().to_vec();
        let edits = quoted.outside(vec![Edit::bytes(Span { entry, start, end }, with)]);
        let at = row.find("1]").unwrap() as u64;
        let wanted =
            Edit::Bytes { at: Span::new(entry, at, at + 1), with: br#"2, \"\u00fc\""#.to_vec() };
        assert_eq!(edits, [wanted]);
    }
}
