//! Elements of a list that are there twice, and ids that two events have.

use hashbrown::{HashMap, HashSet};

use super::judge::label;
use crate::containers::Layout;
use crate::formats::FormatContext;
use crate::transcript::{Action, Code, Diagnostic, EventId, Fix, Id, LabelRole, State, Subject};

/// What is there twice.
#[derive(Default)]
pub(super) struct Repeated {
    /// Elements of a list that are another one byte for byte.
    pub copies: HashSet<EventId>,
    /// Ids that different events have.
    pub ambiguous: HashSet<Id>,
    /// Both, told.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds what is there twice.
pub(super) fn repeated(context: &FormatContext<'_>) -> Repeated {
    let t = context.transcript;
    let mut first: HashMap<Id, EventId> = HashMap::new();
    let mut found = Repeated::default();
    for event in t
        .records()
        .filter(|event| t.event(*event).state == State::Whole)
    {
        let Some(id) = t.event(event).id else {
            continue;
        };
        let before = *first.entry(id).or_insert(event);
        if before == event {
            continue;
        }
        let bytes = |event: EventId| context.entries.fetch(t.event(event).at).ok();
        let in_files = matches!(context.layout, Layout::Files(_));
        let copy = !in_files
            && bytes(before).is_some_and(|one| bytes(event).is_some_and(|two| one == two));
        let mut diagnostic = if copy {
            found.copies.insert(event);
            Diagnostic::new(
                Code::RepeatedRecord,
                "the same event is in the list twice",
                event,
            )
        } else {
            found.ambiguous.insert(id);
            Diagnostic::new(
                Code::DuplicateRecordId,
                "two different events have one id",
                event,
            )
        };
        diagnostic.labels = vec![
            label(before, LabelRole::Record),
            label(event, LabelRole::Copy),
        ];
        diagnostic.about = vec![Subject::Bytes(event)];
        if copy {
            diagnostic.fixes = vec![Fix::safe(vec![Action::Park(event)])];
        } else if !in_files {
            diagnostic.fixes = vec![Fix::with_guess(vec![Action::Identify(event)])];
        }
        found.diagnostics.push(diagnostic);
    }
    found
}
