//! The containers of chat messages.

use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep};
use crate::dialects::chat::{Signs, is_role, says, speaks};
use crate::format::head::Sample;
use crate::format::plain::LOOK;
use crate::format::plain::sampled;
use crate::format::records::follow;
use crate::format::rows::{InsideRow, texts};
use crate::format::vocabulary::WordSet;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Ways from a document to its messages, in the order in which they are tried: a list, a body or a training row, a proxy's
/// log, a request of a batch, runs of evaluations.
const WAYS: &[&[PathStep]] = &[
    &[],
    &[PathStep::Key("messages")],
    &[PathStep::Key("conversations")],
    &[PathStep::Key("request"), PathStep::Key("messages")],
    &[PathStep::Key("kwargs"), PathStep::Key("messages")],
    &[PathStep::Key("body"), PathStep::Key("messages")],
    &[PathStep::Key("traj")],
    TRAJECTORY,
];
/// A row of a data set of runs. Programs use this name for lists of their own, too.
const TRAJECTORY: &[PathStep] = &[PathStep::Key("trajectory")];
/// Members of a training row that are one conversation in two lists.
const HALVES: [&str; 2] = ["prompt", "completion"];

/// Members of a row that may hold its conversation, as a list or as JSON text.
const TEXTS: &[&str] = &["messages", "conversations", "trajectory", "traj"];
/// Two answers to the same conversation, of which people prefer the first. Where the row has `prompt`, they follow it.
const PREFERENCES: [[&str; 2]; 2] =
    [["chosen", "rejected"], ["chosen_messages", "rejected_messages"]];

/// OpenAI's rows of preference data: the messages, and two answers to them.
const INPUT: &[PathStep] = &[PathStep::Key("input"), PathStep::Key("messages")];
const OUTPUTS: [&str; 2] = ["preferred_output", "non_preferred_output"];

/// The members that have the conversations of a row.
pub(super) const ROW_WORDS: WordSet = WordSet::NONE
    .and_paths(WAYS)
    .and_keys(&HALVES)
    .and_keys(TEXTS)
    .and_keys(&OUTPUTS)
    .and_keys(&PREFERENCES[0])
    .and_keys(&PREFERENCES[1]);

/// The lists of a row that may be empty.
pub(super) const ROW_LISTS: &[&[PathStep]] = &[
    &[PathStep::Key("messages")],
    &[PathStep::Key("conversations")],
    &[PathStep::Key("body"), PathStep::Key("messages")],
];

/// The conversations of a row that has several, or one as JSON text.
pub(super) fn conversations(head: &Sample<'_>) -> Vec<InsideRow> {
    let (Some(root), Some(entry)) = (head.only(), head.single) else {
        return Vec::new();
    };
    if has_outputs(root) {
        let joined = OUTPUTS
            .map(|key| Layout::Joined { entry, lists: [INPUT.to_vec(), vec![PathStep::Key(key)]] });
        return joined.into_iter().map(InsideRow::List).collect();
    }
    let Some(pair) =
        PREFERENCES.iter().find(|pair| pair.iter().all(|key| root.get(key).is_some_and(is_list)))
    else {
        return texts(head, TEXTS);
    };
    let prompt = HALVES[0];
    let has_prompt = root.get(prompt).is_some_and(is_list);
    let also = root.get("messages").is_some_and(is_list);
    let also = also.then(|| Layout::enclosed(entry, vec![PathStep::Key("messages")]));
    let pair = pair.map(|key| {
        if has_prompt {
            return joined(entry, [prompt, key]);
        }
        Layout::enclosed(entry, vec![PathStep::Key(key)])
    });
    also.into_iter().chain(pair).map(InsideRow::List).collect()
}

fn joined(entry: EntryId, keys: [&'static str; 2]) -> Layout {
    Layout::Joined { entry, lists: keys.map(|key| vec![PathStep::Key(key)]) }
}

/// Whether a row has two answers to its messages, as OpenAI takes them.
pub(in crate::hosts) fn has_outputs(row: Node<'_>) -> bool {
    OUTPUTS.iter().all(|key| row.get(key).is_some_and(is_list))
        && follow(row, INPUT).is_some_and(is_list)
}

/// Says where the messages are, if the transcript is one of this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(
        |entry, root| {
            let mut ways = WAYS.iter().filter(|way| is_dataset(root) || **way != TRAJECTORY);
            let way = ways.find(|way| follow(root, way).is_some_and(is_list));
            match way {
                Some(way) => {
                    Some(Layout::Items { entry, path: way.to_vec(), envelope: !way.is_empty() })
                }
                None => is_halved(root).then(|| joined(entry, HALVES)),
            }
        },
        || head.nodes().any(speaks),
    )
}

/// Whether a message is one of this shape: its role is known, or lost.
pub(super) fn explains(message: Node<'_>) -> bool {
    says(message)
        && match message.get("role").filter(|role| !role.is_null()) {
            Some(role) => role.utf8().is_some_and(|role| is_role(&role)),
            // Records of many hosts have a content, and say by their type whose it is.
            None => message.get("type").is_none(),
        }
}

/// Whether a row names the task of a data set.
fn is_dataset(row: Node<'_>) -> bool {
    const TASKS: &[&str] = &["instance_id", "trajectory_id", "traj_id"];
    TASKS.iter().any(|key| row.get(key).is_some())
}

/// Whether a value is a list of messages of this shape, even if some of them are damaged. Messages with nothing but text
/// have the same shape in other APIs.
fn is_list(list: Node<'_>) -> bool {
    let elements = sampled(list).filter(|item| !item.is_open());
    let (mut all, mut own, mut foreign, mut has_speaker) = (0, 0, 0, false);
    for item in elements {
        let message = Signs::of(item);
        all += 1;
        own += usize::from(message.owns());
        foreign += usize::from(message.is_foreign());
        has_speaker = has_speaker || message.speaks();
        // The messages that follow cannot change the answer anymore.
        if has_speaker && 2 * own >= LOOK && own > foreign + (LOOK - all) {
            return true;
        }
    }
    list.kind() == Kind::Array && 2 * own >= all && own > foreign && has_speaker
}

/// Whether a row is a conversation in two lists. Of a torn one the second may be missing.
fn is_halved(root: Node<'_>) -> bool {
    HALVES.iter().enumerate().all(|(number, key)| match root.get(key) {
        Some(list) => is_list(list),
        None => number > 0 && root.is_open(),
    })
}

/// Whether the list is a run of an evaluation: evidence, not a session that continues.
pub(super) fn is_evidence(layout: &Layout) -> bool {
    let runs = [PathStep::Key("traj"), PathStep::Key("trajectory")];
    matches!(layout, Layout::Items { path, .. } if path.last().is_some_and(|last| runs.contains(last)))
}
