//! Redaction: how much of a string that is not ours its reader may see. One place decides for every output.
//!
//! [`Shown`](super::text::Shown) knows what its string is, and asks here when it is printed or serialized. Who reads is
//! said once, around all that is written for them: [`Redactor::during`]. Where nobody was named, a reader of whom
//! nothing is known is assumed, so that what was forgotten is redacted.

mod paths;
mod people;
pub(crate) mod shape;
mod told;

use std::cell::RefCell;
use std::sync::Arc;

pub use people::People;
pub(crate) use told::{Is, hides_text, tell, text, typed};

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

thread_local! {
    /// Who reads what this thread prints.
    static READER: RefCell<Option<Redactor>> = const { RefCell::new(None) };
}

impl Redactor {
    /// Who looks at the streams of this run. `logged`: a machine keeps what it prints, as in continuous integration.
    pub fn for_stream(asked: Mode, logged: bool, people: People) -> Redactor {
        Redactor::new(if logged { kept(asked) } else { asked }, people)
    }

    /// Whoever gets a file that this run writes.
    pub fn for_file(asked: Mode, people: People) -> Redactor {
        Redactor::new(kept(asked), people)
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

    /// Whoever gets a file that the same run writes: hidden strings have the same numbers there.
    pub fn file(&self, asked: Mode) -> Redactor {
        Redactor {
            reader: Arc::new(self.reader.at(kept(asked))),
        }
    }

    /// Does something; what is printed or serialized by it, on this thread, is for this reader.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let _back = Back(READER.replace(Some(self.clone())));
        work()
    }

    /// The same on a thread of its own, for whoever reads this one.
    pub fn current() -> Option<Redactor> {
        READER.with_borrow(Clone::clone)
    }

    /// Talk of ours with the names of the user and of their home replaced where they must not be seen: a second net.
    pub fn net(&self, text: &str) -> String {
        if self.mode() < Mode::Content {
            text.to_owned()
        } else {
            self.reader.people.replace(text)
        }
    }
}

/// The reader before, when work ends in whatever way.
struct Back(Option<Redactor>);

impl Drop for Back {
    fn drop(&mut self) {
        READER.set(self.0.take());
    }
}

fn kept(asked: Mode) -> Mode {
    if asked == Mode::Auto {
        Mode::Content
    } else {
        asked
    }
}

/// For tests of what a person sees who runs the program.
#[cfg(test)]
pub(crate) fn at_hand<T>(work: impl FnOnce() -> T) -> T {
    Redactor::new(Mode::Auto, People::default()).during(work)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
