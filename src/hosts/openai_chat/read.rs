//! One message into facts. Knows no other record.

use super::own;
use crate::dialects::chat::{self as dialect, ChatKey, ChatMessage, foreign};
use crate::dialects::image_url;
use crate::dialects::piece::ArgumentsForm;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat;
use crate::transcript::{FactValue, Flaws, PartKind, Role, State, Transcript};

/// Reads a message, or the document around the list.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    read_mended(node, t, Flaws::NONE);
}

/// Reads a message, or the document around the list, of a host that corrects these flaws before it sends the message.
pub(in crate::hosts) fn read_mended(node: Node<'_>, t: &mut Transcript, mended: Flaws) {
    let event = t.newest_mut();
    let (speaker, state) = (event.role, event.state);
    if speaker == Role::HostState {
        return envelope(node, t);
    }
    let members = ChatMessage::of(node);
    let role = members.get(ChatKey::Role).and_then(|role| role.utf8()).unwrap_or_default();
    let kind = t.ids.intern_utf8(&role);
    let pieces = dialect::pieces(&members);
    let is_result = pieces.first().is_some_and(|piece| piece.kind == PartKind::Result);
    let speaker = match &*role {
        b"system" | b"developer" => Role::System,
        b"assistant" => Role::Assistant,
        _ if is_result => Role::Tool,
        lane if dialect::is_lane(lane) => Role::Assistant,
        b"" if members.get(ChatKey::ToolCalls).is_some() => Role::Assistant,
        _ => Role::User,
    };
    let event = t.newest_mut();
    event.kind = Some(kind).filter(|_| !role.is_empty());
    event.role = speaker;
    if state == State::Unreadable {
        return;
    }
    for piece in &pieces {
        let mut part = piece.part(t);
        let flaw = piece.input_flaw(ArgumentsForm::Text);
        part.bad_input = flaw != Flaws::NONE || piece.takes_any_input;
        t.add_part(part);
        t.note_flaws(flaw);
    }
    if state != State::Whole {
        // What was repaired to read it cannot be read again.
        chat::keep_digest(node, t);
    }
    if speaker == Role::Tool && is_silent_error(&members) {
        t.note_flaws(Flaws::EMPTY_ERROR);
    }
    t.note_flaws(flaws(node, &members, (&role, speaker)).without(mended));
}

/// The document around the list.
fn envelope(node: Node<'_>, t: &mut Transcript) {
    let bodies = [Some(node), node.get("request"), node.get("kwargs"), node.get("body")];
    let own = bodies.into_iter().flatten().find_map(|body| body.string("model"));
    let model = own.or_else(|| node.get("metadata")?.string("model"));
    if let Some(model) = model {
        let model = t.ids.intern(&model);
        t.set_fact(own::MODEL, FactValue::Text(model));
    } else if node.get("tools").is_some_and(|tools| !tools.is_null()) {
        t.set_fact(own::TOOLS, FactValue::Yes);
    }
}

/// Members with which a message says something next to its content.
const OTHERS: [ChatKey; 3] = [ChatKey::Refusal, ChatKey::Audio, ChatKey::FunctionCall];

/// What one message shows that some server refuses.
fn flaws(node: Node<'_>, members: &ChatMessage<'_>, (role, speaker): (&[u8], Role)) -> Flaws {
    let mut flaws = Flaws::NONE;
    if node.kind() != Kind::Object {
        return Flaws::NO_MESSAGE;
    }
    let has = |key: ChatKey| members.get(key).is_some_and(|value| !value.is_null());
    if members.get(ChatKey::Role).is_none_or(|role| role.kind() != Kind::String) || role.is_empty()
    {
        flaws |= if speaker == Role::User { Flaws::NO_ROLE } else { Flaws::LOST_ROLE };
    } else if !dialect::is_role(role) {
        flaws |= Flaws::NO_ROLE;
    }
    let calls = members.get(ChatKey::ToolCalls).filter(|calls| !calls.is_null());
    if calls.is_some_and(is_empty_list) {
        flaws |= Flaws::EMPTY_CALLS;
    }
    let content = members.get(ChatKey::Content).filter(|content| !content.is_null());
    let asks = calls.is_some_and(|calls| !is_empty_list(calls));
    match content {
        Some(content) if matches!(content.kind(), Kind::String | Kind::Array) => {
            let is_bare = is_empty_list(content) || content.is_str("");
            let says = asks || OTHERS.iter().any(|key| has(*key));
            if speaker == Role::Assistant && is_bare && !says {
                let thinks = has(ChatKey::ReasoningContent);
                let text = content.is_str("");
                flaws |= match (text, thinks) {
                    (true, true) => Flaws::NONE,
                    (true, false) => Flaws::BLANK,
                    (false, _) => Flaws::NOTHING,
                };
            }
            for block in content.items() {
                if foreign::is_foreign(block) {
                    flaws |= Flaws::FOREIGN;
                } else if image_url::is_flawed(block) {
                    flaws |= Flaws::MEDIA;
                }
            }
        }
        Some(_) => flaws |= Flaws::BAD_CONTENT,
        None if speaker != Role::Assistant => flaws |= Flaws::NO_CONTENT,
        None if asks => {}
        None if OTHERS.iter().any(|key| has(*key)) => {
            flaws |= Flaws::ONLY_OTHER_CONTENT;
        }
        None => flaws |= Flaws::NOTHING,
    }
    if has(ChatKey::FunctionCall) {
        flaws |= Flaws::OLD_CALL;
    }
    if members.boolean(ChatKey::Prefix) == Some(true) {
        flaws |= Flaws::PREFIX;
    }
    // The name of a result is ignored.
    let name = members.get(ChatKey::Name).filter(|_| speaker != Role::Tool);
    if name.is_some_and(dialect::is_bad_name) {
        flaws |= Flaws::NAME;
    }
    flaws | calls.map_or(Flaws::NONE, of_calls)
}

/// Extensions of some hosts: a result says that it is an error, and here nothing else.
fn is_silent_error(members: &ChatMessage<'_>) -> bool {
    let is_error = members.boolean(ChatKey::IsError) == Some(true)
        || members.has_str(ChatKey::Status, "error");
    let content = members.get(ChatKey::Content).filter(|content| !content.is_null());
    is_error && content.is_none_or(|content| content.is_str("") || is_empty_list(content))
}

fn is_empty_list(list: Node<'_>) -> bool {
    list.kind() == Kind::Array && list.items().next().is_none()
}

fn of_calls(calls: Node<'_>) -> Flaws {
    let mut flaws = Flaws::NONE;
    if calls.kind() != Kind::Array {
        return Flaws::BAD_CALLS;
    }
    for entry in calls.items() {
        let listed = dialect::ListedCall::of(entry);
        let Some(asked) = listed.asked else {
            flaws |= Flaws::BAD_CALLS;
            continue;
        };
        if !listed.has_type {
            flaws |= Flaws::NO_TYPE;
        }
        if asked
            .get("name")
            .is_none_or(|name| name.kind() != Kind::String || name.is_open() || name.is_str(""))
        {
            flaws |= Flaws::NO_NAME;
        }
    }
    flaws
}
