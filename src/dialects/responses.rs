//! Items of the OpenAI Responses API. An item is a message, a call, an output, thinking, or a call that the server runs
//! itself, which has no output item.

mod kinds;

pub(crate) use kinds::{CALLS, COMPACTIONS, CallKind, SEARCH, SERVER};
use kinds::{NEEDS_ID, OTHERS};

use super::piece::{MemberRef, Piece, Places};
use super::placeholders;
use crate::json::fields::{Fields, fields};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, PartKind, Role};

/// What an item is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Message,
    Reasoning,
    /// A call with a separate output item.
    Call(&'static CallKind),
    /// The output of a call.
    Output,
    /// An item that the model made and that has no output item.
    Server,
    /// An item without a counterpart that the model may not have made.
    Other,
}

/// The type of thinking items.
pub(crate) const REASONING: &str = "reasoning";

fields! {
    /// Members of an item that say what it is.
    pub(crate) enum ItemKey {
        Type = "type",
        Id = "id",
        Role = "role",
        Content = "content",
        CallId = "call_id",
        Name = "name",
        Arguments = "arguments",
        Input = "input",
        Output = "output",
        Execution = "execution",
        EncryptedContent = "encrypted_content",
    }
}

/// An item, with its members looked up once.
pub(crate) struct ResponseItem<'a> {
    pub node: Node<'a>,
    members: Fields<'a, ItemKey>,
}

impl<'a> ResponseItem<'a> {
    /// The item that a value is.
    pub(crate) fn of(node: Node<'a>) -> ResponseItem<'a> {
        ResponseItem { node, members: Fields::of(node) }
    }

    pub(crate) fn get(&self, key: ItemKey) -> Option<Node<'a>> {
        self.members.get(key)
    }

    fn is(&self, key: ItemKey, kind: Kind) -> bool {
        self.get(key).is_some_and(|value| value.kind() == kind)
    }

    fn place(&self, key: ItemKey) -> MemberRef<'a> {
        let missing = MemberRef::Missing(self.node, Fields::name(key));
        self.get(key).map_or(missing, MemberRef::At)
    }

    /// What it is; `None`: its type is unknown.
    pub(crate) fn sort(&self) -> Option<Sort> {
        let Some(word) = self.get(ItemKey::Type) else {
            let is_message = self.get(ItemKey::Role).and(self.get(ItemKey::Content)).is_some();
            return is_message.then_some(Sort::Message);
        };
        let word = &*word.utf8()?;
        if word == b"message" {
            return Some(Sort::Message);
        }
        if word == REASONING.as_bytes() {
            return Some(Sort::Reasoning);
        }
        if let Some(kind) = CALLS.iter().find(|kind| kind.call.as_bytes() == word) {
            let is_servers = kind.call == SEARCH && self.is_run_by_server();
            return Some(if is_servers { Sort::Server } else { Sort::Call(kind) });
        }
        let is = |name: &&str| name.as_bytes() == word;
        if CALLS.iter().any(|kind| kind.outputs.iter().any(is)) {
            // Tools that the server found on its own.
            let alone = word == b"tool_search_output" && !self.has_call_id();
            return Some(if alone { Sort::Server } else { Sort::Output });
        }
        if SERVER.iter().any(is) {
            return Some(Sort::Server);
        }
        COMPACTIONS.iter().chain(OTHERS).any(is).then_some(Sort::Other)
    }

    /// Whether the server runs a tool search: one without a call ID is run by the server.
    fn is_run_by_server(&self) -> bool {
        let client = self.get(ItemKey::Execution).is_some_and(|by| by.is_str("client"));
        !self.has_call_id() || !client
    }

    /// Whether it has the ID of a call.
    pub(crate) fn has_call_id(&self) -> bool {
        self.is(ItemKey::CallId, Kind::String)
    }

    /// Whether its member with this key is this text.
    pub(crate) fn has_str(&self, key: ItemKey, text: &str) -> bool {
        self.get(key).is_some_and(|value| value.is_str(text))
    }

    pub(crate) fn role(&self, sort: Sort) -> Role {
        match sort {
            Sort::Output => Role::Tool,
            Sort::Message => {
                match self.get(ItemKey::Role).and_then(|role| role.utf8()).as_deref() {
                    Some(b"assistant") => Role::Assistant,
                    Some(b"developer" | b"system") => Role::System,
                    _ => Role::User,
                }
            }
            Sort::Other => Role::User,
            Sort::Reasoning | Sort::Call(_) | Sort::Server => Role::Assistant,
        }
    }

    /// Its only part.
    pub(crate) fn piece(&self, sort: Sort) -> Option<Piece<'a>> {
        Some(match sort {
            Sort::Message => Piece::new(PartKind::Text, 0),
            Sort::Reasoning => Piece::new(PartKind::Thinking, 0),
            Sort::Call(kind) => {
                let mut piece = Piece::new(PartKind::Call, 0);
                // A request for approval has no call ID: the answer names the item itself.
                let is_request = kind.call == "mcp_approval_request";
                let id = if is_request { ItemKey::Id } else { ItemKey::CallId };
                piece.ids = Places::One(self.place(id));
                piece.names = self.get(ItemKey::Name).into();
                piece.inputs = Places::One(match kind.input {
                    "arguments" => self.place(ItemKey::Arguments),
                    "input" => self.place(ItemKey::Input),
                    other => MemberRef::of(self.node, other),
                });
                piece
            }
            Sort::Output => {
                let mut piece = Piece::new(PartKind::Result, 0);
                let is_response = self.has_str(ItemKey::Type, "mcp_approval_response");
                piece.ids = Places::One(if is_response {
                    MemberRef::of(self.node, "approval_request_id")
                } else {
                    self.place(ItemKey::CallId)
                });
                piece.inputs = self.output_content().map(MemberRef::At).into();
                piece.origin = origin(self.get(ItemKey::Output));
                piece
            }
            Sort::Server | Sort::Other => return None,
        })
    }

    /// The content of an output.
    fn output_content(&self) -> Option<Node<'a>> {
        let others = ["tools", "approve", "status"];
        self.get(ItemKey::Output).or_else(|| others.iter().find_map(|key| self.node.get(key)))
    }

    /// Whether it may have a problem that must be checked once it is known to be sent.
    pub(crate) fn is_odd(&self, sort: Sort) -> bool {
        match sort {
            Sort::Call(kind) => match kind.call {
                "function_call" => {
                    !self.is(ItemKey::Name, Kind::String)
                        || !self.is(ItemKey::Arguments, Kind::String)
                }
                "custom_tool_call" => {
                    !self.is(ItemKey::Name, Kind::String) || !self.is(ItemKey::Input, Kind::String)
                }
                _ => false,
            },
            Sort::Output => {
                !self.is(ItemKey::Output, Kind::String)
                    && !self.is(ItemKey::Output, Kind::Array)
                    && self.requires_content()
            }
            Sort::Message => !self.has_role() || self.get(ItemKey::Content).is_none_or(is_empty),
            Sort::Server => self.lacks_id(),
            _ => false,
        }
    }

    /// Whether it is a call of a hosted tool without the ID that it must have.
    pub(crate) fn lacks_id(&self) -> bool {
        !self.is(ItemKey::Id, Kind::String)
            && NEEDS_ID.iter().any(|name| self.has_str(ItemKey::Type, name))
    }

    /// Whether it has content for people, as the reasoning of open models does.
    pub(crate) fn is_readable(&self) -> bool {
        self.get(ItemKey::Content).is_some_and(|content| content.items().next().is_some())
    }

    /// Whether it has encrypted content.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.get(ItemKey::EncryptedContent)
            .is_some_and(|text| text.kind() == Kind::String && text.span().len() > 2)
    }

    /// Whether outputs of its type must have content.
    fn requires_content(&self) -> bool {
        let types = ["function_call_output", "custom_tool_call_output", "local_shell_call_output"];
        types.iter().any(|name| self.has_str(ItemKey::Type, name))
    }

    /// Whether a message has a valid role.
    pub(crate) fn has_role(&self) -> bool {
        let roles = ["user", "assistant", "developer", "system"];
        roles.iter().any(|role| self.has_str(ItemKey::Role, role))
    }
}

/// What an item is; `None`: its type is unknown.
pub(crate) fn sort(item: Node<'_>) -> Option<Sort> {
    ResponseItem::of(item).sort()
}

/// The only part of an item.
pub(crate) fn piece(item: Node<'_>) -> Option<Piece<'_>> {
    let item = ResponseItem::of(item);
    item.piece(item.sort()?)
}

/// The call with this type.
pub(crate) fn call_kind(word: &str) -> Option<&'static CallKind> {
    CALLS.iter().find(|kind| kind.call == word)
}

fn origin(output: Option<Node<'_>>) -> Origin {
    let text = output.and_then(|output| {
        let mut parts = output.items();
        let only = parts.next().filter(|_| parts.next().is_none());
        placeholders::ends_of(output).or_else(|| placeholders::ends_of(only?.get("text")?))
    });
    if text.is_some_and(|text| is_placeholder(&text)) { Origin::Placeholder } else { Origin::Real }
}

/// The start of the output of a call that the user stopped.
pub(crate) const ABORTED: &str = "aborted by user after ";

/// Whether a text is a placeholder for an output. `aborted by user after 3.2s` counts only next to another output, which is
/// better.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text == "aborted" || text.starts_with(ABORTED) || placeholders::is_placeholder(text)
}

/// Whether the model made an item, so that it may follow thinking.
pub(crate) fn is_made_by_model(item_type: &str, role: Role) -> bool {
    role == Role::Assistant
        || matches!(item_type, "compaction" | "context_compaction" | "item_reference")
}

/// The length limit for the ID of an item, in bytes.
const LONGEST_ID: usize = 64;

/// What is wrong with the ID of an item with this type, for which the provider rejects it. `None`: nothing.
pub(crate) fn id_refusal(item_type: &str, id: &str) -> Option<String> {
    let prefix = match item_type {
        "reasoning" => Some("rs"),
        // Of every role (openai/codex issues 27928 and 33176: `review_rollout_user`, UUIDs of hooks).
        "message" | "" => Some("msg"),
        // The IDs of these items are not item IDs.
        "mcp_approval_request" | "item_reference" => return None,
        other => call_kind(other).and_then(|kind| kind.prefix),
    };
    if id.is_empty() {
        return Some("item with an empty ID".to_owned());
    }
    if let Some(prefix) = prefix.filter(|prefix| !id.starts_with(prefix)) {
        return Some(format!("item ID that does not begin with `{prefix}`"));
    }
    if id.len() > LONGEST_ID {
        return Some(format!("item ID of more than {LONGEST_ID} characters"));
    }
    let mut bytes = id.bytes();
    let is_plain = bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    (!is_plain).then(|| "item ID with other characters than letters, digits, _ and -".to_owned())
}

/// Whether a value is an item that no other format has. For a message, its parts decide.
pub(crate) fn is_sign(item: Node<'_>) -> bool {
    let Some(sort) = sort(item) else { return false };
    match sort {
        Sort::Call(_) | Sort::Output | Sort::Server => {
            item.get("call_id").is_some()
                || item.get("id").is_some()
                || item.get("status").is_some()
                || item.get("approval_request_id").is_some()
                // Other programs write calls of this type, too, with arguments that are an object.
                || ["arguments", "input"].iter().any(|key| is_text(item, key))
        }
        Sort::Reasoning => item.get("summary").is_some(),
        Sort::Message => {
            let mut parts = item.items_of("content");
            item.get("role").is_some()
                && parts.any(|part| {
                    let word = part.get("type");
                    word.is_some_and(|word| {
                        ["input_text", "output_text"].iter().any(|own| word.is_str(own))
                    })
                })
        }
        Sort::Other => false,
    }
}

/// Whether an output of this type answers a call of that one.
pub(crate) fn fits(call: &str, output: &str) -> bool {
    call_kind(call).is_some_and(|kind| kind.outputs.contains(&output))
}

/// Whether a member is a string.
pub(crate) fn is_text(item: Node<'_>, key: &str) -> bool {
    item.get(key).is_some_and(|value| value.kind() == Kind::String)
}

/// Whether content is null or a list without parts.
pub(crate) fn is_empty(content: Node<'_>) -> bool {
    match content.kind() {
        Kind::Array => content.items().next().is_none(),
        Kind::String => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
