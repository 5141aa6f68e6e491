//! A conversation with its bytes at hand, and for whom the next request is built.

use std::any::Any;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::bytes::source::Entries;
use crate::containers::Layout;
use crate::containers::records::RecordCache;
use crate::containers::rewrite::CannotDo;
use crate::json::cut::Change;
use crate::json::node::Node;
use crate::json::record::Record;
use crate::rewrite::Source;
use crate::targets::Target;
use crate::transcript::request::Sent;
use crate::transcript::{Action, EventId, Request, Transcript, messages};

/// A kind of client of a host, where they read one recording differently.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Client {
    /// What most people run: heals much in memory.
    Current,
    /// Older ones: heals little.
    Strict,
}

impl Client {
    /// All of them.
    pub const ALL: &[Client] = &[Client::Current, Client::Strict];

    /// As people type it.
    pub fn name(self) -> &'static str {
        match self {
            Client::Current => "current",
            Client::Strict => "strict",
        }
    }

    /// By the name that people type.
    pub fn by_name(name: &str) -> Option<Client> {
        Client::ALL
            .iter()
            .copied()
            .find(|client| client.name() == name)
    }
}

/// What a format works out of a transcript once, for all targets and clients.
#[derive(Clone, Default)]
pub(crate) struct Prepared(Rc<OnceCell<Rc<dyn Any>>>);

/// A conversation with its bytes at hand.
pub struct FormatContext<'a> {
    /// The bytes.
    pub entries: &'a dyn Entries,
    /// The same, record by record.
    pub(crate) records: RecordCache<'a>,
    /// Where the records are.
    pub layout: &'a Layout,
    /// The facts.
    pub transcript: &'a Transcript,
    /// Who would read it.
    pub target: &'static Target,
    /// Which kind of client would build the request.
    pub client: Client,
    /// It is judged for all providers at once: what the host heals is judged as if it did not.
    pub strictest: bool,
    /// That one target was asked for; the recording need not speak of it.
    pub asked: bool,
    /// Name of the folder or file, without its path.
    pub name: &'a str,
    /// Somebody is writing it right now.
    pub live: bool,
    /// What all contexts of this transcript share.
    pub(crate) prepared: Prepared,
}

impl FormatContext<'_> {
    /// What a plan changes.
    pub(crate) fn source(&self) -> Source<'_> {
        Source {
            entries: self.entries,
            records: &self.records,
            layout: self.layout,
            t: self.transcript,
        }
    }

    /// What `prepare` makes of the transcript, made once. It must look neither at the target nor at the client.
    pub(crate) fn prepared<T: 'static>(&self, prepare: fn(&Self) -> T) -> Rc<T> {
        let prepared = self.prepared.0.get_or_init(|| Rc::new(prepare(self)));
        // A format prepares values of one type.
        Rc::clone(prepared)
            .downcast()
            .unwrap_or_else(|_| Rc::new(prepare(self)))
    }

    /// A record, read again; one inside another without what is around it.
    ///
    /// # Errors
    /// As [`Source::record`].
    pub(crate) fn record(&self, event: EventId) -> Result<Rc<Record>, CannotDo> {
        self.source().record(event)
    }

    /// The action that makes these changes inside a record; `None` if there are none, or the record cannot be read.
    pub(crate) fn change(
        &self,
        event: EventId,
        changes: impl FnOnce(Node<'_>) -> Vec<Change>,
    ) -> Option<Action> {
        let changes = changes(self.record(event).ok()?.root());
        let at = self.transcript.event(event).at;
        (!changes.is_empty()).then(|| Action::edit_bytes(event, at, "change {}", changes))
    }

    /// Counts the messages of a request as [`messages::count`] does.
    pub(crate) fn count_messages(
        &self,
        request: &mut Request,
        joined: impl Fn(&Sent, &Sent) -> bool,
    ) {
        let events = self.transcript.events.len();
        messages::count(request, events, self.target.counting, joined);
    }

    /// Counts the messages of a request as [`messages::count_as_sent`] does.
    pub(crate) fn count_messages_as_sent(
        &self,
        request: &mut Request,
        prompted: bool,
        joined: impl Fn(&Sent, &Sent) -> bool,
    ) {
        let events = self.transcript.events.len();
        messages::count_as_sent(request, events, self.target.counting, prompted, joined);
    }
}
