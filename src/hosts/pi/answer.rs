//! The placeholder result for a call without a recorded result.

use sha2::{Digest, Sha256};

use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::quote::quote;
use crate::rewrite::{NewRecord, Plan, PlanSource};
use crate::transcript::{EventId, PartId, Transcript};

/// A result for a call. `number` is the index of the call in its response.
pub(super) fn new(context: &FormatContext<'_>, call: PartId, number: usize) -> NewRecord {
    let t = context.transcript;
    let part = t.part(call);
    let session = super::session(context).unwrap_or_default();
    let entry = t.text(t.event(part.event).id);
    let words = format!("{session}|{entry}|{}|{number}", t.text(part.id).trim());
    NewRecord { id: fresh(t, &words), ..NewRecord::of(call) }
}

/// The line of the record. It has the times of `before`. `parent` is the ID of its parent; `None`
/// if the file has no tree.
pub(super) fn bytes(
    plan: &Plan<'_>,
    record: &NewRecord,
    before: Option<EventId>,
    parent: Option<&str>,
) -> Vec<u8> {
    let t = plan.t;
    let call = t.part(record.call);
    let (stamp, millis) = before.map(|before| times(plan.source, before)).unwrap_or_default();
    let place =
        parent.map(|parent| format!(r#""id":{},"parentId":{},"#, quote(&record.id), quote(parent)));
    let tool = Some(t.text(call.tool)).filter(|name| !name.is_empty()).unwrap_or("unknown");
    let text = quote(NO_RESULT);
    format!(
        r#"{{"type":"message",{}"timestamp":{},"message":{{"role":"toolResult","toolCallId":{},"toolName":{},"content":[{{"type":"text","text":{text}}}],"details":{{"openclawSyntheticMissingToolResult":true,"reason":"missing_tool_result","insertedBy":"transcript-doctor"}},"isError":true,"timestamp":{millis}}}}}"#,
        place.unwrap_or_default(),
        quote(&stamp),
        quote(t.text(call.id)),
        quote(tool),
    )
    .into_bytes()
}

/// The time of a record as written, and that of its message in milliseconds.
fn times(source: PlanSource<'_>, event: EventId) -> (String, i64) {
    let record = source.record(event).ok();
    let root = record.as_ref().map(|record| record.root());
    let stamp =
        root.and_then(|root| root.get("timestamp")).and_then(|time| time.str()).unwrap_or_default();
    let millis =
        root.and_then(|root| root.at(&["message", "timestamp"])).and_then(|time| time.as_i64());
    let millis =
        millis.unwrap_or_else(|| source.t.event(event).time().unwrap_or(0).div_euclid(1000));
    (stamp.into_owned(), millis)
}

/// A new ID: eight hex digits derived from these words that no record has.
pub(super) fn fresh(t: &Transcript, words: &str) -> String {
    unused(words, &|id| t.ids.find(id).is_some())
}

/// Eight hex digits derived from these words that are not used yet.
pub(super) fn unused(words: &str, is_used: &dyn Fn(&str) -> bool) -> String {
    let mut id = hashed(words);
    let mut number = 0_u64;
    while is_used(&id) {
        number += 1;
        id = hashed(&format!("{words}|{number}"));
    }
    id
}

fn hashed(words: &str) -> String {
    let hash = Sha256::digest(words.as_bytes());
    hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
