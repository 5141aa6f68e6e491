//! The records of a conversation as a timeline: all, only calls, or those around what happened.

use std::collections::BTreeSet;

use crate::engine::Judged;
use crate::format::FormatContext;
use crate::report::build;
use crate::report::model::FindingRecord;
use crate::report::records::is_record;
use crate::transcript::{
    EventId, Label, LabelRole, Origin, PartKind, Role, State, Transcript, facts,
};

/// Which records a timeline shows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Timeline {
    /// Every record.
    All,
    /// The records involved, and some before and after each.
    #[default]
    Around,
    /// Calls and results.
    Calls,
}

/// The records of a timeline, in the order of storage. `context_records` is the number of records
/// before and after each of `involved`.
pub(super) fn records(
    context: &FormatContext<'_>,
    judged: &Judged,
    which: Timeline,
    involved: &BTreeSet<EventId>,
    context_records: usize,
) -> Vec<FindingRecord> {
    let t = &judged.transcript;
    let all: Vec<EventId> = t.records().filter(|event| is_record(judged, *event)).collect();
    let wanted: Vec<EventId> = match which {
        Timeline::All => all,
        Timeline::Calls => all.into_iter().filter(|event| pairs(t, *event)).collect(),
        Timeline::Around => around(&all, involved, context_records),
    };
    wanted.into_iter().map(|event| record(context, judged, event)).collect()
}

fn pairs(t: &Transcript, event: EventId) -> bool {
    let mut parts = t.event(event).parts.clone().map(|part| t.part(part).kind);
    parts.any(|kind| matches!(kind, PartKind::Call | PartKind::Result))
}

fn around(all: &[EventId], involved: &BTreeSet<EventId>, context_records: usize) -> Vec<EventId> {
    let mut wanted = Vec::new();
    let mut done = 0;
    for event in involved {
        let at = all.partition_point(|other| other < event);
        let end = all.len().min(at.saturating_add(context_records).saturating_add(1));
        let start = at.saturating_sub(context_records).max(done).min(end);
        wanted.extend_from_slice(all.get(start..end).unwrap_or_default());
        done = done.max(end);
    }
    wanted
}

/// One record, with its own role rather than that in a finding.
pub(super) fn record(
    context: &FormatContext<'_>,
    judged: &Judged,
    event: EventId,
) -> FindingRecord {
    let role = role(&judged.transcript, event);
    FindingRecord { role, ..build::record(context, judged, &Label::new(event, LabelRole::Record)) }
}

/// What an event is, in one or two words.
pub(super) fn role(t: &Transcript, event: EventId) -> &'static str {
    let record = t.event(event);
    if record.state == State::Unreadable {
        return "unreadable";
    }
    // A call or a result says more than the role of its message.
    if t.part_of(event, PartKind::Call).is_some() {
        return "call";
    }
    if let Some(result) = t.part_of(event, PartKind::Result) {
        return if t.part(result).origin == Origin::Placeholder { "placeholder" } else { "result" };
    }
    if let Some(status) = t.fact_id(event, facts::STATUS) {
        return match t.ids.get(status) {
            "running" => "status running",
            "error" => "status error",
            "finished" => "status finished",
            "paused" => "status paused",
            "idle" => "status idle",
            "stuck" => "status stuck",
            "waiting_for_confirmation" => "status waiting",
            _ => "status",
        };
    }
    match record.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::Nobody => "bookkeeping",
        Role::HostState => "state",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::index::ids;

    #[test]
    fn around_takes_each_record_once() {
        let all: Vec<EventId> = ids([0, 1, 2, 3, 4, 6, 7, 8, 9]).to_vec();
        let around = |involved: &[EventId], context_records| {
            around(&all, &involved.iter().copied().collect(), context_records)
        };
        assert_eq!(around(&ids([2, 4]), 1), ids([1, 2, 3, 4, 6]));
        assert_eq!(around(&ids([2, 4]), 0), ids([2, 4]));
        assert_eq!(around(&ids([0, 9]), usize::MAX), all);
        assert!(around(&[], 3).is_empty());
    }
}
