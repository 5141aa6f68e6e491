//! A fragment that is glued to whole records: its children get its parent, once the fragment is removed.

use super::{Tree, TreeKeys};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::RecordReader;
use crate::containers::rewrite::CannotDo;
use crate::containers::torn::records_in;
use crate::format::FormatContext;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::scan::{ScanMode, scan};
use crate::rewrite::MemberChanges;
use crate::transcript::{EventId, LinkKind, State};

/// The edits inside the broken line of this event; whole records elsewhere are changed by `members`.
pub(crate) fn relink_children(
    context: &FormatContext<'_>,
    (tree, keys, reader): (&Tree, TreeKeys, &RecordReader),
    event: EventId,
    members: &mut MemberChanges<'_>,
) -> Result<Vec<Edit>, CannotDo> {
    let t = context.transcript;
    let at = t.event(event).at();
    let mut edits = Vec::new();
    // The parts of a line are events in a row; its fragments come after its records.
    let same = t.events.ids_from(event).take_while(|other| t.event(*other).at() == at);
    for fragment in same.filter(|other| t.event(*other).state == State::Padding) {
        let (Some(id), Some(parent)) =
            (t.event(fragment).id, t.link_of(fragment, LinkKind::Parent))
        else {
            continue;
        };
        let Some(to) = parent.to.filter(|_| tree.resolve(id, fragment) == Some(fragment)) else {
            continue;
        };
        for child in tree.records.iter().copied() {
            if t.link_of(child, LinkKind::Parent).is_none_or(|link| link.to != Some(id)) {
                continue;
            }
            if t.event(child).state == State::Whole {
                members.set_text(child, keys.parent, Some(t.ids.get(to)));
            } else if t.event(child).at() == at {
                edits.extend(inside(context, (keys, reader), child, t.ids.get(to))?);
            }
        }
    }
    Ok(edits)
}

/// The parent of a record that is on the broken line itself.
fn inside(
    context: &FormatContext<'_>,
    (keys, reader): (TreeKeys, &RecordReader),
    event: EventId,
    to: &str,
) -> Result<Option<Edit>, CannotDo> {
    let t = context.transcript;
    let (at, id) = (t.event(event).at(), t.event(event).id);
    let bytes = context.entries.fetch(at).map_err(|_| CannotDo("a record cannot be read again"))?;
    for range in records_in(&bytes, reader) {
        let piece = &bytes[range.clone()];
        let tape = scan(piece, ScanMode::Document);
        let Some(root) = Node::root(&tape, &piece) else {
            continue;
        };
        let own = root.string(keys.id);
        if id.is_none_or(|id| own.as_deref() != Some(t.ids.get(id))) {
            continue;
        }
        let Some(value) = root.get(keys.parent) else {
            continue;
        };
        let change = cut::replace(value, &quote(to));
        let place = |offset: u32| at.start + range.start as u64 + u64::from(offset);
        let at = Span::new(at.entry, place(change.at.start), place(change.at.end));
        return Ok(Some(Edit::bytes(at, change.with)));
    }
    Ok(None)
}
