//! What edits change in a record, in words.

use std::borrow::Cow;
use std::ops::Range;

use super::steps::is_short;
use crate::bytes::edit::Edit;
use crate::format::FormatContext;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::EventId;

/// Changes that are named, at most.
const NAMED: usize = 2;
/// Members and items of a value that are searched, at most.
const MOST: usize = 1000;
/// Longest value that is named.
const LONGEST_VALUE: usize = 24;
/// Members of records, whose names reveal nothing about what is in them.
const KNOWN: &[&str] = &[
    "args",
    "arguments",
    "call_id",
    "compactMetadata",
    "content",
    "data",
    "error",
    "function",
    "functionCall",
    "functionResponse",
    "id",
    "image_url",
    "input",
    "is_error",
    "media_type",
    "message",
    "name",
    "ordinal",
    "output",
    "parts",
    "payload",
    "preservedSegment",
    "reasoning_content",
    "response",
    "result",
    "role",
    "sessionId",
    "signature",
    "source",
    "status",
    "text",
    "thinking",
    "thoughtSignature",
    "timestamp",
    "toolCall",
    "toolCallId",
    "toolCalls",
    "toolName",
    "toolResult",
    "toolUse",
    "toolUseId",
    "tool_call_id",
    "tool_calls",
    "tool_use_id",
    "type",
];
/// Those of them whose values are words of formats.
const WORDS: &[&str] = &["is_error", "media_type", "role", "status", "type"];

/// What an edit does, with the name of the member or value that it does it to.
#[derive(Debug, PartialEq, Eq)]
enum MemberChange {
    Add(String),
    Remove(String),
    /// Its value becomes what may be said of it: `to `user``, `from an object to text`.
    Set(String, Option<String>),
    /// It had no value, or an empty one.
    Fill(String),
    /// The new name.
    Rename(String, String),
}

impl MemberChange {
    /// What it does, to what, and the preposition before the record.
    fn words(&self) -> (&'static str, String, &'static str) {
        match self {
            MemberChange::Add(name) => ("add", name.clone(), "to"),
            MemberChange::Remove(name) => ("remove", name.clone(), "from"),
            MemberChange::Set(name, None) => ("change", name.clone(), "in"),
            MemberChange::Set(name, Some(becomes)) => ("change", format!("{name} {becomes}"), "in"),
            MemberChange::Fill(name) => ("fill", name.clone(), "in"),
            MemberChange::Rename(name, new) => ("rename", format!("{name} to `{new}`"), "in"),
        }
    }
}

/// `change `role` to `user` in {}`, with `{}` for the record. `None`: none of the names may be shown.
pub(super) fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    edits: &[Edit],
) -> Option<String> {
    let at = context.transcript.event(event).at();
    let record = is_short(context.transcript, event).then(|| context.records.at(at).ok());
    let record = record.flatten()?;
    let mut all: Vec<MemberChange> = Vec::new();
    for edit in edits {
        let Edit::Bytes { at: edited, with } = edit else {
            return None;
        };
        let offset = |place: u64| u32::try_from(place.saturating_sub(at.start)).unwrap_or(u32::MAX);
        let range = offset(edited.start)..offset(edited.end);
        let change = change_at(record.root(), range, with)?;
        if !all.contains(&change) {
            all.push(change);
        }
    }
    match all.as_slice() {
        [] => None,
        some if some.len() <= NAMED => Some(sentence(some)),
        many => Some(format!("change {} fields of {{}}", many.len())),
    }
}

fn sentence(changes: &[MemberChange]) -> String {
    let words: Vec<_> = changes.iter().map(MemberChange::words).collect();
    let (does, _, before) = words[0];
    if words.iter().all(|(own, ..)| *own == does) {
        let names: Vec<&str> = words.iter().map(|(_, name, _)| name.as_str()).collect();
        return format!("{does} {} {before} {{}}", names.join(" and "));
    }
    let each: Vec<String> = words.iter().map(|(does, name, _)| format!("{does} {name}")).collect();
    format!("{} in {{}}", each.join(" and "))
}

/// What happens to the innermost member with a known name that holds a range. `None`: no name is known.
fn change_at(root: Node<'_>, range: Range<u32>, with: &[u8]) -> Option<MemberChange> {
    let (mut path, mut node) = (String::new(), root);
    let holds = |own: &Range<u32>| own.start <= range.start && range.end <= own.end;
    loop {
        let items = node.items().take(MOST).enumerate();
        if let Some((n, item)) = items.into_iter().find(|(_, item)| holds(&item.span())) {
            path.push_str(&format!("[{n}]"));
            if item.span() == range {
                return Some(new_value(item, quoted(&path)?, with));
            }
            node = item;
            continue;
        }
        let mut members = node.members().take(MOST);
        let touched = members.find(|(key, value)| {
            let own = key.span().start..value.span().end;
            // What is inserted right before a member is another one.
            own.start < range.end && range.start < own.end
        });
        let Some((key, value)) = touched else {
            return in_container(node, &path, with);
        };
        let name = key.str().map(Cow::into_owned);
        let Some(name) = name.filter(|name| KNOWN.contains(&name.as_str())) else {
            return Some(MemberChange::Set(quoted(&path)?, None));
        };
        let outer = path.clone();
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&name);
        if holds(&value.span()) && value.span() != range {
            node = value;
            continue;
        }
        let own = quoted(&path)?;
        if range == key.span() {
            return Some(match word(with).filter(|new| KNOWN.contains(&new.as_str())) {
                Some(new) => MemberChange::Rename(own, new),
                None => MemberChange::Set(quoted(&outer)?, None),
            });
        }
        if with.trim_ascii().is_empty() {
            return Some(MemberChange::Remove(own));
        }
        if range != value.span() {
            return Some(MemberChange::Set(own, None));
        }
        return Some(match word(with).filter(|_| WORDS.contains(&name.as_str())) {
            Some(new) => MemberChange::Set(own, Some(format!("to `{new}`"))),
            None => new_value(value, own, with),
        });
    }
}

/// What a value becomes, without its content.
fn new_value(old: Node<'_>, name: String, with: &[u8]) -> MemberChange {
    let new = with.trim_ascii();
    if is_void(old) && new.len() > 2 {
        return MemberChange::Fill(name);
    }
    if !new.is_empty() && new.iter().all(u8::is_ascii_digit) {
        let number = String::from_utf8_lossy(new);
        return MemberChange::Set(name, Some(format!("to {number}")));
    }
    let becomes = match (old.kind(), kind_of(new)) {
        (Kind::Object, Some("an object")) if new.starts_with(b"{\"type\":\"text\"") => {
            let was_text = old.get("type").is_some_and(|kind| kind.is_str("text"));
            (!was_text).then(|| "to a text block".to_owned())
        }
        (old, Some(new)) => {
            let old = kind_word(old);
            (old != new).then(|| format!("from {old} to {new}"))
        }
        (_, None) => None,
    };
    MemberChange::Set(name, becomes)
}

/// Nothing is in it.
fn is_void(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::String => value.is_blank_str(),
        Kind::Array => value.items().next().is_none(),
        _ => false,
    }
}

/// What JSON that begins so is.
fn kind_of(json: &[u8]) -> Option<&'static str> {
    let kind = match json.first()? {
        b'{' => Kind::Object,
        b'[' => Kind::Array,
        b'"' => Kind::String,
        _ => return None,
    };
    Some(kind_word(kind))
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "an object",
        Kind::Array => "a list",
        Kind::String => "text",
        Kind::Number => "a number",
        Kind::True | Kind::False => "a boolean",
        Kind::Null => "null",
    }
}

/// What happens between the members or the items of a value.
fn in_container(node: Node<'_>, path: &str, with: &[u8]) -> Option<MemberChange> {
    let is_removed = with.trim_ascii().is_empty();
    if node.kind() == Kind::Array {
        let part = format!("a part of {}", quoted(path)?);
        return Some(if is_removed { MemberChange::Remove(part) } else { MemberChange::Add(part) });
    }
    let new = with.split(|byte| *byte == b'"').nth(1);
    let new = new.and_then(|new| std::str::from_utf8(new).ok()).filter(|new| KNOWN.contains(new));
    match new.filter(|_| node.kind() == Kind::Object) {
        Some(new) if path.is_empty() => Some(MemberChange::Add(format!("`{new}`"))),
        Some(new) => Some(MemberChange::Add(format!("`{path}.{new}`"))),
        None => Some(MemberChange::Set(quoted(path)?, None)),
    }
}

fn quoted(path: &str) -> Option<String> {
    (!path.is_empty()).then(|| format!("`{path}`"))
}

/// A new value or name, if it is a short word.
fn word(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes.trim_ascii()).ok()?.trim_matches('"');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
    let is_word = !text.is_empty() && text.len() <= LONGEST_VALUE && text.chars().all(is_plain);
    is_word.then(|| text.to_owned())
}
