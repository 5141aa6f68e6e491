//! The containers of Converse messages.

use crate::bytes::source::EntryId;
use crate::containers::{Files, FolderFile, Layout, Naming, PathStep};
use crate::dialects::converse::{begins, owns};
use crate::format::head::Sample;
use crate::format::records::{any_of, follow};
use crate::json::node::Node;

/// Finds the messages, if the transcript has a sign of this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    match head.single {
        Some(_) => head.list(document, || head.nodes().any(owns)),
        None => folder(head),
    }
}

fn document(entry: EntryId, root: Node<'_>) -> Option<Layout> {
    if holds(root) {
        return Some(Layout::array(entry));
    }
    let log = [PathStep::Key("input"), PathStep::Key("inputBodyJson"), PathStep::Key("messages")];
    let is_log = root.has_str("schemaType", "ModelInvocationLog");
    let path: &[PathStep] = if is_log { &log } else { &log[2..] };
    follow(root, path).is_some_and(holds).then(|| Layout::enclosed(entry, path.to_vec()))
}

fn holds(list: Node<'_>) -> bool {
    any_of(list, |item| owns(item) || begins(item))
}

/// The folder of an agent in a Strands session: `agent.json` and `messages/message_N.json`.
fn folder(head: &Sample<'_>) -> Option<Layout> {
    let state = head.entries.find("agent.json")?;
    let named = head.names().filter_map(|(entry, name)| Some((message_number(name)?, entry)));
    let mut files: Vec<FolderFile> =
        named.map(|(index, entry)| FolderFile { entry: Some(entry), index, id: None }).collect();
    files.sort_by_key(|file| file.index);
    let naming = Naming::Numbered { prefix: "messages/message_" };
    (!files.is_empty()).then_some(Layout::Files(Files { files, state: Some(state), naming }))
}

fn message_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("messages/message_")?.strip_suffix(".json")?;
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
}
