//! What the API refuses in the parts of a message, and the client passes on.

use super::message::{self, Seat};
use crate::dialects::gemini;
use crate::formats::Scene;
use crate::formats::chat::{faults, responses};
use crate::json::cut;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::pairs::Pairs;
use crate::transcript::{EventNo, Fault, Treatment};

/// Finds responses without the name of their tool, and parts without data. `sent`: the messages that are.
pub(super) fn judge(scene: &Scene<'_>, pairs: &Pairs, sent: &[EventNo]) -> Vec<Fault> {
    let t = scene.transcript;
    let mut faults = responses::nameless(scene, pairs, response);
    // The client renames tools: another name than the call's is no damage here.
    faults.retain(|fault| fault.code == "TD013");
    let void = sent.iter().filter(|event| t.attr_of(**event, super::attrs::VOID).is_some());
    faults.extend(void.map(|event| {
        let mut fault = faults::of(t, "TD401", "a part without anything in it", *event);
        let remedy = faults::mended(scene, *event, |message| match list(message) {
            Some((list, void)) => cut::remove_members(list, &void),
            None => Vec::new(),
        });
        fault.treatments = remedy.map(|remedy| Treatment::safe(vec![remedy])).into_iter().collect();
        fault
    }));
    faults
}

/// The response that is this part of a message.
fn response(message: Node<'_>, at: usize) -> Option<Node<'_>> {
    let part = match message::parts(message).get(at)?.seat {
        Seat::Content(part) | Seat::Call(part) => part,
        Seat::Result { whole, item: Some(at) } => whole.items().nth(at as usize)?,
        Seat::Result { whole, item: None } => whole,
    };
    gemini::response(part)
}

/// Whether parts of a message's content hold nothing while others do.
pub(super) fn has_void(message: Node<'_>) -> bool {
    list(message).is_some()
}

/// The content, and the positions in it of the parts without data, where other parts are left.
fn list(message: Node<'_>) -> Option<(Node<'_>, Vec<u32>)> {
    let content = message.get("content").filter(|list| list.kind() == Kind::Array)?;
    let mut void = Vec::new();
    let mut count = 0;
    for (at, part) in (0_u32..).zip(content.items()) {
        count += 1;
        // Thinking is not sent.
        if gemini::is_empty(part) && !gemini::is_thought(part) {
            void.push(at);
        }
    }
    (!void.is_empty() && void.len() < count).then_some((content, void))
}
