//! Redaction: how much of a string that is not ours its reader may see. One place decides for every output.
//!
//! It is a step from a report to a report: [`redact`] gives each [`Shown`] what a [`Redactor`] lets its
//! reader see, and the outputs print that. A string that no redactor has seen is printed for a reader of whom nothing is
//! known, so what was forgotten is redacted.

mod paths;
mod people;
pub(crate) mod shape;
mod told;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::text::Shown;

pub use people::People;
pub(crate) use told::Is;
pub(crate) use told::View;

/// How much is shown.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Everything; the beginnings of texts as they are.
    Off,
    /// As it fits the reader: at most 40 characters of a text, with secrets masked, for who runs the program; [`Mode::Content`]
    /// for what leaves the machine.
    #[default]
    Auto,
    /// No free text; ids, kinds, names of tools and paths where they have the shape of such.
    Content,
    /// As [`Mode::Content`], and ids and paths have other names.
    Strict,
}

/// One reader: what they may see, and the names that they know hidden strings by.
#[derive(Clone, Debug)]
pub struct Redactor {
    reader: Arc<told::Reader>,
}

impl Redactor {
    /// Who looks at the streams of this run. `logged`: a machine keeps what it prints, as in continuous integration.
    pub fn for_stream(asked: Mode, logged: bool, people: People) -> Redactor {
        Redactor::new(if logged { kept(asked) } else { asked }, people)
    }

    /// The same, with short paths: relative to this folder, or to the home.
    pub fn with_short_paths(self, here: Option<String>) -> Redactor {
        match Arc::try_unwrap(self.reader) {
            Ok(reader) => Redactor {
                reader: Arc::new(reader.here(here)),
            },
            Err(reader) => Redactor { reader },
        }
    }

    /// Whoever gets a file that this run writes.
    pub fn for_file(asked: Mode, people: People) -> Redactor {
        Redactor::new(kept(asked), people)
    }

    /// Someone of whom nothing is known.
    pub(crate) fn for_anybody() -> Redactor {
        Redactor::new(Mode::Content, People::default())
    }

    /// For tests: who runs the program.
    #[cfg(test)]
    pub(crate) fn at_hand() -> Redactor {
        Redactor::new(Mode::Auto, People::default())
    }

    fn new(mode: Mode, people: People) -> Redactor {
        Redactor {
            reader: Arc::new(told::Reader::new(mode, people)),
        }
    }

    /// What they may see.
    pub fn mode(&self) -> Mode {
        self.reader.mode
    }

    /// Whether they see no free text.
    pub(crate) fn hides_text(&self) -> bool {
        self.mode() >= Mode::Content
    }

    /// Whoever gets a file that the same run writes: hidden strings have the same numbers there.
    pub fn file(&self, asked: Mode) -> Redactor {
        Redactor {
            reader: Arc::new(self.reader.at(kept(asked))),
        }
    }

    /// What they get of a string.
    pub(crate) fn tell<'a>(&self, is: Is, text: &'a str) -> Cow<'a, str> {
        self.reader.tell(is, text)
    }

    /// What they get of a free text.
    pub(crate) fn text(&self, text: &str) -> String {
        self.tell(Is::Text, text).into_owned()
    }

    /// What they get of a path, to be printed.
    pub(crate) fn path(&self, path: &Path) -> String {
        Shown::path(path).read_by(self).whole()
    }

    pub(super) fn view(&self, is: Is, text: &str) -> View {
        self.reader.view(is, text)
    }

    /// Talk of ours with the names of the user and of their home replaced where they must not be seen: a second net.
    pub fn net(&self, text: &str) -> String {
        if self.hides_text() {
            self.reader.people.replace(text)
        } else {
            text.to_owned()
        }
    }
}

/// What holds strings that are not ours.
pub trait Redact {
    /// Gives each of them what the reader may see of it.
    fn redact(&mut self, reader: &Redactor);
}

/// The same for this reader.
pub fn redact<T: Redact>(mut report: T, reader: &Redactor) -> T {
    report.redact(reader);
    report
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, reader: &Redactor) {
        self.iter_mut().for_each(|some| some.redact(reader));
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, reader: &Redactor) {
        self.iter_mut().for_each(|each| each.redact(reader));
    }
}

/// The fields of a type that hold strings that are not ours.
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

fn kept(asked: Mode) -> Mode {
    if asked == Mode::Auto {
        Mode::Content
    } else {
        asked
    }
}

/// For tests: what a person sees who runs the program.
#[cfg(test)]
pub(crate) fn at_hand<T: Redact>(report: T) -> T {
    redact(report, &Redactor::at_hand())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
