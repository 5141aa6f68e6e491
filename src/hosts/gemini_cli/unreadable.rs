//! Unreadable lines.

use hashbrown::HashSet;

use crate::transcript::pairs::Pairs;
use crate::transcript::unreadable::{RecordRemains, Unreadable};
use crate::transcript::{Action, Diagnostic, Id, Transcript};

/// Reports each of them. If the message is recorded again, removing the line loses nothing.
pub(super) fn check(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    let readable = t.with_inner().filter(|event| t.is_readable(*event));
    let readable_ids: HashSet<Id> = readable.filter_map(|event| t.event(event).id).collect();
    let unreadable = Unreadable::new(t, pairs, super::GEMINI_CLI.traits.unreadable);
    unreadable
        .records()
        .map(|event| {
            let mut diagnostic = unreadable.diagnostic(event);
            let is_repeated = t.event(event).id.is_some_and(|id| readable_ids.contains(&id));
            if is_repeated && unreadable.left(event) == RecordRemains::Middle {
                diagnostic.fix_safely([Action::Remove(event)]);
            }
            diagnostic
        })
        .collect()
}
