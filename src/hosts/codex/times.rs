//! Finds records without a time, which the host ignores.

use super::own;
use crate::format::FormatContext;
use crate::json::quote::quote;
use crate::rewrite::set_member;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Label, LabelRole, State, Subject, Transcript,
};

/// Reports them together. The fix gives each the time of the record before it. Records older than
/// `start` do not count.
pub(super) fn check(context: &FormatContext<'_>, start: EventId) -> Option<Diagnostic> {
    let t = context.transcript;
    let counts = |event: &EventId| *event >= start || t.has(*event, own::HEADER);
    let without: Vec<EventId> =
        t.records().filter(|event| t.has(*event, own::NO_TIME)).filter(counts).collect();
    let first = *without.first()?;
    let mut diagnostic = Diagnostic::new(Code::MalformedRecord, "record without a time", first);
    diagnostic.labels = Label::all(&without, LabelRole::Record);
    diagnostic.about = vec![Subject::Content(first)];
    diagnostic.effect = Effect::Hides(u32::try_from(without.len()).unwrap_or(u32::MAX));
    // Records before the first known time get that one, too.
    let mut stamp = any(context);
    let mut before: Option<EventId> = None;
    let mut actions: Vec<Option<Action>> = Vec::new();
    for event in t.records().filter(|event| is_whole(t, *event)) {
        if !t.has(event, own::NO_TIME) {
            before = Some(event);
            continue;
        }
        if let Some(known) = before.take() {
            stamp = own(context, known).or(stamp);
        }
        if counts(&event) {
            actions.push(stamp.as_deref().and_then(|stamp| put(context, event, stamp)));
        }
    }
    // All or none: one without a time left over would still hide records.
    let actions: Option<Vec<Action>> = actions.into_iter().collect();
    let whole = without.iter().all(|event| is_whole(t, *event));
    if let Some(actions) = actions.filter(|_| whole) {
        diagnostic.fix_safely(actions);
    }
    Some(diagnostic)
}

fn is_whole(t: &Transcript, event: EventId) -> bool {
    t.event(event).state == State::Whole
}

fn put(context: &FormatContext<'_>, event: EventId, stamp: &str) -> Option<Action> {
    context.change(event, |root| vec![set_member(root, None, "timestamp", &quote(stamp))])
}

/// The time of a record as written, or that of its payload.
pub(super) fn own(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let stamp = root.string("timestamp");
    let stamp = stamp.or_else(|| root.at(&["payload", "timestamp"])?.str());
    stamp.map(|stamp| stamp.into_owned())
}

/// A time for the first records: of the header, else of the first record with one.
fn any(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let header = t.records().find(|event| t.has(*event, own::HEADER));
    let timed = t.records().find(|event| t.event(*event).time().is_some());
    header.into_iter().chain(timed).find_map(|event| own(context, event))
}
