//! The end of a document that is cut off or cannot be read.

use super::{KEEP, unreadable};
use crate::bytes::edit::Edit;
use crate::bytes::source::{Entries, Span};
use crate::containers::{ReadError, torn};
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Kind, RecordEnd, Tape};
use crate::transcript::{Action, Code, Diagnostic, Effect, Place, State, Subject, Transcript};

/// Longest white space between two tokens that is copied, in bytes.
const MOST_BLANK: u32 = 4096;

/// Reports a document that ends or becomes unreadable after the last complete value of its
/// innermost open container.
pub(super) fn report(
    entries: &dyn Entries,
    t: &mut Transcript,
    document: Span,
    path: &[Node<'_>],
    count: u64,
    tape: &Tape,
) -> Result<(), ReadError> {
    let open = path.iter().rposition(|node| node.is_open()).unwrap_or(0);
    let keep = last_whole(path[open]);
    let is_between_items = open + 1 < path.len() || path[open].items().all(|item| !item.is_open());
    let fragment = if is_between_items {
        None
    } else {
        path[open].items().last().map(|item| item.span().start)
    };
    let from = |at: u32| Span { start: document.start + u64::from(at), ..document };
    let rest = from(fragment.unwrap_or(keep));
    if !matches!(tape.end, RecordEnd::Torn) || misses_only_a_quote(entries, rest, &path[..=open])? {
        unreadable(t, rest, count);
        return Ok(());
    }
    let event = t.begin(rest, Place::Item(count), State::Padding);
    let mut diagnostic = Diagnostic::new(Code::TornTail, "the document is cut off", event);
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    // Without a complete element there is nothing to keep: an empty list has no known format.
    if count > 0 {
        let edits = vec![Edit::Bytes { at: from(keep), with: closing(&path[..=open]) }];
        diagnostic.fix_safely([Action::edits(
            event,
            "end the file after {}, the last complete one",
            edits,
        )]);
    }
    t.diagnostics.push(diagnostic);
    Ok(())
}

/// Whether only a quote is missing from the last value, so that it is not truncated. False if it is
/// too long to check.
fn misses_only_a_quote(
    entries: &dyn Entries,
    rest: Span,
    open: &[Node<'_>],
) -> Result<bool, ReadError> {
    if rest.end - rest.start > KEEP {
        return Ok(false);
    }
    let mut bytes = entries.fetch(rest)?;
    let mut kinds: Vec<Kind> = open.iter().map(Node::kind).collect();
    // A member alone is not a value, so check it as an object.
    if kinds.pop_if(|kind| *kind == Kind::Object).is_some() {
        bytes = [b"{", bytes.trim_ascii_start().strip_prefix(b",").unwrap_or(&bytes)].concat();
    }
    Ok(torn::misses_only_a_quote(&bytes, &kinds, &scan(&bytes, ScanMode::Document)))
}

/// Where the last complete child of a truncated container ends.
fn last_whole(container: Node<'_>) -> u32 {
    let ends = match container.kind() {
        Kind::Object => {
            container.members().filter(|(_, v)| !v.is_open()).map(|(_, v)| v.span().end).last()
        }
        _ => container.items().filter(|item| !item.is_open()).map(|item| item.span().end).last(),
    };
    ends.unwrap_or(container.span().start + 1)
}

/// The brackets that close these containers, in the layout of the opening ones.
fn closing(open: &[Node<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (depth, container) in open.iter().enumerate().rev() {
        let own_lines = lead(*container).contains(&b'\n');
        if own_lines {
            match depth.checked_sub(1) {
                Some(outer) => bytes.extend(lead(open[outer])),
                None => bytes.push(b'\n'),
            }
        }
        bytes.push(if container.kind() == Kind::Object { b'}' } else { b']' });
    }
    bytes
}

/// White space between the bracket of a container and its first child.
fn lead(container: Node<'_>) -> Vec<u8> {
    let first = container.members().next().map(|(key, _)| key).or_else(|| container.items().next());
    let Some(first) = first else {
        return Vec::new();
    };
    let (from, to) = (container.span().start + 1, first.span().start);
    if to.saturating_sub(from) > MOST_BLANK {
        Vec::new()
    } else {
        container.bytes(from, to).into_owned()
    }
}
