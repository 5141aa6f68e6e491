//! A record that is stored twice, byte for byte.

use crate::bytes::source::Entries;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Fix, Label, LabelRole, State, Subject, Transcript,
};

/// Whether two records are the same bytes, their line endings aside.
pub(super) fn is_copy(
    t: &Transcript,
    entries: &dyn Entries,
    first: EventId,
    event: EventId,
) -> bool {
    let bytes = |event: EventId| entries.fetch(t.event(event).at).ok();
    let whole = t.event(first).state == State::Whole && t.event(event).state == State::Whole;
    let length = |event: EventId| t.event(event).at.end - t.event(event).at.start;
    whole
        && length(first).abs_diff(length(event)) <= 2
        && bytes(first).is_some_and(|first| {
            bytes(event).is_some_and(|second| first.trim_ascii_end() == second.trim_ascii_end())
        })
}

/// The fault of a copy: readers that go by id see one record, readers that go by line see two.
pub(super) fn copy(first: EventId, event: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(
        Code::RepeatedRecord,
        "the same record is stored twice",
        event,
    );
    diagnostic.labels = vec![
        Label {
            event: first,
            role: LabelRole::Record,
        },
        Label {
            event,
            role: LabelRole::Copy,
        },
    ];
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.fixes = vec![Fix::safe(vec![Action::Park(event)])];
    diagnostic
}
