//! Redaction: how much of a foreign string the reader may see. One place decides for every output.
//!
//! Redaction turns a report into a report: [`redact`] gives each [`Shown`] what a [`Redactor`] lets
//! its reader see, and the outputs print that. A string that no redactor has seen is printed for an
//! unknown reader, so a forgotten string is redacted.

mod paths;
mod people;
mod reader;
pub(crate) mod shape;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::text::Shown;

pub use people::People;
pub(crate) use reader::StringKind;
pub(crate) use reader::StringView;

/// How much is shown.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RedactMode {
    /// Everything, with the starts of texts unchanged.
    Off,
    /// Depends on the reader: at most 40 characters of a text, with secrets masked, for the user at
    /// the terminal; [`RedactMode::Content`] for everything that leaves the machine.
    #[default]
    Auto,
    /// No free text. IDs, kinds, tool names and paths only if they have the shape of such.
    Content,
    /// As [`RedactMode::Content`], and IDs and paths are replaced by other names.
    Strict,
}

/// A reader: what they may see, and the stand-ins for hidden strings.
#[derive(Clone, Debug)]
pub struct Redactor {
    reader: Arc<reader::ReportReader>,
}

impl Redactor {
    /// The reader of the standard streams of this run. `logged`: the output is stored, as in
    /// continuous integration.
    pub fn for_stream(asked: RedactMode, logged: bool, people: People) -> Redactor {
        Redactor::asked(asked, if logged { kept(asked) } else { asked }, people)
    }

    /// Shortens paths: relative to this folder; with `tilde`, others from the home.
    #[must_use]
    pub fn with_short_paths(&self, here: Option<String>, tilde: bool) -> Redactor {
        Redactor { reader: Arc::new(self.reader.here(here, tilde)) }
    }

    /// The reader of a file that this run writes.
    pub fn for_file(asked: RedactMode, people: People) -> Redactor {
        Redactor::asked(asked, kept(asked), people)
    }

    /// An unknown reader.
    pub(crate) fn for_anybody() -> Redactor {
        Redactor::new(RedactMode::Content, People::default())
    }

    /// The user at the terminal, of what they typed themselves.
    pub(crate) fn at_hand() -> Redactor {
        Redactor::new(RedactMode::Auto, People::default())
    }

    fn new(mode: RedactMode, people: People) -> Redactor {
        Redactor { reader: Arc::new(reader::ReportReader::new(mode, people)) }
    }

    /// A reader who may see this much. What was asked for decides whether names of files are hidden.
    fn asked(asked: RedactMode, mode: RedactMode, people: People) -> Redactor {
        let mut reader = reader::ReportReader::new(mode, people);
        reader.hides_names = asked >= RedactMode::Content;
        Redactor { reader: Arc::new(reader) }
    }

    /// How much they may see.
    pub fn mode(&self) -> RedactMode {
        self.reader.mode
    }

    /// Whether free text is hidden from them.
    pub(crate) fn hides_text(&self) -> bool {
        self.mode() >= RedactMode::Content
    }

    /// Whether names of files are hidden from them.
    pub(crate) fn hides_names(&self) -> bool {
        self.reader.hides_names
    }

    /// The bytes of a path in hex as they may see them, relative where the path is.
    pub(super) fn redact_hex(&self, path_hex: &mut Option<String>) {
        if self.hides_names() {
            *path_hex = None;
        }
        if let Some(hex) = path_hex {
            *hex = self.reader.short_hex(hex).unwrap_or_else(|| hex.to_owned());
        }
    }

    /// The reader of a file of the same run: hidden strings have the same numbers there.
    pub fn file(&self, asked: RedactMode) -> Redactor {
        Redactor { reader: Arc::new(self.reader.at(kept(asked))) }
    }

    /// Renders a string for them.
    pub(crate) fn render<'a>(&self, is: StringKind, text: &'a str) -> Cow<'a, str> {
        self.reader.render(is, text)
    }

    /// Renders a free text for them.
    pub(crate) fn text(&self, text: &str) -> String {
        self.render(StringKind::Text, text).into_owned()
    }

    /// Renders a path for them, ready to be printed.
    pub(crate) fn path(&self, path: &Path) -> String {
        Shown::path(path).read_by(self).whole()
    }

    pub(super) fn view(&self, is: StringKind, text: &str) -> StringView {
        self.reader.view(is, text)
    }

    /// Removes the names of the user and of their home from our own text if they must be hidden: a
    /// second safety net.
    pub fn net(&self, text: &str) -> String {
        if self.hides_names() { self.reader.people.replace(text) } else { text.to_owned() }
    }
}

/// A type with foreign strings.
pub trait Redact {
    /// Sets for each of them what the reader may see.
    fn redact(&mut self, reader: &Redactor);
}

/// Redacts a report for a reader.
pub fn redact<T: Redact>(mut report: T, reader: &Redactor) -> T {
    report.redact(reader);
    report
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, reader: &Redactor) {
        self.iter_mut().for_each(|some| some.redact(reader));
    }
}

impl<T: Redact> Redact for Box<T> {
    fn redact(&mut self, reader: &Redactor) {
        (**self).redact(reader);
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, reader: &Redactor) {
        self.iter_mut().for_each(|each| each.redact(reader));
    }
}

/// Implements [`Redact`] by the fields that contain foreign strings.
macro_rules! redact_fields {
    ($($name:ty { $($field:ident),+ })+) => {
        $(impl $crate::report::redact::Redact for $name {
            fn redact(&mut self, reader: &$crate::report::redact::Redactor) {
                $(self.$field.redact(reader);)+
            }
        })+
    };
}
pub(crate) use redact_fields;

fn kept(asked: RedactMode) -> RedactMode {
    if asked == RedactMode::Auto { RedactMode::Content } else { asked }
}

/// For tests: what the user at the terminal sees.
#[cfg(test)]
pub(crate) fn at_hand<T: Redact>(report: T) -> T {
    redact(report, &Redactor::at_hand())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
