//! The program that writes transcripts of a format.

/// A program that writes transcripts.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// Name in reports.
    pub name: &'static str,
    /// Display name in sentences.
    pub title: &'static str,
}

impl Host {
    pub(crate) const fn new(name: &'static str, title: &'static str) -> Host {
        Host { name, title }
    }

    /// Whether it is any application that stores such a list.
    pub(crate) fn is_nameless(&self) -> bool {
        self.title == NAMELESS
    }

    /// Any application that stores such a list.
    pub(crate) const fn nameless(name: &'static str) -> Host {
        Host::new(name, NAMELESS)
    }
}

/// What sentences call a host without a name.
const NAMELESS: &str = "the application";
