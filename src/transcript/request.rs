//! The view: what the host would send next, for one target.

use std::ops::Range;

use hashbrown::HashSet;

use super::Transcript;
use super::diagnostic::{Diagnostic, Severity};
use super::event::{PartKind, Role};
use super::flaws::Flaws;
use super::ids::Id;
use super::index::{EventId, IdRange, IndexVec, PartId};
use super::pairs::{PairStatus, Pairs};
use super::placement::Misplaced;

/// What becomes of an event when the host builds the next request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Inclusion {
    /// It is part of the request.
    Sent,
    /// It hangs on a branch that is not the active one.
    OffBranch,
    /// A compaction left it out.
    Forgotten,
    /// It is a failed response, which the host leaves out. It still closes the turn before it.
    Failed,
    /// It is never sent, by its kind.
    Bookkeeping,
    /// It would be part of the request, but the host leaves it out: its other half is missing.
    Dropped,
    /// Nobody can read it, but it stands where a sent event may have stood.
    Unreadable,
}

/// One item of the request, in order: an event, the results or the rest of one, or a summary that the host writes in the
/// place of forgotten events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The event; for a summary the compaction that holds it.
    pub event: EventId,
    /// Who speaks. Nobody: a failed response; it is not sent, but what follows it does not belong to the turn before it.
    pub role: Role,
    /// Its parts; of a failed response none. A message that holds results and other content is two items: the results, role tool, and the rest.
    pub parts: IdRange<PartId>,
    /// Not the event itself but its summary.
    pub summary: bool,
}

/// One message of the request as the target counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks: user, assistant, system or tool.
    pub role: Role,
    /// Its items: positions in [`Request::order`].
    pub items: Range<u32>,
}

/// What the host would send, and what stands where in it.
#[derive(Clone, Default, Debug)]
pub struct Request {
    /// The events of the active branch, oldest first.
    pub branch: Vec<EventId>,
    /// The record before each event in the conversation's tree; `None` for a first one and for what is no record.
    pub parent: IndexVec<EventId, Option<EventId>>,
    /// What is sent, in order.
    pub order: Vec<Sent>,
    /// What becomes of each event.
    pub inclusion: IndexVec<EventId, Option<Inclusion>>,
    /// Calls and results, paired by position.
    pub pairs: Pairs,
    /// Batches that are not in the normal form that every target asks for.
    pub misplaced: Vec<Misplaced>,
    /// The request's messages, as the target counts them.
    pub messages: Vec<Message>,
    /// Where each event stands in `messages`; `None`: it is not sent.
    pub message_of: IndexVec<EventId, Option<u32>>,
    /// Open calls, in order, behind whose batch the container has no place for an answer: it would stand elsewhere.
    pub no_place: Vec<PartId>,
    /// Results without a call, in order, without which the request would not begin well: only a guess takes them out.
    pub needed: Vec<PartId>,
    /// Calls whose ids the host writes anew for this target, so that their shape harms nobody.
    pub rewritten: HashSet<PartId>,
    /// Calls that the host writes anew for this target, whatever is recorded.
    pub written_anew: HashSet<PartId>,
    /// The host sends neighboring messages of the model as one.
    pub(crate) joins_answers: bool,
    /// Messages that are sent with other content than they are recorded with.
    pub(crate) edited: HashSet<EventId>,
    /// Messages that say nothing, which the host leaves out or fills without harm.
    pub(crate) filled: HashSet<EventId>,
    /// Messages whose media the host no longer sends, because the provider refused one.
    pub(crate) without_media: HashSet<EventId>,
    /// Flaws that the host, or whoever sends this, mends in the request to this provider.
    pub(crate) mended: Flaws,
    /// Whoever serves this model wants results directly behind their calls, where its interface takes them anywhere.
    pub results_next: bool,
    /// Nobody knows what the provider gets first: it is lost, which is reported as such, or up to the client.
    pub start_is_unknown: bool,
    /// The model that it is for, where the recording names one.
    pub model: Option<Id>,
    /// This was sent as it is, so the model speaks next. `None`: the user may.
    pub next_is_model: Option<NextIsModel>,
    /// What is wrong with it: what the format found while it put the request together, then what the provider refuses.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong only where nothing else is.
    pub last_resort: Vec<Diagnostic>,
}

/// The model speaks next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NextIsModel {
    /// It is known to refuse a request that ends with words of its own.
    pub refuses_prefill: bool,
}

impl Request {
    /// What becomes of an event.
    pub fn inclusion(&self, event: EventId) -> Inclusion {
        self.inclusion
            .get(event)
            .copied()
            .flatten()
            .unwrap_or(Inclusion::Bookkeeping)
    }

    /// Position of an event's message in the request, from 0.
    pub fn api_index(&self, event: EventId) -> Option<u32> {
        self.message_of.get(event).copied().flatten()
    }

    /// Adds what is wrong only where nothing else is.
    pub(crate) fn add_last_resort(&mut self) {
        let is_wrong = |diagnostic: &Diagnostic| {
            diagnostic
                .severity
                .is_none_or(|severity| severity > Severity::Note)
        };
        let last_resort = std::mem::take(&mut self.last_resort);
        if !self.diagnostics.iter().any(is_wrong) {
            self.diagnostics.extend(last_resort);
        }
    }

    /// Whether a message of the assistant asks for a tool, in a place that is sent.
    pub(crate) fn asks(&self, t: &Transcript, event: EventId) -> bool {
        t.event(event).parts.clone().any(|part| {
            t.a_part(part).kind == PartKind::Call && self.pairs.status(part) != PairStatus::None
        })
    }

    /// Whether a call may still be answered.
    pub(crate) fn waits(&self, call: PartId) -> bool {
        self.pairs.status(call) == PairStatus::Open && self.is_pending(call)
    }

    /// Whether a part is a call that waits for its answer at the live end.
    pub fn is_pending(&self, part: PartId) -> bool {
        self.pairs.batch_of(part).is_some_and(|batch| batch.pending)
    }
}
