//! The remedies of a layer as a new order of messages, where a result is a message of its own.

use hashbrown::{HashMap, HashSet};

use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::{CannotDo, Placed, rewrite};
use crate::dialects::Piece;
use crate::formats::FormatContext;
use crate::json::cut::{self, Change, Item, arrange};
use crate::json::node::Node;
use crate::requests::Pieces;
use crate::rewrite::linked::Linked;
use crate::transcript::{Action, EventId, Id, PartId, PartKind, Request, Role, Transcript};

/// Writes a message that answers a call; the number says how many calls with its id come before it.
pub(crate) type WriteAnswer = fn(&FormatContext<'_>, PartId, usize) -> Result<Vec<u8>, CannotDo>;

/// How a format reads and writes its messages.
#[derive(Copy, Clone)]
pub(crate) struct Hand {
    /// Reads a record into the pieces that its parts were made of.
    pub pieces: Pieces,
    /// Answers a call.
    pub answer: WriteAnswer,
    /// What becomes of a list of the record that would lose all of its items; `None`: it stays, empty.
    pub emptied: fn(Node<'_>, Node<'_>) -> Option<Vec<Change>>,
}

/// An item of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A message that was there.
    Old(EventId),
    /// An answer to this call.
    Answer(PartId),
}

/// What is wanted of a message.
#[derive(Clone, Debug)]
enum Wish {
    /// Another id for the part, in every place.
    Rename(PartId, String),
    /// The part goes, in every place.
    Cut(PartId),
    /// These blocks stand in front of the others.
    Front(Vec<PartId>),
}

/// The new order, as far as remedies were taken.
pub(crate) struct Draft<'a> {
    context: &'a FormatContext<'a>,
    t: &'a Transcript,
    request: &'a Request,
    hand: Hand,
    /// The messages, by number; those that were there come first.
    places: Vec<Place>,
    order: Linked,
    of_record: HashMap<EventId, usize>,
    /// The last answer to the calls of a message.
    answered: HashMap<EventId, usize>,
    wishes: HashMap<EventId, Vec<Wish>>,
    /// Parts that go, and how many parts of their messages still say something.
    cut: HashSet<PartId>,
    left: HashMap<EventId, usize>,
    edits: Vec<Edit>,
}

impl<'a> Draft<'a> {
    /// The order as it is.
    pub(crate) fn new(
        context: &'a FormatContext<'a>,
        request: &'a Request,
        hand: Hand,
    ) -> Draft<'a> {
        let t = context.transcript;
        let places: Vec<Place> = t.records().map(Place::Old).collect();
        let of_record = t
            .records()
            .enumerate()
            .map(|(number, event)| (event, number))
            .collect();
        Draft {
            context,
            t,
            request,
            hand,
            order: Linked::new(places.len()),
            places,
            of_record,
            answered: HashMap::new(),
            wishes: HashMap::new(),
            cut: HashSet::new(),
            left: HashMap::new(),
            edits: Vec::new(),
        }
    }

    /// Does what a remedy says.
    ///
    /// # Errors
    /// There is no place for it.
    pub(crate) fn take(&mut self, action: &Action) -> Result<(), CannotDo> {
        match action {
            Action::Mend { edits, .. } => self.edits.extend(edits.iter().cloned()),
            Action::Park(event) => self.park(*event),
            Action::ParkPart(part) => self.park_part(*part),
            Action::Gather(parts) => self.gather(parts)?,
            Action::Answer { call, hole: None } => self.answer(*call)?,
            Action::Rename { parts, to } => {
                for part in parts {
                    self.wish(self.t.a_part(*part).event, Wish::Rename(*part, to.clone()));
                }
            }
            _ => return Err(CannotDo("this host has no place for that")),
        }
        Ok(())
    }

    /// The messages in their new order.
    pub(crate) fn order(&self) -> Vec<Place> {
        self.order.all().map(|number| self.places[number]).collect()
    }

    fn wish(&mut self, event: EventId, wish: Wish) {
        self.wishes.entry(event).or_default().push(wish);
    }

    /// Whether the whole message is this one result.
    fn is_whole(&self, part: PartId) -> bool {
        self.t.event(self.t.a_part(part).event).role == Role::Tool
    }

    /// A part goes; its message too, where nothing that speaks is left in it.
    fn park_part(&mut self, part: PartId) {
        let t = self.t;
        let event = t.a_part(part).event;
        let says = |part: PartId| {
            let part = t.a_part(part);
            !part.blank && part.kind != PartKind::Thinking
        };
        let all = || {
            t.event(event)
                .parts
                .clone()
                .filter(|part| says(*part))
                .count()
        };
        let left = self.left.entry(event).or_insert_with(all);
        if self.cut.insert(part) && says(part) {
            *left -= 1;
        }
        if *left == 0 || self.is_whole(part) {
            self.park(event);
        } else {
            self.wish(event, Wish::Cut(part));
        }
    }

    fn park(&mut self, event: EventId) {
        if let Some(number) = self.position(event) {
            self.order.take_out(number);
        }
    }

    fn position(&self, event: EventId) -> Option<usize> {
        self.of_record
            .get(&event)
            .copied()
            .filter(|number| self.order.is_there(*number))
    }

    /// Every result directly behind what it follows. Blocks only move within their message.
    fn gather(&mut self, parts: &[PartId]) -> Result<(), CannotDo> {
        let mut before: Option<EventId> = None;
        let mut blocks: Vec<PartId> = Vec::new();
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
        let Some(first) = blocks.first() else {
            return Ok(());
        };
        let event = self.t.a_part(*first).event;
        let place = before.and_then(|before| self.position(before));
        let next = place.and_then(|at| self.order.behind(at));
        let follows = next.is_some() && next == self.position(event);
        if !follows
            || blocks
                .iter()
                .any(|part| self.t.a_part(*part).event != event)
        {
            return Err(CannotDo(
                "results in another message's content are not moved",
            ));
        }
        self.wish(event, Wish::Front(blocks));
        Ok(())
    }

    fn put_behind(&mut self, event: EventId, before: EventId) -> Result<(), CannotDo> {
        let gone = CannotDo("a message that must be moved is gone");
        let at = self.position(event).ok_or(gone.clone())?;
        let before = self.position(before).ok_or(gone)?;
        self.order.put_behind(at, before);
        Ok(())
    }

    /// Behind the results that already stand behind the message that asks.
    fn answer(&mut self, call: PartId) -> Result<(), CannotDo> {
        let event = self.t.a_part(call).event;
        let at = self
            .position(event)
            .ok_or(CannotDo("the message that asks is gone"))?;
        let own = |node: &Place| match node {
            Place::Answer(other) => self.t.a_part(*other).event == event,
            Place::Old(other) => {
                self.t.event(*other).role == Role::Tool
                    && self.t.event(*other).parts.clone().any(|part| {
                        self.request
                            .pairs
                            .call_of(part)
                            .is_some_and(|call| self.t.a_part(call).event == event)
                    })
            }
        };
        let at = self.answered.get(&event).copied().unwrap_or(at);
        let last = self
            .order
            .from(at)
            .take_while(|next| own(&self.places[*next]))
            .last()
            .unwrap_or(at);
        self.places.push(Place::Answer(call));
        self.answered.insert(event, self.order.add_behind(last));
        Ok(())
    }

    /// The edits of all that was taken.
    ///
    /// # Errors
    /// A message cannot be read again, or two changes touch each other.
    pub(crate) fn finish(self) -> Result<Vec<Edit>, CannotDo> {
        let counts = Counts::of(self.t);
        let mut slots = Vec::with_capacity(self.places.len());
        for number in self.order.all() {
            slots.push(match &self.places[number] {
                Place::Old(event) => Placed::Old {
                    event: *event,
                    changes: self.changes(*event)?,
                    name: None,
                },
                Place::Answer(call) => Placed::New {
                    bytes: (self.hand.answer)(self.context, *call, counts.before(*call))?,
                    id: String::new(),
                },
            });
        }
        let mut edits = self.edits;
        edits.extend(rewrite(
            self.context.entries,
            self.context.layout,
            self.t,
            &slots,
        )?);
        Ok(edits)
    }

    /// What changes inside a message.
    fn changes(&self, event: EventId) -> Result<Vec<Change>, CannotDo> {
        let Some(wishes) = self.wishes.get(&event) else {
            return Ok(Vec::new());
        };
        let record = self.t.event(event);
        let bytes = self.context.record(event)?;
        let root = bytes.root();
        let pieces = (self.hand.pieces)(root);
        let piece = |part: &PartId| {
            pieces
                .get(record.parts.position_of(*part))
                .ok_or(CannotDo("a part is gone"))
        };
        let mut changes = Vec::new();
        let mut gone: Vec<&Piece<'_>> = Vec::new();
        for wish in wishes {
            match wish {
                Wish::Rename(part, to) => {
                    changes.extend(piece(part)?.ids.iter().filter_map(|spot| spot.set(to, &[])));
                }
                Wish::Cut(part) => gone.push(piece(part)?),
                Wish::Front(parts) => {
                    let pieces = parts.iter().map(piece).collect::<Result<Vec<_>, _>>()?;
                    changes.extend(to_front(&pieces));
                }
            }
        }
        changes.extend(self.without(root, &gone));
        change::in_order(changes)
    }

    /// The items that hold these pieces are cut from their lists.
    fn without(&self, root: Node<'_>, gone: &[&Piece<'_>]) -> Vec<Change> {
        let mut lists: Vec<(Node<'_>, Vec<u32>)> = Vec::new();
        for home in gone.iter().flat_map(|piece| &piece.homes) {
            match lists
                .iter_mut()
                .find(|(list, _)| list.index() == home.list.index())
            {
                Some((_, victims)) => victims.push(home.at),
                None => lists.push((home.list, vec![home.at])),
            }
        }
        let cut = |(list, victims): &mut (Node<'_>, Vec<u32>)| {
            victims.sort_unstable();
            victims.dedup();
            let is_emptied = victims.len() == list.items().count();
            let instead = if is_emptied {
                (self.hand.emptied)(root, *list)
            } else {
                None
            };
            instead.unwrap_or_else(|| cut::remove_members(*list, victims))
        };
        lists.iter_mut().flat_map(cut).collect()
    }
}

/// How many calls with the id of each call stand before it.
struct Counts(HashMap<PartId, usize>);

impl Counts {
    fn of(t: &Transcript) -> Counts {
        let mut seen: HashMap<Option<Id>, usize> = HashMap::new();
        let calls = t
            .parts
            .enumerated()
            .filter(|(_, part)| part.kind == PartKind::Call);
        Counts(
            calls
                .map(|(number, part)| {
                    let count = seen.entry(part.id).or_default();
                    *count += 1;
                    (number, *count - 1)
                })
                .collect(),
        )
    }

    fn before(&self, call: PartId) -> usize {
        self.0.get(&call).copied().unwrap_or(0)
    }
}

/// These blocks in front of the others of their list.
fn to_front(pieces: &[&Piece<'_>]) -> Vec<Change> {
    let Some(list) = pieces
        .iter()
        .flat_map(|piece| &piece.homes)
        .next()
        .map(|home| home.list)
    else {
        return Vec::new();
    };
    let homes = pieces.iter().flat_map(|piece| &piece.homes);
    let front: Vec<u32> = homes
        .filter(|home| home.list.index() == list.index())
        .map(|home| home.at)
        .collect();
    let is_front: HashSet<u32> = front.iter().copied().collect();
    let rest = (0..list.items().count() as u32).filter(|at| !is_front.contains(at));
    let items: Vec<Item> = front.iter().copied().chain(rest).map(Item::Old).collect();
    arrange(list, &items)
}
