//! What a record holds: its texts, without its envelope.
//!
//! The envelope (IDs, links, numbers, times, types, usage, marks) may be overwritten by a rule that proves the right value. All
//! other texts were recorded, in whatever member they are: also in members that the format does not know.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use hashbrown::HashSet;

use crate::dialects::placeholders::{OUR_TEXTS, is_placeholder};
use crate::json::cut_off::open_text;
use crate::json::embedded::{string_of, values_in};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::json::tape::Kind;

/// A text, as a number that does not contain it. A text that only changed its escaping is the same text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TextKey(u64);

/// The texts of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// In order, some more than once.
    pub texts: Vec<TextKey>,
    /// Whether each of them is a text that hosts insert.
    pub only_placeholders: bool,
}

impl Contents {
    /// The texts of a value, which may be cut off.
    pub(crate) fn of(value: Node<'_>) -> Contents {
        let mut contents = Contents { texts: Vec::new(), only_placeholders: true };
        contents.add(value, "", Holder::Record, NESTED);
        contents
    }

    /// The texts of the string of a member.
    pub(super) fn of_text(text: &str) -> Contents {
        let quoted = quote(text);
        Contents::of_bytes(quoted.into_bytes())
    }

    /// The texts of bytes that begin with a value; none if they do not.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Contents {
        let record = Record::parse(bytes);
        record.map_or_else(Contents::default, |record| Contents::of(record.root()))
    }

    /// Whether nothing was recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether another value has all of these texts.
    pub(crate) fn is_in(&self, other: &Contents) -> bool {
        let others: HashSet<&TextKey> = other.texts.iter().collect();
        self.texts.iter().all(|text| others.contains(text))
    }

    fn add(&mut self, value: Node<'_>, key: &str, within: Holder, nested: u32) {
        match value.kind() {
            Kind::Object => {
                for (name, member) in value.members() {
                    let name = name.str().unwrap_or_default();
                    let is_envelope = within == Holder::Record && is_envelope(&name, member);
                    if !is_envelope && !BOUNDARIES.contains(&&*name) {
                        let inside = within.inside(&name, member);
                        self.add(member, &name, inside, nested);
                    }
                }
            }
            Kind::Array => value.items().for_each(|item| self.add(item, key, within, nested)),
            Kind::String => self.add_string(value, key, within, nested),
            Kind::Number | Kind::True | Kind::False
                if within == Holder::Arguments || VALUES.contains(&key) =>
            {
                self.push(&String::from_utf8_lossy(&value.raw()));
            }
            _ => {}
        }
    }

    fn add_string(&mut self, value: Node<'_>, key: &str, within: Holder, nested: u32) {
        let text = value.str().unwrap_or_else(|| open_text(value).into());
        // One word is a text, too, if it ends like a sentence.
        let is_word = is_label(&text) && !text.ends_with('.') && !VALUES.contains(&key);
        if within == Holder::Record && (is_word || is_id(key)) {
            return;
        }
        let text: Cow<'_, str> = match data_of(&text) {
            Some(data) => Cow::Owned(data.to_owned()),
            None => text,
        };
        match values_in(&text).filter(|_| nested > 0) {
            Some(values) => {
                for inner in values {
                    self.add_inner(inner, key, nested - 1);
                }
            }
            None => self.push(&text),
        }
    }

    /// Adds the texts of JSON in a text.
    fn add_inner(&mut self, json: &str, key: &str, nested: u32) {
        if let Some(text) = string_of(json) {
            match values_in(&text).filter(|_| nested > 0) {
                Some(values) => {
                    for inner in values {
                        self.add_inner(inner, key, nested - 1);
                    }
                }
                None => self.push(&text),
            }
        } else if let Some(record) = Record::parse(json.as_bytes().to_vec()) {
            self.add(record.root(), key, Holder::Arguments, nested);
        }
    }

    fn push(&mut self, text: &str) {
        let mut hasher = DefaultHasher::new();
        let mut is_blank = true;
        for char in text.chars().filter(|char| is_solid(*char)) {
            char.hash(&mut hasher);
            is_blank = false;
        }
        if !is_blank {
            self.only_placeholders &= is_placeholder(text) || OUR_TEXTS.contains(&text.trim());
            self.texts.push(TextKey(hasher.finish()));
        }
    }
}

/// Texts that encode texts are decoded this often.
const NESTED: u32 = 4;

/// What a member is in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Holder {
    Record,
    /// The arguments of a call, where every member is the model's.
    Arguments,
}

impl Holder {
    fn inside(self, name: &str, member: Node<'_>) -> Holder {
        match name {
            // The items of a request.
            "input" if member.kind() == Kind::Array => self,
            "input" | "arguments" | "args" | "parameters" => Holder::Arguments,
            _ => self,
        }
    }
}

/// The data of a data URI. What comes before it is a media type.
fn data_of(text: &str) -> Option<&str> {
    let (before, data) = text.split_once(";base64,")?;
    let is_type = before.starts_with("data:") && !before.contains(char::is_whitespace);
    is_type.then_some(data)
}

/// Whether a character counts: white space, control characters and what replaces wrong bytes are not text.
fn is_solid(char: char) -> bool {
    let is_mark = matches!(char, '\u{fffd}' | '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{85}');
    !char.is_whitespace() && !char.is_control() && !is_mark
}

/// The bytes of a text that count, without escapes that spell what does not.
pub(super) fn solid(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = &*text;
    let mut solid = String::new();
    while let Some(char) = rest.chars().next() {
        let length = match escape_of_nothing(rest) {
            0 => char.len_utf8(),
            length => {
                rest = &rest[length..];
                continue;
            }
        };
        if is_solid(char) {
            solid.push(char);
        }
        rest = &rest[length..];
    }
    solid
}

/// The length of an escape at the start of a text that spells white space, a control character or half a character.
fn escape_of_nothing(text: &str) -> usize {
    let Some(escape) = text.strip_prefix('\\') else {
        return 0;
    };
    match escape.as_bytes().first() {
        Some(b'n' | b't' | b'r' | b'b' | b'f') => 2,
        Some(b'u') => {
            let code = escape.get(1..5).and_then(|hex| u32::from_str_radix(hex, 16).ok());
            // Half a character is none.
            let counts = code.is_some_and(|code| char::from_u32(code).is_some_and(is_solid));
            if code.is_some() && !counts { 6 } else { 0 }
        }
        _ => 0,
    }
}

/// Members whose value is content also if it is a word or a number.
const VALUES: &[&str] = &[
    "content",
    "contents",
    "data",
    "error",
    "message",
    "output",
    "parts",
    "reasoning",
    "reasoning_content",
    "refusal",
    "response",
    "result",
    "stderr",
    "stdout",
    "summary",
    "text",
    "thinking",
    "value",
];

/// Members of the envelope, besides IDs: types, times, numbers, labels of a message and of who wrote it.
const ENVELOPE: &[&str] = &[
    "$rewindTo",
    "api",
    "created",
    "createdAt",
    "created_at",
    "cwd",
    "date",
    "display",
    "entrypoint",
    "finishReason",
    "finish_reason",
    "format",
    "gitBranch",
    "kind",
    "lastUpdated",
    "level",
    "media_type",
    "mimeType",
    "mime_type",
    "model",
    "modelVersion",
    "name",
    "object",
    "origin",
    "phase",
    "provider",
    "role",
    "slug",
    "startTime",
    "status",
    "stopReason",
    "stop_reason",
    "stop_sequence",
    "subtype",
    "time",
    "timestamp",
    "toolName",
    "tool_name",
    "ts",
    "type",
    "updated",
    "updatedAt",
    "updated_at",
    "userType",
    "version",
];

/// Members of the envelope, also in the arguments of a record of the host: what a compaction leaves out.
const BOUNDARIES: &[&str] = &[
    "forgotten_event_ids",
    "forgotten_events_end_id",
    "forgotten_events_start_id",
    "summary_offset",
];

/// Members that are of the envelope with all that is in them: usage, and marks.
const ENVELOPE_TREES: &[&str] = &[
    "cacheControl",
    "cachePoint",
    "cache_control",
    "tokens",
    "usage",
    "usageMetadata",
    "usage_metadata",
];

fn is_envelope(name: &str, value: Node<'_>) -> bool {
    if ENVELOPE_TREES.contains(&name) {
        return true;
    }
    let is_tree = matches!(value.kind(), Kind::Object | Kind::Array);
    !is_tree && (ENVELOPE.contains(&name) || is_id(name))
}

/// Whether a member holds an ID, by the end of its name.
pub(crate) fn is_id(name: &str) -> bool {
    let mut ends = ["_id", "_ids", "Id", "Ids", "ID", "uuid", "Uuid", "UUID"].iter();
    name == "id" || ends.any(|end| name.ends_with(end))
}

/// Whether the value of another member is a label: one word.
pub(crate) fn is_label(text: &str) -> bool {
    const LONGEST: usize = 32;
    text.len() <= LONGEST
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use super::Contents;

    fn texts(json: &str) -> usize {
        Contents::of_bytes(json.as_bytes().to_vec()).texts.len()
    }

    #[test]
    fn the_items_of_a_request_are_no_arguments() {
        let item =
            r#"{"type":"function_call","call_id":"c_1","name":"f","arguments":"{\"a\":\"b\"}"}"#;
        assert_eq!(texts(item), 1);
        assert_eq!(texts(&format!(r#"{{"model":"m","input":[{item}]}}"#)), 1);
        let call = r#"{"type":"tool_use","id":"c_1","name":"f","input":{"type":"b","to":[1]}}"#;
        assert_eq!(texts(call), 2);
    }

    #[test]
    fn a_word_is_a_label_unless_it_ends_like_a_sentence() {
        assert_eq!(texts(r#"{"type":"text","text":"","images":"hints"}"#), 0);
        assert_eq!(texts(r#"{"type":"text","text":"","images":"Hints."}"#), 1);
    }
}
