//! Members of a record that are set. The record is scanned again; nothing else of it changes.

use std::collections::BTreeMap;

use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::CannotDo;
use crate::formats::FormatContext;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::EventId;

/// One change of one record.
#[derive(Clone, Debug)]
enum Wish {
    /// A member of the record gets this raw value.
    Set(&'static str, String),
    /// The call or result in the block at this position gets another id.
    Id(u32, String),
    /// The message is one with those that have this id.
    Batch(String),
    /// These blocks go.
    Cut(Vec<u32>),
    /// A member of the preserved segment, and its copy in the list of preserved messages, names another record.
    Segment(&'static str, String),
    /// This id goes from the list of preserved messages.
    Unlist(String),
}

/// All changes of a layer, by record.
#[derive(Default)]
pub(super) struct Wishes {
    by_event: BTreeMap<EventId, Vec<Wish>>,
}

impl Wishes {
    fn add(&mut self, event: EventId, wish: Wish) {
        self.by_event.entry(event).or_default().push(wish);
    }

    /// A member gets this raw value. The last word counts.
    pub(super) fn set(&mut self, event: EventId, key: &'static str, raw: String) {
        let wishes = self.by_event.entry(event).or_default();
        wishes.retain(|wish| !matches!(wish, Wish::Set(other, _) if *other == key));
        wishes.push(Wish::Set(key, raw));
    }

    /// The call or result in a block gets another id.
    pub(super) fn call_id(&mut self, event: EventId, block: u32, id: &str) {
        self.add(event, Wish::Id(block, id.to_owned()));
    }

    /// A message is one with those that have this id.
    pub(super) fn batch(&mut self, event: EventId, id: &str) {
        self.add(event, Wish::Batch(id.to_owned()));
    }

    /// Blocks of a message go.
    pub(super) fn cut(&mut self, event: EventId, blocks: Vec<u32>) {
        self.add(event, Wish::Cut(blocks));
    }

    /// A compaction keeps other records.
    pub(super) fn segment(&mut self, event: EventId, key: &'static str, id: &str) {
        self.add(event, Wish::Segment(key, id.to_owned()));
    }

    /// A compaction no longer lists a record.
    pub(super) fn unlist(&mut self, event: EventId, id: &str) {
        self.add(event, Wish::Unlist(id.to_owned()));
    }

    /// All changes as edits in place.
    pub(super) fn edits(&self, context: &FormatContext<'_>) -> Result<Vec<Edit>, CannotDo> {
        let mut edits = Vec::new();
        for event in self.by_event.keys() {
            let at = context.transcript.event(*event).at;
            edits.extend(change::edits(at, self.changes(context, *event)?));
        }
        Ok(edits)
    }

    /// The changes of one record, from its first byte, in order.
    pub(super) fn changes(
        &self,
        context: &FormatContext<'_>,
        event: EventId,
    ) -> Result<Vec<Change>, CannotDo> {
        let Some(wishes) = self.by_event.get(&event) else {
            return Ok(Vec::new());
        };
        let record = context.record(event)?;
        let root = record.root();
        let mut changes = Vec::new();
        let mut unlisted: Vec<&str> = Vec::new();
        let blocks: Vec<Node<'_>> = content(root)
            .into_iter()
            .flat_map(|list| list.items())
            .collect();
        for wish in wishes {
            changes.extend(one(root, &blocks, wish)?);
            if let Wish::Unlist(id) = wish {
                unlisted.push(id);
            }
        }
        changes.extend(unlist(root, &unlisted));
        change::in_order_once(changes)
    }
}

fn one(root: Node<'_>, blocks: &[Node<'_>], wish: &Wish) -> Result<Vec<Change>, CannotDo> {
    Ok(match wish {
        Wish::Set(key, raw) => {
            if root.members().filter(|(name, _)| name.is_str(key)).count() > 1 {
                return Err(CannotDo(
                    "a member that must be changed stands twice in its record",
                ));
            }
            vec![match root.get(key) {
                Some(value) => cut::replace(value, raw),
                None => cut::insert_member(root, None, key, raw),
            }]
        }
        Wish::Id(block, id) => {
            let block = *blocks
                .get(*block as usize)
                .ok_or(CannotDo("a block cannot be found again"))?;
            let result = block
                .get("type")
                .is_some_and(|kind| kind.is_str("tool_result"));
            let key = if result { "tool_use_id" } else { "id" };
            vec![match block.get(key) {
                Some(value) => cut::replace(value, &quote(id)),
                None => cut::insert_member(block, Some("type"), key, &quote(id)),
            }]
        }
        Wish::Batch(id) => {
            let message = root
                .get("message")
                .ok_or(CannotDo("a record has no message"))?;
            vec![match message.get("id") {
                Some(value) => cut::replace(value, &quote(id)),
                None => cut::insert_member(message, None, "id", &quote(id)),
            }]
        }
        Wish::Cut(blocks) => cut::remove_members(content(root)?, blocks),
        Wish::Segment(key, id) => {
            let data = root.get("compactMetadata");
            let places = ["preservedSegment", "preservedMessages"];
            let values = places.iter().filter_map(|place| data?.get(place)?.get(key));
            values
                .map(|value| cut::replace(value, &quote(id)))
                .collect()
        }
        Wish::Unlist(_) => Vec::new(),
    })
}

fn content(root: Node<'_>) -> Result<Node<'_>, CannotDo> {
    root.at(&["message", "content"])
        .ok_or(CannotDo("a message has no content"))
}

/// The lists of preserved messages without these ids.
fn unlist(root: Node<'_>, ids: &[&str]) -> Vec<Change> {
    let Some(kept) = root
        .at(&["compactMetadata", "preservedMessages"])
        .filter(|_| !ids.is_empty())
    else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    for (_, list) in kept.members() {
        let named = (0_u32..)
            .zip(list.items())
            .filter(|(_, item)| ids.iter().any(|id| item.is_str(id)));
        let victims: Vec<u32> = named.map(|(at, _)| at).collect();
        changes.extend(cut::remove_members(list, &victims));
    }
    changes
}
