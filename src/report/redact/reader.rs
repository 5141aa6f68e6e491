//! Renders foreign strings for a reader, by their kind.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::{Mode, People, paths, shape};
use crate::report::text::{excerpt, preview, quote};

/// The kind of a foreign string.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Is {
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
pub(super) struct Reader {
    pub mode: Mode,
    pub people: People,
    /// The working directory, below which paths are relative. `None`: paths are printed as they
    /// are.
    here: Option<String>,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Numbers of hidden strings by hash: equal strings have the same number, which reveals
    /// nothing.
    tags: HashMap<[u8; 32], u32>,
    /// Stand-ins for IDs and paths.
    names: HashMap<String, String>,
    counts: HashMap<&'static str, u32>,
}

impl Reader {
    pub(super) fn new(mode: Mode, people: People) -> Reader {
        Reader {
            mode,
            people,
            here: None,
            seen: Arc::default(),
        }
    }

    /// Makes paths in this folder relative to it, and replaces the home by `~` in others.
    pub(super) fn here(self, folder: Option<String>) -> Reader {
        Reader {
            here: Some(folder.unwrap_or_default()),
            ..self
        }
    }

    /// A reader who may see more or less, with the same stand-ins.
    pub(super) fn at(&self, mode: Mode) -> Reader {
        Reader {
            mode,
            people: self.people.clone(),
            here: None,
            seen: Arc::clone(&self.seen),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
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
    pub(super) fn render<'a>(&self, is: Is, text: &'a str) -> Cow<'a, str> {
        match (self.mode, is) {
            (Mode::Off, Is::Text) => excerpt(text).into(),
            (Mode::Auto, Is::Text) => preview(text).into(),
            (Mode::Off | Mode::Auto, Is::Quote) => quote(text).into(),
            (Mode::Off | Mode::Auto, _) => Cow::Borrowed(text),
            (_, _) if text.is_empty() => Cow::Borrowed(text),
            (_, Is::Text | Is::Quote) => self.hidden("text", text).into(),
            (_, Is::Word) if text.contains(['/', '\\', '~']) => self.render(Is::Path, text),
            (_, Is::Word) => self.word("word", shape::is_word, text),
            (_, Is::Name) => self.word("name", shape::is_name, text),
            (_, Is::Key) => self.word("key", shape::is_name, text),
            (_, Is::Pointer) => self.pointer(text).into(),
            (Mode::Strict, Is::Path) => self.alias("~/path", text, paths::extension(text)).into(),
            (_, Is::Path) => paths::render(self, text).into(),
            (Mode::Strict, Is::Call) => self.alias("call", text, "").into(),
            (Mode::Strict, Is::Record) => self.alias("record", text, "").into(),
            (Mode::Strict, Is::Session) => self.alias("session", text, "").into(),
            (_, Is::Call | Is::Record | Is::Session) => self.word("id", shape::is_id, text),
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
            false => self.render(Is::Key, step).into_owned(),
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
    pub(super) fn view(&self, is: Is, text: &str) -> View {
        let rendered = self.render(is, text);
        if rendered == text {
            let short = self.short_path(text).filter(|_| is == Is::Path);
            return short.map_or(View::Exact, |short| View::Shortened(short.into()));
        }
        let rendered = rendered.into();
        if self.mode < Mode::Content {
            return View::Excerpt(rendered);
        }
        if let Some(below) = self
            .below_here(text)
            .filter(|_| is == Is::Path && self.mode < Mode::Strict)
        {
            let rendered = self.render(is, below);
            return match rendered == below {
                true => View::Shortened(rendered.into()),
                false => View::Masked(rendered.into()),
            };
        }
        let is_path = matches!(is, Is::Path | Is::Word) && self.mode < Mode::Strict;
        let below = self.people.below_home(text).filter(|_| is_path);
        if below.is_some() && rendered.strip_prefix('~') == below {
            View::Shortened(rendered)
        } else {
            View::Masked(rendered)
        }
    }
}

/// How a string is rendered for its reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum View {
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
