//! What an event says in words.

use crate::formats::Scene;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventNo, State};

/// Longest event that is read for its words, in bytes.
const LONGEST: u64 = 8 << 20;

/// The text of a message, the output of a tool, an error, a reason or a summary; blocks on lines of their own.
pub(super) fn text(scene: &Scene<'_>, event: EventNo) -> Option<String> {
    let record = scene.transcript.event(event);
    if record.state != State::Whole || record.at.end.saturating_sub(record.at.start) > LONGEST {
        return None;
    }
    let bytes = scene.entries.fetch(record.at).ok()?;
    let tape = scan(bytes.trim_ascii_end(), Mode::Document);
    let text = bytes.as_slice();
    let node = Node::root(&tape, &text)?;
    let place: &[&str] = match scene.transcript.kind(event) {
        "MessageEvent" => &["llm_message", "content"],
        "ObservationEvent" => &["observation", "content"],
        "UserRejectObservation" => &["rejection_reason"],
        "AgentErrorEvent" => &["error"],
        "ConversationErrorEvent" => &["detail"],
        "Condensation" => &["summary"],
        _ => return None,
    };
    words(node.at(place)?)
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
