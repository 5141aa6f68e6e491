//! What a record says in words: read again, because facts keep no text.

use super::Scene;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventNo, State};

/// Longest record that is read for its words, in bytes.
const LONGEST: u64 = 8 << 20;

/// What `find` finds in a record, read again; `None` where the record is damaged, gone, or longer than is kept in memory.
pub(super) fn look<R>(
    scene: &Scene<'_>,
    event: EventNo,
    find: impl FnOnce(Node<'_>) -> Option<R>,
) -> Option<R> {
    let record = scene.transcript.event(event);
    if record.state != State::Whole || record.at.end.saturating_sub(record.at.start) > LONGEST {
        return None;
    }
    let bytes = scene.entries.fetch(record.at).ok()?;
    let text = bytes.trim_ascii_end();
    let tape = scan(text, Mode::Document);
    find(Node::root(&tape, &text)?)
}

/// A string, or the texts of a list of blocks, on lines of their own.
pub(super) fn words(content: Node<'_>) -> Option<String> {
    if let Some(text) = content.str() {
        return Some(text.into_owned());
    }
    let texts: Vec<String> =
        content.items().filter_map(|block| Some(block.get("text")?.str()?.into_owned())).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
