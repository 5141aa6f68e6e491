//! Plans changes of records that have calls together with their results, so neither is a record of its own.

use std::collections::BTreeMap;

use crate::containers::Layout;
use crate::containers::rewrite::CannotDo;
use crate::dialects::piece::{Piece, PieceHome};
use crate::format::FormatContext;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::requests::refused;
use crate::rewrite::{self, NewBytes, NewId, Order, Plan, Planner, Schema, StepResult};
use crate::transcript::{
    Action, ActionKind, Code, Diagnostic, EventId, Label, LabelRole, Origin, PartId, PartKind,
    Request, Subject, Transcript, distinct,
};

/// The actions that such a format supports, except for results in the record of another call.
pub(crate) const SUPPORTS: &[ActionKind] = &[
    ActionKind::EditBytes,
    ActionKind::Remove,
    ActionKind::RemovePart,
    ActionKind::AnswerCall,
    ActionKind::RenameId,
];

/// The changes to the calls and results of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct InsideRecord {
    /// Its calls that get a placeholder result.
    pub answered: Vec<PartId>,
    /// Its calls and results that are removed.
    pub gone: Vec<PartId>,
    /// Results of other records that move here.
    pub arriving: Vec<PartId>,
}

/// Makes the changes of a record.
pub(crate) type RecordWrite =
    fn(&FormatContext<'_>, EventId, Node<'_>, &InsideRecord) -> Result<Vec<RecordChange>, CannotDo>;

/// A plan of such records, and its writer.
pub(crate) fn planner<'a>(
    context: &'a FormatContext<'a>,
    schema: &'static Schema,
    write: RecordWrite,
    request: &'a Request,
) -> Planner<'a> {
    planner_of(context, schema, |_, asks| Some(asks), write, request)
}

/// Finds the record that has the results of the calls of a record.
pub(crate) type AnsweredIn = fn(&Transcript, EventId) -> Option<EventId>;

/// The same for records that have the results of the calls of another one.
pub(crate) fn planner_of<'a>(
    context: &'a FormatContext<'a>,
    schema: &'static Schema,
    answered_in: AnsweredIn,
    write: RecordWrite,
    request: &'a Request,
) -> Planner<'a> {
    let order = Order::new(context.transcript, &[]);
    let writer = InsideWriter { context, answered_in, write, records: BTreeMap::new() };
    let plan = Plan::new(context.source(), request, schema, order);
    Planner::new(plan, writer)
}

/// A part that says something, or asks for a tool, and what answers it.
pub(crate) type PartHalves<'a> = (Option<Piece<'a>>, Option<Piece<'a>>);

/// The parts of a message that is recorded step by step: of each step what it says and asks, then the results.
pub(crate) fn pieces_of_steps<'a>(
    list: Node<'a>,
    halves: impl Fn(Node<'a>, PieceHome<'a>) -> PartHalves<'a>,
) -> Vec<Piece<'a>> {
    let (mut pieces, mut results) = (Vec::new(), Vec::new());
    for (at, part) in (0_u32..).zip(list.items()) {
        if part.has_str("type", "step-start") {
            pieces.append(&mut results);
            continue;
        }
        let (asks, answers) = halves(part, PieceHome { list, at });
        pieces.extend(asks);
        results.extend(answers);
    }
    pieces.append(&mut results);
    pieces
}

/// The changes of a message of which a part is a call with its result: `fail` answers one, and it goes as a whole.
pub(crate) fn change_parts(
    context: &FormatContext<'_>,
    event: EventId,
    inside: &InsideRecord,
    fail: fn(&Record, Node<'_>) -> Vec<RecordChange>,
) -> Result<Vec<RecordChange>, CannotDo> {
    let record = context.record(event)?;
    let message = record.root();
    let pieces = (context.pieces)(message);
    let parts = &context.transcript.event(event).parts;
    let home = |part| {
        let piece = pieces.get(parts.position_of(part))?;
        piece.homes.first().copied()
    };
    let mut changes = Vec::new();
    for call in &inside.answered {
        let part = home(*call).and_then(|home| home.list.items().nth(home.at as usize));
        let part = part.ok_or(CannotDo("a call cannot be found again"))?;
        changes.extend(fail(&record, part));
    }
    let gone = inside.gone.iter().filter_map(|part| Some(home(*part)?.at));
    let gone: Vec<u32> = distinct(gone);
    if let Some(list) = message.get("parts").filter(|_| !gone.is_empty()) {
        changes.extend(cut::remove_members(list, &gone));
    }
    Ok(changes)
}

/// A call, and its result.
pub(crate) type Answered = (PartId, Option<PartId>);

/// Parts that repeat a call of their message, in order, and what is reported of them. A provider takes each ID once a
/// message, so the host must not have sent both. They are left out of the pairs, unless they have a result of their own:
/// then that is a further result of the call.
pub(crate) fn repeated_calls(
    context: &FormatContext<'_>,
    messages: &[EventId],
) -> (Vec<PartId>, Vec<Diagnostic>) {
    let messages = messages.iter();
    let calls = messages.map(|event| repeating(context, *event));
    repeated_among(context.transcript, calls)
}

/// The same of messages of which these are the calls.
pub(crate) fn repeated_among(
    t: &Transcript,
    messages: impl Iterator<Item = Vec<Answered>>,
) -> (Vec<PartId>, Vec<Diagnostic>) {
    let (mut parts, mut diagnostics) = (Vec::new(), Vec::new());
    for mut same in messages.flat_map(|calls| with_one_id(t, calls)) {
        let kept = same
            .iter()
            .position(|half| half.1.is_some_and(|result| t.part(result).origin == Origin::Real));
        let kept = kept.or_else(|| same.iter().position(|half| half.1.is_some()));
        let (call, result) = same.remove(kept.unwrap_or(0));
        let digest = result.map(|result| t.part(result).digest);
        for (copy, again) in same {
            parts.push(copy);
            if again.is_none_or(|again| Some(t.part(again).digest) == digest) {
                parts.extend(again);
                diagnostics.push(repeated_call(t, call, copy));
            }
        }
    }
    parts.sort_unstable();
    (parts, diagnostics)
}

/// The calls that share an ID and their input, together.
fn with_one_id(t: &Transcript, mut calls: Vec<Answered>) -> Vec<Vec<Answered>> {
    let key = |call: &Answered| (t.part(call.0).id, t.part(call.0).digest);
    calls.retain(|call| t.part(call.0).id.is_some_and(|id| !t.ids.is_empty(id)));
    calls.sort_by_key(key);
    let groups = calls.chunk_by(|a, b| key(a) == key(b));
    let repeated = groups.filter(|group| group.len() > 1);
    repeated.map(<[Answered]>::to_vec).collect()
}

/// The calls of a message, each with its result, if an ID is repeated among them: otherwise the record need not be read.
fn repeating(context: &FormatContext<'_>, event: EventId) -> Vec<Answered> {
    let t = context.transcript;
    let own = t.event(event).parts.clone();
    let calls: Vec<PartId> = t.parts_of(event, PartKind::Call).collect();
    if with_one_id(t, calls.iter().map(|call| (*call, None)).collect()).is_empty() {
        return Vec::new();
    }
    let Ok(record) = context.record(event) else {
        return Vec::new();
    };
    let pieces = (context.pieces)(record.root());
    let home = |part: PartId| {
        let piece = pieces.get(own.position_of(part))?;
        piece.homes.first().map(|home| home.at)
    };
    let others = own.clone().filter(|part| t.part(*part).kind != PartKind::Call);
    let answered = calls.into_iter().map(|call| {
        let result = others.clone().find(|part| home(*part) == home(call));
        (call, result)
    });
    answered.collect()
}

fn repeated_call(t: &Transcript, call: PartId, copy: PartId) -> Diagnostic {
    let event = t.part(copy).event;
    let message = "same tool call recorded more than once in one message";
    let mut diagnostic = refused(Code::RepeatedCall, message, event);
    diagnostic.labels =
        vec![Label::of(t, call, LabelRole::Call), Label::of(t, copy, LabelRole::Copy)];
    diagnostic.about = vec![Subject::Identity(copy)];
    diagnostic.fix_safely([Action::RemovePart(copy)]);
    diagnostic
}

struct InsideWriter<'a> {
    context: &'a FormatContext<'a>,
    answered_in: AnsweredIn,
    write: RecordWrite,
    records: BTreeMap<EventId, InsideRecord>,
}

impl InsideWriter<'_> {
    fn of(&mut self, plan: &Plan<'_>, part: PartId) -> &mut InsideRecord {
        self.records.entry(plan.t.part(part).event).or_default()
    }

    /// The record with the results of a call.
    fn answers(&self, plan: &Plan<'_>, call: PartId) -> Result<EventId, CannotDo> {
        let asks = plan.t.part(call).event;
        (self.answered_in)(plan.t, asks).ok_or(CannotDo("no record follows the call"))
    }
}

impl<'a> rewrite::Writer<'a> for InsideWriter<'a> {
    /// In a folder, a call is a file with its result.
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        if matches!(self.context.layout, Layout::Files(_)) {
            return self.remove(plan, plan.t.part(part).event);
        }
        let gone = &mut self.of(plan, part).gone;
        if !gone.contains(&part) {
            gone.push(part);
        }
        Ok(())
    }

    /// Moves results to the record of their call.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let Some((call, results)) = parts.split_first() else {
            return Ok(());
        };
        let answers = self.answers(plan, *call)?;
        for result in results {
            if plan.t.part(*result).event != answers {
                self.of(plan, *result).gone.push(*result);
                self.records.entry(answers).or_default().arriving.push(*result);
            }
        }
        Ok(())
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let answers = self.answers(plan, call)?;
        self.records.entry(answers).or_default().answered.push(call);
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        for (event, inside) in std::mem::take(&mut self.records) {
            if plan.order.is_stored(event) {
                let (context, write) = (self.context, self.write);
                plan.members.with(event, move |root| write(context, event, root, &inside));
            }
        }
        Ok(())
    }

    fn new_record(&self, _: &Plan<'a>, _: NewId, _: Option<EventId>) -> NewBytes {
        Err(CannotDo("results are never records of their own here"))
    }
}
