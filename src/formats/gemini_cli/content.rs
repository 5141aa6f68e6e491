//! What the API refuses in the parts of a message, and the client passes on.

use super::message::{self, Seat};
use super::void;
use crate::dialects::gemini;
use crate::formats::FormatContext;
use crate::formats::chat::responses;
use crate::json::node::Node;
use crate::transcript::pairs::Pairs;
use crate::transcript::request::Sent;
use crate::transcript::{Code, Diagnostic};

/// Finds responses without the name of their tool, and parts without data. `order`: what is sent.
pub(super) fn judge(context: &FormatContext<'_>, pairs: &Pairs, order: &[Sent]) -> Vec<Diagnostic> {
    let mut diagnostics = responses::nameless(context, pairs, response);
    // The client renames tools: another name than the call's is no damage here.
    diagnostics.retain(|diagnostic| diagnostic.code == Code::MalformedRecord);
    diagnostics.extend(void::judge(context, order));
    diagnostics
}

/// The response that is this part of a message.
fn response(message: Node<'_>, at: usize) -> Option<Node<'_>> {
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
