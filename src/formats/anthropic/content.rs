//! What the API refuses in the content of messages, judged where their places are known.

use super::attrs;
use super::order::Turns;
use crate::dialects::anthropic::{self, FEW_IMAGES, Manner, hosted, kinds::Hosted};
use crate::formats::Scene;
use crate::formats::chat::faults;
use crate::json::cut::{self, Change};
use crate::json::node::{Node, Owned};
use crate::json::scan::{Mode, scan};
use crate::json::tape::Tape;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    EventNo, Fault, Label, LabelRole, PartKind, Remedy, Role, Severity, State, Subject, Transcript,
    Treatment, Value,
};

/// Most marks for the cache in a request.
const MOST_MARKS: i64 = 4;

/// Judges the messages that a reader marked, and what needs several of them.
pub(super) fn judge(scene: &Scene<'_>, all: &[EventNo], turns: &Turns, pairs: &Pairs) -> Vec<Fault> {
    let t = scene.transcript;
    let images = sum(t, all, attrs::IMAGES);
    let mut found = Vec::new();
    for event in all.iter().copied().filter(|event| t.attr_of(*event, attrs::ODD).is_some()) {
        let first = t.event(event).parts.start;
        let manner = Manner {
            role: t.event(event).role,
            may_be_empty: Some(&event) == all.last() && t.event(event).role == Role::Assistant,
            takes_blank: false,
            many_images: images > i64::try_from(FEW_IMAGES).unwrap_or(i64::MAX),
            answered: &|block| pairs.answer(first.saturating_add(block)).is_some(),
        };
        let Some(record) = Read::of(scene, event) else { continue };
        let damages = record.root().map(|root| anthropic::judge(root, &manner)).unwrap_or_default();
        found.extend(damages.into_iter().map(|damage| {
            let mut fault = damage.fault(t, event);
            fault.severity = Some(Severity::Fatal);
            fault
        }));
    }
    found.extend(halves(scene, turns));
    found.extend(marks(scene, all));
    found
}

fn sum(t: &Transcript, all: &[EventNo], name: &str) -> i64 {
    let count = |event: &EventNo| match t.attr_of(*event, name) {
        Some(Value::Number(count)) => count,
        _ => 0,
    };
    all.iter().map(count).fold(0, i64::saturating_add)
}

/// A record, read again.
struct Read {
    bytes: Owned,
    tape: Tape,
}

impl Read {
    fn of(scene: &Scene<'_>, event: EventNo) -> Option<Read> {
        let record = scene.transcript.event(event);
        let bytes = Some(record).filter(|record| record.state == State::Whole);
        let bytes = Owned(scene.entries.fetch(bytes?.at).ok()?);
        let tape = scan(&bytes.0, Mode::Document);
        Some(Read { bytes, tape })
    }

    fn root(&self) -> Option<Node<'_>> {
        Node::root(&self.tape, &self.bytes)
    }
}

/// Calls of tools that the provider runs without their results in the same turn, and the other way round.
fn halves(scene: &Scene<'_>, turns: &Turns) -> Vec<Fault> {
    let t = scene.transcript;
    let hosts = |event: &EventNo| t.part_of(*event, PartKind::Hosted).is_some();
    let mut alone: Vec<(EventNo, hosted::Half)> = Vec::new();
    for (number, turn) in turns.list.iter().enumerate() {
        let is_model = turn.first().is_some_and(|event| t.event(*event).role == Role::Assistant);
        if !is_model || !turn.iter().any(hosts) {
            continue;
        }
        let records: Vec<(EventNo, Read)> = turn
            .iter()
            .filter(|event| hosts(event))
            .filter_map(|e| Some((*e, Read::of(scene, *e)?)))
            .collect();
        let contents: Vec<Node<'_>> =
            records.iter().filter_map(|(_, record)| record.root()?.get("content")).collect();
        if contents.len() < turn.iter().filter(|event| hosts(event)).count() {
            continue;
        }
        let last = number + 1 == turns.list.len();
        let halves = hosted::halves(&contents).into_iter().filter(|half| !(last && half.is == Hosted::Call));
        alone.extend(halves.filter_map(|half| Some((records.get(half.message)?.0, half))));
    }
    told(t, alone)
}

/// Halves of one id are one finding.
fn told(t: &Transcript, alone: Vec<(EventNo, hosted::Half)>) -> Vec<Fault> {
    let mut found: Vec<(String, Fault)> = Vec::new();
    for (event, half) in alone {
        let part = t.event(event).parts.start.saturating_add(half.block);
        let role = if half.is == Hosted::Call { LabelRole::Call } else { LabelRole::Result };
        let (label, park) = (Label { event, role }, Remedy::ParkPart(part));
        let known = found.iter_mut().rev().take(MOST_HALVES).find(|(id, _)| *id == half.id);
        if let Some((_, fault)) = known.filter(|_| !half.id.is_empty()) {
            fault.message = "a call of a server's tool and its result stand in two answers".to_owned();
            fault.labels.push(label);
            fault.about.push(Subject::Identity(part));
            fault.treatments.iter_mut().for_each(|treatment| treatment.remedies.push(park.clone()));
            continue;
        }
        let said = match half.is {
            Hosted::Call => "a call of a server's tool without its result",
            Hosted::Result => "a result of a server's tool without its call",
        };
        let mut fault = faults::of(t, "TD410", said, event);
        fault.labels = vec![label];
        fault.about = vec![Subject::Identity(part)];
        fault.treatments = vec![Treatment::with_guess(vec![park])];
        found.push((half.id, fault));
    }
    found.into_iter().map(|(_, fault)| fault).collect()
}

/// Halves before one among which its other half is looked for.
const MOST_HALVES: usize = 64;

/// More marks for the cache than a request may hold: all but those of the last messages go.
fn marks(scene: &Scene<'_>, all: &[EventNo]) -> Option<Fault> {
    let t = scene.transcript;
    let mut left = sum(t, all, attrs::MARKS);
    if left <= MOST_MARKS {
        return None;
    }
    let marked = all.iter().copied().filter(|event| t.attr_of(*event, attrs::MARKS).is_some());
    let mut remedies = Vec::new();
    let mut labels = Vec::new();
    for event in marked {
        labels.push(Label { event, role: LabelRole::Record });
        if left > MOST_MARKS {
            left = left.saturating_sub(sum(t, &[event], attrs::MARKS));
            remedies.extend(faults::mended(scene, event, unmarked));
        }
    }
    let mut fault = faults::of(t, "TD410", "more than 4 marks for the cache", labels.first()?.event);
    labels.truncate(MOST_HALVES);
    fault.labels = labels;
    fault.treatments = vec![Treatment::with_guess(remedies)];
    Some(fault)
}

/// The changes that take all marks out of a message.
fn unmarked(root: Node<'_>) -> Vec<Change> {
    let blocks = root.get("content").into_iter().flat_map(|content| content.items());
    let marks = |block: Node<'_>| -> Vec<u32> {
        let keys = (0_u32..).zip(block.members());
        keys.filter(|(_, (key, _))| key.is_str("cache_control")).map(|(at, _)| at).collect()
    };
    blocks.flat_map(|block| cut::remove_members(block, &marks(block))).collect()
}
