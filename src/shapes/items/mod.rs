//! What formats share whose records are items of the Responses API: reading items, pairing, and the damage of such lists.

pub(crate) mod answer;
pub(crate) mod repeated;
mod write;

use crate::dialects::image_url;
use crate::dialects::responses::{self, ItemKey, ResponseItem, Sort};
use crate::format::FormatContext;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::rewrite::Schema;
use crate::shapes::chat;
use crate::transcript::pairs::{PairPolicy, PairStatus, Paired, Pairs};
use crate::transcript::request::Sent;
use crate::transcript::{
    EventId, Fact, FactValue, Flaws, Id, PartId, PartKind, Request, Role, State, Transcript, facts,
};

pub(crate) use write::{Numbered, OrderedItem, SUPPORTS, planner};

/// Facts of an item.
pub(crate) mod own {
    use crate::transcript::{Fact, fact::facts};

    facts! {
        Fact::OF_FORMATS + 1, Fact::OWN;
        /// An output whose call the server may have run itself.
        pub(crate) SERVER,
        /// The model or its provider.
        pub(crate) MODEL,
        /// Around the list: the server keeps nothing of the request.
        pub(crate) UNSTORED,
    }
}

/// What the OpenAI Agents SDK writes in place of an item ID for models of other APIs, and takes out of each request
/// (`agents/models/fake_id.py`, 0.24.0).
const NO_ID: &str = "__fake_id__";

/// How a format stores items.
pub(crate) struct ItemLayout {
    /// Finds the item in a record.
    pub item: for<'a> fn(Node<'a>) -> Node<'a>,
    pub schema: Schema,
    /// Makes a placeholder output for a call, as a record of the call's list. `None`: none can be made.
    pub answer: fn(&FormatContext<'_>, PartId) -> Option<Vec<u8>>,
    /// Makes a record after another one from the bytes of an element of a list inside a record. `None`: it cannot be a record.
    pub lift: fn(&FormatContext<'_>, Vec<u8>, EventId) -> Option<Vec<u8>>,
    /// The records of the new order whose number changes or is removed.
    pub number: fn(&FormatContext<'_>, &[OrderedItem]) -> Vec<Numbered>,
    /// Sets or removes the number of a record.
    pub set_number: fn(Node<'_>, Option<i64>) -> Option<RecordChange>,
}

/// Reads an item into the current event.
pub(crate) fn read(item: &ResponseItem<'_>, sort: Sort, t: &mut Transcript) {
    let kind = item.get(ItemKey::Type).and_then(|word| t.intern(word));
    let kind = kind.unwrap_or_else(|| t.ids.intern("message"));
    let id = item.get(ItemKey::Id).filter(|id| !id.is_str(NO_ID));
    let id = id.and_then(|id| t.intern(id));
    let role = item.role(sort);
    let event = t.newest_mut();
    (event.kind, event.id, event.role) = (Some(kind), id, role);
    if event.state == State::Unreadable {
        return;
    }
    let digest = match sort {
        _ if id.is_some() => t.ids.digest(&item.node.raw()),
        Sort::Call(_) => t.digest_later(|ids| ids.digest(&item.node.raw())),
        _ => 0,
    };
    if id.is_some() {
        t.set_fact(chat::DIGEST, FactValue::Number(i64::from_ne_bytes(digest.to_ne_bytes())));
    }
    if let Some(piece) = item.piece(sort) {
        // Calls are compared with all their members, outputs only by their content.
        let mut part = match sort {
            Sort::Call(_) => piece.part_with(digest, t),
            _ => {
                let digest = t.digest_later(|ids| piece.digest(ids));
                piece.part_with(digest, t)
            }
        };
        match sort {
            Sort::Call(kind)
                if !matches!(kind.call, "function_call" | "custom_tool_call")
                    && part.tool.is_none() =>
            {
                part.tool = Some(t.ids.intern(kind.call));
            }
            Sort::Output if item.has_str(ItemKey::Execution, "server") => {
                t.set_fact(own::SERVER, FactValue::Yes);
            }
            _ => {}
        }
        t.add_part(part);
    }
    if item.is_odd(sort) {
        t.note_flaws(Flaws::SHAPE);
    }
    let images = match sort {
        Sort::Message if role == Role::User => item.get(ItemKey::Content),
        Sort::Output => item.get(ItemKey::Output),
        _ => None,
    };
    if images.is_some_and(|list| list.items().any(image_url::is_flawed)) {
        t.note_flaws(Flaws::MEDIA);
    }
    if sort == Sort::Reasoning && id.is_some() && !item.is_encrypted() {
        t.set_fact(facts::NOT_ENCRYPTED, FactValue::Yes);
    }
    if sort == Sort::Reasoning && item.is_readable() {
        t.note_flaws(Flaws::READABLE);
    }
}

/// Pairs the calls and results of these events by kind. `sequence` has what is sent, and events that prove that the
/// conversation continued.
pub(crate) fn pair(t: &Transcript, sequence: &[EventId]) -> Pairs {
    let message = t.ids.find("message");
    let paired = Paired {
        joined: &|before, event| is_response(t, before, message) && is_response(t, event, message),
        fits: &|call, result| fits(t, call, result),
        ..Paired::events(sequence)
    };
    let pairs = Pairs::find(t, PairPolicy::KINDS, &paired);
    // What the server found itself does not need a call.
    let alone = |part: PartId| {
        pairs.status(part) == PairStatus::Orphan && t.has(t.part(part).event, own::SERVER)
    };
    if !pairs.all().any(|(part, _)| alone(part)) {
        return pairs;
    }
    let paired = Paired { is_sent: &|part| !alone(part), ..paired };
    Pairs::find(t, PairPolicy::KINDS, &paired)
}

/// Whether an event belongs to a response together with its neighbors: consecutive thinking and calls do. `message`: the kind
/// of those that do not, if there are any.
fn is_response(t: &Transcript, event: EventId, message: Option<Id>) -> bool {
    let event = t.event(event);
    event.role == Role::Assistant && (message.is_none() || event.kind != message)
}

/// Whether a result has a type that answers this call.
pub(crate) fn fits(t: &Transcript, call: PartId, result: PartId) -> bool {
    let [call, result] = [call, result].map(|part| t.kind(t.part(part).event));
    responses::fits(call, result)
}

/// The items of the request.
pub(crate) fn order(t: &Transcript, sent: &[EventId]) -> Vec<Sent> {
    sent.iter()
        .map(|event| {
            let record = t.event(*event);
            Sent::new(*event, record.role, record.parts.clone())
        })
        .collect()
}

/// Fills in the messages: the Responses API counts items, other targets count runs of one side.
pub(crate) fn count(request: &mut Request, context: &FormatContext<'_>) {
    let own = context.target.needs.items;
    context.count_messages(request, |before, next| {
        !own && !before.summary && before.role == Role::Assistant && next.role == Role::Assistant
    });
    let t = context.transcript;
    request.results_next |=
        t.all_texts(MODEL).any(|model| model.to_ascii_lowercase().contains("deepseek"));
    request.model = t.all_texts(MODEL).last().and_then(|model| t.ids.find(model));
    request.unstored |= chat::state_fact(t, own::UNSTORED).is_some();
}

/// The model or its provider.
pub(crate) const MODEL: Fact = own::MODEL;

/// Whether an event has a call or a result.
fn has_pair_part(t: &Transcript, event: EventId) -> bool {
    t.event(event)
        .parts
        .clone()
        .any(|part| matches!(t.part(part).kind, PartKind::Call | PartKind::Result))
}
