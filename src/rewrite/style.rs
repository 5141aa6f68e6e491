//! Writes new records in the style of existing ones.

use sha2::{Digest, Sha256};

use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::transcript::{EventId, IdRange, Transcript};

/// How many events in each direction are searched for a neighbor.
const REACH: usize = 512;

/// The nearest event that fits, as the model for a new record. Of two equally near ones, the later one, which may belong to
/// the same response.
pub(crate) fn nearest(
    t: &Transcript,
    event: EventId,
    fits: impl Fn(EventId) -> bool,
) -> Option<EventId> {
    let mut after = t.events.ids_from(event.next()).take(REACH);
    let after = after.find(|other| fits(*other));
    let before = IdRange::new(EventId::FIRST, event);
    let before = before.rev().take(REACH).find(|other| fits(*other));
    let found = after.into_iter().chain(before);
    found.min_by_key(|other| other.distance(event))
}

/// What is between the items of a list, if it has two.
pub(crate) fn separator(list: Node<'_>) -> Option<String> {
    let mut spans = list.items().map(|item| item.span());
    let (first, second) = (spans.next()?, spans.next()?);
    let between = list.bytes(first.end, second.start);
    Some(String::from_utf8_lossy(&between).into_owned())
}

/// An object with these members in the order of another object. A member that the other object does not have stays after
/// the member before it.
pub(crate) fn in_order(
    members: impl IntoIterator<Item = (&'static str, NewValue)>,
    like: Option<Node<'_>>,
) -> NewValue {
    let mut at = 0;
    let mut placed: Vec<(usize, (&'static str, NewValue))> = Vec::new();
    for member in members {
        at = like
            .and_then(|like| like.members().position(|(name, _)| name.is_str(member.0)))
            .unwrap_or(at);
        placed.push((at, member));
    }
    placed.sort_by_key(|(at, _)| *at);
    NewValue::object(placed.into_iter().map(|(_, member)| member))
}

/// A UUID of version 8, made from these words, so that the same damage gives the same bytes.
pub(crate) fn made_id(words: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for word in words {
        hasher.update(word);
        hasher.update([0]);
    }
    let hash = hasher.finalize();
    let hex: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    // The version and the variant take the place of one digit each.
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}
