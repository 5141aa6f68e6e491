//! Reports unreadable lines.

use super::{header, own};
use crate::transcript::pairs::Pairs;
use crate::transcript::unreadable::{RecordRemains, Unreadable};
use crate::transcript::{Action, Diagnostic, EventId, Subject, Transcript};

/// Reports each unreadable line except a truncated header.
pub(super) fn check(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    let header = header::truncated(t);
    let unreadable = Unreadable::new(t, pairs, super::CODEX.traits.unreadable);
    let records = unreadable.records();
    let others = records.filter(|event| Some(*event) != header);
    others.map(|event| diagnostic(t, &unreadable, event)).collect()
}

fn diagnostic(t: &Transcript, unreadable: &Unreadable<'_>, event: EventId) -> Diagnostic {
    let torn = t.is_torn(event);
    let left = match unreadable.left(event) {
        RecordRemains::Tail if !torn => RecordRemains::Middle,
        left => left,
    };
    let mut diagnostic = super::CODEX.traits.unreadable.diagnostic(t.noun(), event, left);
    let shown = t.fact_id(event, own::CALL);
    diagnostic.covers = unreadable.may_explain(event);
    diagnostic.covers.retain(|subject| match (subject, shown) {
        (Subject::Open(part) | Subject::Orphan(part), Some(id)) => t.part(*part).id == Some(id),
        _ => !torn,
    });
    if torn {
        // What shows that a call had a result is not given up as if it had none.
        let is_alone = left == RecordRemains::Tail || diagnostic.covers.is_empty();
        diagnostic.fix_safely_if(is_alone, [Action::Remove(event)]);
    }
    diagnostic
}
