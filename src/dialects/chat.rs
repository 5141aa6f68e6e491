//! Messages of Chat Completions: calls in `tool_calls`, each result a message of role `tool`.

pub(crate) mod foreign;
pub(crate) mod plain;

use std::borrow::Cow;
use std::collections::VecDeque;

use hashbrown::HashMap;

use super::piece::{MemberRef, Piece, PieceHome, Places, USUAL};
use super::{converse, placeholders};
use crate::json::fields::{Fields, fields};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, PartKind};

/// Roles of the API.
pub(crate) const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];
/// The prefix of the roles of sub-agents in converted exports.
const LANE: &str = "assistant-subagent-";
/// A message has at least one of these members.
const SAYS: &[Sign] =
    &[Sign::Content, Sign::ToolCalls, Sign::FunctionCall, Sign::Refusal, Sign::Audio];
/// Members that only messages of other shapes have.
const FOREIGN_MEMBERS: &[Sign] = &[Sign::Lc, Sign::Parts, Sign::ParentUuid, Sign::AdditionalKwargs];
/// Types of blocks of other APIs.
const FOREIGN: &[&str] = &["toolRequest", "toolResponse", "input_text", "output_text"];
/// Types of blocks that are a sign of Anthropic's messages.
const ANTHROPIC: &[&str] =
    &["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"];

/// Whether a role is one of the API's, or of a sub-agent in a converted export.
pub(crate) fn is_role(role: impl AsRef<[u8]>) -> bool {
    is_of_api(role.as_ref()) || is_lane(role)
}

fn is_of_api(role: &[u8]) -> bool {
    ROLES.iter().any(|known| known.as_bytes() == role)
}

/// Whether a role is that of a sub-agent in a converted export.
pub(crate) fn is_lane(role: impl AsRef<[u8]>) -> bool {
    role.as_ref().starts_with(LANE.as_bytes())
}

fields! {
    /// Members that show which API a message belongs to.
    enum Sign {
        Content = "content",
        ToolCalls = "tool_calls",
        FunctionCall = "function_call",
        Refusal = "refusal",
        Audio = "audio",
        Role = "role",
        ToolCallId = "tool_call_id",
        Lc = "lc",
        Parts = "parts",
        ParentUuid = "parentUuid",
        AdditionalKwargs = "additional_kwargs",
    }
}

/// What a value shows of the API whose message it may be.
pub(crate) struct Signs<'a> {
    members: Fields<'a, Sign>,
    role: Cow<'a, [u8]>,
    is_foreign: bool,
}

impl<'a> Signs<'a> {
    pub(crate) fn of(node: Node<'a>) -> Signs<'a> {
        let members = Fields::<Sign>::of(node);
        let role = members.get(Sign::Role).and_then(|role| role.utf8());
        let role = role.unwrap_or_default();
        Signs { is_foreign: is_foreign(&members, &role), members, role }
    }

    fn has_any(&self, signs: &[Sign]) -> bool {
        has_any(&self.members, signs)
    }

    /// Whether it has content as messages of this dialect have it.
    fn says(&self) -> bool {
        self.has_any(SAYS) && !self.is_foreign
    }

    /// Whether it is a message of another API.
    pub(crate) fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Whether it is a message. Its role may be damaged.
    pub(crate) fn owns(&self) -> bool {
        self.has_any(&[Sign::Role, Sign::ToolCallId, Sign::ToolCalls]) && self.says()
    }

    /// Whether it is a message with a role of this dialect.
    pub(crate) fn speaks(&self) -> bool {
        is_role(&self.role) && self.owns()
    }
}

fn has_any(members: &Fields<'_, Sign>, signs: &[Sign]) -> bool {
    signs.iter().any(|sign| members.get(*sign).is_some())
}

/// Whether a value with these members and this role is a message of another API.
fn is_foreign(members: &Fields<'_, Sign>, role: &[u8]) -> bool {
    if role.starts_with(b"_") || matches!(role, b"human" | b"ai" | b"model") {
        return true;
    }
    if has_any(members, FOREIGN_MEMBERS) {
        return true;
    }
    // A string has no blocks.
    let content = members.get(Sign::Content);
    let Some(content) = content.filter(|content| content.kind() == Kind::Array) else {
        return false;
    };
    let own = has_any(members, &[Sign::ToolCalls, Sign::ToolCallId]);
    converse::owns(members.node())
        || content.items().any(|block| {
            let kind = block.get("type").and_then(|kind| kind.str()).unwrap_or_default();
            let is_text_elsewhere = kind == "text" && block.get("value").is_some();
            FOREIGN.contains(&kind.as_ref())
                || is_text_elsewhere
                || (!own && ANTHROPIC.contains(&kind.as_ref()))
        })
}

/// Whether a value has content as messages of this dialect have it.
pub(crate) fn says(node: Node<'_>) -> bool {
    Signs::of(node).says()
}

/// Whether a value is a message, perhaps with a damaged role.
pub(crate) fn owns(node: Node<'_>) -> bool {
    Signs::of(node).owns()
}

/// Whether a value is a message with a role of this dialect.
pub(crate) fn speaks(node: Node<'_>) -> bool {
    Signs::of(node).speaks()
}

fields! {
    /// Members of a message.
    pub(crate) enum ChatKey {
        Role = "role",
        Content = "content",
        ToolCalls = "tool_calls",
        ToolCallId = "tool_call_id",
        ToolCallIds = "tool_call_ids",
        Name = "name",
        FunctionCall = "function_call",
        Refusal = "refusal",
        Audio = "audio",
        ReasoningContent = "reasoning_content",
        IsError = "is_error",
        Status = "status",
        Prefix = "prefix",
    }
}

/// A message by its members.
pub(crate) type ChatMessage<'a> = Fields<'a, ChatKey>;

/// The parts of a message. A tool message is one result. Other messages have their content in order, then other text
/// members, then calls. A block that repeats a call is another place of that call.
pub(crate) fn pieces<'a>(message: &ChatMessage<'a>) -> Vec<Piece<'a>> {
    let content = message.get(ChatKey::Content).filter(|content| !content.is_null());
    if is_result(message) {
        return vec![result(message, content)];
    }
    let list = message.get(ChatKey::ToolCalls);
    let add_calls = |pieces: &mut Vec<Piece<'a>>| {
        if let Some(list) = list {
            let entries = (0_u32..).zip(list.items());
            let entries = entries.filter(|(_, entry)| entry.kind() == Kind::Object);
            entries.for_each(|(at, entry)| pieces.push(call(entry, PieceHome { list, at })));
        }
    };
    let (mut pieces, mut calls) = (Vec::with_capacity(USUAL), Vec::new());
    // Blocks may be other places of calls.
    let blocks = content.filter(|content| content.kind() == Kind::Array);
    match (blocks, content) {
        (Some(blocks), _) => {
            add_calls(&mut calls);
            pieces_of_blocks(blocks, &mut calls, &mut pieces);
        }
        (None, Some(content)) => pieces.push(text(content)),
        (None, None) => {}
    }
    if message
        .get(ChatKey::ReasoningContent)
        .is_some_and(|thinking| !thinking.is_blank_str() && !thinking.is_null())
    {
        pieces.push(Piece::new(PartKind::Thinking, 0));
    }
    let others = [ChatKey::Refusal, ChatKey::Audio, ChatKey::FunctionCall]
        .into_iter()
        .filter_map(|key| message.get(key));
    pieces.extend(others.filter(|other| !other.is_null()).map(|_| Piece::new(PartKind::Media, 0)));
    match blocks {
        Some(_) => pieces.append(&mut calls),
        None => add_calls(&mut pieces),
    }
    pieces
}

fn text(content: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Text, 0);
    piece.blank = content.is_blank_str();
    piece
}

/// Whether a message is a tool result. In converted exports the results of a sub-agent have the role of that sub-agent, so
/// for a role that the API does not know, the ID of a call decides.
fn is_result(message: &ChatMessage<'_>) -> bool {
    let role = message.get(ChatKey::Role).and_then(|role| role.utf8());
    let has = |key: ChatKey| message.get(key).is_some_and(|value| !value.is_null());
    match &*role.unwrap_or_default() {
        b"tool" => true,
        b"" if !has(ChatKey::ToolCalls) => message.get(ChatKey::ToolCallId).is_some(),
        known if is_of_api(known) => false,
        _ => has(ChatKey::ToolCallId) && !has(ChatKey::ToolCalls),
    }
}

/// An entry of `tool_calls`.
pub(crate) struct ListedCall<'a> {
    /// Its `function` or `custom` object.
    pub asked: Option<Node<'a>>,
    /// Whether it says which of them it has.
    pub has_type: bool,
}

impl<'a> ListedCall<'a> {
    pub(crate) fn of(entry: Node<'a>) -> ListedCall<'a> {
        let entry = Fields::<CallEntry>::of(entry);
        let asked = entry.get(CallEntry::Function).or(entry.get(CallEntry::Custom));
        ListedCall {
            asked: asked.filter(|asked| asked.kind() == Kind::Object),
            has_type: entry.get(CallEntry::Type).is_some_and(|kind| !kind.is_null()),
        }
    }
}

/// Characters that the name of who speaks must not have, besides white space.
const NOT_IN_NAMES: &[char] = &['<', '|', '\\', '/', '>'];

/// Whether the API takes a character in the name of who speaks.
pub(crate) fn takes_in_name(c: char) -> bool {
    !c.is_whitespace() && !NOT_IN_NAMES.contains(&c)
}

/// Whether the API rejects a text as the name of who speaks.
pub(crate) fn is_bad_name(name: Node<'_>) -> bool {
    name.str().is_some_and(|name| name.is_empty() || !name.chars().all(takes_in_name))
}

fields! {
    /// Members of an entry of `tool_calls`.
    enum CallEntry {
        Id = "id",
        Type = "type",
        CallId = "call_id",
        Function = "function",
        Custom = "custom",
    }
}

fields! {
    /// Members of the object in it.
    enum CalledFunction {
        Name = "name",
        Arguments = "arguments",
        Input = "input",
    }
}

fn call<'a>(entry: Node<'a>, home: PieceHome<'a>) -> Piece<'a> {
    let mut piece = Piece::new(PartKind::Call, 0);
    let entry = Fields::<CallEntry>::of(entry);
    let member = |object: Node<'a>, node: Option<Node<'a>>, key: &'static str| {
        Places::One(node.map_or(MemberRef::Missing(object, key), MemberRef::At))
    };
    let id = entry.get(CallEntry::Id);
    piece.ids = member(entry.node(), id, "id");
    // Hermes stores the ID twice, as the Responses API calls it, and pairs by that one.
    if let Some(twin) = entry.get(CallEntry::CallId)
        && id.is_some_and(|id| id.utf8() == twin.utf8())
    {
        piece.ids.push(MemberRef::At(twin));
    }
    let function = entry.get(CallEntry::Function);
    let asked = function.or(entry.get(CallEntry::Custom));
    let asked = asked.filter(|asked| asked.kind() == Kind::Object);
    let asked = asked.map(Fields::<CalledFunction>::of);
    let of = |key: CalledFunction| asked.as_ref().and_then(|asked| asked.get(key));
    piece.names = of(CalledFunction::Name).into();
    match function.filter(|function| function.kind() == Kind::Object) {
        Some(function) => {
            piece.inputs = member(function, of(CalledFunction::Arguments), "arguments")
        }
        None => {
            piece.inputs = of(CalledFunction::Input).map(MemberRef::At).into();
            piece.takes_any_input = true;
        }
    }
    piece.homes = Places::One(home);
    piece
}

fn result<'a>(message: &ChatMessage<'a>, content: Option<Node<'a>>) -> Piece<'a> {
    let mut piece = Piece::new(PartKind::Result, 0);
    // SWE-agent has a list with one ID.
    let id = message
        .get(ChatKey::ToolCallId)
        .or_else(|| message.get(ChatKey::ToolCallIds)?.items().next());
    piece.ids =
        Places::One(id.map_or(MemberRef::Missing(message.node(), "tool_call_id"), MemberRef::At));
    let blocks = content.into_iter().flat_map(|content| content.items());
    piece.ids.extend(blocks.filter_map(|block| block.get("tool_call_id")).map(MemberRef::At));
    piece.names = message.get(ChatKey::Name).into_iter().filter(|name| !name.is_null()).collect();
    let content_or_null = message.get(ChatKey::Content);
    piece.inputs = Places::One(
        content_or_null.map_or(MemberRef::Missing(message.node(), "content"), MemberRef::At),
    );
    piece.origin = content.map_or(Origin::Real, origin);
    piece
}

/// A result is a placeholder if its only text is one.
fn origin(content: Node<'_>) -> Origin {
    let mut blocks = content.items();
    let only = match (blocks.next(), blocks.next()) {
        (Some(block), None) => block.get("text"),
        (None, None) => Some(content),
        _ => None,
    };
    placeholders::origin(only)
}

/// Adds the pieces of the blocks of a content. Blocks that repeat a call become another place of that call.
fn pieces_of_blocks<'a>(content: Node<'a>, calls: &mut [Piece<'a>], pieces: &mut Vec<Piece<'a>>) {
    let mut by_id: Option<HashMap<String, VecDeque<usize>>> = None;
    for (at, block) in (0_u32..).zip(content.items()) {
        let kind = block.string("type").unwrap_or_default();
        let mut piece = match kind.as_ref() {
            "text" | "tool_output" => {
                let mut piece = Piece::new(PartKind::Text, 0);
                piece.blank = block.get("text").is_some_and(|text| text.is_blank_str());
                piece
            }
            "thinking" | "redacted_thinking" | "reasoning" => Piece::new(PartKind::Thinking, 0),
            "tool_call" => {
                let by_id = by_id.get_or_insert_with(|| places(calls));
                let id = block.string("tool_call_id").unwrap_or_default();
                let own = by_id.get_mut(id.as_ref()).and_then(VecDeque::pop_front);
                if let Some(own) = own.and_then(|own| calls.get_mut(own)) {
                    own.ids.extend(block.get("tool_call_id").map(MemberRef::At));
                    own.names.extend(block.get("name"));
                    own.inputs.extend(block.get("arguments").map(MemberRef::At));
                    own.homes.push(PieceHome { list: content, at });
                    continue;
                }
                Piece::new(PartKind::Media, 0)
            }
            _ => Piece::new(PartKind::Media, 0),
        };
        piece.homes = Places::One(PieceHome { list: content, at });
        pieces.push(piece);
    }
}

/// The calls with each ID, in order.
fn places(calls: &[Piece<'_>]) -> HashMap<String, VecDeque<usize>> {
    let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (at, call) in calls.iter().enumerate() {
        if let Some(id) = call.id() {
            places.entry(id.into_owned()).or_default().push_back(at);
        }
    }
    places
}

#[cfg(test)]
mod tests;
