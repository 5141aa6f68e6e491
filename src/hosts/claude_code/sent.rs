//! Makes the messages of the request from records, like the current client.

use std::ops::Range;

use super::records::is_spoken;
use super::tree::SessionTree;
use super::{kinds, own};
use crate::transcript::request::{Request, Sent};
use crate::transcript::{EventId, IdRange, PartId, PartKind, Role, Transcript};

/// A message of the request.
pub(super) struct SentMessage {
    /// Who speaks.
    pub role: Role,
    /// Its items: positions in the order of the request, results first.
    items: Range<u32>,
    /// A user line before results, and the first of these results.
    pub queued: Option<(EventId, EventId)>,
}

impl SentMessage {
    /// Its items.
    pub(super) fn items<'o>(&self, order: &'o [Sent]) -> &'o [Sent] {
        order.get(self.items.start as usize..self.items.end as usize).unwrap_or_default()
    }
}

/// A message whose items may still become more.
struct Gathered {
    role: Role,
    items: Vec<Sent>,
}

/// What a sequence of records sends, in order, and the messages that it is.
pub(super) fn messages(
    t: &Transcript,
    tree: &SessionTree,
    sequence: &[EventId],
) -> (Vec<Sent>, Vec<SentMessage>) {
    let stripped = sequence.iter().rposition(|event| t.has(*event, own::STRIPS));
    let mut messages: Vec<Gathered> = Vec::new();
    let mut items = Vec::new();
    for (at, event) in sequence.iter().copied().enumerate() {
        let no_thinking = stripped.is_some_and(|stripped| at < stripped);
        add_items(t, tree, event, no_thinking, &mut items);
        if items.is_empty() {
            continue;
        }
        let role = t.event(event).role;
        let batch = t.event(event).batch;
        let into = match role {
            Role::User => messages.last_mut().filter(|last| last.role == Role::User),
            _ => same_answer(t, &mut messages, batch),
        };
        match into {
            Some(message) => message.items.append(&mut items),
            None => {
                // Most messages have one item, and a list that grows has room for four.
                let own = Vec::from_iter(items.drain(..));
                messages.push(Gathered { role, items: own });
            }
        }
    }
    let mut order = Vec::with_capacity(messages.iter().map(|message| message.items.len()).sum());
    let mut list = Vec::with_capacity(messages.len());
    for Gathered { role, mut items } in messages {
        let queued = if role == Role::User { results_first(&mut items) } else { None };
        let start = order.len() as u32;
        order.append(&mut items);
        list.push(SentMessage { role, items: start..order.len() as u32, queued });
    }
    (order, list)
}

/// Puts the results of a user message first. Returns a line that was before results, and the first of these results.
fn results_first(items: &mut [Sent]) -> Option<(EventId, EventId)> {
    let own = items.iter().position(|sent| sent.role != Role::Tool);
    let mut after = own.and_then(|own| items.get(own..)).into_iter().flatten();
    let late = after.find(|sent| sent.role == Role::Tool);
    let queued = own.zip(late).map(|(own, late)| (items[own].event, late.event));
    items.sort_by_key(|sent| sent.role != Role::Tool);
    queued.filter(|(a, b)| a != b)
}

/// The message that a further line of a response belongs to. Only results may be after it.
fn same_answer<'m>(
    t: &Transcript,
    messages: &'m mut [Gathered],
    batch: Option<crate::transcript::Id>,
) -> Option<&'m mut Gathered> {
    let at = match messages {
        [.., last] if last.role == Role::Assistant => messages.len() - 1,
        [.., before, last]
            if before.role == Role::Assistant
                && last.items.iter().all(|sent| sent.role == Role::Tool) =>
        {
            messages.len() - 2
        }
        _ => return None,
    };
    messages.get_mut(at).filter(|message| {
        batch.is_some() && message.items.first().and_then(|sent| t.event(sent.event).batch) == batch
    })
}

/// Adds the items of a record that are sent.
fn add_items(
    t: &Transcript,
    tree: &SessionTree,
    event: EventId,
    no_thinking: bool,
    items: &mut Vec<Sent>,
) {
    if !is_sent(t, tree, event) {
        return;
    }
    let record = t.event(event);
    if record.parts.is_empty() {
        // An empty list, which the provider rejects.
        items.push(Sent::new(event, record.role, record.parts.clone()));
        return;
    }
    let no_blank = tree.version >= kinds::LEAVES_OUT_BLANK && record.role == Role::Assistant;
    for part in record.parts.clone() {
        let known = t.part(part);
        let filtered = no_blank && known.blank;
        if filtered || (no_thinking && known.kind == PartKind::Thinking) {
            continue;
        }
        let role = role_of(t, part);
        match items.last_mut().filter(|last| last.role == role && last.parts.end() == part) {
            Some(last) => last.parts.grow(),
            None => items.push(Sent::new(event, role, IdRange::one(part))),
        }
    }
}

/// Whether the client sends a record of its path.
pub(super) fn is_sent(t: &Transcript, tree: &SessionTree, event: EventId) -> bool {
    let fact = |name| t.has(event, name);
    let synthetic = t.event(event).role == Role::Assistant && fact(own::SYNTHETIC);
    let nothing = fact(own::NO_MESSAGE) || fact(own::NO_CONTENT);
    tree.is_main[event] && is_spoken(t, event) && !synthetic && !nothing
}

/// The role of a part: a result in a user line is from a tool.
pub(super) fn role_of(t: &Transcript, part: PartId) -> Role {
    let known = t.part(part);
    let role = t.event(known.event).role;
    if role == Role::User && known.kind == PartKind::Result { Role::Tool } else { role }
}

/// The messages after which the newest client sends a separate message with reminders.
pub(super) fn rendered(t: &Transcript, request: &Request) -> Vec<u32> {
    let mut last = None;
    let mut found = Vec::new();
    for event in request.branch.iter().copied() {
        last = request.api_index(event).or(last);
        if t.has(event, own::RENDERED) {
            found.extend(last);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
