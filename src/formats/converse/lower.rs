//! The remedies of a layer as edits.

use hashbrown::HashMap;

use super::lay::{Lay, Message, Unit};
use super::{pieces, read};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::rewrite::{CannotDo, Slot, rewrite};
use crate::containers::{Files, Layout};
use crate::formats::{NO_RESULT, Scene};
use crate::json::build::{Look, Value};
use crate::json::cut::{self, Change, Item, arrange};
use crate::json::node::{Node, Owned};
use crate::json::order::longest_run;
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventNo, PartNo, Remedy, Role, State, View};

/// Turns remedies into edits.
pub(super) fn lower(scene: &Scene<'_>, view: &View, remedies: &[Remedy]) -> Result<Vec<Edit>, CannotDo> {
    let t = scene.transcript;
    let mut work = Work { scene, lay: Lay::new(t), renames: HashMap::new(), numbers: HashMap::new() };
    let mut edits = Vec::new();
    for remedy in remedies {
        match remedy {
            Remedy::Mend { edits: own, .. } => edits.extend(own.iter().cloned()),
            Remedy::Park(event) => work.lay.park(*event),
            Remedy::ParkPart(part) => work.lay.park_part(*part),
            Remedy::Gather(parts) => work.lay.gather(parts),
            Remedy::Answer { call, hole: None } => work.lay.answer(*call, &view.pairs),
            Remedy::Merge { from, into } => work.lay.merge(*from, *into),
            Remedy::Rename { parts, to } => {
                for part in parts {
                    work.renames.entry(t.a_part(*part).event).or_default().push((*part, to.clone()));
                }
            }
            Remedy::Identify(event) => _ = work.numbers.insert(*event, t.event(*event).place.number()),
            Remedy::Extend { event, offset: Some(offset), .. } => {
                edits.extend(set_removed(scene, *event, *offset)?);
            }
            _ => return Err(CannotDo("this host has no place for that")),
        }
    }
    edits.extend(match scene.layout {
        Layout::Files(files) => work.files(files)?,
        layout => {
            let slots = work.slots()?;
            rewrite(scene.entries, layout, t, &slots)?
        }
    });
    Ok(edits)
}

/// The window of a Strands session begins at another file.
fn set_removed(scene: &Scene<'_>, state: EventNo, count: u64) -> Result<Vec<Edit>, CannotDo> {
    let at = scene.transcript.event(state).at;
    let bytes = Owned(scene.entries.fetch(at).map_err(|_| CannotDo("the state cannot be read again"))?);
    let tape = scan(&bytes.0, Mode::Document);
    let number = Node::root(&tape, &bytes)
        .and_then(|root| root.at(&["conversation_manager_state", "removed_message_count"]))
        .ok_or(CannotDo("the state has no window"))?;
    Ok(placed(at, vec![cut::replace(number, &count.to_string())]))
}

fn placed(at: Span, changes: Vec<Change>) -> Vec<Edit> {
    let place = |offset: u32| at.start + u64::from(offset);
    let edit = |c: Change| Edit::Bytes {
        at: Span { start: place(c.at.start), end: place(c.at.end), ..at },
        with: c.with,
    };
    changes.into_iter().map(edit).collect()
}

struct Work<'a> {
    scene: &'a Scene<'a>,
    lay: Lay<'a>,
    renames: HashMap<EventNo, Vec<(PartNo, String)>>,
    /// New numbers of message files.
    numbers: HashMap<EventNo, u64>,
}

impl Work<'_> {
    fn bytes(&self, event: EventNo) -> Result<Owned, CannotDo> {
        let record = self.scene.transcript.event(event);
        if record.state != State::Whole {
            return Err(CannotDo("a record that must be changed has damaged bytes"));
        }
        let bytes = self.scene.entries.fetch(record.at);
        bytes.map(Owned).map_err(|_| CannotDo("a record cannot be read again"))
    }

    fn slots(&self) -> Result<Vec<Slot>, CannotDo> {
        let slot = |message: &Message| match message.record {
            Some(event) => Ok(Slot::Old { event, changes: self.changes(event, message)?, name: None }),
            None => Ok(Slot::New { bytes: self.new_message(message, None)?, id: String::new() }),
        };
        self.lay.messages.iter().map(slot).collect()
    }

    /// What changes inside a message.
    fn changes(&self, event: EventNo, message: &Message) -> Result<Vec<Change>, CannotDo> {
        let parts = self.scene.transcript.event(event).parts.clone();
        let same = message.units.iter().copied().eq(parts.clone().map(Unit::Part));
        let (renames, number) = (self.renames.get(&event), self.numbers.get(&event));
        if same && renames.is_none() && number.is_none() {
            return Ok(Vec::new());
        }
        let bytes = self.bytes(event)?;
        let tape = scan(&bytes.0, Mode::Document);
        let root = Node::root(&tape, &bytes).ok_or(CannotDo("a record cannot be read again"))?;
        let mut changes = Vec::new();
        if let Some(id) = number.and_then(|_| root.get("message_id")) {
            changes.extend(number.map(|number| cut::replace(id, &number.to_string())));
        }
        for (part, to) in renames.into_iter().flatten() {
            let pieces = pieces(root);
            let piece = pieces.get((part - parts.start) as usize).ok_or(CannotDo("a block is gone"))?;
            changes.extend(piece.ids.iter().filter_map(|spot| spot.set(to)));
        }
        if !same {
            let list = read::message(root).get("content").ok_or(CannotDo("a message has no content"))?;
            let look = Look::of(&bytes.0);
            let look = list.items().next().map_or_else(|| look.clone(), |block| look.at(block));
            let mut items = Vec::new();
            for unit in &message.units {
                items.push(match unit {
                    Unit::Part(part) if parts.contains(part) => Item::Old(part - parts.start),
                    other => Item::New(self.block(*other, &look)?),
                });
            }
            changes.extend(arrange(list, &items));
        }
        changes.sort_by_key(|change| (change.at.start, change.at.end));
        let disjoint = changes.windows(2).all(|pair| pair[0].at.end <= pair[1].at.start);
        if disjoint { Ok(changes) } else { Err(CannotDo("two changes of one record touch each other")) }
    }

    /// A block of another message, or a new one.
    fn block(&self, unit: Unit, look: &Look) -> Result<Vec<u8>, CannotDo> {
        let t = self.scene.transcript;
        match unit {
            Unit::Answer(call) => {
                let text = Value::object([("text", Value::text(NO_RESULT))]);
                let result = Value::object([
                    ("toolUseId", Value::text(t.text(t.a_part(call).id))),
                    ("content", Value::List(vec![text])),
                    ("status", Value::text("error")),
                ]);
                Ok(look.write(&Value::object([("toolResult", result)])))
            }
            Unit::Part(part) => {
                let event = t.a_part(part).event;
                let bytes = self.bytes(event)?;
                let tape = scan(&bytes.0, Mode::Document);
                let list = Node::root(&tape, &bytes).and_then(|root| read::message(root).get("content"));
                let offset = (part - t.event(event).parts.start) as usize;
                let block =
                    list.and_then(|list| list.items().nth(offset)).ok_or(CannotDo("a block is gone"))?;
                Ok(block.raw().into_owned())
            }
        }
    }

    /// A new message of the user, in the layout of the message that asks. `file`: its number and the record that it
    /// follows.
    fn new_message(&self, message: &Message, file: Option<(u64, EventNo)>) -> Result<Vec<u8>, CannotDo> {
        let t = self.scene.transcript;
        let asks = message.units.first().map(|unit| match unit {
            Unit::Answer(part) | Unit::Part(part) => t.a_part(*part).event,
        });
        let model = self.bytes(asks.ok_or(CannotDo("a new message would be empty"))?)?;
        let look = Look::of(&model.0);
        let tape = scan(&model.0, Mode::Document);
        let root = Node::root(&tape, &model).ok_or(CannotDo("a record cannot be read again"))?;
        let first = read::message(root).get("content").and_then(|list| list.items().next());
        let inner = first.map_or_else(|| look.clone(), |block| look.at(block));
        let mut blocks = Vec::new();
        for unit in &message.units {
            let bytes = self.block(*unit, &inner)?;
            blocks.push(Value::Raw(String::from_utf8_lossy(&bytes).into_owned().into()));
        }
        let content = Value::object([("role", Value::text("user")), ("content", Value::List(blocks))]);
        let Some((number, before)) = file else { return Ok(look.write(&content)) };
        let before = self.bytes(before)?;
        let tape = scan(&before.0, Mode::Document);
        let root = Node::root(&tape, &before);
        let stamp = |key: &str| {
            let raw = root.and_then(|root| root.get(key)).map(|node| node.raw().into_owned());
            raw.map_or(Value::NULL, |raw| Value::Raw(String::from_utf8_lossy(&raw).into_owned().into()))
        };
        Ok(look.write(&Value::object([
            ("message", content),
            ("message_id", Value::Raw(number.to_string().into())),
            ("redact_message", Value::NULL),
            ("created_at", stamp("created_at")),
            ("updated_at", stamp("updated_at")),
        ])))
    }

    /// The files of a Strands session. Nothing is renumbered unless a message must stand between two others.
    fn files(&mut self, files: &Files) -> Result<Vec<Edit>, CannotDo> {
        let t = self.scene.transcript;
        let order: Vec<Option<EventNo>> = self.lay.messages.iter().map(|message| message.record).collect();
        let stays = longest_run(&order);
        let mut edits = Vec::new();
        let mut next = 0;
        let mut before = None;
        for (at, event) in order.iter().enumerate() {
            let own = event.filter(|_| stays[at]).map(|event| t.event(event).place.number());
            let number = own.map_or(next, |own| own.max(next));
            next = number + 1;
            match event {
                Some(event) => {
                    let name = files.naming.name(number, &number.to_string()).unwrap_or_default();
                    if t.event(*event).place.number() != number {
                        edits.push(Edit::Rename(t.event(*event).at.entry, name));
                        self.numbers.insert(*event, number);
                    }
                    before = Some(*event);
                }
                None => {
                    let name = files.naming.name(number, &number.to_string()).unwrap_or_default();
                    let message = self.lay.messages[at].clone();
                    let before = before.ok_or(CannotDo("a new message would be the first"))?;
                    let bytes = self.new_message(&message, Some((number, before)))?;
                    edits.push(Edit::Create { name, bytes });
                }
            }
        }
        for (at, event) in order.iter().enumerate() {
            if let Some(event) = event {
                let changes = self.changes(*event, &self.lay.messages[at])?;
                edits.extend(placed(t.event(*event).at, changes));
            }
        }
        let gone = t.records().filter(|event| !order.contains(&Some(*event)));
        edits.extend(gone.map(|event| Edit::Remove(t.event(event).at.entry)));
        edits.extend(self.moved_window(&order)?);
        Ok(edits)
    }

    /// The window counts files: one that comes or goes before it moves it.
    fn moved_window(&self, order: &[Option<EventNo>]) -> Result<Vec<Edit>, CannotDo> {
        let t = self.scene.transcript;
        let (Some(state), Some(removed)) = (t.host_state(), super::removed(t)) else { return Ok(Vec::new()) };
        let Some(first) = usize::try_from(removed).ok().and_then(|count| t.records().nth(count)) else {
            return Ok(Vec::new());
        };
        let now = order.iter().position(|event| event.is_some_and(|event| event >= first));
        match now.filter(|now| i64::try_from(*now) != Ok(removed) && t.event(first).role != Role::Nobody) {
            Some(now) => set_removed(self.scene, state, now as u64),
            None => Ok(Vec::new()),
        }
    }
}
