//! The remedies of a layer as edits: a new order of messages, and what changes inside them.

use hashbrown::HashMap;

use super::{answer, pieces};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::rewrite::{CannotDo, Slot, rewrite};
use crate::dialects::Piece;
use crate::dialects::langchain::{Form, seats};
use crate::formats::Scene;
use crate::formats::chat;
use crate::json::cut::{self, Change, Item, arrange};
use crate::json::node::{Node, Owned};
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventNo, PartKind, PartNo, Remedy, Role, State, Transcript, View};

/// Turns remedies into edits.
pub(super) fn lower(scene: &Scene<'_>, view: &View, remedies: &[Remedy]) -> Result<Vec<Edit>, CannotDo> {
    let mut draft = Draft::new(scene, view);
    let mut edits = Vec::new();
    for remedy in remedies {
        match remedy {
            Remedy::Mend { edits: own, .. } => edits.extend(own.iter().cloned()),
            other => draft.take(other)?,
        }
    }
    edits.extend(draft.finish()?);
    Ok(edits)
}

/// An item of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A message that was there.
    Old(EventNo),
    /// An answer to this call.
    Answer(PartNo),
}

/// What is wanted of a message.
#[derive(Clone, Debug)]
enum Wish {
    /// Another id for the part, in every place.
    Rename(PartNo, String),
    /// The part goes, in every place.
    Cut(PartNo),
    /// These blocks stand in front of the others.
    Front(Vec<PartNo>),
}

struct Draft<'a> {
    scene: &'a Scene<'a>,
    t: &'a Transcript,
    view: &'a View,
    order: Vec<Place>,
    wishes: HashMap<EventNo, Vec<Wish>>,
    cutoff: Option<u64>,
}

impl<'a> Draft<'a> {
    fn new(scene: &'a Scene<'a>, view: &'a View) -> Draft<'a> {
        let t = scene.transcript;
        Draft {
            scene,
            t,
            view,
            order: t.records().map(Place::Old).collect(),
            wishes: HashMap::new(),
            cutoff: None,
        }
    }

    fn take(&mut self, remedy: &Remedy) -> Result<(), CannotDo> {
        match remedy {
            Remedy::Park(event) => self.order.retain(|node| *node != Place::Old(*event)),
            Remedy::ParkPart(part) => self.park_part(*part)?,
            Remedy::Gather(parts) => self.gather(parts)?,
            Remedy::Answer { call, hole: None } => self.answer(*call)?,
            Remedy::Rename { parts, to } => {
                for part in parts {
                    self.wish(self.t.a_part(*part).event, Wish::Rename(*part, to.clone()));
                }
            }
            Remedy::Extend { offset: Some(offset), .. } => self.cutoff = Some(*offset),
            _ => return Err(CannotDo("this host has no place for that")),
        }
        Ok(())
    }

    fn wish(&mut self, event: EventNo, wish: Wish) {
        self.wishes.entry(event).or_default().push(wish);
    }

    /// Whether the whole message is this one result.
    fn is_whole(&self, part: PartNo) -> bool {
        self.t.event(self.t.a_part(part).event).role == Role::Tool
    }

    /// A part goes; its message too, where nothing that speaks is left in it.
    fn park_part(&mut self, part: PartNo) -> Result<(), CannotDo> {
        let event = self.t.a_part(part).event;
        let says = |other: PartNo| {
            let other = self.t.a_part(other);
            !other.blank && other.kind != PartKind::Thinking
        };
        let mut others = self.t.event(event).parts.clone().filter(|other| *other != part);
        if self.is_whole(part) || !others.any(says) {
            self.order.retain(|node| *node != Place::Old(event));
        } else {
            self.wish(event, Wish::Cut(part));
        }
        Ok(())
    }

    fn position(&self, node: Place) -> Option<usize> {
        self.order.iter().position(|other| *other == node)
    }

    /// Every result directly behind what it follows. Blocks only move within their message.
    fn gather(&mut self, parts: &[PartNo]) -> Result<(), CannotDo> {
        let mut before: Option<EventNo> = None;
        let mut blocks: Vec<PartNo> = Vec::new();
        for part in parts {
            let event = self.t.a_part(*part).event;
            if self.t.a_part(*part).kind == PartKind::Result && !self.is_whole(*part) {
                blocks.push(*part);
                continue;
            }
            if let Some(before) = before.filter(|before| *before != event) {
                self.put_behind(event, before)?;
            }
            before = Some(event);
        }
        let Some(first) = blocks.first() else { return Ok(()) };
        let event = self.t.a_part(*first).event;
        let place = before.and_then(|before| self.position(Place::Old(before)));
        let follows = place.and_then(|at| self.order.get(at + 1)) == Some(&Place::Old(event));
        if !follows || blocks.iter().any(|part| self.t.a_part(*part).event != event) {
            return Err(CannotDo("results in another message's content are not moved"));
        }
        self.wish(event, Wish::Front(blocks));
        Ok(())
    }

    fn put_behind(&mut self, event: EventNo, before: EventNo) -> Result<(), CannotDo> {
        let gone = CannotDo("a message that must be moved is gone");
        let at = self.position(Place::Old(event)).ok_or(gone.clone())?;
        self.order.remove(at);
        let before = self.position(Place::Old(before)).ok_or(gone)?;
        self.order.insert(before + 1, Place::Old(event));
        Ok(())
    }

    /// Behind the results that already stand behind the message that asks.
    fn answer(&mut self, call: PartNo) -> Result<(), CannotDo> {
        let event = self.t.a_part(call).event;
        let at = self.position(Place::Old(event)).ok_or(CannotDo("the message that asks is gone"))?;
        let own = |node: &Place| match node {
            Place::Answer(other) => self.t.a_part(*other).event == event,
            Place::Old(other) => {
                self.t.event(*other).role == Role::Tool
                    && self.t.event(*other).parts.clone().any(|part| {
                        self.view.pairs.call_of(part).is_some_and(|call| self.t.a_part(call).event == event)
                    })
            }
        };
        let behind = self.order[at + 1..].iter().take_while(|node| own(node)).count();
        self.order.insert(at + 1 + behind, Place::Answer(call));
        Ok(())
    }

    fn finish(self) -> Result<Vec<Edit>, CannotDo> {
        let mut slots = Vec::with_capacity(self.order.len());
        for node in &self.order {
            slots.push(match node {
                Place::Old(event) => Slot::Old { event: *event, changes: self.changes(*event)?, name: None },
                Place::Answer(call) => Slot::New {
                    bytes: answer::bytes(self.scene, *call, self.occurrence(*call))?,
                    id: String::new(),
                },
            });
        }
        let mut edits = rewrite(self.scene.entries, self.scene.layout, self.t, &slots)?;
        edits.extend(self.window()?);
        Ok(edits)
    }

    /// How many calls with this id stand before it.
    fn occurrence(&self, call: PartNo) -> usize {
        let id = self.t.a_part(call).id;
        self.t.parts[..call as usize]
            .iter()
            .filter(|part| part.kind == PartKind::Call && part.id == id)
            .count()
    }

    /// The cut of a summary, where it moves or messages before it came or went.
    fn window(&self) -> Result<Option<Edit>, CannotDo> {
        let recorded =
            chat::state_number(self.t, super::attrs::CUTOFF).and_then(|index| u64::try_from(index).ok());
        let (Some(state), Some(recorded)) = (self.t.host_state(), recorded) else { return Ok(None) };
        let index = self.cutoff.unwrap_or(recorded);
        let kept = usize::try_from(index).ok().and_then(|index| self.t.records().nth(index));
        let stays =
            |node: &Place| matches!(node, Place::Old(event) if kept.is_some_and(|kept| *event >= kept));
        let wanted = match self.order.iter().position(stays) {
            Some(at) => at as u64,
            None => index,
        };
        if wanted == recorded {
            return Ok(None);
        }
        let at = self.t.event(state).at;
        let bytes =
            Owned(self.scene.entries.fetch(at).map_err(|_| CannotDo("the state cannot be read again"))?);
        let tape = scan(&bytes.0, Mode::Document);
        let number = Node::root(&tape, &bytes).and_then(super::envelope::cutoff);
        let span = number.ok_or(CannotDo("the state has no cut"))?.span();
        let place =
            Span { start: at.start + u64::from(span.start), end: at.start + u64::from(span.end), ..at };
        Ok(Some(Edit::Bytes { at: place, with: wanted.to_string().into_bytes() }))
    }

    /// What changes inside a message.
    fn changes(&self, event: EventNo) -> Result<Vec<Change>, CannotDo> {
        let Some(wishes) = self.wishes.get(&event) else { return Ok(Vec::new()) };
        let record = self.t.event(event);
        if record.state != State::Whole {
            return Err(CannotDo("a record that must be changed has damaged bytes"));
        }
        let bytes = self.scene.entries.fetch(record.at).map(Owned);
        let bytes = bytes.map_err(|_| CannotDo("a record cannot be read again"))?;
        let tape = scan(&bytes.0, Mode::Document);
        let root = Node::root(&tape, &bytes).ok_or(CannotDo("a record cannot be read again"))?;
        let pieces = pieces(root);
        let piece = |part: &PartNo| {
            pieces.get((part - record.parts.start) as usize).ok_or(CannotDo("a part is gone"))
        };
        let mut changes = Vec::new();
        let mut gone: Vec<&Piece<'_>> = Vec::new();
        for wish in wishes {
            match wish {
                Wish::Rename(part, to) => {
                    changes.extend(piece(part)?.ids.iter().filter_map(|spot| spot.set(to)));
                }
                Wish::Cut(part) => gone.push(piece(part)?),
                Wish::Front(parts) => changes.extend(self.to_front(root, &pieces, parts, record.parts.start)),
            }
        }
        changes.extend(without(&gone));
        changes.sort_by_key(|change| (change.at.start, change.at.end));
        let disjoint = changes.windows(2).all(|pair| pair[0].at.end <= pair[1].at.start);
        if disjoint { Ok(changes) } else { Err(CannotDo("two changes of one record touch each other")) }
    }

    fn to_front(&self, root: Node<'_>, pieces: &[Piece<'_>], parts: &[PartNo], start: PartNo) -> Vec<Change> {
        let Some(content) = Form::of(root).and_then(|form| form.body.get("content")) else {
            return Vec::new();
        };
        let homes =
            parts.iter().filter_map(|part| pieces.get((part - start) as usize)).flat_map(|p| &p.homes);
        let front: Vec<u32> = homes.map(|home| home.at).collect();
        let rest = (0..content.items().count() as u32).filter(|at| !front.contains(at));
        let items: Vec<Item> = front.iter().copied().chain(rest).map(Item::Old).collect();
        arrange(content, &items)
    }
}

/// The items that hold these pieces are cut from their lists. A list that the host demands stays, empty.
fn without(gone: &[&Piece<'_>]) -> Vec<Change> {
    let mut lists: Vec<(Node<'_>, Vec<u32>)> = Vec::new();
    for home in
        gone.iter().filter(|piece| piece.seats & seats::TOOL_MESSAGE == 0).flat_map(|piece| &piece.homes)
    {
        match lists.iter_mut().find(|(list, _)| list.index() == home.list.index()) {
            Some((_, victims)) => victims.push(home.at),
            None => lists.push((home.list, vec![home.at])),
        }
    }
    lists.iter().flat_map(|(list, victims)| cut::remove_members(*list, victims)).collect()
}
