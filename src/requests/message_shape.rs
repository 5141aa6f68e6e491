//! Messages and their blocks must have the required members, with values of the right type.

use super::blocks::{Blocks, Problems};
use super::{Need, RequestContext};
use crate::dialects::anthropic::kinds::{self, BlockKind};
use crate::dialects::piece::MemberRef;
use crate::dialects::placeholders::NO_CONTENT;
use crate::json::alike::ObjectLayout;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, Flaws, HabitPlaces, Instance, Within,
};

pub(crate) const NEED: Need =
    Need { name: "message_shape", reports: &[Code::MalformedRecord], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let flawed = cx.flawed(Flaws::SHAPE);
    let mut found: Vec<Diagnostic> = flawed.flat_map(|event| check_content(cx, event)).collect();
    found.extend(cx.in_blocks(Flaws::SHAPE, of_blocks));
    for own in &mut found {
        own.habit = habit(&own.message);
        if own.within == Within::InResult {
            // No host leaves it out (run: Claude Code 2.1.332).
            own.instance = Some(Instance::Rejected);
        }
    }
    found
}

/// Where this could be if it is a habit. An empty message is none.
fn habit(message: &str) -> Option<HabitPlaces> {
    match message {
        NO_CONTENT_MEMBER => None,
        NO_TOOL => Some(HabitPlaces::Calls),
        RESULT_IS_BLOCK | BAD_RESULT => Some(HabitPlaces::Results),
        _ => Some(HabitPlaces::Messages),
    }
}

const NO_CONTENT_MEMBER: &str = "message without content";
const NO_TOOL: &str = "tool call without a tool name";
const RESULT_IS_BLOCK: &str = "tool result content is a block, not a list of blocks";
const BAD_RESULT: &str = "tool result content is neither text nor a list of blocks";

/// Checks the content as a whole.
fn check_content(cx: &RequestContext<'_>, event: EventId) -> Vec<Diagnostic> {
    let Ok(record) = cx.context.record(event) else {
        return Vec::new();
    };
    let message = (cx.wire.message)(record.root());
    let content = message.get("content");
    let (problem, applicability, changes) = match content.map(|content| (content, content.kind())) {
        Some((_, Kind::String | Kind::Array)) => return Vec::new(),
        None | Some((_, Kind::Null)) => {
            (NO_CONTENT_MEMBER, Applicability::Safe, vec![no_content(message)])
        }
        Some((content, Kind::Object)) if kinds::kind(content).is_some() => {
            ("message content is a block, not a list", Applicability::Safe, wrapped(content))
        }
        Some(_) => (
            "message content is neither text nor a list of blocks",
            Applicability::Manual,
            Vec::new(),
        ),
    };
    let mut problems = Problems::default();
    problems.add(Code::MalformedRecord, problem, applicability, changes);
    problems.diagnostics(cx, event)
}

fn of_blocks(blocks: &Blocks<'_>, problems: &mut Problems<'_>) {
    let mut add = |message, applicability, changes| {
        problems.add(Code::MalformedRecord, message, applicability, changes);
    };
    for (_, block) in blocks.sent() {
        if block.kind() != Kind::Object {
            add("a block that is not an object", Applicability::Manual, Vec::new());
        } else if let Ok(kind) = kinds::placed(block, blocks.role) {
            if let Some(message) = missing_member(block, kind) {
                add(message, Applicability::Manual, Vec::new());
            }
            let inside = block.get("content").filter(|_| kind.name == "tool_result");
            match inside.map(|inside| (inside, inside.kind())) {
                None | Some((_, Kind::Null | Kind::String | Kind::Array)) => {}
                Some((inside, _)) if kinds::placed(inside, None).is_ok() => {
                    add(RESULT_IS_BLOCK, Applicability::Safe, wrapped(inside))
                }
                Some(_) => add(BAD_RESULT, Applicability::Manual, Vec::new()),
            }
        }
    }
}

/// What is missing in a block. Other checks look at existing names, thinking and media.
fn missing_member(block: Node<'_>, kind: &BlockKind) -> Option<&'static str> {
    let (lacks, message) = match kind.name {
        "text" => (!block.has_kind("text", Kind::String), "text block without text"),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            (!block.has_kind("name", Kind::String), NO_TOOL)
        }
        "image" | "document" => {
            (!block.has_kind("source", Kind::Object), "image or document without a source")
        }
        "tool_result" | "thinking" | "redacted_thinking" => return None,
        _ => (
            kind.needs.iter().any(|key| block.get(key).is_none_or(|member| member.is_null())),
            "a block without a required field",
        ),
    };
    lacks.then_some(message)
}

/// The placeholder as the content of a message.
fn no_content(message: Node<'_>) -> RecordChange {
    let text = ObjectLayout::of(&message.raw()).quote(NO_CONTENT);
    MemberRef::of(message, "content").put(&String::from_utf8_lossy(&text), &["role"])
}

/// A value wrapped into a list.
fn wrapped(value: Node<'_>) -> Vec<RecordChange> {
    let span = value.span();
    vec![
        RecordChange::new(span.start..span.start, b"[".to_vec()),
        RecordChange::new(span.end..span.end, b"]".to_vec()),
    ]
}
