//! Lines that nobody can read.

use hashbrown::HashSet;

use crate::transcript::pairs::Pairs;
use crate::transcript::unreadable::{Left, Unreadable};
use crate::transcript::{Action, Diagnostic, Fix, Id, State, Transcript};

/// Judges each. One whose message is recorded again holds nothing that is lost.
pub(super) fn judge(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    let readable = |event: &_| matches!(t.event(*event).state, State::Whole | State::Recovered);
    let again: HashSet<Id> = t
        .with_inner()
        .filter(readable)
        .filter_map(|event| t.event(event).id)
        .collect();
    let unreadable = Unreadable::new(t, pairs, super::GEMINI_CLI.traits.unreadable);
    let diagnostic = |event| {
        let mut diagnostic = unreadable.diagnostic(event);
        let is_again = t.event(event).id.is_some_and(|id| again.contains(&id));
        if is_again && unreadable.left(event) == Left::Middle {
            diagnostic.fixes = vec![Fix::safe(vec![Action::Remove(event)])];
        }
        diagnostic
    };
    unreadable.records().map(diagnostic).collect()
}
