//! What a record says in words.

use crate::formats::Scene;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventNo, State};

/// Longest record that is read for its words, in bytes.
const LONGEST: u64 = 8 << 20;

/// The text of a message or a summary, the output of a tool or a command, the error of a failed response.
pub(super) fn text(scene: &Scene<'_>, event: EventNo) -> Option<String> {
    let record = scene.transcript.event(event);
    if record.state != State::Whole || record.at.end.saturating_sub(record.at.start) > LONGEST {
        return None;
    }
    let bytes = scene.entries.fetch(record.at).ok()?;
    let tape = scan(bytes.trim_ascii_end(), Mode::Document);
    let text = bytes.as_slice();
    let root = Node::root(&tape, &text)?;
    let said = root.get("message").unwrap_or(root);
    let places = ["content", "summary", "output", "errorMessage"];
    places.iter().find_map(|key| words(said.get(key)?))
}

/// A string, or the texts of a list of blocks.
fn words(content: Node<'_>) -> Option<String> {
    if let Some(text) = content.str() {
        return Some(text.into_owned());
    }
    let texts: Vec<String> = content
        .items()
        .filter_map(|block| block.get("text").and_then(|text| text.str().map(|text| text.into_owned())))
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
