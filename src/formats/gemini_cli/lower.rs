//! The remedies of a layer as edits: records taken out or moved, messages changed where they stand.

use std::collections::BTreeMap;

use super::answer::{self, Asked};
use super::attrs;
use super::history::History;
use super::message::{self, Placed, Seat};
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::{self, CannotDo, rewrite};
use crate::dialects::gemini;
use crate::formats::FormatContext;
use crate::json::cut::{self, Change, Item, arrange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Action, EventId, PartId, PartKind, Request, Transcript, Value};

/// Turns remedies into edits.
pub(super) fn plan_edits(
    context: &FormatContext<'_>,
    _: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let mut draft = Draft::new(context);
    let mut edits = Vec::new();
    for action in actions {
        match action {
            Action::Mend { edits: own, .. } => edits.extend(own.iter().cloned()),
            Action::Park(event) => draft.park(*event),
            Action::ParkPart(part) => draft.wish(*part).cuts.push(*part),
            Action::Answer { call, hole: None } => draft.wish(*call).answers.push(*call),
            Action::Gather(parts) => draft.gather(parts)?,
            _ => return Err(CannotDo("this host has no place for that")),
        }
    }
    edits.extend(draft.finish()?);
    Ok(edits)
}

/// What is wanted of a message.
#[derive(Default)]
struct Wish {
    /// Parts that go.
    cuts: Vec<PartId>,
    /// Calls that get an answer.
    answers: Vec<PartId>,
}

struct Draft<'a> {
    context: &'a FormatContext<'a>,
    t: &'a Transcript,
    history: History,
    /// The records in their new order; of those that hold messages, these too.
    order: Vec<EventId>,
    inner: BTreeMap<EventId, Vec<EventId>>,
    wishes: BTreeMap<EventId, Wish>,
}

impl<'a> Draft<'a> {
    fn new(context: &'a FormatContext<'a>) -> Draft<'a> {
        let t = context.transcript;
        let mut inner: BTreeMap<EventId, Vec<EventId>> = BTreeMap::new();
        for event in t.with_inner() {
            if let Some(holder) = t.event(event).within {
                inner.entry(holder).or_default().push(event);
            }
        }
        let history = History::of(t, context.layout.is_lines());
        Draft {
            context,
            t,
            history,
            order: t.records().collect(),
            inner,
            wishes: BTreeMap::new(),
        }
    }

    fn wish(&mut self, part: PartId) -> &mut Wish {
        self.wishes.entry(self.t.a_part(part).event).or_default()
    }

    /// All records of the message that this one is the last of; any other record alone.
    fn records_of(&self, event: EventId) -> Vec<EventId> {
        let message = self
            .history
            .messages
            .iter()
            .find(|message| message.event == event);
        message
            .map_or_else(Vec::new, |m| m.before.clone())
            .into_iter()
            .chain([event])
            .collect()
    }

    fn list(&mut self, event: EventId) -> &mut Vec<EventId> {
        match self
            .t
            .event(event)
            .within
            .and_then(|holder| self.inner.get_mut(&holder))
        {
            Some(list) => list,
            None => &mut self.order,
        }
    }

    /// Takes a record out. An earlier one of the same id would come back in its place, so it goes too.
    fn park(&mut self, event: EventId) {
        for event in self.records_of(event) {
            self.list(event).retain(|other| *other != event);
        }
    }

    /// Brings messages that are nothing but results behind the message with their calls.
    fn gather(&mut self, parts: &[PartId]) -> Result<(), CannotDo> {
        let cannot = CannotDo("results are moved only with their whole message");
        let event = |part: &PartId| self.t.a_part(*part).event;
        let is_call = |part: &&PartId| self.t.a_part(**part).kind == PartKind::Call;
        let asks = parts
            .iter()
            .filter(is_call)
            .map(event)
            .next_back()
            .ok_or(cannot.clone())?;
        let mut behind = *self.records_of(asks).first().ok_or(cannot.clone())?;
        let mut moved: Vec<EventId> = parts
            .iter()
            .filter(|part| !is_call(part))
            .map(event)
            .collect();
        moved.dedup();
        for event in moved.into_iter().filter(|event| *event != asks) {
            let whole = self
                .t
                .event(event)
                .parts
                .clone()
                .all(|part| parts.contains(&part));
            let same_list = self.t.event(event).within == self.t.event(behind).within;
            if !whole || !same_list || self.records_of(event).len() > 1 {
                return Err(cannot);
            }
            let list = self.list(event);
            list.retain(|other| *other != event);
            let at = list
                .iter()
                .position(|other| *other == behind)
                .ok_or(cannot.clone())?;
            list.insert(at + 1, event);
            behind = event;
        }
        Ok(())
    }

    /// Messages of which nothing would be left are taken out.
    fn empty(&mut self) {
        let whole = |(event, wish): &(&EventId, &Wish)| {
            let mut parts = self.t.event(**event).parts.clone();
            super::own_parts(self.t, **event) as usize == parts.len()
                && parts.all(|part| wish.cuts.contains(&part))
        };
        let gone: Vec<EventId> = self
            .wishes
            .iter()
            .filter(whole)
            .map(|(event, _)| *event)
            .collect();
        for event in gone {
            self.wishes.remove(&event);
            self.park(event);
        }
    }

    fn finish(mut self) -> Result<Vec<Edit>, CannotDo> {
        self.empty();
        let mut changes: BTreeMap<EventId, Vec<Change>> = BTreeMap::new();
        for (event, wish) in &self.wishes {
            let own = self.changes(*event, wish)?;
            let record = self.t.event(*event);
            let holder = record.within.unwrap_or(*event);
            let from = record
                .at
                .start
                .saturating_sub(self.t.event(holder).at.start);
            let from = u32::try_from(from).map_err(|_| CannotDo("a record is too long"))?;
            let shifted = own.into_iter().map(|c| Change {
                at: c.at.start + from..c.at.end + from,
                with: c.with,
            });
            changes.entry(holder).or_default().extend(shifted);
        }
        for (holder, list) in &self.inner {
            let all = self
                .t
                .with_inner()
                .filter(|event| self.t.event(*event).within == Some(*holder));
            if !all.eq(list.iter().copied()) {
                changes
                    .entry(*holder)
                    .or_default()
                    .extend(self.arranged(*holder, list)?);
            }
        }
        let mut slots = Vec::with_capacity(self.order.len());
        for event in &self.order {
            let own = change::in_order(changes.remove(event).unwrap_or_default())?;
            slots.push(rewrite::Placed::Old {
                event: *event,
                changes: own,
                name: None,
            });
        }
        rewrite(self.context.entries, self.context.layout, self.t, &slots)
    }

    /// The messages inside a record in their new order. What stands among them and is no message keeps its place.
    fn arranged(&self, holder: EventId, wanted: &[EventId]) -> Result<Vec<Change>, CannotDo> {
        let record = self.context.record(holder)?;
        let root = record.root();
        let list = root
            .at(&["$set", "messages"])
            .or_else(|| root.get("messages"));
        let list = list.ok_or(CannotDo("a record has no messages"))?;
        let number = |event: &EventId| match self.t.attr_of(*event, attrs::NUMBER) {
            Some(Value::Number(number)) => u32::try_from(number).ok(),
            _ => None,
        };
        let known: Vec<u32> = self.inner_of(holder).iter().filter_map(number).collect();
        let mut items: Vec<u32> = wanted.iter().filter_map(number).collect();
        let others = (0..list.items().count() as u32).filter(|at| known.binary_search(at).is_err());
        for other in others {
            let at = items
                .iter()
                .position(|item| *item > other)
                .unwrap_or(items.len());
            items.insert(at, other);
        }
        Ok(arrange(
            list,
            &items.into_iter().map(Item::Old).collect::<Vec<_>>(),
        ))
    }

    fn inner_of(&self, holder: EventId) -> Vec<EventId> {
        self.t
            .with_inner()
            .filter(|event| self.t.event(*event).within == Some(holder))
            .collect()
    }

    /// What changes inside a message.
    fn changes(&self, event: EventId, wish: &Wish) -> Result<Vec<Change>, CannotDo> {
        let record = self.context.record(event)?;
        let root = record.root();
        let parts = message::parts(root);
        let first = self.t.event(event).parts.clone();
        let part = |number: &PartId| {
            parts
                .get(first.position_of(*number))
                .ok_or(CannotDo("a part is gone"))
        };
        let mut changes = Vec::new();
        let cuts = wish.cuts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        changes.extend(without(root, &cuts));
        let mut asked = Vec::new();
        for call in &wish.answers {
            let Placed { piece, seat } = part(call)?;
            let (args, item) = match seat {
                Seat::Content(part) => {
                    (gemini::call(*part).and_then(|call| call.get("args")), None)
                }
                Seat::Call(item) => (item.get("args"), Some(*item)),
                Seat::Result { .. } => (None, None),
            };
            asked.push(Asked {
                id: piece.id().map(|id| id.into_owned()),
                name: piece
                    .name()
                    .map(|name| name.into_owned())
                    .unwrap_or_default(),
                args,
                item,
            });
        }
        if !asked.is_empty() {
            changes.extend(answer::changes(root, &asked, record.look())?);
        }
        Ok(changes)
    }
}

/// The changes that cut these parts from the lists that they stand in. A result that is no list becomes an empty one.
fn without(message: Node<'_>, cuts: &[&Placed<'_>]) -> Vec<Change> {
    let mut lists: BTreeMap<u32, (Node<'_>, Vec<u32>)> = BTreeMap::new();
    let mut changes = Vec::new();
    for placed in cuts {
        match placed.seat {
            Seat::Result {
                whole,
                item: Some(at),
            } => {
                lists
                    .entry(whole.index())
                    .or_insert_with(|| (whole, Vec::new()))
                    .1
                    .push(at);
            }
            Seat::Result { whole, item: None } => changes.push(cut::replace(whole, "[]")),
            Seat::Content(part) => {
                let content = message
                    .get("content")
                    .filter(|list| list.kind() == Kind::Array);
                let at = content
                    .and_then(|list| list.items().position(|item| item.index() == part.index()));
                if let (Some(list), Some(at)) = (content, at) {
                    lists
                        .entry(list.index())
                        .or_insert_with(|| (list, Vec::new()))
                        .1
                        .push(at as u32);
                }
            }
            Seat::Call(_) => {}
        }
    }
    changes.extend(
        lists
            .into_values()
            .flat_map(|(list, at)| cut::remove_members(list, &at)),
    );
    changes
}
