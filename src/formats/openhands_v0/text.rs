//! What an event says in words.

use super::history::is_action;
use super::kinds;
use crate::formats::FormatContext;
use crate::formats::words::look;
use crate::transcript::EventId;

/// The text of a message, a thought or a summary, the output of a tool, an error.
pub(super) fn text(scene: &FormatContext<'_>, event: EventId) -> Option<String> {
    let place: &[&str] = match scene.transcript.kind(event) {
        _ if !is_action(scene.transcript, event) => &["content"],
        "message" | "system" => &["args", "content"],
        "think" => &["args", "thought"],
        "finish" => &["args", "final_thought"],
        kinds::CONDENSATION => &["args", "summary"],
        _ => return None,
    };
    look(scene, event, |node| Some(node.at(place)?.str()?.into_owned()))
}
