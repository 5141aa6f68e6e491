//! Members of a record that are set. The record is scanned again; nothing else of it changes.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::kinds;
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::{CannotDo, changed};
use crate::formats::FormatContext;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{EventId, PartId, PartKind, Transcript};

/// One change of one record.
#[derive(Clone, Debug)]
enum Wish {
    /// A member of the record gets this raw value.
    Set(&'static str, String),
    /// A call gets another id.
    Call(PartId, String),
    /// The result names another call.
    Result(String),
}

/// All changes of a layer, by record.
#[derive(Default)]
pub(super) struct Wishes {
    by_event: BTreeMap<EventId, Vec<Wish>>,
}

impl Wishes {
    /// The last word on a member counts.
    pub(super) fn set(&mut self, event: EventId, key: &'static str, raw: String) {
        let wishes = self.by_event.entry(event).or_default();
        wishes.retain(|wish| !matches!(wish, Wish::Set(other, _) if *other == key));
        wishes.push(Wish::Set(key, raw));
    }

    pub(super) fn parent(&mut self, event: EventId, id: Option<&str>) {
        self.set(
            event,
            "parentId",
            id.map_or_else(|| "null".to_owned(), quote),
        );
    }

    pub(super) fn call_id(&mut self, context: &FormatContext<'_>, part: PartId, id: &str) {
        let t = context.transcript;
        let known = t.a_part(part);
        let wish = match known.kind {
            PartKind::Call => Wish::Call(part, id.to_owned()),
            _ => Wish::Result(id.to_owned()),
        };
        self.by_event.entry(known.event).or_default().push(wish);
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

    /// The members of a record that name others, each under the id that `new` has for it, if any.
    pub(super) fn renamed<'a>(
        &mut self,
        context: &FormatContext<'_>,
        event: EventId,
        keys: &[&'static str],
        new: &dyn Fn(&str) -> Option<&'a str>,
    ) -> Result<(), CannotDo> {
        let record = context.record(event)?;
        for key in keys {
            let named = record.root().get(key).and_then(|value| value.str());
            if let Some(id) = named.and_then(|old| new(&old)) {
                self.set(event, key, quote(id));
            }
        }
        Ok(())
    }

    /// A record as its changes leave it.
    pub(super) fn applied(
        &self,
        context: &FormatContext<'_>,
        event: EventId,
    ) -> Result<Vec<u8>, CannotDo> {
        let changes = self.changes(context, event)?;
        Ok(changed(context.record(event)?.bytes(), &changes))
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
        let calls = calls(context.transcript, event, root);
        let changes: Result<_, _> = wishes.iter().map(|wish| one(root, &calls, wish)).collect();
        change::in_order(changes?)
    }
}

/// The calls of a message by their parts.
fn calls<'a>(t: &Transcript, event: EventId, root: Node<'a>) -> HashMap<PartId, Node<'a>> {
    let parts = t
        .event(event)
        .parts
        .clone()
        .filter(|part| t.a_part(*part).kind == PartKind::Call);
    let content = root.at(&["message", "content"]);
    let is_call = |block: &Node<'_>| {
        block
            .get("type")
            .and_then(|kind| kind.str())
            .is_some_and(|kind| kinds::is_call(&kind))
    };
    parts
        .zip(
            content
                .into_iter()
                .flat_map(|content| content.items())
                .filter(is_call),
        )
        .collect()
}

fn one(root: Node<'_>, calls: &HashMap<PartId, Node<'_>>, wish: &Wish) -> Result<Change, CannotDo> {
    let change = match wish {
        Wish::Set(key, raw) => {
            if root.members().filter(|(name, _)| name.is_str(key)).count() > 1 {
                return Err(CannotDo(
                    "a member that must be changed stands twice in its record",
                ));
            }
            match root.get(key) {
                Some(value) => cut::replace(value, raw),
                None => cut::insert_member(root, Some("id"), key, raw),
            }
        }
        Wish::Call(part, id) => {
            let block = calls
                .get(part)
                .ok_or(CannotDo("a call cannot be found again"))?;
            match block.get("id") {
                Some(value) => cut::replace(value, &quote(id)),
                None => cut::insert_member(*block, Some("type"), "id", &quote(id)),
            }
        }
        Wish::Result(id) => {
            let message = root
                .get("message")
                .ok_or(CannotDo("a result has no message"))?;
            match kinds::RESULT_IDS.iter().find_map(|key| message.get(key)) {
                Some(value) => cut::replace(value, &quote(id)),
                None => cut::insert_member(message, Some("role"), kinds::RESULT_IDS[0], &quote(id)),
            }
        }
    };
    Ok(change)
}
