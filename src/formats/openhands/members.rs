//! Members of a record that are set, cut or merged. The record is scanned again; nothing else of it changes.

use std::collections::BTreeMap;

use crate::bytes::edit::Edit;
use crate::containers::NAME_ID;
use crate::containers::change;
use crate::containers::rewrite::CannotDo;
use crate::formats::FormatContext;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{EventId, Transcript, Value};

/// One change of one record.
#[derive(Clone, Debug)]
enum Wish {
    /// A member gets this raw value.
    Set(&'static str, String),
    /// `tool_call_id`, and for a call `tool_call.id`.
    CallId { call: bool, id: String },
    /// No `parent_id`.
    NoParent,
    /// The id that the file's name says.
    Identify,
    /// Ids come to `forgotten_event_ids`, others go.
    Forget { add: Vec<String>, keep: Vec<String> },
    /// The thought of this event goes to another one.
    GiveThought,
    /// The thought of that event comes here.
    TakeThought(EventId),
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

    pub(super) fn set(&mut self, event: EventId, key: &'static str, value: &str) {
        self.set_raw(event, key, quote(value));
    }

    pub(super) fn set_number(&mut self, event: EventId, key: &'static str, value: u64) {
        self.set_raw(event, key, value.to_string());
    }

    /// The last word on a member counts.
    fn set_raw(&mut self, event: EventId, key: &'static str, raw: String) {
        let wishes = self.by_event.entry(event).or_default();
        wishes.retain(|wish| !matches!(wish, Wish::Set(other, _) if *other == key));
        wishes.push(Wish::Set(key, raw));
    }

    pub(super) fn call_id(&mut self, event: EventId, call: bool, id: &str) {
        self.add(
            event,
            Wish::CallId {
                call,
                id: id.to_owned(),
            },
        );
    }

    pub(super) fn no_parent(&mut self, event: EventId) {
        self.add(event, Wish::NoParent);
    }

    pub(super) fn identify(&mut self, event: EventId) {
        self.add(event, Wish::Identify);
    }

    pub(super) fn forget(&mut self, event: EventId, add: Vec<String>, keep: Vec<String>) {
        self.add(event, Wish::Forget { add, keep });
    }

    pub(super) fn merge_thought(&mut self, from: EventId, into: EventId) {
        self.add(from, Wish::GiveThought);
        self.add(into, Wish::TakeThought(from));
    }

    /// All changes as edits in place.
    pub(super) fn edits(
        &self,
        context: &FormatContext<'_>,
        t: &Transcript,
    ) -> Result<Vec<Edit>, CannotDo> {
        let mut edits = Vec::new();
        for event in self.by_event.keys() {
            edits.extend(self.edits_of(context, t, *event)?);
        }
        Ok(edits)
    }

    /// The changes of one record as edits in place.
    pub(super) fn edits_of(
        &self,
        context: &FormatContext<'_>,
        t: &Transcript,
        event: EventId,
    ) -> Result<Vec<Edit>, CannotDo> {
        let at = t.event(event).at;
        Ok(change::edits(at, self.changes(context, t, event)?).collect())
    }

    /// The changes of one record, from its first byte, in order.
    pub(super) fn changes(
        &self,
        context: &FormatContext<'_>,
        t: &Transcript,
        event: EventId,
    ) -> Result<Vec<Change>, CannotDo> {
        let Some(wishes) = self.by_event.get(&event) else {
            return Ok(Vec::new());
        };
        let record = context.record(event)?;
        let mut changes = Vec::new();
        for wish in wishes {
            one(context, t, event, record.root(), wish, &mut changes)?;
        }
        change::in_order(changes)
    }
}

fn one(
    context: &FormatContext<'_>,
    t: &Transcript,
    event: EventId,
    root: Node<'_>,
    wish: &Wish,
    changes: &mut Vec<Change>,
) -> Result<(), CannotDo> {
    match wish {
        Wish::Set(key, raw) => changes.push(set(root, key, raw)),
        Wish::CallId { call, id } => {
            let raw = quote(id);
            if !root
                .get("tool_call_id")
                .is_some_and(|value| value.is_str(id))
            {
                changes.push(set(root, "tool_call_id", &raw));
            }
            let inner = root.get("tool_call").filter(|_| *call);
            if let Some(inner) =
                inner.filter(|inner| !inner.get("id").is_some_and(|value| value.is_str(id)))
            {
                changes.push(set(inner, "id", &raw));
            }
        }
        Wish::NoParent => {
            let at = root.members().position(|(key, _)| key.is_str("parent_id"));
            changes.extend(
                at.into_iter()
                    .flat_map(|at| cut::remove_members(root, &[at as u32])),
            );
        }
        Wish::Identify => {
            let Some(Value::Text(id)) = t.attr_of(event, NAME_ID) else {
                return Err(CannotDo("the name has no id"));
            };
            changes.push(set(root, "id", &quote(t.ids.get(id))));
        }
        Wish::Forget { add, keep } => forget(root, add, keep, changes),
        Wish::GiveThought => {
            let thought = root.get("thought").ok_or(CannotDo("there is no thought"))?;
            changes.push(cut::replace(thought, "[]"));
        }
        Wish::TakeThought(from) => {
            let other = context.record(*from)?;
            let taken = other.root().get("thought");
            let items: Vec<String> = taken
                .iter()
                .flat_map(|t| t.items())
                .map(|i| String::from_utf8_lossy(&i.raw()).into_owned())
                .collect();
            let own = root.get("thought").ok_or(CannotDo("there is no thought"))?;
            changes.push(cut::insert_item(
                own,
                own.items().count() as u32,
                &items.join(", "),
            ));
        }
    }
    Ok(())
}

/// A member with a new value; one that is not there comes behind `source`, where the host writes it.
fn set(object: Node<'_>, key: &str, raw: &str) -> Change {
    match object.get(key) {
        Some(value) => cut::replace(value, raw),
        None => cut::insert_member(object, Some("source"), key, raw),
    }
}

fn forget(root: Node<'_>, add: &[String], keep: &[String], changes: &mut Vec<Change>) {
    let Some(list) = root.get("forgotten_event_ids") else {
        let ids: Vec<String> = add.iter().map(|id| quote(id)).collect();
        changes.push(set(
            root,
            "forgotten_event_ids",
            &format!("[{}]", ids.join(",")),
        ));
        return;
    };
    let kept: Vec<u32> = list
        .items()
        .enumerate()
        .filter(|(_, item)| keep.iter().any(|id| item.is_str(id)))
        .map(|(at, _)| at as u32)
        .collect();
    changes.extend(cut::remove_members(list, &kept));
    let separator = separator(list);
    let fresh: Vec<String> = add.iter().map(|id| quote(id)).collect();
    if !fresh.is_empty() {
        changes.push(cut::insert_item(
            list,
            list.items().count() as u32,
            &fresh.join(&separator),
        ));
    }
}

/// What stands between the items of a list.
fn separator(list: Node<'_>) -> String {
    let spans: Vec<_> = list.items().take(2).map(|item| item.span()).collect();
    let [first, second] = spans.as_slice() else {
        return ",".to_owned();
    };
    String::from_utf8_lossy(&list.text().get(first.end, second.start)).into_owned()
}
