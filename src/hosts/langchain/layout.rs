//! The containers of LangChain messages.

use super::super::openai_chat;
use super::envelope;
use super::read::owns;
use crate::bytes::far::LongRecord;
use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep, items};
use crate::dialects::langchain::{Form, MessageShape};
use crate::format::head::Sample;
use crate::format::plain::sampled;
use crate::format::records::follow;
use crate::format::vocabulary::WordSet;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Levels of a state history down to the step of each state.
const STEP_DEPTH: usize = 4;

/// Paths from a document to its messages, in the order in which they are tried.
const PATHS: &[&[PathStep]] = &[
    &[],
    &[PathStep::At(0)],
    &[PathStep::Key("values"), PathStep::Key("messages")],
    &[PathStep::Key("channel_values"), PathStep::Key("messages")],
    &[PathStep::Key("messages")],
    &[PathStep::Key("input"), PathStep::Key("messages")],
    &[PathStep::Key("outputs"), PathStep::Key("messages")],
    &[PathStep::Key("inputs"), PathStep::Key("messages"), PathStep::At(0)],
    &[PathStep::Key("inputs"), PathStep::Key("messages")],
];

/// The members that have the messages of a row.
pub(super) const ROW_WORDS: WordSet = WordSet::NONE.and_paths(PATHS);

/// Finds the messages, if the transcript is in this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(|entry, root| document(head, entry, root), || head.nodes().any(owns))
}

/// Whether most of the values are messages. Raw Anthropic messages among role forms do not count.
fn most_are_messages<'a>(values: impl Iterator<Item = Node<'a>>) -> bool {
    let (mut own, mut foreign) = (0, 0);
    for value in values {
        if owns(value) { own += 1 } else { foreign += 1 }
    }
    own > foreign
}

/// Whether a message in a list is in one of LangChain's own forms. Messages of other interfaces have a role, too.
fn has_sign(list: Node<'_>) -> bool {
    let mut messages = sampled(list);
    messages.any(|message| {
        owns(message) && Form::of(message).is_some_and(|form| form.shape != MessageShape::Role)
    })
}

fn document(head: &Sample<'_>, entry: EntryId, root: Node<'_>) -> Option<Layout> {
    let mut states = root.items();
    let first = if root.kind() == Kind::Array { states.next() } else { None };
    let is_history =
        first.is_some_and(|state| state.at(&["values", "messages"]).is_some_and(holds));
    if is_history {
        let newest = newest(head, entry).unwrap_or(0);
        let path = vec![PathStep::At(newest), PathStep::Key("values"), PathStep::Key("messages")];
        return Some(Layout::enclosed(entry, path));
    }
    // Rows of preference data for OpenAI.
    if openai_chat::has_outputs(root) {
        return None;
    }
    let path = PATHS.iter().find(|path| {
        let is_bare = !path.iter().any(|step| matches!(step, PathStep::Key(_)));
        follow(root, path).is_some_and(|list| holds(list) && (!is_bare || has_sign(list)))
    })?;
    Some(Layout::Items {
        entry,
        path: path.to_vec(),
        envelope: matches!(path.first(), Some(PathStep::Key(_))),
    })
}

fn holds(list: Node<'_>) -> bool {
    list.kind() == Kind::Array && most_are_messages(sampled(list))
}

/// The head may end within the history, so this reads the whole document.
fn newest(head: &Sample<'_>, entry: EntryId) -> Option<u32> {
    let tape = items::skim(head.entries, entry, 0, STEP_DEPTH).ok()?;
    let far = LongRecord::new(head.entries, entry, 0);
    envelope::newest(Node::root(&tape, &far)?)
}
