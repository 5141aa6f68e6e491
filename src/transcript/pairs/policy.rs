//! How a host pairs results with calls, as data of its format.

use super::{EventId, PartId};
use crate::transcript::request::Sent;

/// Where a result looks for its call before it looks anywhere else.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum PairScope {
    /// Among all calls of the conversation.
    Conversation,
    /// In its frame: the response before it that has calls, and all that follows up to the next such response.
    Frame,
    /// In its turn: the results directly after a turn with calls.
    Turn,
}

/// What a result and its call are matched by where their IDs do not tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum WithoutId {
    /// A result without an ID takes the only open call of its tool.
    Name,
    /// Of calls with the ID those of the kind that the result answers come first. A result whose ID no call has takes the
    /// only open call that it fits.
    Kind,
    /// Blanks around IDs do not count. Where one of the two has none, the only call of the frame takes the only result.
    Last,
    /// By the tool's name in order, then by the order.
    Order,
}

/// What becomes of a result that found no call in its scope.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Strays {
    /// The only earlier call that lacks a result takes it; of several that fit none does.
    Only,
    /// The nearest call that lacks a result takes it, before it or after it.
    Nearest,
}

/// How a host pairs results with calls: one of the constants.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PairPolicy {
    pub(super) scope: PairScope,
    pub(super) without_id: WithoutId,
    pub(super) strays: Strays,
    /// A response is one batch however its calls and results are recorded: call, result, call, result.
    pub(super) whole_responses: bool,
}

impl PairPolicy {
    /// An ID names one call, or the nearest one that has it.
    pub const CONVERSATION: PairPolicy = PairPolicy {
        scope: PairScope::Conversation,
        without_id: WithoutId::Name,
        strays: Strays::Nearest,
        whole_responses: false,
    };
    /// The same where a response stays one batch, whatever is recorded among its calls.
    pub const WHOLE_RESPONSES: PairPolicy = PairPolicy {
        whole_responses: true,
        ..PairPolicy::CONVERSATION
    };
    /// The same where calls and results are of kinds.
    pub const KINDS: PairPolicy = PairPolicy {
        without_id: WithoutId::Kind,
        ..PairPolicy::CONVERSATION
    };
    /// IDs may begin anew in each response.
    pub const FRAMES: PairPolicy = PairPolicy {
        scope: PairScope::Frame,
        without_id: WithoutId::Last,
        strays: Strays::Only,
        whole_responses: false,
    };
    /// Lists that no host pairs.
    pub const LISTS: PairPolicy = PairPolicy {
        strays: Strays::Nearest,
        ..PairPolicy::FRAMES
    };
    /// Results are counted, and IDs may be missing.
    pub const TURNS: PairPolicy = PairPolicy {
        scope: PairScope::Turn,
        without_id: WithoutId::Order,
        strays: Strays::Only,
        whole_responses: false,
    };

    /// Whether IDs may begin anew in each response.
    pub(crate) fn restarts_ids(&self) -> bool {
        *self == PairPolicy::FRAMES
    }

    /// For people: where a result looks for its call, what both are matched by, and which call takes a result that finds
    /// none there.
    pub fn words(&self) -> [&'static str; 3] {
        let scope = match self.scope {
            PairScope::Conversation if self.whole_responses => "conversation, whole responses",
            PairScope::Conversation => "conversation",
            PairScope::Frame => "response with calls",
            PairScope::Turn => "turn",
        };
        let key = match self.without_id {
            WithoutId::Name => "link or ID, then the only open call of the tool",
            WithoutId::Kind => "ID and kind, then the only open call that fits",
            WithoutId::Last => "ID, then the only one that is left",
            WithoutId::Order => "ID, then tool name, then order",
        };
        let strays = match self.strays {
            Strays::Only => "the only one that lacks a result",
            Strays::Nearest => "the nearest one",
        };
        [scope, key, strays]
    }
}

/// What is paired.
#[derive(Copy, Clone)]
pub(crate) struct Paired<'a> {
    /// The events, in order. Those without calls and results (messages, compactions, unreadable records) prove, by coming
    /// after the last batch, that the conversation went on.
    pub events: &'a [EventId],
    /// The same as it is sent, for turns: neighboring items of the model are one.
    pub order: &'a [Sent],
    /// Whether a part reaches the provider: a call in a place that does not is none.
    pub is_sent: &'a dyn Fn(PartId) -> bool,
    /// Whether two events in a row are one message, so that their calls are one batch.
    pub joined: &'a dyn Fn(EventId, EventId) -> bool,
    /// Whether a result (second) may answer a call (first).
    pub fits: &'a dyn Fn(PartId, PartId) -> bool,
}

impl<'a> Paired<'a> {
    /// All parts of these events.
    pub(crate) fn events(events: &'a [EventId]) -> Paired<'a> {
        Paired {
            events,
            order: &[],
            is_sent: &|_| true,
            joined: &|_, _| false,
            fits: &|_, _| true,
        }
    }

    /// What is sent.
    pub(crate) fn order(order: &'a [Sent]) -> Paired<'a> {
        Paired {
            order,
            ..Paired::events(&[])
        }
    }
}
