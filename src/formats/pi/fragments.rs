//! Fragments on a line with complete records: when a fragment is removed, the children of its
//! record get its parent.

use super::path::Path;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::rewrite::CannotDo;
use crate::containers::torn::records_in;
use crate::formats::FormatContext;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::scan::{Mode, scan};
use crate::rewrite::Members;
use crate::transcript::{EventId, Id, LinkKind, State};

/// The edits inside the broken line of this event. Complete records on other lines are changed
/// through `members`.
pub(super) fn relink_children(
    context: &FormatContext<'_>,
    path: &Path,
    event: EventId,
    members: &mut Members<'_>,
) -> Result<Vec<Edit>, CannotDo> {
    let t = context.transcript;
    let at = t.event(event).at;
    let mut edits = Vec::new();
    // The parts of a line are consecutive events; fragments come after records.
    let same = t
        .events
        .ids_from(event)
        .take_while(|other| t.event(*other).at == at);
    for fragment in same.filter(|other| t.event(*other).state == State::Padding) {
        let (Some(id), Some(parent)) =
            (t.event(fragment).id, t.link_of(fragment, LinkKind::Parent))
        else {
            continue;
        };
        let Some(to) = parent
            .to
            .filter(|_| path.resolve(id, fragment) == Some(fragment))
        else {
            continue;
        };
        for child in path.records.iter().copied() {
            if t.link_of(child, LinkKind::Parent)
                .is_none_or(|link| link.to != Some(id))
            {
                continue;
            }
            if t.event(child).state == State::Whole {
                members.set_text(child, "parentId", Some(t.ids.get(to)));
            } else if t.event(child).at == at {
                edits.extend(inside(context, at, t.event(child).id, t.ids.get(to))?);
            }
        }
    }
    Ok(edits)
}

/// The edit of the parent of a record on the broken line itself.
fn inside(
    context: &FormatContext<'_>,
    at: Span,
    id: Option<Id>,
    to: &str,
) -> Result<Option<Edit>, CannotDo> {
    let t = context.transcript;
    let bytes = context
        .entries
        .fetch(at)
        .map_err(|_| CannotDo("a record cannot be read again"))?;
    for range in records_in(&bytes, &super::PI.records) {
        let piece = &bytes[range.clone()];
        let tape = scan(piece, Mode::Document);
        let Some(root) = Node::root(&tape, &piece) else {
            continue;
        };
        let own = root.string("id");
        if id.is_none_or(|id| own.as_deref() != Some(t.ids.get(id))) {
            continue;
        }
        let Some(value) = root.get("parentId") else {
            continue;
        };
        let change = cut::replace(value, &quote(to));
        let place = |offset: u32| at.start + range.start as u64 + u64::from(offset);
        let at = Span {
            start: place(change.at.start),
            end: place(change.at.end),
            ..at
        };
        return Ok(Some(Edit::Bytes {
            at,
            with: change.with,
        }));
    }
    Ok(None)
}
