//! Trajectories of mini-SWE-agent: messages of Chat Completions in a document about the run. The agent never reads them back.

use super::openai_chat::OPENAI_CHAT;
use super::vocabulary::Words;
use super::{Checked, Fields, Format, Host, HostTraits};
use crate::containers::{Layout, Step};
use crate::dialects::chat as dialect;
use crate::formats::head::Sample;
use crate::json::node::Node;

/// The format.
pub(crate) const MINI_SWE_AGENT: Format = Format {
    name: "mini-swe-agent",
    host: &Host {
        name: "mini-swe-agent",
        title: "mini-SWE-agent",
    },
    title: "mini-SWE-agent trajectory",
    page: include_str!("page.md"),
    checked: Checked::Read("mini-swe-agent 2.4.6"),
    step: 4,
    recognize,
    explains,
    traits: HostTraits {
        words: Some(Words::of(&["trajectory_format:", "exit_status:"])),
        // Members besides these are notes of the agent (`extra`), which it takes out before it sends.
        sent: &[
            &["role"],
            &["content"],
            &["tool_calls"],
            &["tool_call_id"],
            &["name"],
        ],
        beside: &[],
        rows: false,
        fields: Fields {
            structure: "trajectory_format exit_status mini_version",
            known: "info messages extra model_stats config",
        },
        conversations: HostTraits::NONE.conversations,
        ..OPENAI_CHAT.traits
    },
    after_write: "The agent never reads a trajectory back: a repaired one is for replay, training, \
        and evidence.",
    ..OPENAI_CHAT
};

/// How `trajectory_format` begins.
const SIGN: &str = "mini-swe-agent";

/// A document that names the format, or that tells how a run ended.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let root = head.only()?;
    let is_signed = root
        .string("trajectory_format")
        .is_some_and(|sign| sign.starts_with(SIGN));
    let messages = root.get("messages")?;
    let signed = is_signed || root.at(&["info", "exit_status"]).is_some();
    (signed && !messages.items().any(is_response)).then_some(Layout::Items {
        entry: head.single?,
        path: vec![Step::Key("messages")],
        envelope: true,
    })
}

/// A message, or the end of the run.
fn explains(message: Node<'_>) -> bool {
    let exit = message
        .get("role")
        .is_some_and(|role| role.is_str(super::openai_chat::OVER));
    exit || dialect::speaks(message)
}

/// Whether an element is an answer of the Responses API, which the agent keeps whole.
pub(super) fn is_response(element: Node<'_>) -> bool {
    element.has_str("object", "response")
}
