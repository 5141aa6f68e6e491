//! What the kit sends of a session: `_get_contents` of its flows.

use hashbrown::{HashMap, HashSet};

use super::{GOOGLE_ADK, own};
use crate::format::FormatContext;
use crate::json::node::Node;
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairStatus, Paired, Pairs};
use crate::transcript::{EventId, Id, PartId, PartKind, Request, Transcript};

pub(super) fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let all = without_compacted(context, without_rewound(t));
    let (order, superseded) = rearranged(t, &all);
    let kept: Vec<EventId> =
        all.iter().copied().filter(|event| !superseded.contains(event)).collect();
    let mut forgotten = chat::messages(t);
    forgotten.retain(|event| kept.binary_search(event).is_err());
    let mut pairs = Pairs::find(t, GOOGLE_ADK.traits.pairs, &Paired::events(&kept));
    let waiting = waiting(context, &pairs, &forgotten);
    if !waiting.is_empty() {
        let paired = Paired { is_sent: &|part| !waiting.contains(&part), ..Paired::events(&kept) };
        pairs = Pairs::find(t, GOOGLE_ADK.traits.pairs, &paired);
    }
    let diagnostics = diagnostics::unreadable(t, &pairs, GOOGLE_ADK.traits.unreadable);
    let order = chat::items(t, &order);
    chat::request_of(context, order, (kept, &forgotten), pairs, diagnostics)
}

/// The messages without those that a rewind took back (`_apply_rewinds`).
fn without_rewound(t: &Transcript) -> Vec<EventId> {
    let mut first: HashMap<Id, EventId> = HashMap::new();
    let mut back: Vec<(EventId, EventId)> = Vec::new();
    for event in t.records() {
        if let Some(start) = t.fact_id(event, own::REWINDS).and_then(|to| first.get(&to)) {
            back.push((*start, event));
        }
        if let Some(invocation) = t.fact_id(event, own::INVOCATION) {
            first.entry(invocation).or_insert(event);
        }
    }
    let mut messages = chat::messages(t);
    messages.retain(|event| !back.iter().any(|(start, end)| start <= event && event <= end));
    messages
}

/// The messages without those up to the end of the last compaction: their times say which they are.
fn without_compacted(context: &FormatContext<'_>, mut messages: Vec<EventId>) -> Vec<EventId> {
    let t = context.transcript;
    if !t.is_known(own::COMPACTS) {
        return messages;
    }
    let ends = t.records().filter(|event| t.has(*event, own::COMPACTS)).filter_map(|event| {
        let camel = time_at(context, event, &["actions", "compaction", "endTimestamp"]);
        camel.or_else(|| time_at(context, event, &["actions", "compaction", "end_timestamp"]))
    });
    let end = ends.fold(f64::NEG_INFINITY, f64::max);
    messages.retain(|event| {
        !t.has(*event, own::COMPACTS)
            && time_at(context, *event, &["timestamp"]).is_none_or(|time| time > end)
    });
    messages
}

fn time_at(context: &FormatContext<'_>, event: EventId, path: &[&str]) -> Option<f64> {
    let record = context.record(event).ok()?;
    seconds(record.root().at(path)?)
}

fn seconds(node: Node<'_>) -> Option<f64> {
    std::str::from_utf8(&node.raw()).ok()?.parse().ok()
}

/// The messages in the order in which they are sent: the last event of results for each call comes directly after the calls. And
/// those events of results that later ones replace.
fn rearranged(t: &Transcript, all: &[EventId]) -> (Vec<EventId>, HashSet<EventId>) {
    let mut open: HashMap<Id, EventId> = HashMap::new();
    // For each call, named by its event and ID, the events with its results.
    let mut answers: HashMap<(EventId, Id), EventId> = HashMap::new();
    let mut callers: HashMap<EventId, Vec<(EventId, Id)>> = HashMap::new();
    for event in all.iter().copied() {
        for id in t.parts_of(event, PartKind::Result).filter_map(|result| t.part(result).id) {
            if let Some(asks) = open.get(&id) {
                answers.insert((*asks, id), event);
                callers.entry(event).or_default().push((*asks, id));
            }
        }
        for id in t.parts_of(event, PartKind::Call).filter_map(|call| t.part(call).id) {
            open.insert(id, event);
        }
    }
    let mut after: HashMap<EventId, Vec<EventId>> = HashMap::new();
    for ((asks, _), event) in &answers {
        after.entry(*asks).or_default().push(*event);
    }
    let (mut order, mut superseded) = (Vec::with_capacity(all.len()), HashSet::new());
    for event in all.iter().copied() {
        match callers.get(&event) {
            Some(calls) if calls.iter().all(|call| answers.get(call) != Some(&event)) => {
                superseded.insert(event);
            }
            Some(_) => {}
            None => order.push(event),
        }
        if let Some(mut own) = after.remove(&event) {
            own.sort_unstable();
            own.dedup();
            order.extend(own);
        }
    }
    (order, superseded)
}

/// Calls of long-running tools without a result, which the kit sends, and results of calls that a compaction hides, for which it
/// sends the call again.
fn waiting(context: &FormatContext<'_>, pairs: &Pairs, forgotten: &[EventId]) -> HashSet<PartId> {
    let t = context.transcript;
    let hidden = forgotten.iter().flat_map(|event| t.parts_of(*event, PartKind::Call));
    let hidden: HashSet<Option<Id>> = hidden.map(|call| t.part(call).id).collect();
    let mut found = HashSet::new();
    for event in t.records() {
        for result in t.parts_of(event, PartKind::Result) {
            if pairs.call_of(result).is_none() && hidden.contains(&t.part(result).id) {
                found.insert(result);
            }
        }
        // Only these calls may stay without a result.
        if !t.has(event, own::LONG_RUNNING) {
            continue;
        }
        let Ok(record) = context.record(event) else { continue };
        let root = record.root();
        let Some(ids) =
            root.get("longRunningToolIds").or_else(|| root.get("long_running_tool_ids"))
        else {
            continue;
        };
        for call in t.parts_of(event, PartKind::Call) {
            let Some(id) = t.part(call).id else { continue };
            let is_answered = matches!(pairs.status(call), PairStatus::Answered(_));
            if !is_answered && ids.items().any(|own| own.is_str(t.ids.get(id))) {
                found.insert(call);
            }
        }
    }
    found
}
