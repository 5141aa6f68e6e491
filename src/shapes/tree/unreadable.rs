//! Reports unreadable lines.

use super::Tree;
use crate::transcript::pairs::Pairs;
use crate::transcript::unreadable::{OnUnreadable, RecordRemains, Unreadable};
use crate::transcript::{Diagnostic, EventId, Subject, Transcript};

/// Reports each unreadable line except a truncated `header`.
pub(crate) fn check(
    t: &Transcript,
    tree: &Tree,
    pairs: &Pairs,
    host: OnUnreadable,
    header: Option<EventId>,
) -> Vec<Diagnostic> {
    let unreadable = Unreadable::new(t, pairs, host);
    let explained = may_explain(tree, pairs);
    let records = unreadable.records();
    let others = records.filter(|event| Some(*event) != header);
    others
        .map(|event| {
            let mut diagnostic = unreadable.diagnostic(event);
            if unreadable.left(event) != RecordRemains::Tail {
                diagnostic.covers.clone_from(&explained);
            }
            diagnostic
        })
        .collect()
}

/// What an unreadable record may explain: it may be anywhere on the path, if that leads through one.
fn may_explain(tree: &Tree, pairs: &Pairs) -> Vec<Subject> {
    let parent = tree.broken.map(Subject::Parent);
    let leads_through = tree.through_unreadable.is_some() || tree.broken.is_some() || tree.flat;
    let unclear = pairs.unpaired().filter(|_| leads_through);
    parent.into_iter().chain(unclear).collect()
}
