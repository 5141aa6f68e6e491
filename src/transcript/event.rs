//! Events: what one record says, in the words that all formats share.

use std::ops::Range;

use super::fact::Facts;
use super::ids::Id;
use super::index::{EventId, IdRange, PartId};
use crate::bytes::source::Span;

/// Who speaks in an event, as the host would send it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions in front of the conversation.
    System,
    /// A person, or what the host says in a person's place.
    User,
    /// The model.
    Assistant,
    /// A tool: an answer to a call.
    Tool,
    /// Nobody: bookkeeping of the host, never sent.
    Nobody,
    /// Not an event at all: the host's own state beside the events.
    HostState,
}

impl Role {
    /// Whether a provider ever sees such an event.
    pub fn is_sent(self) -> bool {
        !matches!(self, Role::Nobody | Role::HostState)
    }
}

/// How far a record could be read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Read as it stands.
    Whole,
    /// Read as a safe repair of its bytes would leave it; its spans cannot be edited before that repair.
    Recovered,
    /// Nobody can read it: only its place, and what its fragment shows, are known.
    Unreadable,
    /// No record at all: padding, or the rest of a record that went over several lines. Formats pass over it.
    Padding,
}

/// One record, as facts.
#[derive(Clone, Debug)]
pub struct Event {
    /// The whole record in its entry: a line with its ending, an element of a list, a file.
    pub at: Span,
    /// Where people find it: the line (from 1) of a line file, the index (from 0) of a file name or a list.
    pub place: Place,
    /// How far it could be read.
    pub state: State,
    /// The record's own word for what it is.
    pub kind: Option<Id>,
    /// The record's own id.
    pub id: Option<Id>,
    /// What holds the events of one model response together.
    pub batch: Option<Id>,
    /// Who speaks.
    pub role: Role,
    /// A response that failed or was stopped, and that the host leaves out for that reason.
    pub failed: bool,
    /// When, as recorded: microseconds since 1970 of a clock without zone.
    pub time: Option<i64>,
    /// Its parts, in order.
    pub parts: IdRange<PartId>,
    /// The places in it that name other records.
    pub links: Range<u32>,
    /// Further facts.
    pub(crate) facts: Facts,
    /// The values of those that have one.
    pub(super) values: Range<u32>,
    /// The event whose record holds this one: an element of a list inside a record. Its place is that record's.
    pub within: Option<EventId>,
}

/// Where people find a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a line file, from 1.
    Line(u64),
    /// A file of a folder, by the index in its name or its position.
    File(u64),
    /// An element of a JSON list, from 0.
    Item(u64),
}

impl Place {
    /// The number itself: from 1 for a line, from 0 for a file or an element.
    pub fn number(self) -> u64 {
        match self {
            Place::Line(n) | Place::File(n) | Place::Item(n) => n,
        }
    }

    /// What the number counts, for people.
    pub fn unit(self) -> &'static str {
        match self {
            Place::Line(_) => "line",
            Place::File(_) | Place::Item(_) => "event",
        }
    }
}

/// What a part is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Text for the model or the user.
    Text,
    /// The model's thinking.
    Thinking,
    /// An image or a document.
    Media,
    /// The model asks for a tool.
    Call,
    /// The answer to a call.
    Result,
    /// A call or a result of a tool that the provider runs inside its own answer: nobody else answers it.
    Hosted,
}

/// How much a result is worth. Rises: of two results for one call the higher one wins, then the first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A placeholder that a host wrote because it found no result. It never has a tool's output.
    Placeholder,
    /// An error that the host reports in the tool's place.
    HostError,
    /// A person or a hook refused the call.
    Rejection,
    /// The tool's own output, its own errors included.
    Real,
}

/// One part of an event.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// The event that holds it.
    pub event: EventId,
    /// Call or result: the id that the host pairs by. `None`: absent or null.
    pub id: Option<Id>,
    /// Call: the id as the provider gets it, where a record stores a second copy; else the same as `id`.
    pub sent_id: Option<Id>,
    /// Call or result: the tool.
    pub tool: Option<Id>,
    /// Result: what it is worth.
    pub origin: Origin,
    /// The part is empty or white space only.
    pub blank: bool,
    /// Call: the arguments are no JSON object.
    pub bad_input: bool,
    /// Call: the host could run it.
    pub runnable: bool,
    /// Result: it says itself that the tool, or its caller, failed.
    pub reports_error: bool,
    /// Hash of the part's own bytes, to tell copies. Never shown: it differs between runs.
    pub digest: u64,
}

/// What a link names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The record before this one in the conversation's tree.
    Parent,
    /// No record: this one is said to be the first.
    Root,
    /// Host state: the newest record of the active branch.
    Leaf,
    /// Result: the record of the call that it answers.
    Call,
    /// Compaction: a record that is no longer sent.
    Forgets,
    /// Compaction: the first record in front of it that is still sent.
    Kept,
}

/// A place in a record that names another record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it is for.
    pub kind: LinkKind,
    /// The id that it names. `None`: null, or nothing to name.
    pub to: Option<Id>,
}

/// Names of facts that all formats share, so that stories can read them whatever the format.
pub mod attr {
    use crate::transcript::fact::{Fact, facts};

    facts! {
        0, Fact::OF_CONTAINERS;
        /// Text: a change of the host's status that the event records; of the host's state the status itself. The words are
        /// `idle`, `running`, `paused`, `waiting_for_confirmation`, `finished`, `error` and `stuck`; a format puts its own
        /// into these.
        pub STATUS,
        /// The placeholder that a host wrote when it loaded the conversation and found a call without an answer.
        pub RECOVERY,
        /// Text: the JSON pointer, in its record, of an event that stands inside one.
        pub POINTER,
        /// Number, from 0: where the records of a document are in two lists, the position of one of the second list in it.
        pub IN_SECOND,
        /// The writing of a record stopped in its middle: of a hole, that its fragment lacks nothing but its end; of a record
        /// behind such a fragment on the same line, that it was appended to it.
        pub TORN,
        /// Of a hole: a value in place of a record, which is no object. Yes: one that says nothing, as `null` and `[]`.
        pub BARE,
        /// Of a hole: it holds more than the beginning of a record. With some bytes put right it may be whole.
        pub DAMAGED,
        /// Of a hole: it is nested deeper than a record is read. It may be whole for its host.
        pub TOO_DEEP,
        /// The response, or its tools, were stopped here; where the host says it, by the user.
        pub STOPPED,
        /// An error of the provider or of the host, whose words are the record's text.
        pub FAILURE,
        /// What the host itself, or an extension of it, says in a person's or in the model's place.
        pub BY_HOST,
        /// A summary that a program wrote in the place of older messages.
        pub SUMMARY,
        /// Of the host's state: as it goes on, it asks the model again without a new message of the user.
        pub MODEL_IS_NEXT,
        /// It is of a sub-agent, whose records may stand between those of the main conversation.
        pub SIDE,
        /// A mark of a program that redacts is in the place of its time.
        pub TIME_REPLACED,
        /// Of a hole: its line ends in a mark of a program that redacts.
        pub CUT_BY_MARK,
        /// The first call of a message carries no signature of the thinking before it.
        pub UNSIGNED_CALL,
        /// A call of a message carries such a signature.
        pub SIGNED_CALL,
        /// Thinking with an ID and without its encrypted content.
        pub NOT_ENCRYPTED,
        /// The host asks for a compaction, by itself or because it was told to.
        pub ASKS_COMPACTION,
        /// What its content shows that some provider refuses: [`Flaws`](super::super::Flaws) as a number.
        pub FLAWS,
        /// Number: how many images it holds.
        pub IMAGES,
        /// Number: how many marks for the cache it holds.
        pub MARKS,
    }
}
