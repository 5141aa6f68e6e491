//! How blocks are written, and what is in the place of one.

use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::rewrite::Schema;
use crate::transcript::{ActionKind, EventId, PartId, Role, Transcript};

/// The actions that such a format supports.
pub(crate) const SUPPORTS: &[ActionKind] = &[
    ActionKind::EditBytes,
    ActionKind::Remove,
    ActionKind::RemovePart,
    ActionKind::MoveTogether,
    ActionKind::AnswerCall,
    ActionKind::RenameId,
    ActionKind::MoveText,
];

/// How a format writes such messages.
pub(crate) struct BlockWriting {
    pub schema: Schema,
    /// Finds the message in a record.
    pub message: for<'a> fn(Node<'a>) -> Node<'a>,
    /// Makes the record of a new message, from the record with its calls.
    pub record: fn(Node<'_>, NewValue) -> NewValue,
    /// The role of a message.
    pub role: fn(&Transcript, EventId) -> Role,
    /// The member of a message that says who speaks.
    pub speaker: &'static str,
    /// The member of a message with its blocks.
    pub list: &'static str,
    /// Members that a new message copies from the message with the calls.
    pub beside: &'static [&'static str],
    /// The role of a message of results, and its name.
    pub results: (Role, &'static str),
    /// Whether consecutive messages of one role are one turn.
    pub turns: bool,
    /// Whether results get a message of their own if the message after their calls has only text of the user.
    pub apart: bool,
    /// Members of a message that mark it as hidden by a compaction.
    pub hidden_by: &'static [&'static str],
    /// Makes a placeholder result block for a call.
    pub answer: fn(&FormatContext<'_>, PartId) -> NewValue,
    /// Makes a text block from this quoted string.
    pub text: fn(NewValue) -> NewValue,
}

impl BlockWriting {
    /// Records that are messages, with the results in messages of the user.
    pub(crate) const MESSAGES: BlockWriting = BlockWriting {
        schema: Schema { supports: SUPPORTS, ..Schema::PLAIN },
        message: |record| record,
        record: |_, message| message,
        role: |t, event| t.event(event).role,
        speaker: "role",
        list: "content",
        beside: &[],
        results: (Role::User, "user"),
        turns: false,
        apart: false,
        hidden_by: &[],
        answer: |_, _| NewValue::NULL,
        text: |quoted| NewValue::object([("type", NewValue::text("text")), ("text", quoted)]),
    };
}

/// A block of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum BlockUnit {
    /// The block that is this part.
    Part(PartId),
    /// A new placeholder result for this call.
    Answer(PartId),
}

impl BlockUnit {
    /// The part, if it is an existing block.
    pub(super) fn part(self) -> Option<PartId> {
        match self {
            BlockUnit::Part(part) => Some(part),
            BlockUnit::Answer(_) => None,
        }
    }
}
