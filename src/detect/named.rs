//! Streams, which are only known by name. They compete in detection with formats, so that neither is taken for the other.

use crate::containers::PathStep;
use crate::format::Rank;
use crate::format::head::Sample;
use crate::format::plain::sampled;
use crate::format::records::whole;
use crate::format::vocabulary::WordSet;
use crate::json::node::Node;
use crate::json::tape::{Kind, RecordEnd};

/// What to check instead of a session that resembles those of another host.
pub(super) const OTHER_HOST: &str =
    "its layout is that of another host, but what it sends is not known";

/// Something that is only known by name.
#[derive(Debug)]
pub struct Named {
    pub name: &'static str,
    /// See [`Format::rank`](crate::format::Format::rank).
    pub rank: Rank,
    /// What to check instead.
    pub instead: &'static str,
    /// Words of which each transcript with a sign of it has one. `None`: it may have none.
    pub(crate) words: Option<WordSet>,
    /// Whether a transcript has a sign of it.
    pub sign: fn(&NamedSample<'_>) -> bool,
    /// Whether a record has the required members, see [`Format::explains`](crate::format::Format::explains).
    pub explains: fn(Node<'_>) -> bool,
}

impl Named {
    /// Why it is not checked, in one line.
    pub fn why(&self) -> String {
        format!("recognized as {}: {}", self.name, self.instead)
    }
}

/// Members of a document that may have its records.
const LISTS: &[&str] = &[
    "messages",
    "contents",
    "history",
    "items",
    "input",
    "steps",
    "chatHistory",
    "conversation",
    "resourceSpans",
];

/// What is checked: the first value, and the records or the elements of the document's list.
pub struct NamedSample<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// The first value: the document, or the first record.
    pub first: Option<Node<'a>>,
    /// The first whole records.
    pub items: Vec<Node<'a>>,
    /// The path from the document to its records. `None`: they are lines.
    pub path: Option<Vec<PathStep>>,
    /// The first bytes of a line file.
    pub start: &'a [u8],
    /// Whether the file has only the first value.
    pub alone: bool,
}

impl<'a> NamedSample<'a> {
    pub fn of(head: &'a Sample<'_>) -> NamedSample<'a> {
        let mut lines = head.nodes();
        let (line, several) = (lines.next(), lines.next().is_some() || head.several);
        let glued =
            head.records.iter().any(|(_, tape)| matches!(tape.end, RecordEnd::Trailing { .. }));
        let alone = !several && !glued;
        let first = head.root().or(line);
        let root = head.root().or(line.filter(|_| !several));
        let list = match root.filter(|root| root.kind() == Kind::Array) {
            Some(root) => Some((Vec::new(), root)),
            None => LISTS.iter().find_map(|key| Some((vec![PathStep::Key(key)], root?.get(key)?))),
        };
        let (path, items) = match list.filter(|(_, list)| list.kind() == Kind::Array) {
            Some((path, list)) => (Some(path), whole(sampled(list))),
            // A document without a list is one record, or none.
            None if head.document.is_some() => (Some(Vec::new()), root.into_iter().collect()),
            None => (None, whole(head.nodes())),
        };
        NamedSample { name: head.name, first, items, path, start: &head.start, alone }
    }

    /// Whether the first value has this member.
    pub fn first_has(&self, key: &str) -> bool {
        self.first.is_some_and(|first| first.get(key).is_some())
    }

    /// Whether the test is true for any record.
    pub fn any(&self, test: impl Fn(Node<'a>) -> bool) -> bool {
        self.items.iter().any(|item| test(*item))
    }

    /// Whether the test is true for at least half of the records.
    pub fn half(&self, test: impl Fn(Node<'a>) -> bool) -> bool {
        let own = self.items.iter().filter(|item| test(**item)).count();
        own > 0 && 2 * own >= self.items.len()
    }
}
