//! Which members of a record are structure. This lists what stays, not what is removed: every other
//! member is text.

use hashbrown::HashMap;

use crate::dialects::members::Holding;
use crate::format::Format;

/// The kind of a member, by its key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// Its key stays, and its value if that has the shape of an ID, a time, an identifier or a
    /// number.
    Structure,
    /// As [`Field::Structure`] in an object that describes a call, else as [`Field::Spelled`].
    Name,
    /// The name of a document or of who speaks, which providers look at: letters and digits become others, the rest stays.
    Spelled,
    /// Its key stays, and its content is redacted recursively.
    Known,
    /// As [`Field::Known`]; a string may hold a list of records as JSON text.
    Records,
    /// Its key stays; its content has no structure that a host reads.
    Free,
    /// As [`Field::Free`]; a string contains JSON.
    Arguments,
    /// As [`Field::Arguments`], but a list contains records.
    Input,
    /// Its key stays; a string contains the bytes of an image or a document.
    Media,
    /// A key of the user, or of an unknown host.
    Foreign,
}

impl From<Holding> for Field {
    fn from(holds: Holding) -> Field {
        match holds {
            Holding::Id | Holding::Envelope => Field::Structure,
            Holding::Name => Field::Name,
            Holding::Records => Field::Records,
            Holding::Arguments => Field::Arguments,
            Holding::Input => Field::Input,
            Holding::Media => Field::Media,
            Holding::Free => Field::Free,
            Holding::Text
            | Holding::Call
            | Holding::Result
            | Holding::Details
            | Holding::Extra
            | Holding::Refused => Field::Known,
        }
    }
}

/// Whether a member contains an ID, by the end of its key.
fn is_id_key(key: &str) -> bool {
    let ends = ["id", "Id", "ID", "uuid", "Uuid", "UUID", "ids", "Ids"]
        .iter()
        .any(|end| key.ends_with(end));
    (ends && key != "modelId") || key == "$rewindTo"
}

/// Whether a member shows that its object describes a call or a result.
pub(crate) fn is_of_calls(key: &str) -> bool {
    matches!(
        key,
        "arguments"
            | "input"
            | "args"
            | "parameters"
            | "input_schema"
            | "inputSchema"
            | "response"
            | "tool_call_id"
            | "tool_use_id"
            | "toolUseId"
            | "toolCallId"
            | "call_id"
            | "callId"
    )
}

/// Whether the value of a member describes a call.
fn holds_call(key: &str) -> bool {
    [
        "function",
        "function_call",
        "functionCall",
        "functionResponse",
        "toolUse",
        "toolCall",
        "custom",
    ]
    .contains(&key)
}

/// What a key says about its member.
#[derive(Copy, Clone, Debug)]
pub(crate) struct MemberRole {
    pub field: Field,
    /// Whether it contains an ID.
    pub is_id: bool,
    /// Whether its value describes a call.
    pub is_call: bool,
}

impl MemberRole {
    /// A member whose key cannot be read.
    pub(crate) const UNNAMED: MemberRole =
        MemberRole { field: Field::Foreign, is_id: false, is_call: false };

    fn of(key: &str, field: Field) -> MemberRole {
        MemberRole { field, is_id: is_id_key(key), is_call: holds_call(key) }
    }
}

/// The members of one format.
#[derive(Debug)]
pub(crate) struct FormatMembers {
    /// By bytes: that a key is UTF-8, the scanner knows.
    known: HashMap<&'static [u8], MemberRole>,
}

impl FormatMembers {
    pub(crate) fn of(format: &Format) -> FormatMembers {
        let all = format.traits.members.all();
        FormatMembers {
            known: all
                .map(|(word, holds)| (word.as_bytes(), MemberRole::of(word, holds.into())))
                .collect(),
        }
    }

    /// The kind of a member with this key.
    pub(crate) fn member(&self, key: &[u8]) -> MemberRole {
        let known = self.known.get(key).copied();
        known.unwrap_or_else(|| MemberRole::of(&String::from_utf8_lossy(key), Field::Foreign))
    }
}
