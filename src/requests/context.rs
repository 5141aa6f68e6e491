//! A conversation with its bytes, and the target of the next request.

use crate::transcript::messages::SystemPrompt;
use std::any::Any;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::bytes::source::{Entries, Span};
use crate::containers::Layout;
use crate::containers::records::RecordCache;
use crate::containers::rewrite::CannotDo;
use crate::dialects::Pieces;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::json::record::Record;
use crate::rewrite::PlanSource;
use crate::targets::Target;
use crate::transcript::index::IndexVec;
use crate::transcript::request::Sent;
use crate::transcript::{Action, CHANGE, EventId, PartId, PartKind, Request, Transcript, messages};

/// A kind of client, for hosts whose programs read one transcript differently.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Client {
    /// What most people run. Corrects much in memory.
    Current,
    /// Older programs. Correct little.
    Strict,
}

/// A kind of client, as a host has it.
#[derive(Copy, Clone, Debug)]
pub struct ClientKind {
    pub client: Client,
    /// Its versions, as a sentence names them: `2.1.329 and later`.
    pub versions: &'static str,
}

impl Client {
    pub const ALL: &[Client] = &[Client::Current, Client::Strict];

    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            Client::Current => "current",
            Client::Strict => "strict",
        }
    }

    /// The client with this name.
    pub fn by_name(name: &str) -> Option<Client> {
        Client::ALL.iter().copied().find(|client| client.name() == name)
    }
}

/// What a format computes from a transcript once, for all targets and clients.
#[derive(Clone, Default)]
pub(crate) struct Prepared(Rc<OnceCell<Rc<dyn Any>>>);

/// A conversation with its bytes.
pub struct FormatContext<'a> {
    pub entries: &'a dyn Entries,
    pub(crate) records: RecordCache<'a>,
    /// The pieces of a record.
    pub(crate) pieces: Pieces,
    pub layout: &'a Layout,
    pub transcript: &'a Transcript,
    /// The provider that it is checked against.
    pub target: &'static Target,
    /// The kind of client that would build the request.
    pub client: Client,
    /// It is checked against all providers at once, as if the host corrected nothing.
    pub strictest: bool,
    /// The user chose the target, so the transcript may be from another provider.
    pub asked: bool,
    /// The name of the folder or file, without its path.
    pub name: &'a str,
    /// A process is writing it right now.
    pub live: bool,
    /// Who wrote a record before this time, in microseconds, has ended. `None`: unknown.
    pub ended_before: Option<i64>,
    /// What all contexts of this transcript share.
    pub(crate) prepared: Prepared,
    /// See [`FormatContext::part_number`].
    pub(crate) part_numbers: OnceCell<IndexVec<PartId, u32>>,
}

impl FormatContext<'_> {
    /// The transcript as the source of a plan.
    pub(crate) fn source(&self) -> PlanSource<'_> {
        PlanSource {
            entries: self.entries,
            records: &self.records,
            pieces: self.pieces,
            layout: self.layout,
            t: self.transcript,
        }
    }

    /// The result of `prepare`, which runs once. It must not depend on the target or the client.
    pub(crate) fn prepared<T: 'static>(&self, prepare: fn(&Self) -> T) -> Rc<T> {
        let prepared = self.prepared.0.get_or_init(|| Rc::new(prepare(self)));
        // Never fails, because a format only prepares values of one type.
        Rc::clone(prepared).downcast().unwrap_or_else(|_| Rc::new(prepare(self)))
    }

    /// Reads a record again. For a record inside another one, only its own bytes.
    ///
    /// # Errors
    /// See [`PlanSource::record`].
    pub(crate) fn record(&self, event: EventId) -> Result<Rc<Record>, CannotDo> {
        self.source().record(event)
    }

    /// The number of a call or a result, from 1, among those of its record. `None` if there is only one.
    pub(crate) fn part_number(&self, part: PartId) -> Option<u32> {
        // Of all at once, because a fix may name each of ten thousand calls in a record.
        let numbers = self.part_numbers.get_or_init(|| part_numbers(self.transcript));
        Some(numbers[part]).filter(|number| *number > 0)
    }

    /// The line ending of a record.
    pub(crate) fn line_ending(&self, event: EventId) -> &'static str {
        let at = self.transcript.event(event).at();
        let last = at.end.saturating_sub(2).max(at.start);
        match self.entries.fetch(Span::new(at.entry, last, at.end)) {
            Ok(end) if end == b"\r\n" => "\r\n",
            _ => "\n",
        }
    }

    /// The action for these changes inside a record. `None`: there are no changes, or the record cannot be read.
    pub(crate) fn change(
        &self,
        event: EventId,
        changes: impl FnOnce(Node<'_>) -> Vec<RecordChange>,
    ) -> Option<Action> {
        self.change_as(CHANGE, event, changes)
    }

    /// The same, with what people read of it: `{}` is the record.
    pub(crate) fn change_as(
        &self,
        word: &'static str,
        event: EventId,
        changes: impl FnOnce(Node<'_>) -> Vec<RecordChange>,
    ) -> Option<Action> {
        let changes = changes(self.record(event).ok()?.root());
        let at = self.transcript.event(event).at();
        (!changes.is_empty()).then(|| Action::edit_bytes(event, at, word, changes))
    }

    /// Counts the messages of a request, see [`messages::count`].
    pub(crate) fn count_messages(
        &self,
        request: &mut Request,
        joined: impl Fn(&Sent, &Sent) -> bool,
    ) {
        let events = self.transcript.events.len();
        messages::count(request, events, self.target.counting, joined);
    }

    /// Counts the messages of a request, see [`messages::count_as_sent`].
    pub(crate) fn count_messages_as_sent(
        &self,
        request: &mut Request,
        prompt: SystemPrompt,
        joined: impl Fn(&Sent, &Sent) -> bool,
    ) {
        let events = self.transcript.events.len();
        messages::count_as_sent(request, events, self.target.counting, prompt, joined);
    }
}

/// The number of each call and result among those of its record, from 1; 0 where there is only one.
fn part_numbers(t: &Transcript) -> IndexVec<PartId, u32> {
    let mut numbers = IndexVec::for_each_of(&t.parts, 0);
    for event in t.events.ids() {
        for kind in [PartKind::Call, PartKind::Result] {
            let parts = t.event(event).parts.clone();
            let same = parts.filter(|part| t.part(*part).kind == kind);
            if same.clone().nth(1).is_some() {
                (1..).zip(same).for_each(|(number, part)| numbers[part] = number);
            }
        }
    }
    numbers
}
