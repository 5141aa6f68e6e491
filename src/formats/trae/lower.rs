//! The remedies of a layer as edits: in what was sent, and in the steps that tell it again.

use std::collections::BTreeMap;

use super::attrs;
use super::copies::{self, Steps};
use super::read::INPUT;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::change;
use crate::containers::rewrite::CannotDo;
use crate::dialects::stubs::NO_RESULT;
use crate::formats::Scene;
use crate::json::build::Value;
use crate::json::cut::{Change, Item, arrange};
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventNo, PartKind, PartNo, Remedy, Role, State, Transcript, Value as Fact, View};

/// Turns remedies into edits.
pub(super) fn lower(scene: &Scene<'_>, _: &View, remedies: &[Remedy]) -> Result<Vec<Edit>, CannotDo> {
    let mut draft = Draft::new(scene);
    let mut edits = Vec::new();
    for remedy in remedies {
        match remedy {
            Remedy::Mend { edits: own, .. } => edits.extend(own.iter().cloned()),
            Remedy::ParkPart(part) => draft.park(*part)?,
            Remedy::Answer { call, hole: None } => draft.answer(*call)?,
            Remedy::Gather(parts) => draft.gather(parts)?,
            _ => return Err(CannotDo("this host has no place for that")),
        }
    }
    edits.extend(draft.finish()?);
    Ok(edits)
}

/// Whether a run has a place for what a remedy does: the steps tell the ids again, and what was sent in which interaction
/// is evidence.
pub(super) fn has_place(t: &Transcript, remedy: &Remedy) -> bool {
    let holder = |part: PartNo| t.event(t.a_part(part).event).within;
    let is_call = |part: &PartNo| t.a_part(*part).kind == PartKind::Call;
    match remedy {
        Remedy::Mend { .. } | Remedy::Answer { hole: None, .. } => true,
        Remedy::ParkPart(part) => !is_call(part),
        Remedy::Gather(parts) => {
            let asks = parts.iter().copied().rfind(is_call).and_then(holder);
            let is_interaction = |event: &EventNo| {
                let event = t.event(*event);
                event.within.is_none() && event.state != State::Void && event.role != Role::HostState
            };
            let next = asks.and_then(|asks| (asks + 1..t.events.len() as EventNo).find(is_interaction));
            let results = parts.iter().copied().filter(|part| !is_call(part));
            next.is_some() && results.map(holder).all(|holder| holder == next)
        }
        _ => false,
    }
}

/// What is wanted of the new messages of an interaction.
#[derive(Default)]
struct Wish {
    /// Calls that get an answer in front.
    answers: Vec<PartNo>,
    /// Messages that go, with the ids of their results.
    gone: Vec<(EventNo, String)>,
    /// Messages that go to the front.
    front: Vec<EventNo>,
}

struct Draft<'a> {
    scene: &'a Scene<'a>,
    t: &'a Transcript,
    interactions: Vec<EventNo>,
    /// By the number of the interaction; behind the last: of the request that was refused.
    wishes: BTreeMap<usize, Wish>,
}

impl<'a> Draft<'a> {
    fn new(scene: &'a Scene<'a>) -> Draft<'a> {
        let t = scene.transcript;
        let is_element = |event: &EventNo| t.event(*event).state != State::Void;
        Draft { scene, t, interactions: t.records().filter(is_element).collect(), wishes: BTreeMap::new() }
    }

    /// The number of the interaction that a part stands in.
    fn number(&self, part: PartNo) -> Result<usize, CannotDo> {
        let holder = self.t.event(self.t.a_part(part).event).within;
        let number = self.interactions.iter().position(|event| Some(*event) == holder);
        number.ok_or(CannotDo("a message stands in no interaction"))
    }

    fn park(&mut self, part: PartNo) -> Result<(), CannotDo> {
        let number = self.number(part)?;
        let id = self.t.text(self.t.a_part(part).id).to_owned();
        let event = self.t.a_part(part).event;
        if self.t.a_part(part).kind != PartKind::Result {
            return Err(CannotDo("only results are taken out of a run"));
        }
        self.wishes.entry(number).or_default().gone.push((event, id));
        Ok(())
    }

    fn answer(&mut self, call: PartNo) -> Result<(), CannotDo> {
        let number = self.number(call)? + 1;
        let refused =
            self.t.host_state().is_some_and(|state| self.t.attr_of(state, attrs::REFUSED).is_some());
        if number == self.interactions.len() && !refused {
            return Err(CannotDo("the run ends with this call"));
        }
        self.wishes.entry(number).or_default().answers.push(call);
        Ok(())
    }

    /// Results that stand behind other words of their own interaction go to its front.
    fn gather(&mut self, parts: &[PartNo]) -> Result<(), CannotDo> {
        let (calls, results): (Vec<PartNo>, Vec<PartNo>) =
            parts.iter().partition(|part| self.t.a_part(**part).kind == PartKind::Call);
        let asks = calls.last().ok_or(CannotDo("results without calls"))?;
        let number = self.number(*asks)? + 1;
        for result in results {
            if self.number(result)? != number {
                return Err(CannotDo("results are not moved to another interaction"));
            }
            let event = self.t.a_part(result).event;
            self.wishes.entry(number).or_default().front.push(event);
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<Edit>, CannotDo> {
        if self.wishes.is_empty() {
            return Ok(Vec::new());
        }
        let steps = Steps::of(self.scene).ok_or(CannotDo("the run cannot be read again"))?;
        let mut edits = Vec::new();
        for (number, wish) in &self.wishes {
            let results: Vec<Value> = wish.answers.iter().map(|call| result(self.t, *call)).collect();
            let messages: Vec<Value> = results.iter().map(|result| message(result.clone())).collect();
            match self.interactions.get(*number) {
                Some(event) => {
                    let (own, told) = self.input(*event, wish, &messages)?;
                    edits.extend(own);
                    if !wish.gone.is_empty() {
                        let gone: Vec<u32> =
                            wish.gone.iter().filter_map(|(event, _)| self.at(*event)).collect();
                        edits.extend(steps.without(*number, told, &gone, &self.unheard(*event, wish)));
                    }
                    if !messages.is_empty() {
                        edits.extend(steps.with(*number, Some(told), &messages, &results));
                    }
                }
                None => {
                    let before = steps.before_last().ok_or(CannotDo("the run has no steps"))?;
                    edits.extend(steps.with(before, None, &messages, &results));
                }
            }
        }
        Ok(edits)
    }

    /// The position of a message in its list.
    fn at(&self, event: EventNo) -> Option<u32> {
        match self.t.attr_of(event, attrs::NUMBER) {
            Some(Fact::Number(number)) => u32::try_from(number).ok(),
            _ => None,
        }
    }

    /// The ids of which no result is left in an interaction.
    fn unheard(&self, interaction: EventNo, wish: &Wish) -> Vec<String> {
        let gone = |event: EventNo| wish.gone.iter().any(|(other, _)| *other == event);
        let stay = self
            .t
            .with_inner()
            .filter(|event| self.t.event(*event).within == Some(interaction) && !gone(*event));
        let results = stay.filter_map(|event| self.t.part_of(event, PartKind::Result));
        let heard: Vec<&str> = results.map(|part| self.t.text(self.t.a_part(part).id)).collect();
        let ids = wish.gone.iter().map(|(_, id)| id).filter(|id| !heard.contains(&id.as_str()));
        ids.cloned().collect()
    }

    /// The new messages of an interaction in their new order, and how many they were.
    fn input(&self, event: EventNo, wish: &Wish, messages: &[Value]) -> Result<(Vec<Edit>, usize), CannotDo> {
        let record = self.t.event(event);
        let bytes = change::bytes(self.scene.entries, self.t, event)?;
        let tape = scan(&bytes.0, Mode::Document);
        let list = Node::root(&tape, &bytes).and_then(|root| root.get(INPUT));
        let list = list.ok_or(CannotDo("an interaction has no messages"))?;
        let gone: Vec<u32> = wish.gone.iter().filter_map(|(event, _)| self.at(*event)).collect();
        let first: Vec<u32> = wish.front.iter().filter_map(|event| self.at(*event)).collect();
        let count = list.items().count();
        let rest = (0..count as u32).filter(|at| !gone.contains(at) && !first.contains(at));
        let old: Vec<Item> = first.iter().copied().chain(rest).map(Item::Old).collect();
        let changes = if gone.is_empty() && first.is_empty() {
            copies::front(&bytes, list, messages)
        } else if messages.is_empty() {
            arrange(list, &old)
        } else {
            return Err(CannotDo("one thing at a time in one interaction"));
        };
        let place = |offset: u32| record.at.start + u64::from(offset);
        let edit = |c: Change| Edit::Bytes {
            at: Span { start: place(c.at.start), end: place(c.at.end), ..record.at },
            with: c.with,
        };
        Ok((changes.into_iter().map(edit).collect(), count))
    }
}

/// A marked error result.
fn result(t: &Transcript, call: PartNo) -> Value {
    Value::object([
        ("call_id", Value::text(t.text(t.a_part(call).id))),
        ("success", Value::Raw("false".into())),
        ("result", Value::text("")),
        ("error", Value::text(NO_RESULT)),
        ("id", Value::NULL),
    ])
}

/// The message that carries a result.
fn message(result: Value) -> Value {
    Value::object([("role", Value::text("user")), ("content", Value::NULL), ("tool_result", result)])
}
