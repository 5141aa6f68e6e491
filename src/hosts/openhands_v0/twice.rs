//! Repeated elements of a list, and IDs that several events share.

use hashbrown::HashSet;

use crate::containers::Layout;
use crate::format::FormatContext;
use crate::shapes::copies::{self, By, Same};
use crate::transcript::{Action, Diagnostic, EventId, Id, State};

/// Repeated events and IDs.
#[derive(Default)]
pub(super) struct RepeatedEvents {
    /// Elements of a list that repeat another one byte for byte.
    pub copies: HashSet<EventId>,
    /// IDs that different events share.
    pub ambiguous: HashSet<Id>,
    /// The findings about both.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds repeated events and IDs.
pub(super) fn repeated(context: &FormatContext<'_>) -> RepeatedEvents {
    let t = context.transcript;
    let in_files = matches!(context.layout, Layout::Files(_));
    let whole = t.records().filter(|event| t.event(*event).state == State::Whole);
    let mut found = RepeatedEvents::default();
    for twin in copies::find(context, whole, By::Id, Same::Bytes) {
        if twin.is_copy && !in_files {
            found.copies.insert(twin.event);
            let diagnostic = twin.repeated("same event in the list twice");
            found.diagnostics.push(diagnostic);
            continue;
        }
        found.ambiguous.extend(t.event(twin.event).id);
        let mut diagnostic = twin.shares_id("two different events have the same ID");
        if !in_files {
            diagnostic.fix_with_guess([Action::AssignId(twin.event)]);
        }
        found.diagnostics.push(diagnostic);
    }
    found
}
