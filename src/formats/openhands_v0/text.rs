//! What an event says in words.

use super::history::is_action;
use super::kinds;
use crate::formats::Scene;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::transcript::{EventNo, State};

/// Longest event that is read for its words, in bytes.
const LONGEST: u64 = 8 << 20;

/// The text of a message, a thought or a summary, the output of a tool, an error.
pub(super) fn text(scene: &Scene<'_>, event: EventNo) -> Option<String> {
    let record = scene.transcript.event(event);
    if record.state != State::Whole || record.at.end.saturating_sub(record.at.start) > LONGEST {
        return None;
    }
    let bytes = scene.entries.fetch(record.at).ok()?;
    let tape = scan(&bytes, Mode::Document);
    let text = bytes.as_slice();
    let node = Node::root(&tape, &text)?;
    let place: &[&str] = match scene.transcript.kind(event) {
        _ if !is_action(scene.transcript, event) => &["content"],
        "message" | "system" => &["args", "content"],
        "think" => &["args", "thought"],
        "finish" => &["args", "final_thought"],
        kinds::CONDENSATION => &["args", "summary"],
        _ => return None,
    };
    Some(node.at(place)?.str()?.into_owned())
}
