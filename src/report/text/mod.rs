//! Foreign strings, from a transcript, a path or a command line: the only way for them to reach a
//! person.

mod ids;
mod path;
mod preview;
mod sentence;
mod width;

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::path::Path;

use serde::{Serialize, Serializer};

pub(crate) use ids::ReportIds;
pub(crate) use path::fit_path;
pub(crate) use preview::{PREVIEW, excerpt, preview, quote};
pub(crate) use sentence::Sentence;
pub(crate) use width::{fit, pad, size, width};

use super::redact::{Redact, Redactor, StringKind, StringView};

/// Characters of a foreign string that are shown before `…`.
pub(crate) const CAP: usize = 200;

/// A foreign string. `Display` escapes what could steer a terminal or hide text, and shows at most
/// [`CAP`] characters. Serialized, it is complete and exact, and the JSON output escapes it. Both
/// render what the reader may see, once [`redact`](super::redact::redact) has said who that is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shown {
    text: Box<str>,
    is: StringKind,
    /// Whether it replaces bytes that are not UTF-8, so that the original cannot be restored.
    lossy: bool,
    /// What the reader may see.
    view: StringView,
}

impl Shown {
    /// A string of unknown kind.
    pub fn new(s: impl Into<Box<str>>) -> Shown {
        Shown::of(StringKind::Word, s)
    }

    /// A string of this kind.
    pub fn of(is: StringKind, s: impl Into<Box<str>>) -> Shown {
        Shown { text: s.into(), is, lossy: false, view: StringView::Unknown }
    }

    /// A path; bytes that are not UTF-8 become `\xNN`.
    pub fn path(path: &Path) -> Shown {
        let text = bytes_text(path.as_os_str().as_encoded_bytes());
        Shown {
            text: text.into(),
            is: StringKind::File,
            lossy: path.to_str().is_none(),
            view: StringView::Unknown,
        }
    }

    /// The string itself, for comparison. Never print it.
    pub fn exact(&self) -> &str {
        &self.text
    }

    /// Whether [`exact`](Self::exact) is the original string. It is not for a path that is not
    /// UTF-8.
    pub fn is_exact(&self) -> bool {
        !self.lossy
    }

    /// The string as rendered for the reader, not escaped. Quote it; never print it.
    pub fn rendered(&self) -> Cow<'_, str> {
        match &self.view {
            StringView::Exact => Cow::Borrowed(&self.text),
            StringView::Excerpt(text) | StringView::Shortened(text) | StringView::Masked(text) => {
                Cow::Borrowed(text)
            }
            StringView::Unknown => {
                debug_assert!(false, "no redactor has seen {:?}", self.text);
                Cow::Owned(Redactor::for_anybody().render(self.is, &self.text).into_owned())
            }
        }
    }

    /// The string as the reader can type it; `None` if it is hidden from them, or cannot be typed.
    pub fn typed(&self) -> Option<&str> {
        match &self.view {
            _ if self.lossy => None,
            StringView::Exact => Some(&self.text),
            StringView::Shortened(text) => Some(text),
            StringView::Excerpt(_) | StringView::Masked(_) | StringView::Unknown => None,
        }
    }

    /// Whether the reader sees it unchanged.
    pub(super) fn is_whole(&self) -> bool {
        self.rendered() == *self.text
    }

    /// Whether the reader sees only a stand-in for it.
    pub fn is_masked(&self) -> bool {
        matches!(self.view, StringView::Masked(_) | StringView::Unknown)
    }

    /// Renders it for a reader.
    pub(crate) fn read_by(mut self, reader: &Redactor) -> Shown {
        self.redact(reader);
        self
    }

    /// Escaped, but not shortened: for strings that must be complete, such as a path.
    pub fn whole(&self) -> String {
        escape(&self.rendered())
    }
}

impl Redact for Shown {
    fn redact(&mut self, reader: &Redactor) {
        self.view = reader.view(self.is, &self.text);
    }
}

impl From<&str> for Shown {
    fn from(s: &str) -> Shown {
        Shown::new(s)
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.rendered())
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, c) in self.rendered().chars().enumerate() {
            if n == CAP {
                return f.write_char('…');
            }
            write_escaped(f, c)?;
        }
        Ok(())
    }
}

/// The bytes of a path in hex if they are not UTF-8, which JSON cannot represent.
pub(crate) fn path_hex(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let mut out = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    Some(out)
}

/// Bytes as text; those that are not UTF-8 become `\xNN`.
pub(crate) fn bytes_text(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// Replaces every dangerous character by `\u{..}`.
pub(crate) fn escape(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        let _ = write_escaped(&mut out, c);
    }
    out
}

fn write_escaped(out: &mut impl fmt::Write, c: char) -> fmt::Result {
    if is_dangerous(c) { write!(out, "\\u{{{:x}}}", u32::from(c)) } else { out.write_char(c) }
}

/// Whether a character may steer a terminal, reverse the direction of text, end a line or be
/// invisible.
pub(crate) fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::redact::at_hand;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        let bad = "a\u{1b}[31m\u{7}\u{7f}\u{9b}\u{202e}\u{2066}\u{2028}\u{200b}\u{feff}\n";
        let shown = at_hand(Shown::new(bad)).to_string();
        assert_eq!(
            shown,
            "a\\u{1b}[31m\\u{7}\\u{7f}\\u{9b}\\u{202e}\\u{2066}\\u{2028}\\u{200b}\\u{feff}\\u{a}"
        );
        assert_eq!(at_hand(Shown::new("日本 é")).to_string(), "日本 é");
    }

    #[test]
    fn long_strings_are_cut_but_paths_can_be_whole() {
        let long = at_hand(Shown::new("x".repeat(CAP + 1)));
        assert_eq!(long.to_string().chars().count(), CAP + 1);
        assert!(long.to_string().ends_with("x…"));
        assert_eq!(long.whole().len(), CAP + 1);
        let fits = at_hand(Shown::new("x".repeat(CAP)));
        assert_eq!(fits.to_string(), "x".repeat(CAP));
    }

    #[test]
    #[cfg(unix)]
    fn a_path_of_any_bytes_can_be_told() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"a\xff\xc3\xa9\x1b"));
        assert_eq!(at_hand(Shown::path(path)).to_string(), "a\\xff\u{e9}\\u{1b}");
        assert_eq!(path_hex(path).as_deref(), Some("61ffc3a91b"));
        assert_eq!(path_hex(Path::new("é")), None);
    }
}
