//! The messages of a channel, and what is done to them.

use std::collections::HashMap;

use crate::dialects::langchain::{Form, Speaker};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::Kind;

/// A removal with this ID removes all messages.
const ALL: &str = "__remove_all__";

/// Messages as JSON.
#[derive(Default)]
pub(super) struct MessageList {
    /// `None`: it was removed.
    messages: Vec<Option<Vec<u8>>>,
    by_id: HashMap<String, usize>,
}

impl MessageList {
    pub(super) fn into_messages(self) -> Vec<Vec<u8>> {
        self.messages.into_iter().flatten().collect()
    }

    /// Adds messages as they are.
    pub(super) fn add(&mut self, value: Node<'_>) {
        each(value, &mut |message| self.push(message));
    }

    fn push(&mut self, message: Node<'_>) {
        if let Some(id) = id(message) {
            self.by_id.insert(id, self.messages.len());
        }
        self.messages.push(Some(as_message(message)));
    }

    /// Applies what a task wrote.
    pub(super) fn apply(&mut self, value: Node<'_>) {
        if let Some(value) = overwrites(value) {
            *self = MessageList::default();
            return self.apply(value);
        }
        each(value, &mut |message| {
            let id = id(message);
            let is_removal = Form::of(message).is_some_and(|form| form.speaker == Speaker::Remove);
            if is_removal && id.as_deref() == Some(ALL) {
                *self = MessageList::default();
                return;
            }
            let known = id.as_ref().and_then(|id| self.by_id.get(id)).copied();
            let known = known.and_then(|at| self.messages.get_mut(at));
            match (known, is_removal) {
                (Some(known), true) => *known = None,
                // One that was removed comes back at the end.
                (Some(known), false) if known.is_some() => *known = Some(as_message(message)),
                (_, true) => {}
                (_, false) => self.push(message),
            }
        });
    }

    /// Adds the messages of an input that no node has read yet.
    pub(super) fn add_input(&mut self, input: Option<Node<'_>>, channel: &str) {
        if let Some(messages) = input.and_then(|input| input.get(channel)) {
            self.apply(messages);
        }
    }
}

/// Passes on each message of a list, or the only one.
fn each(value: Node<'_>, act: &mut dyn FnMut(Node<'_>)) {
    match value.kind() {
        Kind::Array => value.items().for_each(act),
        _ if value.is_null() => {}
        _ => act(value),
    }
}

/// What replaces all messages, if a value says that it does.
fn overwrites(value: Node<'_>) -> Option<Node<'_>> {
    if value.kind() == Kind::Array {
        let mut parts = value.items();
        let is = |part: Option<Node<'_>>, name| part.is_some_and(|part| part.is_str(name));
        let own = is(parts.next(), "langgraph.types") && is(parts.next(), "Overwrite");
        return own.then(|| parts.next()?.get("value")).flatten();
    }
    let named = value.has_str("type", "__overwrite__");
    value.get("__overwrite__").or_else(|| value.get("value").filter(|_| named))
}

fn id(message: Node<'_>) -> Option<String> {
    let id = Form::of(message)?.id()?;
    Some(id.str()?.into_owned())
}

/// A message as an object: applications may write a text, or a role and a text.
fn as_message(value: Node<'_>) -> Vec<u8> {
    let raw = |node: Node<'_>| String::from_utf8_lossy(&node.raw()).into_owned();
    let parts: Vec<Node<'_>> = match value.kind() {
        Kind::Array => value.items().collect(),
        _ => Vec::new(),
    };
    match (value.str(), &parts[..]) {
        (Some(text), _) => {
            format!("{{\"type\":\"human\",\"content\":{}}}", quote(&text)).into_bytes()
        }
        (None, [role, content]) => {
            format!("{{\"role\":{},\"content\":{}}}", raw(*role), raw(*content)).into_bytes()
        }
        _ => value.raw().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::record::Record;

    #[test]
    fn writes_are_applied_in_their_order() {
        let mut list = MessageList::default();
        let written = |list: &MessageList| {
            let messages = list.messages.iter().flatten();
            let contents = messages.map(|own| {
                let record = Record::parse(own.clone()).unwrap();
                record.root().string("content").unwrap().into_owned()
            });
            contents.collect::<Vec<String>>().join(" ")
        };
        let human =
            |id: &str, text: &str| format!(r#"{{"type":"human","id":{id},"content":"{text}"}}"#);
        for (value, expected) in [
            (format!("[{},{}]", human("\"1\"", "a"), human("null", "b")), "a b"),
            (human("\"1\"", "c"), "c b"),
            (human("null", "b"), "c b b"),
            (r#"[{"type":"remove","id":"1","content":""}]"#.to_owned(), "b b"),
            (r#"[{"type":"remove","id":"9","content":""}]"#.to_owned(), "b b"),
            (human("\"1\"", "d"), "b b d"),
            ("null".to_owned(), "b b d"),
            (r#"["e",["user","f"]]"#.to_owned(), "b b d e f"),
            (r#"["langgraph.types","Overwrite",{"value":["g"]}]"#.to_owned(), "g"),
            (r#"{"__overwrite__":["h"]}"#.to_owned(), "h"),
            (r#"{"type":"__overwrite__","value":["i"]}"#.to_owned(), "i"),
            (format!(r#"[{{"type":"remove","id":"{ALL}","content":""}},"j"]"#), "j"),
        ] {
            let record = Record::parse(value.clone().into_bytes()).unwrap();
            list.apply(record.root());
            assert_eq!(written(&list), expected, "{value}");
        }
    }
}
