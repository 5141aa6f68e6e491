//! Streams, which are only known by name. They compete in detection with formats, so that neither is taken for the other.

use super::fit;
use super::streams;
use crate::containers::PathStep;
use crate::json::node::Node;
use crate::json::tape::{Kind, RecordEnd};
use crate::format::head::Sample;
use crate::format::plain::sampled;
use crate::format::vocabulary::WordSet;

/// Something that is only known by name.
#[derive(Debug)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// See [`Format::step`](crate::format::Format::step).
    pub step: u8,
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

/// What a transcript may be of all that is only known by name.
pub(super) fn possible(head: &Sample<'_>) -> impl Iterator<Item = &'static Named> {
    let all = streams::ALL.iter();
    all.filter(|named| head.may_have(named.words.as_ref()))
}

/// Members of a document that may have its records.
const LISTS: &[&str] = &[
    "messages",
    "contents",
    "history",
    "items",
    "input",
    "steps",
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
        let member = || LISTS.iter().find_map(|key| Some((*key, root?.get(key)?)));
        let list = match root.filter(|root| root.kind() == Kind::Array) {
            Some(root) => Some((Vec::new(), root)),
            None => member().map(|(key, list)| (vec![PathStep::Key(key)], list)),
        };
        let (path, items) = match list.filter(|(_, list)| list.kind() == Kind::Array) {
            Some((path, list)) => (Some(path), fit::whole(sampled(list))),
            // A document without a list is one record, or none.
            None if head.document.is_some() => (Some(Vec::new()), root.into_iter().collect()),
            None => (None, fit::whole(head.nodes())),
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

/// Whether a value has one of these types.
pub(crate) fn is_type(node: Node<'_>, types: &[&str]) -> bool {
    node.get("type").is_some_and(|kind| types.iter().any(|wanted| kind.is_str(wanted)))
}

/// Whether a value has one of these roles.
pub(crate) fn is_role(node: Node<'_>, roles: &[&str]) -> bool {
    node.get("role").is_some_and(|role| roles.iter().any(|wanted| role.is_str(wanted)))
}

/// Whether a value has all of these members.
pub(crate) fn has_all(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().all(|key| node.get(key).is_some())
}

/// Whether a member is a string.
pub(crate) fn has_string(node: Node<'_>, key: &str) -> bool {
    node.has_kind(key, Kind::String)
}

/// Whether a value has all of these members as strings.
pub(crate) fn has_strings(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().all(|key| has_string(node, key))
}

/// Whether a value is a string with this prefix.
pub(crate) fn starts(node: Option<Node<'_>>, with: &str) -> bool {
    node.and_then(|node| node.str()).is_some_and(|text| text.starts_with(with))
}

/// Whether a block of a message has one of these types.
pub(crate) fn has_block(message: Node<'_>, types: &[&str]) -> bool {
    message.get("content").is_some_and(|content| content.items().any(|block| is_type(block, types)))
}
