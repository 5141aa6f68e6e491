//! What formats share that are only a list of messages, without a tree or IDs that others refer to.

pub(crate) mod blocks;
pub(crate) mod diagnostics;
pub(crate) mod inside;
pub(crate) mod plain;
pub(crate) mod spoken;
pub(crate) mod write;

use crate::dialects::Pieces;
use crate::format::{FormatContext, HostTraits};
use crate::json::node::Node;
use crate::transcript::pairs::{PairStatus, Paired, Pairs};
use crate::transcript::request::{Inclusion, Request, Sent};
use crate::transcript::{
    ActionKind, Diagnostic, EventId, Fact, FactValue, IdRange, IndexVec, PartId, PartKind, Role,
    State, Transcript, messages,
};

/// The actions that a list of messages supports if results can move.
pub(crate) const SUPPORTS: &[ActionKind] = &[
    ActionKind::EditBytes,
    ActionKind::Remove,
    ActionKind::RemovePart,
    ActionKind::MoveTogether,
    ActionKind::AnswerCall,
    ActionKind::RenameId,
];

/// The hash of a record's bytes, by which copies are recognized.
pub(crate) const DIGEST: Fact = Fact::new(Fact::OF_FORMATS);

/// The records that are messages, without unreadable ones.
pub(crate) fn messages(t: &Transcript) -> Vec<EventId> {
    // Almost all records are, and a list that grows is copied again and again.
    let mut messages = Vec::with_capacity(t.events.len());
    messages.extend(t.records().filter(|event| {
        let record = t.event(*event);
        matches!(record.state, State::Whole | State::Recovered) && record.role.is_sent()
    }));
    messages
}

/// These messages without system prompts.
pub(crate) fn without_system(t: &Transcript, messages: &[EventId]) -> Vec<EventId> {
    let messages = messages.iter().copied();
    messages.filter(|event| t.event(*event).role != Role::System).collect()
}

/// Stores the hash of the record that is being read.
pub(crate) fn keep_digest(record: Node<'_>, t: &mut Transcript) {
    let digest = digest_of(record, t);
    t.set_fact(DIGEST, FactValue::Number(digest));
}

/// Reads a message: who speaks, with the word for it, and its parts.
pub(crate) fn read(
    message: Node<'_>,
    t: &mut Transcript,
    (word, role): (&str, Role),
    pieces: Pieces,
) {
    let kind = t.ids.intern(word);
    let event = t.newest_mut();
    (event.kind, event.role) = (Some(kind), role);
    if event.state == State::Unreadable {
        return;
    }
    keep_digest(message, t);
    for piece in pieces(message) {
        let part = piece.part(t);
        t.add_part(part);
    }
}

/// The hash of the bytes of this record.
pub(crate) fn digest_of(record: Node<'_>, t: &Transcript) -> i64 {
    i64::from_ne_bytes(t.ids.digest(&record.raw()).to_ne_bytes())
}

/// The hash of a record's bytes, if its reader stored it.
pub(crate) fn digest(t: &Transcript, event: EventId) -> Option<i64> {
    t.fact_number(event, DIGEST)
}

/// The items of these messages, with results separated from other content.
pub(crate) fn items(t: &Transcript, messages: &[EventId]) -> Vec<Sent> {
    items_as(t, messages, &|event| t.event(event).role, &|part| {
        t.part(part).kind == PartKind::Result
    })
}

/// The same for a host that sends messages in another role than the recorded one, or not each result as such.
pub(crate) fn items_as(
    t: &Transcript,
    messages: &[EventId],
    role: &dyn Fn(EventId) -> Role,
    is_result: &dyn Fn(PartId) -> bool,
) -> Vec<Sent> {
    let mut order: Vec<Sent> = Vec::with_capacity(messages.len());
    for event in messages.iter().copied() {
        let parts = t.event(event).parts.clone();
        if parts.is_empty() {
            order.push(Sent::new(event, role(event), parts));
            continue;
        }
        let role_of = |part: PartId| {
            if is_result(part) { Role::Tool } else { role(event) }
        };
        let mut start = parts.start();
        for part in parts.clone() {
            let ends = part.next() == parts.end() || role_of(part.next()) != role_of(part);
            if ends {
                order.push(Sent::new(event, role_of(part), IdRange::new(start, part.next())));
                start = part.next();
            }
        }
    }
    order
}

/// The request of a list that its program sends as it is, without copies.
pub(crate) fn project(context: &FormatContext<'_>, host: &HostTraits) -> Request {
    project_without(context, host, &[])
}

/// The same, without these parts, in order: they are not paired.
pub(crate) fn project_without(
    context: &FormatContext<'_>,
    host: &HostTraits,
    left_out: &[PartId],
) -> Request {
    let t = context.transcript;
    let mut all = messages(t);
    let (copies, mut diagnostics) = diagnostics::copies(context, &all);
    all.retain(|event| copies.binary_search(event).is_err());
    let paired =
        Paired { is_sent: &|part| left_out.binary_search(&part).is_err(), ..Paired::events(&all) };
    let pairs = Pairs::find(t, host.pairs, &paired);
    diagnostics.extend(diagnostics::unreadable(t, &pairs, host.unreadable));
    request(context, all, &[], pairs, diagnostics)
}

/// The request of these messages, in which a result counts whatever the role of its message. `forgotten`: messages that are
/// not sent.
pub(crate) fn request(
    context: &FormatContext<'_>,
    sent: Vec<EventId>,
    forgotten: &[EventId],
    pairs: Pairs,
    diagnostics: Vec<Diagnostic>,
) -> Request {
    let t = context.transcript;
    let order = items(t, &sent);
    request_of(context, order, (sent, forgotten), pairs, diagnostics)
}

/// The request of these items, from messages that are sent and others that are not.
pub(crate) fn request_of(
    context: &FormatContext<'_>,
    order: Vec<Sent>,
    (sent, forgotten): (Vec<EventId>, &[EventId]),
    pairs: Pairs,
    diagnostics: Vec<Diagnostic>,
) -> Request {
    let mut request = Request {
        inclusion: inclusions(context.transcript, &sent, forgotten),
        order: order.into(),
        branch: sent.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    context.count_messages(&mut request, messages::are_one_record);
    request
}

/// The inclusion of each event: items in the order are sent, other messages are forgotten.
pub(crate) fn inclusions(
    t: &Transcript,
    sent: &[EventId],
    forgotten: &[EventId],
) -> IndexVec<EventId, Option<Inclusion>> {
    let mut inclusions = IndexVec::for_each_of(&t.events, None);
    for event in t.records().filter(|event| t.event(*event).state == State::Unreadable) {
        inclusions[event] = Some(Inclusion::Unreadable);
    }
    sent.iter().for_each(|event| inclusions[*event] = Some(Inclusion::Sent));
    forgotten.iter().for_each(|event| inclusions[*event] = Some(Inclusion::Forgotten));
    inclusions
}

/// The answered calls that repeat an earlier one with the same ID, tool, arguments and result.
pub(crate) fn replays(t: &Transcript, pairs: &Pairs) -> Vec<(PartId, PartId)> {
    let mut answered: Vec<(Option<crate::transcript::Id>, PartId)> = pairs
        .all()
        .filter(|(_, status)| matches!(status, PairStatus::Answered(_)))
        .map(|(call, _)| (t.part(call).id, call))
        .collect();
    answered.sort_unstable();
    let mut found = Vec::new();
    for group in answered.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let (_, first) = group[0];
        for (_, call) in &group[1..] {
            let is_elsewhere = t.part(*call).event != t.part(first).event;
            let is_same = t.part(*call).digest == t.part(first).digest
                && answer_digest(t, pairs, *call) == answer_digest(t, pairs, first);
            if is_elsewhere && is_same {
                found.push((first, *call));
            }
        }
    }
    found.sort_unstable();
    found
}

fn answer_digest(t: &Transcript, pairs: &Pairs, call: PartId) -> Option<u64> {
    pairs.answer(call).map(|result| t.part(result).digest)
}

/// A fact of the document around the list, or of the host's state.
pub(crate) fn state_fact(t: &Transcript, name: Fact) -> Option<FactValue> {
    t.value_of(t.host_state()?, name)
}

/// Such a fact, if it is a string.
pub(crate) fn state_text(t: &Transcript, name: Fact) -> Option<&str> {
    t.fact_text(t.host_state()?, name)
}

/// Such a fact, if it is a number.
pub(crate) fn state_number(t: &Transcript, name: Fact) -> Option<i64> {
    t.fact_number(t.host_state()?, name)
}

/// The text of a message.
pub(crate) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let bodies = ["data", "kwargs", "message"];
    let body = bodies.iter().find_map(|key| root.get(key)).unwrap_or(root);
    let content = body.get("content")?;
    if let Some(text) = content.str() {
        return Some(text.into_owned());
    }
    let texts: Vec<String> = content.items().flat_map(words).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The texts of a block, including those of a result.
fn words(block: Node<'_>) -> Vec<String> {
    let result = block.get("toolResult").unwrap_or(block);
    let content = result.get("content").or_else(|| result.get("value"));
    let texts = [block.string("text"), block.str(), content.and_then(|content| content.str())];
    let inner = content.into_iter().flat_map(|list| list.items());
    let inner = inner.filter_map(|block| block.string("text"));
    texts.into_iter().flatten().chain(inner).map(|text| text.into_owned()).collect()
}
