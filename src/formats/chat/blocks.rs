//! Messages that are lists of blocks, written in a new order: the blocks inside them, and new ones.

use hashbrown::HashMap;

use super::lay::{Lay, Message, Unit};
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::{CannotDo, Placed, rewrite};
use crate::formats::FormatContext;
use crate::json::build::{Look, Value};
use crate::json::cut::{self, Change, Item, arrange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::Pieces;
use crate::transcript::{Action, EventId, IdRange, PartId, Request, Role, Transcript};

/// How a format writes such messages.
pub(crate) struct Writing {
    /// The message in a record.
    pub message: for<'a> fn(Node<'a>) -> Node<'a>,
    /// The parts of a record, as its reader made them.
    pub pieces: Pieces,
    /// Who speaks in a message.
    pub role: fn(&Transcript, EventId) -> Role,
    /// The member of a message that holds its blocks.
    pub list: &'static str,
    /// Neighbors of one role are one turn.
    pub turns: bool,
    /// Results that have no message behind their calls get one of their own, even where the user speaks there.
    pub apart: bool,
    /// The block that answers a call with a marked error.
    pub answer: fn(&FormatContext<'_>, PartId) -> Value,
    /// The block that says this quoted string.
    pub text: fn(Value) -> Value,
}

/// What was there, with what is wanted of it.
pub(crate) struct Blocks<'a> {
    context: &'a FormatContext<'a>,
    writing: &'a Writing,
    /// The messages in their new order.
    pub lay: Lay<'a>,
    /// Members of records that get another value: key and raw JSON.
    pub members: HashMap<EventId, (&'static str, String)>,
    renames: HashMap<EventId, Vec<(PartId, String)>>,
}

/// Turns remedies into edits, for a format that writes nothing but messages of blocks.
pub(crate) fn plan_edits(
    context: &FormatContext<'_>,
    writing: &Writing,
    request: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let mut blocks = Blocks::new(context, writing);
    let mut edits = Vec::new();
    for action in actions {
        match action {
            Action::Mend { edits: own, .. } => edits.extend(own.iter().cloned()),
            other => blocks.take(other, request)?,
        }
    }
    edits.extend(rewrite(
        context.entries,
        context.layout,
        context.transcript,
        &blocks.slots()?,
    )?);
    Ok(edits)
}

impl<'a> Blocks<'a> {
    /// The messages as they are.
    pub(crate) fn new(context: &'a FormatContext<'a>, writing: &'a Writing) -> Blocks<'a> {
        let lay = Lay::new(
            context.transcript,
            writing.role,
            writing.turns,
            writing.apart,
        );
        Blocks {
            context,
            writing,
            lay,
            members: HashMap::new(),
            renames: HashMap::new(),
        }
    }

    /// Takes up a remedy, if it is about the order of messages and blocks or about ids.
    pub(crate) fn take(&mut self, action: &Action, request: &Request) -> Result<(), CannotDo> {
        match action {
            Action::Park(event) => self.lay.park(*event),
            Action::ParkPart(part) => self.lay.park_part(*part),
            Action::Gather(parts) => self.lay.gather(parts),
            Action::Answer { call, hole: None } => self.lay.answer(*call, &request.pairs),
            Action::Merge { from, into } => self.lay.merge(*from, *into),
            Action::Rename { parts, to } => {
                for part in parts {
                    let event = self.context.transcript.a_part(*part).event;
                    self.renames
                        .entry(event)
                        .or_default()
                        .push((*part, to.clone()));
                }
            }
            _ => return Err(CannotDo("this host has no place for that")),
        }
        Ok(())
    }

    /// The records in their new order, for a list.
    pub(crate) fn slots(&mut self) -> Result<Vec<Placed>, CannotDo> {
        let messages = self.lay.take_messages();
        let slot = |message: &Message| match message.record {
            Some(event) => Ok(Placed::Old {
                event,
                changes: self.changes(event, message)?,
                name: None,
            }),
            None => {
                let (look, value) = self.user_message(message)?;
                Ok(Placed::New {
                    bytes: look.write(&value),
                    id: String::new(),
                })
            }
        };
        messages.iter().map(slot).collect()
    }

    /// What changes inside a message.
    pub(crate) fn changes(
        &self,
        event: EventId,
        message: &Message,
    ) -> Result<Vec<Change>, CannotDo> {
        let parts = self.context.transcript.event(event).parts.clone();
        let same = message
            .units
            .iter()
            .copied()
            .eq(parts.clone().map(Unit::Part));
        let (renames, member) = (self.renames.get(&event), self.members.get(&event));
        if same && renames.is_none() && member.is_none() {
            return Ok(Vec::new());
        }
        let record = self.context.record(event)?;
        let root = record.root();
        let mut changes = Vec::new();
        if let Some((key, raw)) = member {
            changes.extend(root.get(key).map(|member| cut::replace(member, raw)));
        }
        let pieces = renames
            .map(|_| (self.writing.pieces)(root))
            .unwrap_or_default();
        for (part, to) in renames.into_iter().flatten() {
            let piece = pieces
                .get(parts.position_of(*part))
                .ok_or(CannotDo("a block is gone"))?;
            changes.extend(piece.ids.iter().filter_map(|spot| spot.set(to, &[])));
        }
        if !same {
            let content = (self.writing.message)(root).get(self.writing.list);
            let content = content.ok_or(CannotDo("a message has no content"))?;
            changes.extend(self.content(content, &parts, message, record.look())?);
        }
        change::in_order(changes)
    }

    /// The changes that bring a message's content into its new order. A string becomes a list.
    fn content(
        &self,
        content: Node<'_>,
        parts: &IdRange<PartId>,
        message: &Message,
        look: &Look,
    ) -> Result<Vec<Change>, CannotDo> {
        let is_own = |part: &PartId| parts.contains(part);
        if content.kind() == Kind::String {
            let own = Value::Raw(String::from_utf8_lossy(&content.raw()).into_owned().into());
            let mut blocks = Vec::new();
            for unit in &message.units {
                blocks.push(match unit {
                    Unit::Part(part) if is_own(part) => (self.writing.text)(own.clone()),
                    other => self.block(*other)?,
                });
            }
            let list = look.at(content).write(&Value::List(blocks));
            return Ok(vec![Change {
                at: content.span(),
                with: list,
            }]);
        }
        let look = content
            .items()
            .next()
            .map_or_else(|| look.clone(), |block| look.at(block));
        let mut items = Vec::new();
        for unit in &message.units {
            items.push(match unit {
                Unit::Part(part) if is_own(part) => Item::Old(parts.position_of(*part) as u32),
                other => Item::New(look.write(&self.block(*other)?)),
            });
        }
        Ok(arrange(content, &items))
    }

    /// A block of another message, or a new one.
    fn block(&self, unit: Unit) -> Result<Value, CannotDo> {
        let t = self.context.transcript;
        match unit {
            Unit::Answer(call) => Ok((self.writing.answer)(self.context, call)),
            Unit::Part(part) => {
                let record = self.context.record(t.a_part(part).event)?;
                let list = (self.writing.message)(record.root()).get(self.writing.list);
                let block = list.and_then(|list| list.items().nth(t.position(part)));
                let block = block.ok_or(CannotDo("a block is gone"))?;
                Ok(Value::Raw(
                    String::from_utf8_lossy(&block.raw()).into_owned().into(),
                ))
            }
        }
    }

    /// A new message of the user, and the layout of the message that asks.
    pub(crate) fn user_message(&self, message: &Message) -> Result<(Look, Value), CannotDo> {
        let t = self.context.transcript;
        let asks = message.units.first().map(|unit| match unit {
            Unit::Answer(part) | Unit::Part(part) => t.a_part(*part).event,
        });
        let model = self
            .context
            .record(asks.ok_or(CannotDo("a new message would be empty"))?)?;
        let blocks: Result<Vec<Value>, CannotDo> =
            message.units.iter().map(|unit| self.block(*unit)).collect();
        let content = Value::List(blocks?);
        Ok((
            model.look().clone(),
            Value::object([("role", Value::text("user")), (self.writing.list, content)]),
        ))
    }
}
