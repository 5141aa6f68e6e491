//! Decides whether a variant fits a call or a finding, and finds the events of its steps.

use super::log::Log;
use super::lookup::Anchor;
use super::{Step, StepNeed, Time, Variant};
use crate::transcript::EventId;

/// Most events examined for a step with a time.
const LOOKED_AT: usize = 100;

/// The event of each step, if the variant fits.
pub(super) fn fit(
    log: &Log<'_>,
    anchor: Anchor<'_>,
    variant: &Variant,
) -> Option<Vec<Option<EventId>>> {
    if !variant.given.iter().all(|given| log.holds(*given, anchor)) {
        return None;
    }
    let steps = variant.steps;
    let mut found: Vec<Option<EventId>> = vec![None; steps.len()];
    let mut cursor: Option<EventId> = None;
    for (step, found) in steps.iter().zip(&mut found).filter(|(step, _)| is_fixed(step)) {
        cursor = Some(log.first(step.is, anchor, cursor)?);
        *found = cursor;
    }
    let fixed = found.clone();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| !is_fixed(step)) {
        let prev = fixed[..at].iter().rev().find_map(|event| *event);
        let next = fixed[at..].iter().find_map(|event| *event);
        found[at] = between(log, anchor, step, prev, next);
        match (step.need, found[at]) {
            (StepNeed::Must, None) | (StepNeed::MustNot, Some(_)) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// Whether a step is searched for in order. All other steps are searched between these.
fn is_fixed(step: &Step) -> bool {
    step.need == StepNeed::Must && step.time == Time::Any
}

/// The event of a step between two other events.
fn between(
    log: &Log<'_>,
    anchor: Anchor<'_>,
    step: &Step,
    prev: Option<EventId>,
    next: Option<EventId>,
) -> Option<EventId> {
    if step.time == Time::Any {
        let found = log.first(step.is, anchor, prev)?;
        return next.is_none_or(|next| found < next).then_some(found);
    }
    let events = log.events(step.is, anchor);
    let start = prev.map_or(0, |prev| events.partition_point(|event| *event <= prev));
    let end = next.map_or(events.len(), |next| events.partition_point(|event| *event < next));
    let events = events.get(start..end)?;
    let time = |event: EventId| log.t.event(event).time();
    match step.time {
        Time::Any => None,
        Time::Between => {
            let (low, high) = (time(prev?)?, time(next?)?);
            events
                .iter()
                .take(LOOKED_AT)
                .find(|event| time(**event).is_some_and(|time| low < time && time < high))
                .copied()
        }
        Time::JustBefore(most) => {
            let until = time(next?)?;
            events
                .iter()
                .rev()
                .take(LOOKED_AT)
                .find(|event| {
                    let gap = time(**event).and_then(|time| until.checked_sub(time));
                    gap.is_some_and(|gap| (0..=most).contains(&gap))
                })
                .copied()
        }
        // Only the nearest event: a later one would not show a pause here.
        Time::LongAfter(least) => {
            let (first, from) = (*events.first()?, time(prev?)?);
            let gap = time(first)?.checked_sub(from)?;
            (gap >= least).then_some(first)
        }
    }
}
