//! The next request: what the host would send to one target.

use std::num::NonZeroU32;
use std::ops::Range;

use hashbrown::HashSet;

use super::Transcript;
use super::diagnostic::{Diagnostic, Instance};
use super::event::{PartKind, Role};
use super::flaws::Flaws;
use super::ids::Id;
use super::index::{EventId, IdRange, IndexVec, PartId};
use super::pairs::{PairStatus, Pairs};
use super::sharable::Sharable;

/// How a batch departs from the normal form, see [`placement`](super::placement).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// A result is before its call.
    Early,
    /// The calls of the batch are not together.
    Split,
    /// Something is between the calls and their results.
    Apart,
}

/// A batch that is not in normal form.
#[derive(Clone, Debug)]
pub struct Misplaced {
    /// Its number in [`Pairs::batches`].
    pub batch: u32,
    /// How it departs from the normal form.
    pub departure: Departure,
    /// Its calls and the results that answer them, in the order of the normal form.
    pub normal_order: Vec<PartId>,
    /// What else is between them: messages, other calls, summaries. Surplus or misplaced results are not intruders.
    pub intruders: Vec<EventId>,
    /// There are more of them.
    pub has_more: bool,
    /// All intruders are summaries of a compaction.
    pub by_summary: bool,
}

/// Whether the host includes an event in the next request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Inclusion {
    /// It is part of the request.
    Sent,
    /// It is on an abandoned branch.
    OffBranch,
    /// A compaction left it out.
    Forgotten,
    /// It is a failed response, which the host leaves out. It still ends the turn before it.
    Failed,
    /// Events of its kind are never sent.
    Bookkeeping,
    /// The host leaves it out because its other half, a call or a result, is missing.
    Dropped,
    /// It is unreadable, at a place where an event that is sent may have been.
    Unreadable,
}

/// One item of the request: an event, the results or the other content of one, or a summary that replaces events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The event; for a summary, the compaction that has it.
    pub event: EventId,
    /// Who speaks. [`Role::Nobody`]: a failed response. It is not sent, but what follows it is not part of the turn before it.
    pub role: Role,
    /// Its parts; none for a failed response. A message with results and other content is two items: the results, with the
    /// role of a tool, and the rest.
    pub parts: IdRange<PartId>,
    /// The item is the summary of the event.
    pub summary: bool,
}

impl Sent {
    /// An event that is not sent as a summary.
    pub(crate) fn new(event: EventId, role: Role, parts: IdRange<PartId>) -> Sent {
        Sent { event, role, parts, summary: false }
    }

    /// The summary of a compaction.
    pub(crate) fn summary(event: EventId) -> Sent {
        Sent { summary: true, ..Sent::new(event, Role::User, IdRange::default()) }
    }
}

/// One message of the request, as the target counts messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks: user, assistant, system or tool.
    pub role: Role,
    /// Its items: positions in [`Request::order`].
    pub items: Range<u32>,
}

/// A line of the path that the host skips, so that it does not find what is before it either.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Cut {
    /// The first record of the line.
    pub line: EventId,
    /// How many messages are not sent.
    pub hides: u32,
    /// What is left begins with an answer of the model.
    pub starts_with_answer: bool,
}

/// The next request that the host would send, and what is wrong with it.
#[derive(Clone, Default, Debug)]
pub struct Request {
    /// The events of the active branch, oldest first.
    pub branch: Sharable<Vec<EventId>>,
    /// The parent of each event in the conversation's tree; `None` for a first record and for what is not a record.
    pub parent: Sharable<IndexVec<EventId, Option<EventId>>>,
    /// What is sent, in order.
    pub order: Sharable<Vec<Sent>>,
    /// Whether each event is included.
    pub inclusion: IndexVec<EventId, Option<Inclusion>>,
    /// Calls and results, paired by position.
    pub pairs: Pairs,
    /// Batches that are not in the normal form of the target.
    pub misplaced: Vec<Misplaced>,
    /// The messages, as the target counts them.
    pub messages: Vec<Message>,
    /// The number of each event's message in `messages`, from 1; `None`: it is not sent.
    pub message_of: IndexVec<EventId, Option<NonZeroU32>>,
    /// Open calls, in order, whose result cannot be inserted directly after their batch in this container.
    pub no_place: Vec<PartId>,
    /// The file has more than these records.
    pub is_part: bool,
    /// Results without a call, in order, that must stay for the request to start correctly: removing them is a guess.
    pub needed: Vec<PartId>,
    /// Calls whose IDs the host replaces when it sends them to this target, so their shape does not matter.
    pub rewritten_ids: HashSet<PartId>,
    /// Calls that the host rewrites completely when it sends them to this target.
    pub rewritten_calls: HashSet<PartId>,
    /// The host sends neighboring assistant messages as one.
    pub(crate) joins_answers: bool,
    /// Messages that are sent with other content than recorded.
    pub(crate) edited: HashSet<EventId>,
    /// Empty messages, which the host leaves out or fills.
    pub(crate) filled: HashSet<EventId>,
    /// Messages whose media the host does not send anymore, because the provider rejected one.
    pub(crate) without_media: HashSet<EventId>,
    /// Records with damaged bytes although the host reads all that it would send.
    pub(crate) unharmed: Vec<EventId>,
    /// The last line that it skips on the path.
    pub(crate) cut: Option<Cut>,
    /// Flaws that the host, or a library between it and this provider, corrects when it sends the request.
    pub(crate) corrected: Flaws,
    /// The server of this model requires results directly after their calls, although its API accepts them anywhere.
    pub results_next: bool,
    /// The first message is unknown: it is lost, which is reported elsewhere, or the client adds it.
    pub start_is_unknown: bool,
    /// The model that it is for, if the transcript names one.
    pub model: Option<Id>,
    /// The server keeps nothing of it (`store: false`), so it does not know the IDs of its items.
    pub unstored: bool,
    /// The request was sent as it is, so the model speaks next. `None`: the user may speak next.
    pub next_is_model: Option<NextIsModel>,
    /// What is wrong with it: what the format found while it built the request, then what the provider rejects.
    pub diagnostics: Vec<Diagnostic>,
    /// What counts as wrong only if nothing else is.
    pub last_resort: Vec<Diagnostic>,
}

/// The model speaks next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NextIsModel {
    /// It is known to reject a request that ends with an assistant message.
    pub refuses_prefill: bool,
}

impl Request {
    /// Whether an event is included.
    pub fn inclusion(&self, event: EventId) -> Inclusion {
        self.inclusion.get(event).copied().flatten().unwrap_or(Inclusion::Bookkeeping)
    }

    /// The index of an event's message in the request, from 0.
    pub fn api_index(&self, event: EventId) -> Option<u32> {
        let number = self.message_of.get(event).copied().flatten()?;
        Some(number.get() - 1)
    }

    /// Moves the diagnostics of last resort to the others, unless one of the others is more than a note.
    pub(crate) fn add_last_resort(&mut self) {
        let last_resort = std::mem::take(&mut self.last_resort);
        if !self.diagnostics.iter().any(|diagnostic| {
            !matches!(diagnostic.instance, Some(Instance::Spared | Instance::Harmless))
        }) {
            self.diagnostics.extend(last_resort);
        }
    }

    /// Whether an event has a tool call that is sent.
    pub(crate) fn asks(&self, t: &Transcript, event: EventId) -> bool {
        t.event(event).parts.clone().any(|part| {
            t.part(part).kind == PartKind::Call && self.pairs.status(part) != PairStatus::None
        })
    }

    /// Whether a call is still waiting for its result.
    pub(crate) fn waits(&self, call: PartId) -> bool {
        self.pairs.status(call) == PairStatus::Open && self.is_pending(call)
    }

    /// Whether a part is a call of the pending batch.
    pub fn is_pending(&self, part: PartId) -> bool {
        self.pairs.batch_of(part).is_some_and(|batch| batch.pending)
    }
}
