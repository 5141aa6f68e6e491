//! LangGraph checkpoints: the state of a thread, as its host would dump it (`values`, `next`, `tasks`).
//!
//! Values are MessagePack with objects as extensions, or JSON. Nothing is constructed: names of classes are data.

mod added;
mod list;
mod thread;

use super::NotRead;
use super::content::{StoreContent, StoredRows, is_whole};
use crate::containers::database::ColumnValue;
use crate::containers::msgpack;
use crate::dialects::langchain::Form;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::json::tape::Kind;
pub(super) use added::added;
use thread::{CheckpointState, Thread};

/// Between a thread and its namespace.
const IN: char = '#';
/// The channel with the messages, unless the application chose another name.
const MESSAGES: &str = "messages";
/// Keys of channels whose node is next.
const NEXT: &[&str] = &["branch:to:", "start:", "branch:"];
/// 100 nanoseconds from 1582, where the times of these IDs start, to 1970.
const EPOCH: i64 = 0x01B2_1DD2_1381_4000;

/// The name of a thread, with its namespace if it has one.
pub(super) fn name(values: &[&str]) -> String {
    // The mark between both is in neither.
    let plain = |text: &str| {
        if [IN.to_string().as_str(), "%23", "%25"].iter().any(|mark| text.contains(mark)) {
            text.replace('%', "%25").replace(IN, "%23")
        } else {
            text.to_owned()
        }
    };
    match values {
        [thread, space, ..] if !space.is_empty() => {
            format!("{}{IN}{}", plain(thread), plain(space))
        }
        [thread, ..] => plain(thread),
        [] => String::new(),
    }
}

/// The namespace in which a call of a subgraph was started: `NODE:TASK` is the namespace of a call, `NODE` one that lasts.
pub(super) fn parent(name: &str) -> Option<String> {
    let (thread, space) = name.split_once(IN)?;
    let steps: Vec<&str> = space.split('|').collect();
    let call = steps.iter().position(|step| step.contains(':'))?;
    let above = steps.get(..call).filter(|above| !above.is_empty());
    Some(above.map_or(thread.to_owned(), |above| format!("{thread}{IN}{}", above.join("|"))))
}

/// Microseconds since 1970 of the ID of a checkpoint, a UUID of version 6.
pub(super) fn time(id: &str) -> Option<i64> {
    let digits: String = id.split('-').collect();
    let (high, low) = (digits.get(..12)?, digits.get(12..16)?.strip_prefix('6')?);
    let number = |digits| i64::from_str_radix(digits, 16).ok();
    let ticks = number(high)? << 12 | number(low)?;
    (digits.len() == 32).then_some((ticks - EPOCH) / 10)
}

/// The state of a thread.
pub(super) fn content(stored: &StoredRows<'_>) -> Result<StoreContent, NotRead> {
    let thread = Thread::of(stored).ok_or(NotRead::Damaged)?;
    let (newest, _) = thread.checkpoints.last_key_value().ok_or(NotRead::Damaged)?;
    let state = thread.state(newest)?;
    let channel = channel(state.root());
    let (mut list, lost) = thread.list(newest, &channel)?;
    list.add_input(state.values().and_then(|values| values.get("__start__")), &channel);
    let messages = list.into_messages();
    if messages.iter().any(|own| contains(own, msgpack::UNKNOWN)) {
        let why = "one of its messages has a MessagePack extension of an unknown kind";
        return Err(NotRead::Because(why.to_owned()));
    }
    let waiting = thread.tasks(newest, &channel)?;
    let recovered = thread.recovered(&messages, &channel);
    let mut out = b"{\n\"values\":{\"messages\":".to_vec();
    out.extend(lines(&messages));
    if let Some(event) = state.values().and_then(|values| values.get("_summarization_event")) {
        out.extend(b",\n\"_summarization_event\":");
        out.extend(&*event.raw());
    }
    out.extend(
        format!("}},\n\"next\":[{}],\n\"checkpoint\":", next(state.root()).join(",")).into_bytes(),
    );
    out.extend(thread.place(newest)?.into_bytes());
    let members = [
        ("metadata", Some(state.metadata.clone())),
        ("tasks", Some(lines(&waiting.tasks))),
        ("error", waiting.error.map(String::into_bytes)),
        ("lost_parent", lost.map(|id| quote(&id).into_bytes())),
        ("recovered", Some(lines(&recovered)).filter(|_| !recovered.is_empty())),
    ];
    for (key, value) in members {
        if let Some(value) = value {
            out.extend(format!(",\n\"{key}\":").into_bytes());
            out.extend(value);
        }
    }
    out.extend(b"\n}\n");
    Ok(StoreContent { entries: vec![(format!("checkpoints:{newest}"), out)], lines: Vec::new() })
}

/// A list, one value a line.
fn lines(values: &[Vec<u8>]) -> Vec<u8> {
    let values = values.join(&b",\n"[..]);
    [b"[", &values[..], b"]"].join(if values.is_empty() { &b""[..] } else { b"\n" })
}

fn contains(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

/// The channel with the messages: the usual one, or the first that has a list of messages and nothing else.
fn channel(root: Node<'_>) -> String {
    let values = root.get("channel_values");
    let versions = root.get("channel_versions");
    let usual = |node: Node<'_>| node.get(MESSAGES).is_some();
    if values.is_some_and(usual) || versions.is_some_and(usual) {
        return MESSAGES.to_owned();
    }
    let is_list = |value: &Node<'_>| {
        value.kind() == Kind::Array
            && value.items().next().is_some()
            && value.items().all(|item| Form::of(item).is_some())
    };
    let mut channels = values.into_iter().flat_map(|values| values.members());
    let found = channels.find(|(_, value)| is_list(value));
    let name = found.and_then(|(key, _)| Some(key.str()?.into_owned()));
    name.unwrap_or_else(|| MESSAGES.to_owned())
}

/// The nodes that are next, quoted: those of the channels that start one, and those that were sent to.
fn next(root: Node<'_>) -> Vec<String> {
    let values = root.get("channel_values");
    let mut nodes = Vec::new();
    for (key, _) in values.into_iter().flat_map(|values| values.members()) {
        let Some(key) = key.str() else { continue };
        let name = NEXT.iter().find_map(|start| key.strip_prefix(start));
        nodes.extend(name.and_then(|name| name.rsplit(':').next()).map(quote));
    }
    let sends = [values.and_then(|values| values.get("__pregel_tasks")), root.get("pending_sends")];
    for send in sends.into_iter().flatten().flat_map(|list| list.items()) {
        // `["langgraph.types", "Send", [NODE, ARGUMENT]]`
        let node = send.items().nth(2).and_then(|args| args.items().next());
        nodes.extend(node.and_then(|node| node.str()).map(|node| quote(&node)));
    }
    nodes
}

/// A value that was serialized, as JSON.
fn decoded(kind: &ColumnValue, value: &ColumnValue) -> Result<Record, NotRead> {
    let why = |why: String| Err(NotRead::Because(why));
    let bytes = value.bytes().unwrap_or_default();
    let json = match kind.text().as_deref() {
        Some("msgpack") => msgpack::to_json(bytes, inside),
        Some("json") => is_whole(bytes).then(|| bytes.to_vec()),
        Some("null") => Some(b"null".to_vec()),
        Some(kind) if kind.contains('+') => {
            return why(format!(
                "it is encrypted (`{kind}`): only LangGraph can read it, with the key"
            ));
        }
        Some("pickle") => {
            return why(
                "it is a pickle, which only Python can read, by running what is in it".to_owned()
            );
        }
        kind => {
            return why(format!(
                "its values are of an unknown type, `{}`",
                kind.unwrap_or_default()
            ));
        }
    };
    match json.and_then(Record::parse) {
        Some(record) => Ok(record),
        None => {
            why("a value of it is damaged, so LangGraph cannot open the thread either".to_owned())
        }
    }
}

/// What an object of LangGraph's serializer is shown as.
fn inside(code: i8, payload: &[u8]) -> Option<&[u8]> {
    match code {
        // Objects of Pydantic: module, class, members.
        4 | 5 => msgpack::items(payload)?.get(2).copied(),
        // Module, name and arguments; a whole channel.
        0..=3 | 7 => Some(payload),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_thread_and_its_namespace() {
        for (thread, space, expected) in [
            ("t", "", "t"),
            ("t", "sub", "t#sub"),
            ("a#b", "", "a%23b"),
            ("a%23b", "", "a%2523b"),
            ("50%", "", "50%"),
        ] {
            assert_eq!(name(&[thread, space]), expected);
        }
        for (name, expected) in [
            ("t", None),
            ("t#sub", None),
            ("t#sub:1f", Some("t")),
            ("t#sub|inner:1f", Some("t#sub")),
            ("t#sub:1f|inner:2f", Some("t")),
            ("t#sub:1f|inner", Some("t")),
        ] {
            assert_eq!(parent(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn an_id_has_a_time() {
        let micros = time("1f1e5853-c64a-6dfe-bfff-c7b62b63f461");
        assert_eq!(micros, Some(1_795_249_583_183_820));
        for other in ["", "1f1e5853-c64a-4dfe-bfff-c7b62b63f461", "2026-01-21T09:48:05.911Z", "é"]
        {
            assert_eq!(time(other), None, "{other}");
        }
    }
}
