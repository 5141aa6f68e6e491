//! A truncated compressed stream: the records that were read may all be complete, but some are
//! missing.

use super::Layout;
use crate::bytes::source::{Entries, Span};
use crate::transcript::{Code, Diagnostic, Effect, Place, State, Subject, Transcript};

/// Reports the loss, after the last record.
pub(super) fn report(entries: &dyn Entries, layout: &Layout, t: &mut Transcript) {
    let Some(entry) = layout.entry() else { return };
    let Some(why) = entries.loss(entry) else {
        return;
    };
    let next = t
        .records()
        .next_back()
        .map_or(0, |event| t.event(event).place().number().saturating_add(1));
    let place = if layout.is_lines() { Place::Line(next.max(1)) } else { Place::Item(next) };
    let end = entries.len(entry);
    let event = t.begin(Span { entry, start: end, end }, place, State::Padding);
    let mut diagnostic = Diagnostic::new(Code::TornTail, why, event);
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    t.diagnostics.push(diagnostic);
}
