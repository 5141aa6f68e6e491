//! Writes the error observation for a call without a result, and picks the IDs of new events.

use std::collections::BTreeMap;

use super::history::number;
use crate::containers::rewrite::CannotDo;
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::alike::ObjectLayout;
use crate::json::record::Record;
use crate::rewrite::NewRecord;
use crate::transcript::{EventId, Place, Transcript, distinct};

/// IDs that no event has.
#[derive(Clone, Debug)]
pub(super) struct FreeIds {
    /// First and last ID of each gap between two used IDs.
    gaps: BTreeMap<i64, i64>,
    highest: i64,
}

impl FreeIds {
    /// Finds the free IDs of a log.
    pub(super) fn of(t: &Transcript) -> FreeIds {
        let named = t.records().filter_map(|event| match t.event(event).place() {
            Place::File(index) => i64::try_from(index).ok(),
            _ => None,
        });
        let used: Vec<i64> =
            distinct(t.records().filter_map(|event| number(t, event)).chain(named));
        let between = used.windows(2).filter(|pair| pair[0].saturating_add(1) < pair[1]);
        let gaps =
            between.map(|pair| (pair[0].saturating_add(1), pair[1].saturating_sub(1))).collect();
        FreeIds { gaps, highest: used.last().copied().unwrap_or(-1) }
    }

    /// The highest ID that is used.
    pub(super) fn highest(&self) -> i64 {
        self.highest
    }

    /// Takes the first free ID after this one.
    pub(super) fn take(&mut self, after: i64) -> i64 {
        let from = after.saturating_add(1);
        let inside = self.gaps.range(..=from).next_back().filter(|(_, last)| **last >= from);
        let gap =
            inside.or_else(|| self.gaps.range(from..).next()).map(|(first, last)| (*first, *last));
        let Some((first, last)) = gap else {
            return self.fresh();
        };
        let id = first.max(from);
        self.gaps.remove(&first);
        if first < id {
            self.gaps.insert(first, id - 1);
        }
        if id < last {
            self.gaps.insert(id + 1, last);
        }
        id
    }

    /// Takes the ID after the highest one.
    pub(super) fn fresh(&mut self) -> i64 {
        self.highest = self.highest.saturating_add(1);
        self.highest
    }
}

/// The bytes of the new event, with the time of the record before it.
pub(super) fn bytes(
    context: &FormatContext<'_>,
    record: &NewRecord,
    before: Option<EventId>,
) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let action = t.part(record.call).event;
    let call_record = context.record(action)?;
    let layout = ObjectLayout::of(call_record.bytes());
    let raw = |record: &Record, key: &str| Some(record.root().get(key)?.raw().into_owned());
    let metadata = raw(&call_record, "tool_call_metadata")
        .ok_or(CannotDo("the call's event has no `tool_call_metadata`"))?;
    let time = before
        .and_then(|event| raw(&*context.record(event).ok()?, "timestamp"))
        .or_else(|| raw(&call_record, "timestamp"));
    let mut members = Vec::new();
    if !record.id.is_empty() {
        members.push(("id", record.id.clone().into_bytes()));
    }
    members.extend(time.map(|time| ("timestamp", time)));
    members.push(("source", layout.quote("agent")));
    members.push(("message", layout.quote(NO_RESULT)));
    members.extend(number(t, action).map(|id| ("cause", id.to_string().into_bytes())));
    members.push(("observation", layout.quote("error")));
    members.push(("tool_call_metadata", metadata));
    members.push(("content", layout.quote(NO_RESULT)));
    members.push(("extras", layout.inside().object(&[("error_id", layout.quote(""))])));
    Ok(layout.object(&members))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_free_id_after_another_is_taken_once() {
        let mut free = FreeIds { gaps: BTreeMap::from([(3, 5), (9, 9)]), highest: 12 };
        assert_eq!([free.take(3), free.take(1), free.take(1), free.take(1)], [4, 3, 5, 9]);
        assert_eq!([free.take(0), free.take(20), free.highest()], [13, 14, 14]);
    }
}
