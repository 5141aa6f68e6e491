//! Calls of tools that the provider runs, and their results, over the messages of a turn.

use crate::json::record::Record;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

use super::order::Turns;
use crate::dialects::anthropic::hosted::{Half, halves as find_halves};
use crate::dialects::anthropic::kinds::Hosted;
use crate::formats::FormatContext;
use crate::json::node::Node;
use crate::requests::refused;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Fix, Id, Label, LabelRole, PartId, PartKind, Role, Subject,
    Transcript,
};

/// Calls of tools that the provider runs without their results in the same turn, and the other way round.
pub(super) fn halves(context: &FormatContext<'_>, turns: &Turns) -> Vec<Diagnostic> {
    let t = context.transcript;
    let hosts = |event: &EventId| t.part_of(*event, PartKind::Hosted).is_some();
    let mut alone: Vec<(EventId, Half)> = Vec::new();
    for (number, turn) in turns.list.iter().enumerate() {
        let is_model = turn
            .first()
            .is_some_and(|event| t.event(*event).role == Role::Assistant);
        if !is_model || !turn.iter().any(hosts) {
            continue;
        }
        let records: Vec<(EventId, Rc<Record>)> = turn
            .iter()
            .filter(|event| hosts(event))
            .filter_map(|e| Some((*e, context.record(*e).ok()?)))
            .collect();
        let contents: Vec<Node<'_>> = records
            .iter()
            .filter_map(|(_, record)| record.root().get("content"))
            .collect();
        if contents.len() < turn.iter().filter(|event| hosts(event)).count() {
            continue;
        }
        let last = number + 1 == turns.list.len();
        let halves = find_halves(&contents)
            .into_iter()
            .filter(|half| !(last && half.is == Hosted::Call));
        alone.extend(halves.filter_map(|half| Some((records.get(half.message)?.0, half))));
    }
    told(t, alone)
}

/// Halves of one id are one finding.
fn told(t: &Transcript, alone: Vec<(EventId, Half)>) -> Vec<Diagnostic> {
    let mut found: Vec<(String, Diagnostic)> = Vec::new();
    for (event, half) in alone {
        let part = t.event(event).parts.at(half.block as usize);
        let role = if half.is == Hosted::Call {
            LabelRole::Call
        } else {
            LabelRole::Result
        };
        let (label, park) = (Label { event, role }, Action::ParkPart(part));
        let known = found
            .iter_mut()
            .rev()
            .take(MOST_HALVES)
            .find(|(id, _)| *id == half.id);
        if let Some((_, diagnostic)) = known.filter(|_| !half.id.is_empty()) {
            diagnostic.message =
                "server tool call and its result are in different responses".to_owned();
            diagnostic.labels.push(label);
            diagnostic.about.push(Subject::Identity(part));
            diagnostic
                .fixes
                .iter_mut()
                .for_each(|fix| fix.actions.push(park.clone()));
            continue;
        }
        let said = match half.is {
            Hosted::Call => "server tool call without a result",
            Hosted::Result => "server tool result without a call",
        };
        let mut diagnostic = refused(Code::ForeignBlock, said, event);
        diagnostic.labels = vec![label];
        diagnostic.about = vec![Subject::Identity(part)];
        diagnostic.fixes = vec![Fix::with_guess(vec![park])];
        found.push((half.id, diagnostic));
    }
    found
        .into_iter()
        .map(|(_, diagnostic)| diagnostic)
        .collect()
}

/// Halves before one among which its other half is looked for.
const MOST_HALVES: usize = 64;

/// Ids of such calls that an earlier call has: both halves get another one together.
pub(super) fn reused(t: &Transcript, turns: &Turns) -> Vec<Diagnostic> {
    let mut seen: HashSet<Id> = HashSet::new();
    let mut made: HashMap<Id, u32> = HashMap::new();
    let mut found = Vec::new();
    for turn in &turns.list {
        let parts: Vec<PartId> = turn
            .iter()
            .flat_map(|event| t.event(*event).parts.clone())
            .collect();
        // The next result of each id, from behind.
        let mut next: HashMap<Id, PartId> = HashMap::new();
        let mut own: HashMap<PartId, PartId> = HashMap::new();
        for part in parts
            .iter()
            .copied()
            .rev()
            .filter(|part| t.a_part(*part).kind == PartKind::Hosted)
        {
            let Some(id) = named(t, part) else { continue };
            match is_call(t, part) {
                true => own.extend(next.remove(&id).map(|result| (part, result))),
                false => _ = next.insert(id, part),
            }
        }
        for part in parts.into_iter().filter(|part| is_call(t, *part)) {
            let Some(id) = named(t, part) else { continue };
            if seen.insert(id) || t.a_part(part).kind != PartKind::Hosted {
                continue;
            }
            let Some(result) = own.get(&part).copied() else {
                continue;
            };
            let event = |part: PartId| t.a_part(part).event;
            let said = "a server tool call has the id of an earlier call";
            let mut diagnostic = refused(Code::ReusedCallId, said, event(part));
            diagnostic.labels = vec![
                Label {
                    event: event(part),
                    role: LabelRole::Call,
                },
                Label {
                    event: event(result),
                    role: LabelRole::Result,
                },
            ];
            diagnostic.about = vec![Subject::Identity(part)];
            let to = fresh(t, id, &mut made);
            diagnostic.fixes = vec![Fix::safe(vec![Action::Rename {
                parts: vec![part, result],
                to,
            }])];
            found.push(diagnostic);
        }
    }
    found
}

fn named(t: &Transcript, part: PartId) -> Option<Id> {
    t.a_part(part).id.filter(|id| !t.ids.is_empty(*id))
}

/// Whether a part is a call: results of these tools do not name them.
fn is_call(t: &Transcript, part: PartId) -> bool {
    let part = t.a_part(part);
    part.kind == PartKind::Call || (part.kind == PartKind::Hosted && part.tool.is_some())
}

/// The id with the first number from 2 on that nothing in the recording has.
fn fresh(t: &Transcript, id: Id, made: &mut HashMap<Id, u32>) -> String {
    let number = made.entry(id).or_insert(1);
    loop {
        *number = number.saturating_add(1);
        let wanted = format!("{}_{number}", t.ids.get(id));
        if t.ids.find(&wanted).is_none() {
            return wanted;
        }
    }
}
