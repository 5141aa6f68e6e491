//! Whether a variant fits a call, and which events its steps are.

use super::log::Log;
use super::{Branch, Given, Is, Names, Need, Step, Time, Variant};
use crate::transcript::pairs::Standing;
use crate::transcript::{EventNo, Fate, LinkKind, Origin, PartNo};

/// Events that are looked at for a step with a time.
const LOOKED_AT: usize = 100;

/// The event of each step of a variant, where the variant fits.
pub(super) fn fit(log: &Log<'_>, call: PartNo, variant: &Variant) -> Option<Vec<Option<EventNo>>> {
    if !variant.given.iter().all(|given| holds(log, call, *given)) {
        return None;
    }
    let steps = variant.steps;
    let mut found: Vec<Option<EventNo>> = vec![None; steps.len()];
    let mut cursor: Option<EventNo> = None;
    for (step, found) in steps.iter().zip(&mut found).filter(|(step, _)| is_fixed(step)) {
        let event = match cursor {
            None => log.events(step.is, call).first().copied()?,
            Some(after) => log.first(step.is, call, after)?,
        };
        cursor = Some(event);
        *found = Some(event);
    }
    let fixed = found.clone();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| !is_fixed(step)) {
        let prev = fixed[..at].iter().rev().find_map(|event| *event)?;
        let next = fixed[at..].iter().find_map(|event| *event);
        found[at] = between(log, call, step, prev, next);
        match (step.need, found[at]) {
            (Need::Must, None) | (Need::MustNot, Some(_)) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// Whether a step is found by itself; the others are looked for between such ones.
fn is_fixed(step: &Step) -> bool {
    step.need == Need::Must && step.time == Time::Any
}

/// The event of a step between two others.
fn between(
    log: &Log<'_>,
    call: PartNo,
    step: &Step,
    prev: EventNo,
    next: Option<EventNo>,
) -> Option<EventNo> {
    let events = log.events(step.is, call);
    let start = events.partition_point(|event| *event <= prev);
    let end = next.map_or(events.len(), |next| events.partition_point(|event| *event < next));
    let events = events.get(start..end)?;
    let time = |event: EventNo| log.t.event(event).time;
    match step.time {
        Time::Any => events.first().copied(),
        Time::Between => {
            let (low, high) = (time(prev)?, time(next?)?);
            let fits = |event: &&EventNo| time(**event).is_some_and(|time| low < time && time < high);
            events.iter().take(LOOKED_AT).find(fits).copied()
        }
        Time::JustBefore(most) => {
            let until = time(next?)?;
            let fits = |event: &&EventNo| {
                let gap = time(**event).and_then(|time| until.checked_sub(time));
                gap.is_some_and(|gap| (0..=most).contains(&gap))
            };
            events.iter().rev().take(LOOKED_AT).find(fits).copied()
        }
    }
}

fn holds(log: &Log<'_>, call: PartNo, given: Given) -> bool {
    let t = log.t;
    match given {
        Given::RecordsStatus => log.was("running"),
        Given::Runnable => t.a_part(call).runnable,
        Given::NotRunnable => !t.a_part(call).runnable,
        Given::RestAbandoned => {
            let Some(batch) = log.pairs.batch_of(call) else { return false };
            let [first, rest @ ..] = batch.calls.as_slice() else { return false };
            let abandoned = |call: &PartNo| {
                let off = log.view.fate(t.a_part(*call).event) == Fate::OffBranch;
                off || log.view.pairs.standing(*call) == Standing::Open
            };
            *first == call && !rest.is_empty() && rest.iter().all(abandoned)
        }
        Given::SameOutput => {
            let outputs = log.pairs.results(call).iter().map(|result| t.a_part(*result));
            let mut outputs = outputs.filter(|result| result.origin == Origin::Real);
            outputs.next().is_some_and(|first| outputs.all(|other| other.digest == first.digest))
        }
        Given::AnswerIsLater => {
            let time = |part: PartNo| t.event(t.a_part(part).event).time;
            let answer = log.view.pairs.answer(call).and_then(time);
            answer.zip(time(call)).is_some_and(|(answer, call)| answer > call)
        }
        Given::AnswerHangsBefore => {
            let call_event = t.a_part(call).event;
            let named = |result: EventNo| {
                let parent = log.view.parent.get(result as usize).copied().flatten()?;
                let link = t.link_of(result, LinkKind::Parent)?.to?;
                (t.event(parent).id == Some(link)).then_some(parent)
            };
            let on = log.events(Is::Result(Branch::On), call);
            on.iter().filter_map(|result| named(*result)).any(|parent| parent < call_event)
        }
        Given::NoOwnLink => {
            let mut results = log.pairs.results(call).iter().map(|result| t.a_part(*result).event);
            results.all(|result| log.names(call, result) == Names::Foreign)
        }
    }
}
