//! Where the responses of a message are.

use super::message::{self, Seat};
use crate::dialects::gemini;
use crate::json::node::Node;

/// The response that is this part of a message.
pub(super) fn response(message: Node<'_>, at: usize) -> Option<Node<'_>> {
    let part = match message::parts(message).get(at)?.seat {
        Seat::Content(part) | Seat::Call(part) => part,
        Seat::Result {
            whole,
            item: Some(at),
        } => whole.items().nth(at as usize)?,
        Seat::Result { whole, item: None } => whole,
    };
    gemini::response(part)
}
