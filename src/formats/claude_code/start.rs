//! A conversation that does not begin with the user.

use super::Session;
use super::lines;
use crate::formats::FormatContext;
use crate::formats::chat::diagnostics;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, Code, Diagnostic, EventId, Fix, PartId, Request, State};

/// Judges the first message of the view.
pub(super) fn judge(
    context: &FormatContext<'_>,
    session: &Session,
    request: &mut Request,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    keep_the_start(context, request);
    let tree = &session.tree;
    let start = session.current.start();
    let broken = start.is_some_and(|start| {
        session
            .mended
            .broken
            .iter()
            .any(|broken| broken.event == start)
    });
    let unread = t
        .events
        .iter()
        .any(|event| event.state == State::Unreadable);
    let shared = tree
        .diagnostics
        .iter()
        .any(|diagnostic| diagnostic.code == Code::DuplicateRecordId);
    let rooted = start.is_some_and(|start| session.mended.ends_at_roots.contains_key(&start));
    if tree.agent || broken || unread || shared || rooted {
        return Vec::new();
    }
    let Some(mut diagnostic) = diagnostics::start(t, &request.order, &request.pairs) else {
        return Vec::new();
    };
    let first = diagnostic.labels.first().map(|label| label.event);
    let begun = start
        .filter(|start| Some(*start) == first)
        .and_then(|first| begun(context, session, first));
    diagnostic.fixes = begun
        .into_iter()
        .map(|action| Fix::with_guess(vec![action]))
        .collect();
    vec![diagnostic]
}

/// Results without a call that the conversation begins with: without them it would begin with the model.
fn keep_the_start(context: &FormatContext<'_>, request: &mut Request) {
    let t = context.transcript;
    let is_orphan = |part: &PartId| request.pairs.standing(*part) == PairStatus::Orphan;
    let Some(first) = request.messages.first() else {
        return;
    };
    let items = first.items.start as usize..first.items.end as usize;
    let first: Vec<PartId> = request
        .order
        .get(items)
        .into_iter()
        .flatten()
        .flat_map(|sent| sent.parts.clone())
        .collect();
    let next_is_answer = request
        .messages
        .get(1)
        .is_some_and(|next| next.role == crate::transcript::Role::Assistant);
    if next_is_answer && !first.is_empty() && first.iter().all(is_orphan) && !t.events.is_empty() {
        request.needed = first;
    }
}

/// The step that puts a marked first message in front of a record, and hangs the record on it.
pub(super) fn begun(
    context: &FormatContext<'_>,
    session: &Session,
    event: EventId,
) -> Option<Action> {
    lines::beginning(context, session, event)
}
