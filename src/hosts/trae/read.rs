//! Turns one interaction into facts: its new messages and its response. Does not look at other
//! records.

use super::{layout, own};
use crate::dialects::{MemberRef, Piece, Places, placeholders};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{
    FactValue, Flaws, Origin, PartKind, Place, Role, State, Transcript, facts,
};

/// The member with the new messages of an interaction.
pub(super) const INPUT: &str = "input_messages";
/// The member with the response of the model.
pub(super) const RESPONSE: &str = "response";

/// Reads an interaction, or the document around all of them.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    if event.role == Role::HostState {
        document(node, t);
        return;
    }
    if event.state == State::Unreadable {
        return;
    }
    let holder = t.newest();
    let time = node.string("timestamp");
    let time = time.and_then(|time| crate::transcript::time::parse(&time));
    t.newest_mut().set_time(time);
    let messages = node.get(INPUT).into_iter().flat_map(|list| list.items().enumerate());
    for (number, item) in
        messages.filter(|(_, item)| item.kind() == Kind::Object && !item.is_open())
    {
        t.begin_within(holder, item.span(), &format!("/{INPUT}/{number}"));
        t.set_fact(own::NUMBER, FactValue::Number(number as i64));
        message(item, t);
    }
    if let Some(response) =
        node.get(RESPONSE).filter(|node| node.kind() == Kind::Object && !node.is_open())
    {
        t.begin_within(holder, response.span(), &format!("/{RESPONSE}"));
        set_role("assistant", Role::Assistant, t);
        add_parts(response, t);
    }
}

fn set_role(word: &str, role: Role, t: &mut Transcript) {
    let kind = t.ids.intern(word);
    let event = t.newest_mut();
    (event.kind, event.role) = (Some(kind), role);
}

fn add_parts(message: Node<'_>, t: &mut Transcript) {
    for piece in pieces(message) {
        let part = piece.part(t);
        t.add_part(part);
    }
}

/// The parts of a message: a result, or a text and calls. The results of a step may be no messages.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let own = Some(message).filter(|message| is_bare_result(*message));
    if let Some(own) = own.or_else(|| message.get_kind("tool_result", Kind::Object)) {
        return vec![result(own)];
    }
    let text = message.get_kind("content", Kind::String).filter(|text| !text.is_blank_str());
    let text = text.map(|_| Piece::new(PartKind::Text, 0));
    let calls = message.get_kind("tool_call", Kind::Object).into_iter();
    text.into_iter().chain(calls.chain(message.items_of("tool_calls")).map(call)).collect()
}

/// Whether this is a result without a message around it. Its `call_id` may be lost.
fn is_bare_result(node: Node<'_>) -> bool {
    ["call_id", "success"].iter().any(|key| node.get(key).is_some())
}

fn message(node: Node<'_>, t: &mut Transcript) {
    let word = node.string("role").unwrap_or_default();
    let role = match word.as_ref() {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        _ => Role::User,
    };
    if let Some(result) = node.get_kind("tool_result", Kind::Object) {
        return read_result(&word, result, t);
    }
    set_role(&word, role, t);
    add_parts(node, t);
}

fn read_result(word: &str, result: Node<'_>, t: &mut Transcript) {
    set_role(word, Role::Tool, t);
    if is_empty_error(result) {
        t.note_flaws(Flaws::EMPTY_ERROR);
    }
    let part = self::result(result).part(t);
    t.add_part(part);
}

/// `call_id` counts; `id` is often null.
fn id<'a>(node: Node<'a>) -> MemberRef<'a> {
    MemberRef::of(node, "call_id")
}

fn call(node: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = Places::One(id(node));
    piece.names = node.get("name").into();
    piece.inputs = Places::One(MemberRef::of(node, "arguments"));
    piece
}

fn result(node: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Result, 0);
    piece.ids = Places::One(id(node));
    piece.inputs = Places::One(MemberRef::of(node, "result"));
    piece.status = node.get("error");
    let stub = piece
        .status
        .and_then(|error| error.str())
        .is_some_and(|error| placeholders::is_placeholder(&error));
    piece.origin = if stub { Origin::Placeholder } else { Origin::Real };
    piece
}

/// Whether a result reports an error without any text.
pub(super) fn is_empty_error(result: Node<'_>) -> bool {
    let mut texts = ["result", "error"].iter().filter_map(|key| result.get(key));
    result.get("success").is_some_and(|success| success.as_bool() == Some(false))
        && texts.all(|text| text.is_null() || text.is_blank_str())
}

/// Notes the provider, and whether the last request was rejected.
fn document(node: Node<'_>, t: &mut Transcript) {
    for (key, name) in [("provider", own::PROVIDER), ("model", own::MODEL)] {
        t.set_text(name, node.get(key));
    }
    let sent = node.items_of(layout::SENT);
    let sent = sent.filter(|interaction| !interaction.is_open()).count() as u64;
    let steps: Vec<Node<'_>> = node.items_of("agent_steps").collect();
    let refused = refused_list(&steps);
    let requests = sent + u64::from(refused.is_some());
    t.set_fact(own::REQUESTS, FactValue::Number(i64::try_from(requests).unwrap_or(i64::MAX)));
    let Some(last) = steps.last().filter(|last| has_failed(**last)) else {
        return;
    };
    t.set_fact(own::REFUSED, FactValue::Yes);
    let holder = t.newest();
    // These messages are the request after the last interaction.
    let begin = |t: &mut Transcript, node: Node<'_>, pointer: &str| {
        t.begin_within(holder, node.span(), pointer);
        t.newest_mut().set_place(Place::Item(sent));
    };
    if let Some(RejectedRequest { step, key, list }) = refused {
        for (at, item) in list.items().enumerate().filter(|(_, item)| item.kind() == Kind::Object) {
            begin(t, item, &format!("/agent_steps/{step}/{key}/{at}"));
            t.set_fact(own::NUMBER, FactValue::Number(at as i64));
            match key {
                "tool_results" if is_bare_result(item) => read_result("user", item, t),
                _ => message(item, t),
            }
        }
    }
    begin(t, *last, &format!("/agent_steps/{}", steps.len() - 1));
    t.set_fact(facts::FAILURE, FactValue::Yes);
}

/// Whether a step ended with an error of the provider.
fn has_failed(step: Node<'_>) -> bool {
    step.get("error").is_some_and(|error| error.kind() == Kind::String && !error.is_blank_str())
}

/// The members of a step that may hold the new messages of a rejected request, which has no
/// interaction: messages, or bare results.
pub(super) const REFUSED_LISTS: [&str; 2] = ["llm_messages", "tool_results"];

/// Where the new messages of a rejected request are.
pub(super) struct RejectedRequest<'a> {
    /// The number of the step.
    pub step: usize,
    /// The member of that step.
    pub key: &'static str,
    pub list: Node<'a>,
}

/// The new messages of the last request, if it was rejected: the step before the error holds them.
/// If that step has its own messages instead, its results are what the next request would have
/// sent.
pub(super) fn refused_list<'a>(steps: &[Node<'a>]) -> Option<RejectedRequest<'a>> {
    let [.., before, last] = steps else {
        return None;
    };
    let mut answered = before
        .items_of("llm_messages")
        .filter_map(|message| message.get("tool_result")?.get("call_id"))
        .peekable();
    let is_next = match answered.peek() {
        Some(_) => answered.any(|id| {
            let mut calls = before.items_of("tool_calls");
            calls.any(|call| call.get("call_id").is_some_and(|own| is_same(own, id)))
        }),
        None => before.items_of("tool_results").next().is_none(),
    };
    let is_first = before.items_of("llm_messages").any(|message| message.has_str("role", "system"));
    let key = REFUSED_LISTS[usize::from(!is_next || is_first)];
    let list = before.get(key).filter(|list| has_failed(*last) && list.kind() == Kind::Array)?;
    Some(RejectedRequest { step: steps.len() - 2, key, list })
}

fn is_same(id: Node<'_>, other: Node<'_>) -> bool {
    id.str().is_some_and(|text| other.is_str(&text))
}
