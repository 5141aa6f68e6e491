//! What formats share whose records are items of the Responses API: reading one, pairing, and the damage that such lists
//! may have.

pub(super) mod answer;
pub(super) mod repeated;
mod write;

use crate::dialects::responses::{self, Sort};
use crate::formats::FormatContext;
use crate::formats::chat;
use crate::json::cut::Change;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::rewrite::Schema;
use crate::transcript::pairs::{PairPolicy, PairStatus, Paired, Pairs};
use crate::transcript::request::Sent;
use crate::transcript::{
    EventId, Fact, Flaws, PartId, PartKind, Request, Role, State, Transcript, Value, attr,
};

pub(super) use write::{Line, Numbered, SUPPORTS, plan_edits};

/// Facts of an item.
pub(super) mod attrs {
    use crate::transcript::{Fact, fact::facts};

    facts! {
        Fact::OF_FORMATS + 1, Fact::OWN;
        /// An output that the server's own call may stand for.
        pub(crate) SERVER,
        /// The model, or who serves it.
        pub(crate) MODEL,
    }
}

/// How a format holds items.
pub(super) struct Manner {
    /// The item in a record.
    pub item: for<'a> fn(Node<'a>) -> Node<'a>,
    /// What records hold.
    pub schema: Schema,
    /// The record that answers a call, in the list that holds the call; `None`: it cannot be made up.
    pub answer: fn(&FormatContext<'_>, PartId) -> Option<Vec<u8>>,
    /// An element of a list inside a record, given its bytes, as a record behind another one; `None`: it cannot be one.
    pub lift: fn(&FormatContext<'_>, Vec<u8>, EventId) -> Option<Vec<u8>>,
    /// The records of the new order that get another number, or lose theirs.
    pub number: fn(&FormatContext<'_>, &[Line]) -> Vec<Numbered>,
    /// Gives a record a number, or takes it.
    pub set_number: fn(Node<'_>, Option<i64>) -> Option<Change>,
}

/// Reads an item into the open event.
pub(super) fn read(item: Node<'_>, sort: Sort, t: &mut Transcript) {
    let word = item.string("type");
    let kind = t.ids.intern(word.as_deref().unwrap_or("message"));
    let id = item.string("id").map(|id| t.ids.intern(&id));
    let role = responses::role(item, sort);
    let event = t.newest_mut();
    (event.kind, event.id, event.role) = (Some(kind), id, role);
    if event.state == State::Unreadable {
        return;
    }
    let digest = match sort {
        Sort::Call(_) => t.ids.digest(&item.raw()),
        _ if id.is_some() => t.ids.digest(&item.raw()),
        _ => 0,
    };
    if id.is_some() {
        t.attr(
            chat::DIGEST,
            Value::Number(i64::from_ne_bytes(digest.to_ne_bytes())),
        );
    }
    if let Some(piece) = responses::piece_of(item, sort) {
        let mut part = piece.part(t);
        match sort {
            // A call is the same only with all that belongs to it, an output by what it says.
            Sort::Call(kind) => {
                part.digest = digest;
                if !matches!(kind.call, "function_call" | "custom_tool_call") && part.tool.is_none()
                {
                    part.tool = Some(t.ids.intern(kind.call));
                }
            }
            Sort::Output if item.has_str("execution", "server") => {
                t.attr(attrs::SERVER, Value::Yes);
            }
            _ => {}
        }
        t.part(part);
    }
    if responses::is_odd(item, sort) {
        t.note_flaws(Flaws::SHAPE);
    }
    if sort == Sort::Reasoning && id.is_some() && !is_encrypted(item) {
        t.attr(attr::NOT_ENCRYPTED, Value::Yes);
    }
}

fn is_encrypted(item: Node<'_>) -> bool {
    item.get("encrypted_content")
        .is_some_and(|text| text.kind() == Kind::String && text.span().len() > 2)
}

/// Pairs the calls and results of these events by kind. What the host sends is `sent`; `sequence` holds besides what
/// proves that the conversation went on.
pub(super) fn pair(t: &Transcript, sequence: &[EventId]) -> Pairs {
    let fits = |call: PartId, result: PartId| fits(t, call, result);
    let joined = |before: EventId, event: EventId| is_response(t, before) && is_response(t, event);
    let paired = Paired {
        joined: &joined,
        fits: &fits,
        ..Paired::events(sequence)
    };
    let pairs = Pairs::find(t, PairPolicy::KINDS, &paired);
    // What the server found itself needs no call.
    let alone = |part: PartId| {
        pairs.status(part) == PairStatus::Orphan
            && t.attr_of(t.a_part(part).event, attrs::SERVER).is_some()
    };
    if !pairs.all().any(|(part, _)| alone(part)) {
        return pairs;
    }
    let paired = Paired {
        is_sent: &|part| !alone(part),
        ..paired
    };
    Pairs::find(t, PairPolicy::KINDS, &paired)
}

/// Thinking and calls in a row are one response.
fn is_response(t: &Transcript, event: EventId) -> bool {
    t.event(event).role == Role::Assistant && t.kind(event) != "message"
}

/// Whether the type of a result is one that answers this call.
pub(super) fn fits(t: &Transcript, call: PartId, result: PartId) -> bool {
    let kind = |part| t.kind(t.a_part(part).event);
    responses::fits(kind(call), kind(result))
}

/// What is sent, item by item.
pub(super) fn order(t: &Transcript, sent: &[EventId]) -> Vec<Sent> {
    let item = |event: &EventId| {
        let record = t.event(*event);
        Sent {
            event: *event,
            role: record.role,
            parts: record.parts.clone(),
            summary: false,
        }
    };
    sent.iter().map(item).collect()
}

/// Fills in the messages as the target counts them: its own counts items, others runs of one side.
pub(super) fn count(request: &mut Request, context: &FormatContext<'_>) {
    let own = context.target.needs.items;
    let joined = |before: &Sent, next: &Sent| {
        !own && !before.summary && before.role == Role::Assistant && next.role == Role::Assistant
    };
    context.count_messages(request, joined);
    let t = context.transcript;
    request.results_next |= t.all_values(MODEL).any(|model| match model {
        Value::Text(model) => t.ids.get(model).to_ascii_lowercase().contains("deepseek"),
        _ => false,
    });
}

/// The fact of a record that names the model, or who serves it.
pub(super) const MODEL: Fact = attrs::MODEL;

/// Whether an event holds a call or a result.
fn asks(t: &Transcript, event: EventId) -> bool {
    t.event(event)
        .parts
        .clone()
        .any(|part| matches!(t.a_part(part).kind, PartKind::Call | PartKind::Result))
}
