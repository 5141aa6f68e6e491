//! Sessions in the storage folder, which has a file for each message and for each part of one.
//!
//! The folder of a file says what it belongs to: `message/SESSION/MESSAGE.json`, `part/MESSAGE/PART.json`.

use std::collections::BTreeMap;

use super::{StoredMessage, read};
use crate::bytes::source::EntryId;
use crate::containers::{Files, FolderFile, Layout, Naming};
use crate::format::FormatContext;
use crate::format::head::Sample;
use crate::shapes::chat::inside::Answered;
use crate::transcript::request::Sent;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, IdRange, PartId, PartKind, Role,
    Subject, Transcript,
};

/// The folders of the store.
const MESSAGES: &str = "message/";
const PARTS: &str = "part/";
const SESSIONS: &str = "session/";

/// The message that a file is, or is a part of, and its own ID.
fn place(name: &str) -> Option<(&str, &str)> {
    let stem = name.strip_suffix(".json")?;
    if let Some(message) = stem.strip_prefix(MESSAGES) {
        let (_, id) = message.split_once('/')?;
        return Some((id, id));
    }
    stem.strip_prefix(PARTS)?.split_once('/')
}

/// The messages of a session, each followed by its parts. IDs begin with the time, and the host sorts by them.
pub(super) fn layout(head: &Sample<'_>) -> Option<Layout> {
    // The name of a message's file is shorter than those of its parts, so it comes first.
    let mut files: BTreeMap<(&str, bool, &str), EntryId> = BTreeMap::new();
    for (entry, name) in head.names() {
        if let Some((message, id)) = place(name) {
            files.insert((message, name.starts_with(PARTS), id), entry);
        }
    }
    if !files.keys().any(|(_, is_part, _)| !is_part) {
        return None;
    }
    let state = head.names().find(|(_, name)| name.starts_with(SESSIONS));
    Some(Layout::Files(Files {
        files: (0..)
            .zip(files)
            .map(|(index, ((_, _, id), entry))| FolderFile {
                entry: Some(entry),
                index,
                id: Some(id.to_owned()),
            })
            .collect(),
        state: state.map(|(entry, _)| entry),
        naming: Naming::InStore,
    }))
}

/// The name of the file of a record.
fn name_of<'c>(context: &'c FormatContext<'_>, record: EventId) -> &'c str {
    context.entries.name(context.transcript.event(record).at().entry)
}

/// The messages, and what is reported of parts whose message is not there.
pub(super) fn messages(context: &FormatContext<'_>) -> (Vec<StoredMessage>, Vec<Diagnostic>) {
    let t = context.transcript;
    let (mut messages, mut found) = (Vec::<StoredMessage>::new(), Vec::new());
    // The message that the next parts belong to.
    let mut current = None;
    for record in t.records() {
        let name = name_of(context, record);
        let Some((message, _)) = place(name) else {
            continue;
        };
        if name.starts_with(MESSAGES) {
            current = Some(message);
            messages.push(StoredMessage::of(record));
        } else if current != Some(message) {
            found.push(stranded(record));
        } else if let Some(message) = messages.last_mut() {
            message.parts.push(record);
        }
    }
    messages.retain(|message| t.event(message.record).role.is_sent());
    (messages, found)
}

/// A part that the host never reads.
fn stranded(part: EventId) -> Diagnostic {
    let message = "leftover part of a message whose start is missing";
    let mut diagnostic = Diagnostic::about(Code::StrandedRecord, message, Subject::Content, part);
    diagnostic.fixes = Fix::only(Applicability::Unsafe, Some(Action::Remove(part)));
    diagnostic
}

/// The calls of a message, each with its result, which is in the same file.
pub(super) fn calls(t: &Transcript, message: &StoredMessage) -> Vec<Answered> {
    let mut calls = Vec::new();
    for part in &message.parts {
        if let Some(call) = t.part_of(*part, PartKind::Call) {
            calls.push((call, t.part_of(*part, PartKind::Result)));
        }
    }
    calls
}

/// What is sent of these messages: of each step what the model says and asks, then the results. The records of messages
/// have no content.
pub(super) fn order(
    t: &Transcript,
    messages: &[StoredMessage],
    is_sent: impl Fn(PartId) -> bool,
) -> Vec<Sent> {
    let mut order = Vec::new();
    for message in messages {
        let role = t.event(message.record).role;
        let mut results = Vec::new();
        for event in message.parts.iter().copied() {
            let record = t.event(event);
            if record.kind.is_some_and(|kind| t.ids.get(kind) == read::STEP) {
                order.append(&mut results);
            }
            for part in record.parts.clone().filter(|part| is_sent(*part)) {
                let is_result = t.part(part).kind == PartKind::Result;
                let (list, role) =
                    if is_result { (&mut results, Role::Tool) } else { (&mut order, role) };
                list.push(Sent::new(event, role, IdRange::new(part, part.next())));
            }
        }
        order.append(&mut results);
    }
    order
}
