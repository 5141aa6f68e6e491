//! How a host pairs results with calls, as data of the format.

use super::{EventId, PartId};
use crate::transcript::ids::Id;
use crate::transcript::request::Sent;

/// Where the call of a result is searched for first.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum PairScope {
    /// Among all calls of the conversation.
    Conversation,
    /// In its frame: the last response with calls before it, with everything up to the next such response.
    Frame,
    /// In its turn: a turn with calls, with the results directly after it.
    Turn,
}

/// How a host pairs results with calls. Formats use one of the constants.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PairPolicy {
    pub(super) scope: PairScope,
    /// Calls and results have kinds. If several calls have the ID of a result, one of its kind is preferred. A result with an
    /// ID that no call has belongs to the only open call of its kind.
    pub(super) has_kinds: bool,
    /// A result for which its scope has no call goes to the nearest call that needs one, before or after it; otherwise to the
    /// only earlier one.
    pub(super) nearest: bool,
    /// A response is one batch even if its calls and results alternate: call, result, call, result.
    pub(super) whole_responses: bool,
    /// For tables that people read: where the call of a result is searched for, by what they are matched, and which call gets
    /// a result without one.
    pub words: [&'static str; 3],
}

impl PairPolicy {
    /// An ID means the nearest call that has it.
    pub const CONVERSATION: PairPolicy = PairPolicy {
        scope: PairScope::Conversation,
        has_kinds: false,
        nearest: true,
        whole_responses: false,
        words: [
            "conversation",
            "link or ID, then the only open call of the tool",
            "the nearest one",
        ],
    };
    /// Like [`PairPolicy::CONVERSATION`], but a response stays one batch whatever is recorded between its calls.
    pub const WHOLE_RESPONSES: PairPolicy = PairPolicy {
        whole_responses: true,
        words: [
            "conversation, whole responses",
            PairPolicy::CONVERSATION.words[1],
            "the nearest one",
        ],
        ..PairPolicy::CONVERSATION
    };
    /// Like [`PairPolicy::CONVERSATION`], but calls and results have kinds.
    pub const KINDS: PairPolicy = PairPolicy {
        has_kinds: true,
        words: [
            "conversation",
            "ID and kind, then the only open call that fits",
            "the nearest one",
        ],
        ..PairPolicy::CONVERSATION
    };
    /// IDs may restart in each response. White space around them is ignored. If one of the two has no ID, the only call of the
    /// frame gets the only result.
    pub const FRAMES: PairPolicy = PairPolicy {
        scope: PairScope::Frame,
        has_kinds: false,
        nearest: false,
        whole_responses: false,
        words: [
            "response with calls",
            "ID, then the only one that is left",
            "the only one that lacks a result",
        ],
    };
    /// Lists of messages that no host pairs.
    pub const LISTS: PairPolicy = PairPolicy {
        nearest: true,
        words: [PairPolicy::FRAMES.words[0], PairPolicy::FRAMES.words[1], "the nearest one"],
        ..PairPolicy::FRAMES
    };
    /// Each turn must have as many results as calls, and IDs may be missing: then the name of the tool decides, then the order.
    pub const TURNS: PairPolicy = PairPolicy {
        scope: PairScope::Turn,
        words: ["turn", "ID, then tool name, then order", "the only one that lacks a result"],
        ..PairPolicy::FRAMES
    };

    /// Whether IDs may restart in each response.
    pub(crate) fn restarts_ids(&self) -> bool {
        self.scope == PairScope::Frame && !self.nearest
    }
}

/// What to pair.
#[derive(Copy, Clone)]
pub(crate) struct Paired<'a> {
    /// The events, in order. Events without calls and results (messages, compactions, unreadable records) after the last
    /// batch prove that the conversation continued.
    pub events: &'a [EventId],
    /// The items as they are sent, for turns: neighboring items of the model are one turn.
    pub order: &'a [Sent],
    /// Whether a part is sent. Calls and results that are not sent do not count.
    pub is_sent: &'a dyn Fn(PartId) -> bool,
    /// Whether two consecutive events are one message, so that their calls are one batch.
    pub joined: &'a dyn Fn(EventId, EventId) -> bool,
    /// Whether a result (second) may answer a call (first).
    pub fits: &'a dyn Fn(PartId, PartId) -> bool,
    /// The lane of an event, where agents that work at the same time are recorded in one list. A result prefers a call of its
    /// own lane: another one may repeat its ID. `None`: there is one lane.
    pub lane: Option<&'a Lane<'a>>,
}

/// The lane of an event.
pub(crate) type Lane<'a> = dyn Fn(EventId) -> Option<Id> + 'a;

impl<'a> Paired<'a> {
    /// All parts of these events.
    pub(crate) fn events(events: &'a [EventId]) -> Paired<'a> {
        Paired {
            events,
            order: &[],
            is_sent: &|_| true,
            joined: &|_, _| false,
            fits: &|_, _| true,
            lane: None,
        }
    }

    /// All parts of these items.
    pub(crate) fn order(order: &'a [Sent]) -> Paired<'a> {
        Paired { order, ..Paired::events(&[]) }
    }
}
