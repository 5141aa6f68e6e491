//! Event files that cannot be read or are missing, and the copies in cache pages.

use super::history::V0History;
use super::pages;
use crate::bytes::edit::Edit;
use crate::containers::NAME_ID;
use crate::containers::files::NOWHERE;
use crate::format::FormatContext;
use crate::transcript::pairs::Pairs;
use crate::transcript::unreadable::Unreadable;
use crate::transcript::{Action, Code, Diagnostic, Effect, EventId, Instance, State, Transcript};

/// Reports event files that cannot be read, and missing files whose event is in a page.
pub(super) fn check(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    history: &V0History,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let unreadable = Unreadable::new(t, pairs, super::OPENHANDS_V0.traits.unreadable);
    let mut diagnostics = Vec::new();
    for event in
        history.kept.iter().copied().filter(|event| t.event(*event).state == State::Unreadable)
    {
        let missing = t.event(event).at().entry == NOWHERE;
        let copy = number_in_name(t, event).and_then(|id| pages::copy_of(context.entries, id));
        let mut diagnostic = unreadable.diagnostic(event);
        diagnostic.covers = unreadable.may_explain(event);
        if missing {
            diagnostic.code = Code::RecordOrder;
            diagnostic.message = "the event's file is missing; a copy is in a cache page".into();
        } else if copy.is_some() {
            diagnostic.code = Code::UnreadableRecord;
            diagnostic.message = "an event cannot be read, but its copy in a cache page can".into();
        }
        if let Some(copy) = copy {
            // The host reads the page, not the file.
            diagnostic.fix_safely([restore(context, event, copy)]);
            (diagnostic.instance, diagnostic.effect) = (Some(Instance::Corrected), Effect::None);
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// The ID in the name of an event's file.
pub(super) fn number_in_name(t: &Transcript, event: EventId) -> Option<u64> {
    match (t.fact_text(event, NAME_ID), t.event(event).at().entry == NOWHERE) {
        (Some(name), _) => name.parse().ok(),
        (_, true) => Some(t.event(event).place().number()),
        _ => None,
    }
}

/// The action that restores an event file from its copy.
pub(super) fn restore(context: &FormatContext<'_>, event: EventId, copy: Vec<u8>) -> Action {
    let t = context.transcript;
    let at = t.event(event).at();
    let edit = if at.entry == NOWHERE {
        Edit::Create {
            name: format!("events/{}.json", t.event(event).place().number()),
            bytes: copy,
        }
    } else {
        Edit::Bytes { at, with: copy }
    };
    Action::edits(event, "restore {} from the cache page", vec![edit])
}
