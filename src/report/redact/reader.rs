//! Renders foreign strings for a reader, by their kind.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::{People, RedactMode, paths, shape};
use crate::report::text::{excerpt, preview, quote};

/// The kind of a foreign string.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StringKind {
    /// Unknown: perhaps a path, a name, an option.
    #[default]
    Word,
    /// The id of a call.
    Call,
    /// The id of a record.
    Record,
    /// The id of a conversation.
    Session,
    /// An identifier of a program: a kind, a tool, a status.
    Name,
    /// A path, or the name of a file in a transcript.
    Path,
    /// The name of a member of an object.
    Key,
    /// A JSON pointer.
    Pointer,
    /// Free text.
    Text,
    /// The words of a known text of a provider or host.
    Quote,
}

/// A reader, and the stand-ins for strings hidden so far.
#[derive(Debug, Default)]
pub(super) struct ReportReader {
    pub mode: RedactMode,
    pub people: People,
    /// The working directory, below which paths are relative. `None`: paths are printed as they
    /// are.
    here: Option<String>,
    seen: Arc<Mutex<SeenStrings>>,
}

#[derive(Debug, Default)]
struct SeenStrings {
    /// Numbers of hidden strings by hash: equal strings have the same number, which reveals
    /// nothing.
    tags: HashMap<[u8; 32], u32>,
    /// Stand-ins for IDs and paths.
    names: HashMap<String, String>,
    counts: HashMap<&'static str, u32>,
}

impl ReportReader {
    pub(super) fn new(mode: RedactMode, people: People) -> ReportReader {
        ReportReader {
            mode,
            people,
            here: None,
            seen: Arc::default(),
        }
    }

    /// Makes paths in this folder relative to it, and replaces the home by `~` in others.
    pub(super) fn here(self, folder: Option<String>) -> ReportReader {
        ReportReader {
            here: Some(folder.unwrap_or_default()),
            ..self
        }
    }

    /// A reader who may see more or less, with the same stand-ins.
    pub(super) fn at(&self, mode: RedactMode) -> ReportReader {
        ReportReader {
            mode,
            people: self.people.clone(),
            here: None,
            seen: Arc::clone(&self.seen),
        }
    }

    fn seen(&self) -> MutexGuard<'_, SeenStrings> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `[text 312 B #9f3c]`: the kind of the string, its length and its number.
    pub(super) fn hidden(&self, what: &str, text: &str) -> String {
        let hash: [u8; 32] = Sha256::digest(text).into();
        let mut seen = self.seen();
        let next = u32::try_from(seen.tags.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let tag = *seen.tags.entry(hash).or_insert(next);
        format!("[{what} {} B #{tag:04x}]", text.len())
    }

    /// The stand-in of a string, always the same: `call-1`.
    fn alias(&self, what: &'static str, text: &str, ending: &str) -> String {
        let mut seen = self.seen();
        if let Some(name) = seen.names.get(text) {
            return name.clone();
        }
        let count = seen.counts.entry(what).or_default();
        *count = count.saturating_add(1);
        let name = format!("{what}-{count}{ending}");
        seen.names.insert(text.to_owned(), name.clone());
        name
    }

    /// Renders a string for the reader.
    pub(super) fn render<'a>(&self, is: StringKind, text: &'a str) -> Cow<'a, str> {
        match (self.mode, is) {
            (RedactMode::Off, StringKind::Text) => excerpt(text).into(),
            (RedactMode::Auto, StringKind::Text) => preview(text).into(),
            (RedactMode::Off | RedactMode::Auto, StringKind::Quote) => quote(text).into(),
            (RedactMode::Off | RedactMode::Auto, _) => Cow::Borrowed(text),
            (_, _) if text.is_empty() => Cow::Borrowed(text),
            (_, StringKind::Text | StringKind::Quote) => self.hidden("text", text).into(),
            (_, StringKind::Word) if text.contains(['/', '\\', '~']) => {
                self.render(StringKind::Path, text)
            }
            (_, StringKind::Word) => self.word("word", shape::is_word, text),
            (_, StringKind::Name) => self.word("name", shape::is_name, text),
            (_, StringKind::Key) => self.word("key", shape::is_name, text),
            (_, StringKind::Pointer) => self.pointer(text).into(),
            (RedactMode::Strict, StringKind::Path) => {
                self.alias("~/path", text, paths::extension(text)).into()
            }
            (_, StringKind::Path) => paths::render(self, text).into(),
            (RedactMode::Strict, StringKind::Call) => self.alias("call", text, "").into(),
            (RedactMode::Strict, StringKind::Record) => self.alias("record", text, "").into(),
            (RedactMode::Strict, StringKind::Session) => self.alias("session", text, "").into(),
            (_, StringKind::Call | StringKind::Record | StringKind::Session) => {
                self.word("id", shape::is_id, text)
            }
        }
    }

    /// Keeps a string if it has the expected shape.
    fn word<'a>(&self, what: &str, has_shape: fn(&str) -> bool, text: &'a str) -> Cow<'a, str> {
        if has_shape(text) {
            self.people.replace_words(text)
        } else {
            self.hidden(what, text).into()
        }
    }

    /// Renders each step of a pointer, a member name or a number.
    fn pointer(&self, text: &str) -> String {
        let is_number = |step: &str| !step.is_empty() && step.bytes().all(|c| c.is_ascii_digit());
        let step = |step: &str| match step.is_empty() || is_number(step) {
            true => step.to_owned(),
            false => self.render(StringKind::Key, step).into_owned(),
        };
        text.split('/').map(step).collect::<Vec<_>>().join("/")
    }

    /// A path as a user in this folder would type it.
    fn short_path(&self, path: &str) -> Option<String> {
        self.here.as_ref()?;
        match self.below_here(path) {
            Some(below) => Some(below.to_owned()),
            None => Some(format!("~{}", self.people.below_home(path)?)),
        }
    }

    /// A path relative to the working directory, if it is below it.
    fn below_here<'a>(&self, path: &'a str) -> Option<&'a str> {
        let here = self.here.as_ref()?;
        let is_home = self.people.below_home(here) == Some("");
        let below = path
            .strip_prefix(here.as_str())
            .filter(|_| here.len() > 1 && !is_home)?;
        let below = below.strip_prefix(['/', '\\'])?;
        let is_plain = |c: char| c == '.' || c.is_alphanumeric();
        below.starts_with(is_plain).then_some(below)
    }

    /// Renders a string for the reader, and says what they can do with the result.
    pub(super) fn view(&self, is: StringKind, text: &str) -> StringView {
        let rendered = self.render(is, text);
        if rendered == text {
            let short = self.short_path(text).filter(|_| is == StringKind::Path);
            return short.map_or(StringView::Exact, |short| {
                StringView::Shortened(short.into())
            });
        }
        let rendered = rendered.into();
        if self.mode < RedactMode::Content {
            return StringView::Excerpt(rendered);
        }
        if let Some(below) = self
            .below_here(text)
            .filter(|_| is == StringKind::Path && self.mode < RedactMode::Strict)
        {
            let rendered = self.render(is, below);
            return match rendered == below {
                true => StringView::Shortened(rendered.into()),
                false => StringView::Masked(rendered.into()),
            };
        }
        let is_path =
            matches!(is, StringKind::Path | StringKind::Word) && self.mode < RedactMode::Strict;
        let below = self.people.below_home(text).filter(|_| is_path);
        if below.is_some() && rendered.strip_prefix('~') == below {
            StringView::Shortened(rendered)
        } else {
            StringView::Masked(rendered)
        }
    }
}

/// How a string is rendered for its reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum StringView {
    /// Not rendered yet.
    #[default]
    Unknown,
    /// The string as it is.
    Exact,
    /// Its start, or the string without its secrets.
    Excerpt(Box<str>),
    /// A path with the home as `~`, or relative to the working directory; it can be typed.
    Shortened(Box<str>),
    /// A stand-in for it.
    Masked(Box<str>),
}
