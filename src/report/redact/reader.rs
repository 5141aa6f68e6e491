//! Renders foreign strings for a reader, by their kind.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
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
    /// The ID of a call.
    Call,
    /// The ID of a record.
    Record,
    /// The ID of a conversation.
    Session,
    /// An identifier of a program: a kind, a tool, a status.
    Name,
    /// A path that a transcript names.
    Path,
    /// The path of a transcript, or of a file in its folder: the user's own word, and no text of the transcript.
    File,
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
    /// Whether names of files are hidden, too: only where the user asked for that.
    pub hides_names: bool,
    /// The working directory, below which paths are relative. `None`: paths are printed as they
    /// are.
    here: Option<String>,
    /// Whether the home is `~`: for people, not for programs.
    has_tilde: bool,
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
            hides_names: false,
            here: None,
            has_tilde: false,
            seen: Arc::default(),
        }
    }

    /// Makes paths in this folder relative to it; with `tilde`, replaces the home by `~` in others.
    pub(super) fn here(&self, folder: Option<String>, tilde: bool) -> ReportReader {
        ReportReader {
            here: Some(folder.unwrap_or_default()),
            has_tilde: tilde,
            ..self.at(self.mode)
        }
    }

    /// A reader who may see more or less, with the same stand-ins.
    pub(super) fn at(&self, mode: RedactMode) -> ReportReader {
        ReportReader {
            mode,
            people: self.people.clone(),
            hides_names: self.hides_names,
            here: self.here.clone(),
            has_tilde: self.has_tilde,
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
        let next = u32::try_from(seen.tags.len()).unwrap_or(u32::MAX).saturating_add(1);
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
            (_, StringKind::File) if !self.hides_names => Cow::Borrowed(text),
            (_, _) if text.is_empty() => Cow::Borrowed(text),
            (_, StringKind::Text | StringKind::Quote) => self.hidden("text", text).into(),
            (_, StringKind::Word) if text.contains(['/', '\\', '~']) => {
                self.render(StringKind::Path, text)
            }
            (_, StringKind::Word) => self.word("word", shape::is_word, text),
            (_, StringKind::Name) => self.word("name", shape::is_name, text),
            (_, StringKind::Key) => self.word("key", shape::is_name, text),
            (_, StringKind::Pointer) => self.pointer(text).into(),
            (RedactMode::Strict, StringKind::Path | StringKind::File) => {
                self.alias("~/path", text, paths::extension(text)).into()
            }
            (_, StringKind::Path | StringKind::File) => paths::render(self, text).into(),
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
        text.split('/')
            .map(|step| {
                if step.is_empty() || (!step.is_empty() && step.bytes().all(|c| c.is_ascii_digit()))
                {
                    step.to_owned()
                } else {
                    self.render(StringKind::Key, step).into_owned()
                }
            })
            .collect::<Vec<_>>()
            .join("/")
    }

    /// A path relative to the working directory, if it is below it; else absolute, for people from their home.
    fn short_path(&self, path: &str) -> Option<String> {
        let here = self.here.as_ref()?;
        if let Some(below) = self.below_here(path) {
            // What else begins like this, a program takes for something else.
            let is_plain = !below.starts_with(['-', '@', '~']);
            return Some(if is_plain { below.to_owned() } else { format!("./{below}") });
        }
        let path = from_root(here, path);
        let in_home = self.people.below_home(&path).filter(|_| self.has_tilde);
        Some(match in_home {
            Some(below) => format!("~{below}"),
            None => path.into_owned(),
        })
    }

    /// A path relative to the working directory, if it is below it.
    fn below_here<'a>(&self, path: &'a str) -> Option<&'a str> {
        let here = self.here.as_ref().filter(|here| has_parent(here))?;
        let is_home = self.has_tilde && self.people.below_home(here) == Some("");
        let below = path.strip_prefix(here.as_str()).filter(|_| !is_home)?;
        let below = below.strip_prefix(['/', '\\'])?;
        (!below.is_empty()).then_some(below)
    }

    /// The bytes of a path in hex, of what [`view`](Self::view) names.
    pub(super) fn short_hex(&self, hex: &str) -> Option<String> {
        let here = self.here.as_ref().filter(|here| has_parent(here))?;
        let front: String = here.bytes().chain([b'/']).map(|byte| format!("{byte:02x}")).collect();
        hex.strip_prefix(&front).map(str::to_owned)
    }

    /// Renders a string for the reader, and says what they can do with the result.
    pub(super) fn view(&self, is: StringKind, text: &str) -> StringView {
        let rendered = self.render(is, text);
        if rendered == text {
            let is_path = is == StringKind::File || (is == StringKind::Path && self.has_tilde);
            let short = self.short_path(text).filter(|short| is_path && short != text);
            return short.map_or(StringView::Exact, |short| StringView::Shortened(short.into()));
        }
        let is = if is == StringKind::File { StringKind::Path } else { is };
        let rendered = rendered.into();
        if self.mode < RedactMode::Content {
            return StringView::Excerpt(rendered);
        }
        if let Some(below) = self
            .below_here(text)
            .filter(|_| is == StringKind::Path && self.mode < RedactMode::Strict)
        {
            let rendered = self.render(is, below);
            return if rendered == below {
                StringView::Shortened(rendered.into())
            } else {
                StringView::Masked(rendered.into())
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

/// Whether a folder is in another one: below the root, everything is absolute.
fn has_parent(folder: &str) -> bool {
    Path::new(folder).parent().is_some()
}

/// A path that leaves the working directory, as an absolute one; any other as it is.
fn from_root<'a>(here: &str, path: &'a str) -> Cow<'a, str> {
    let (mut above, mut rest) = (Path::new(here), path);
    loop {
        let after = rest.strip_prefix("..").unwrap_or(rest);
        let is_up = after.len() < rest.len() && (after.is_empty() || after.starts_with('/'));
        let Some(parent) = above.parent().filter(|_| is_up) else {
            break;
        };
        (above, rest) = (parent, after.trim_start_matches('/'));
    }
    match (rest.len() < path.len(), above.join(rest).to_str()) {
        (true, Some(absolute)) => Cow::Owned(absolute.trim_end_matches('/').to_owned()),
        _ => Cow::Borrowed(path),
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
