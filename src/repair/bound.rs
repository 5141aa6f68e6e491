//! Thinking after what a repair changes. Models may reject it if the text before it has changed.

use hashbrown::HashSet;

use crate::engine::Judged;
use crate::rules::layer;
use crate::transcript::touched::touched;
use crate::transcript::{Action, EventId, PartId, PartKind, Place, Request, Transcript};

/// How many parts of thinking are sent after the first record that these actions change. Each action comes with its layer:
/// edits of bytes, IDs and links restore what the model saw, so they do not count.
pub(super) fn count_after<'a>(
    t: &Transcript,
    request: &Request,
    actions: impl Iterator<Item = (u8, &'a Action)>,
) -> usize {
    let changed: HashSet<EventId> = actions
        .filter(|(at, action)| match action {
            Action::SetLink { .. } => false,
            Action::EditBytes { .. } => *at > layer::TREE,
            _ => true,
        })
        .flat_map(|(_, action)| touched(t, action))
        .collect();
    let Some(first) = request.order.iter().position(|sent| changed.contains(&sent.event)) else {
        return 0;
    };
    let rest = request.order.get(first + 1..).unwrap_or_default();
    rest.iter().map(|sent| thinking(t, sent).count()).sum()
}

fn thinking<'a>(
    t: &'a Transcript,
    sent: &'a crate::transcript::request::Sent,
) -> impl Iterator<Item = PartId> + 'a {
    let parts = Some(sent.parts.clone()).filter(|_| !sent.summary);
    parts.into_iter().flatten().filter(move |part| t.part(*part).kind == PartKind::Thinking)
}

/// The record with the first of the last `count` parts of thinking.
pub(super) fn first(judged: &Judged, count: usize) -> Option<Place> {
    let t = &judged.transcript;
    let all = judged.request().order.iter().rev().flat_map(|sent| {
        let parts: Vec<PartId> = thinking(t, sent).collect();
        parts.into_iter().rev()
    });
    let first = all.take(count).last()?;
    Some(t.event(t.part(first).event).place())
}
