//! Conversations that do not start with the user.

use super::ClaudeSession;
use super::lines;
use crate::format::FormatContext;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Action, Code, EventId, PartId, Request, State};

/// Notes what the request starts with.
pub(super) fn note(context: &FormatContext<'_>, session: &ClaudeSession, request: &mut Request) {
    let t = context.transcript;
    keep_the_start(context, request);
    let tree = &session.tree;
    let start = session.current.start();
    let broken = start
        .is_some_and(|start| session.recovered.broken.iter().any(|broken| broken.event == start));
    let unread = t.events.iter().any(|event| event.state == State::Unreadable);
    let shared =
        tree.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::DuplicateRecordId);
    let rooted = start.is_some_and(|start| session.recovered.ends_at_roots.contains_key(&start));
    request.start_is_unknown = tree.agent || broken || unread || shared || rooted;
}

/// Notes orphaned results at the start of the conversation, without which it would start with the model.
fn keep_the_start(context: &FormatContext<'_>, request: &mut Request) {
    let t = context.transcript;
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
    let next_is_answer =
        request.messages.get(1).is_some_and(|next| next.role == crate::transcript::Role::Assistant);
    if next_is_answer
        && !first.is_empty()
        && first.iter().all(|part| request.pairs.status(*part) == PairStatus::Orphan)
        && !t.events.is_empty()
    {
        request.needed = first;
    }
}

/// The action that inserts a first message, marked as ours, as the parent of the path's first record.
pub(super) fn beginning(context: &FormatContext<'_>, event: EventId) -> Option<Action> {
    let session = ClaudeSession::of(context);
    let is_first = session.current.start() == Some(event);
    is_first.then(|| lines::beginning(context, &session, event))?
}
