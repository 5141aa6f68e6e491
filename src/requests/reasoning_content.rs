//! Servers of some thinking models want back what the model thought: answers with tool calls must have their `reasoning_content`.

use super::{FormatContext, Need, RequestContext, refused};
use crate::dialects::piece::MemberRef;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, Inclusion, PartKind, Request, Role,
};

pub(crate) const NEED: Need = Need { name: "reasoning_content", reports: &[Code::Thinking], check };

/// What a host does with the thinking of a message of Chat Completions.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReturnedThinking {
    /// Its messages are of another dialect.
    None,
    /// It sends the `reasoning_content` that it recorded.
    AsRecorded,
    /// It adds one to each message that has none.
    Filled,
}

/// Stands for thinking that was not recorded. DeepSeek V4 Pro rejects an empty text, and all take a space (NousResearch/hermes-agent
/// pull requests 17341 and 18263).
const UNKNOWN: &str = " ";
const KEY: &str = "reasoning_content";

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let model = t.text(cx.request.model).to_ascii_lowercase();
    let wants = cx.context.target.needs.wants_thinking;
    let Some(wanted) = wants.iter().find(|own| model.contains(own.model)) else {
        return Vec::new();
    };
    // Without any thinking, it may be switched off.
    if cx.wire.thinking != ReturnedThinking::AsRecorded
        || !cx.sent().any(|event| t.part_of(event, PartKind::Thinking).is_some())
        || is_switched_off(cx)
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    let events: Vec<EventId> = cx.sent().collect();
    for turn in events.split(|event| t.event(*event).role == Role::User) {
        let asks = |event: &EventId| t.part_of(*event, PartKind::Call).is_some();
        for event in turn {
            if t.event(*event).role != Role::Assistant {
                continue;
            }
            let is_wanted = asks(event) || (wanted.whole_turns && turn.iter().any(asks));
            if is_wanted
                && lacks(cx.context, cx.wire.message, *event, |own| own.is_null_or_missing())
            {
                found.push(diagnostic(cx, *event));
            }
        }
    }
    found
}

fn diagnostic(cx: &RequestContext<'_>, event: EventId) -> Diagnostic {
    let message = "an answer without its `reasoning_content`, which the server wants back";
    let mut diagnostic = refused(Code::Thinking, message, event);
    diagnostic.fixes = cx
        .fix_record(event, Applicability::Unsafe, |record| vec![filled((cx.wire.message)(record))]);
    diagnostic
}

/// Whether the request says that the model must not think.
fn is_switched_off(cx: &RequestContext<'_>) -> bool {
    let state = cx.transcript().host_state();
    let record = state.and_then(|state| cx.context.record(state).ok());
    record.is_some_and(|record| {
        let root = record.root();
        let thinking = root.get("thinking").or_else(|| root.at(&["body", "thinking"]));
        thinking.is_some_and(|own| own.has_str("type", "disabled"))
    })
}

fn lacks(
    context: &FormatContext<'_>,
    message: for<'a> fn(Node<'a>) -> Node<'a>,
    event: EventId,
    is_nothing: fn(&MemberRef<'_>) -> bool,
) -> bool {
    context
        .record(event)
        .is_ok_and(|record| is_nothing(&MemberRef::of(message(record.root()), KEY)))
}

/// The answers that are sent without thinking, also those with an empty text in its place.
pub(crate) fn lacking(
    context: &FormatContext<'_>,
    request: &Request,
    message: for<'a> fn(Node<'a>) -> Node<'a>,
) -> Vec<EventId> {
    let t = context.transcript;
    let answers = request.branch.iter().copied().filter(|event| {
        t.event(*event).role == Role::Assistant && request.inclusion(*event) == Inclusion::Sent
    });
    let lacking = answers.filter(|event| lacks(context, message, *event, is_nothing));
    lacking.collect()
}

fn is_nothing(thinking: &MemberRef<'_>) -> bool {
    thinking.is_null_or_missing() || thinking.node().is_some_and(|text| text.is_str(""))
}

/// Gives a message its thinking from another member of it, or else a placeholder text.
pub(crate) fn filled(message: Node<'_>) -> RecordChange {
    let recorded = recorded(message);
    let text = recorded.as_deref().unwrap_or(UNKNOWN);
    MemberRef::of(message, KEY).put(&quote(text), &["content", "role"])
}

/// The thinking of a message, as other programs record it.
fn recorded(message: Node<'_>) -> Option<String> {
    let own = text_in(message, &["reasoning", "thinking"]);
    own.or_else(|| {
        let mut blocks = message.items_of("content");
        blocks.find_map(|block| text_in(block, &["thinking", "think", "reasoning"]))
    })
}

/// The first text of these members that is not blank.
fn text_in(holder: Node<'_>, keys: &[&str]) -> Option<String> {
    let mut texts = keys.iter().filter_map(|key| holder.string(key));
    Some(texts.find(|text| !text.trim().is_empty())?.into_owned())
}
