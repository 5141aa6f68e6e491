//! Reports unreadable lines.

use super::header;
use super::path::Path;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::unreadable::{Left, Unreadable};
use crate::transcript::{Diagnostic, EventId, Subject, Transcript};

/// Reports each unreadable line except a truncated header.
pub(super) fn check(t: &Transcript, path: &Path, pairs: &Pairs) -> Vec<Diagnostic> {
    let header = header::truncated(t, path);
    let unreadable = Unreadable::new(t, pairs, super::PI.traits.unreadable);
    let diagnostic = |event: EventId| {
        let mut diagnostic = unreadable.diagnostic(event);
        if unreadable.left(event) != Left::Tail {
            diagnostic.covers = may_explain(path, pairs);
        }
        diagnostic
    };
    let records = unreadable.records();
    let others = records.filter(|event| Some(*event) != header);
    others.map(diagnostic).collect()
}

/// What an unreadable record may explain: it may be anywhere on the path, if that leads through
/// one.
fn may_explain(path: &Path, pairs: &Pairs) -> Vec<Subject> {
    let parent = path.broken.map(Subject::Parent);
    let leads_through = path.through_unreadable.is_some() || path.broken.is_some() || path.flat;
    let unclear = pairs.all().filter_map(|(part, status)| match status {
        PairStatus::Open => Some(Subject::Open(part)),
        PairStatus::Orphan => Some(Subject::Orphan(part)),
        _ => None,
    });
    let unclear = unclear.filter(|_| leads_through);
    parent.into_iter().chain(unclear).collect()
}
