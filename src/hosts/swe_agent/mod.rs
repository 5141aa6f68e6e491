//! Trajectories of SWE-agent: the history holds messages of Chat Completions whose results name their calls in a list. The agent
//! never reads them back.

use super::openai_chat::{self, OPENAI_CHAT};
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, PathStep};
use crate::dialects::chat as dialect;
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::head::Sample;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::shapes::chat::plain;
use crate::shapes::chat::write::{self, ListWriting};
use crate::transcript::PartId;

pub(crate) const SWE_AGENT: Format = Format {
    name: "swe-agent",
    host: &Host::new("swe-agent", "SWE-agent"),
    title: "SWE-agent trajectory",
    page: include_str!("page.md"),
    checked: Verification::Recorded("24 trajectories of its repository"),
    rank: Rank::Document,
    recognize,
    explains,
    planner: |context, request| write::planner(context, &WRITING, request),
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["history:"])),
        sent: &[&["role"], &["content"], &["tool_calls"], &["tool_call_ids"]],
        beside: &[],
        rows: false,
        members: Members::own(&[
            (Holding::Details, "history info environment replay_config"),
            (Holding::Envelope, "tool_call_ids message_type agent exit_status"),
        ]),
        conversations: HostTraits::NONE.conversations,
        ..OPENAI_CHAT.traits
    },
    after_write: "The agent never reads a trajectory back: a repaired one is for replay, training, \
        and evidence.",
    ..OPENAI_CHAT
};

const WRITING: ListWriting = ListWriting { answer, ..openai_chat::WRITING };

/// A document with the run and what the model saw of it.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let root = head.only()?;
    // Demonstrations are histories without a run.
    let is_run = root.get("trajectory").is_some()
        || root.get("history")?.items().any(|message| message.get("message_type").is_some());
    let path = vec![PathStep::Key("history")];
    (is_run && root.get("history").is_some()).then_some(Layout::enclosed(head.single?, path))
}

/// A message of the history says what kind of step it is, or whose.
fn explains(message: Node<'_>) -> bool {
    let own = ["message_type", "agent"].iter().any(|key| message.get(key).is_some());
    own && dialect::speaks(message)
}

/// An observation of the agent that asks, with its members in the order of the nearest one.
fn answer(context: &FormatContext<'_>, call: PartId, _: usize) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let part = t.part(call);
    let asks = context.record(part.event)?;
    let agent = asks.root().string("agent");
    let id = NewValue::text(t.text(part.id));
    let mut members =
        vec![("role", NewValue::text("tool")), ("content", NewValue::text(NO_RESULT))];
    members.extend(agent.map(|agent| ("agent", NewValue::text(agent))));
    members.push(("message_type", NewValue::text("observation")));
    members.push(("tool_call_ids", NewValue::List(vec![id])));
    plain::answer(context, call, members)
}
