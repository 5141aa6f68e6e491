//! Finds a response in a message.

use super::message::{self, PartLocation};
use crate::dialects::gemini;
use crate::json::node::Node;

/// The response in the part with this index.
pub(super) fn response(message: Node<'_>, at: usize) -> Option<Node<'_>> {
    let part = match message::parts(message).get(at)?.location {
        PartLocation::Content(part) | PartLocation::Call(part) => part,
        PartLocation::Result { whole, item: Some(at) } => whole.items().nth(at as usize)?,
        PartLocation::Result { whole, item: None } => whole,
    };
    gemini::response(part)
}
