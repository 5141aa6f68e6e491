//! Trajectories of mini-SWE-agent: messages of Chat Completions in a document about the run. The agent never reads them back.

mod responses;

pub(crate) use responses::MINI_SWE_AGENT_RESPONSES;

use super::openai_chat::OPENAI_CHAT;
use crate::containers::{Layout, PathStep};
use crate::dialects::chat as dialect;
use crate::dialects::members::{Holding, Members};
use crate::format::head::Sample;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;

pub(crate) const MINI_SWE_AGENT: Format = Format {
    name: "mini-swe-agent",
    host: &Host::new("mini-swe-agent", "mini-SWE-agent"),
    title: "mini-SWE-agent trajectory",
    page: include_str!("page.md"),
    checked: Verification::Read("mini-swe-agent 2.4.6"),
    rank: Rank::Document,
    recognize,
    explains,
    traits: HostTraits {
        words: Some(WordSet::of(&["trajectory_format:", "exit_status:"])),
        // Members besides these are notes of the agent (`extra`), which it takes out before it sends.
        sent: &[&["role"], &["content"], &["tool_calls"], &["tool_call_id"], &["name"]],
        beside: &[],
        rows: false,
        members: Members::own(&[
            (Holding::Details, "info extra model_stats config"),
            (Holding::Envelope, "trajectory_format exit_status mini_version"),
        ]),
        conversations: HostTraits::NONE.conversations,
        ..OPENAI_CHAT.traits
    },
    after_write: "The agent never reads a trajectory back: a repaired one is for replay, training, \
        and evidence.",
    ..OPENAI_CHAT
};

/// Whether a document names the format, which is its last member, or tells how a run ended.
fn is_run(root: Node<'_>) -> bool {
    let sign = root.string("trajectory_format");
    let is_signed = sign.is_some_and(|sign| sign.starts_with("mini-swe-agent"));
    is_signed || root.at(&["info", "exit_status"]).is_some()
}

/// The messages of a run that has no responses of the Responses API.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let root = head.only()?;
    let messages = root.get("messages")?;
    let path = vec![PathStep::Key("messages")];
    (is_run(root) && !messages.items().any(is_response))
        .then_some(Layout::enclosed(head.single?, path))
}

/// A message, or the end of the run.
fn explains(message: Node<'_>) -> bool {
    let exit = message.has_str("role", super::openai_chat::OVER);
    exit || dialect::speaks(message)
}

/// Whether an element is a response of the Responses API, which the agent keeps whole.
fn is_response(element: Node<'_>) -> bool {
    element.has_str("object", "response")
}
