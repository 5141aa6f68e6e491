//! Events: what one record says, in terms that all formats share.

use super::fact::Facts;
use super::ids::Id;
use super::index::{EventId, IdRange, PartId};
use crate::bytes::source::{EntryId, Span};

/// Who speaks in an event, in the role with which the host would send it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions before the conversation.
    System,
    /// The user, or the host on the user's behalf.
    User,
    /// The model.
    Assistant,
    /// A tool: the result of a call.
    Tool,
    /// Bookkeeping of the host, which is never sent.
    Nobody,
    /// The host's own state, stored next to the events.
    HostState,
}

impl Role {
    /// Whether events with this role can be part of a request.
    pub fn is_sent(self) -> bool {
        !matches!(self, Role::Nobody | Role::HostState)
    }
}

/// How far a record could be read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Read as it is.
    Whole,
    /// Read as a safe repair of its bytes would leave it. Its spans cannot be edited before that repair.
    Recovered,
    /// Not readable: only its place is known, and what its fragment shows.
    Unreadable,
    /// Not a record: padding, or the rest of a record that was split over several lines. Formats skip it.
    Padding,
}

/// One record, as facts.
#[derive(Clone, Debug)]
pub struct Event {
    pub(super) span: StoredSpan,
    pub(super) place: StoredPlace,
    /// How far it could be read.
    pub state: State,
    /// The type that the record gives itself.
    pub kind: Option<Id>,
    /// The record's own ID.
    pub id: Option<Id>,
    /// The ID that all events of one model response share.
    pub batch: Option<Id>,
    /// Who speaks.
    pub role: Role,
    /// A response that failed or was stopped, which the host therefore leaves out.
    pub failed: bool,
    /// `i64::MIN` if there is none.
    pub(super) time: i64,
    /// Its parts, in order.
    pub parts: IdRange<PartId>,
    /// The first of its links. They end where those of the next event begin.
    pub(super) links: u32,
    /// The facts that are true of it.
    pub(crate) facts: Facts,
    /// The first of the values of those facts that have one. They end like the links.
    pub(super) values: u32,
    /// The event whose record contains this one, for an element of a list inside a record. It has the place of that record.
    pub within: Option<EventId>,
}

/// A long session has many events, and all are in memory.
const _: () = assert!(size_of::<Event>() <= 72);

impl Event {
    /// The span of the whole record: a line with its ending, an element of a list, a file.
    #[inline]
    pub fn at(&self) -> Span {
        self.span.get()
    }

    /// Where people find it: the line (from 1) in a line file, the index (from 0) of a file or in a list.
    #[inline]
    pub fn place(&self) -> Place {
        self.place.get()
    }

    pub(crate) fn set_place(&mut self, place: Place) {
        self.place = StoredPlace::new(place);
    }

    /// The recorded time: microseconds since 1970, without a time zone.
    #[inline]
    pub fn time(&self) -> Option<i64> {
        (self.time != NO_TIME).then_some(self.time)
    }

    pub(crate) fn set_time(&mut self, time: Option<i64>) {
        self.time = time.unwrap_or(NO_TIME);
    }
}

/// No recorded time is as early as this.
pub(super) const NO_TIME: i64 = i64::MIN;

/// A number of `N` bytes. Larger ones are stored as the largest.
#[derive(Copy, Clone, Debug)]
struct Narrow<const N: usize>([u8; N]);

impl<const N: usize> Narrow<N> {
    const MAX: u64 = (1 << (8 * N)) - 1;

    #[inline]
    fn new(number: u64) -> Narrow<N> {
        let number = number.min(Self::MAX);
        Narrow(std::array::from_fn(|byte| (number >> (8 * byte)) as u8))
    }

    #[inline]
    fn get(self) -> u64 {
        let bytes = self.0.into_iter().rev();
        bytes.fold(0, |number, byte| number << 8 | u64::from(byte))
    }
}

/// A [`Span`] in 16 bytes: no file system holds 256 TiB in a file.
#[derive(Copy, Clone, Debug)]
pub(super) struct StoredSpan {
    entry: EntryId,
    start: Narrow<6>,
    length: Narrow<6>,
}

impl StoredSpan {
    #[inline]
    pub(super) fn new(span: Span) -> StoredSpan {
        StoredSpan {
            entry: span.entry,
            start: Narrow::new(span.start),
            length: Narrow::new(span.end.saturating_sub(span.start)),
        }
    }

    #[inline]
    fn get(self) -> Span {
        let start = self.start.get();
        Span::new(self.entry, start, start + self.length.get())
    }
}

/// A [`Place`] in 5 bytes: the number above 2 bits that say of what.
#[derive(Copy, Clone, Debug)]
pub(super) struct StoredPlace(Narrow<5>);

impl StoredPlace {
    /// 275 billion lines.
    const MAX: u64 = Narrow::<5>::MAX >> 2;

    #[inline]
    pub(super) fn new(place: Place) -> StoredPlace {
        let kind = match place {
            Place::Line(_) => 0,
            Place::File(_) => 1,
            Place::Item(_) => 2,
        };
        StoredPlace(Narrow::new(place.number().min(Self::MAX) << 2 | kind))
    }

    #[inline]
    fn get(self) -> Place {
        let stored = self.0.get();
        let number = stored >> 2;
        match stored & 3 {
            0 => Place::Line(number),
            1 => Place::File(number),
            _ => Place::Item(number),
        }
    }
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
    /// The number: from 1 for a line, from 0 for a file or an element.
    pub fn number(self) -> u64 {
        match self {
            Place::Line(n) | Place::File(n) | Place::Item(n) => n,
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
    /// A tool call.
    Call,
    /// A tool result.
    Result,
    /// A call or a result of a tool that the provider itself runs during its response, so the host adds no result.
    Hosted,
}

/// Who wrote a result, in ascending order of value: of two results for one call the higher one wins, then the first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A placeholder that a host wrote because it found no result. It never has a tool's output.
    Placeholder,
    /// An error of the host, written instead of the tool's output.
    HostError,
    /// The user or a hook refused the call.
    Rejection,
    /// The tool's own output, including its errors.
    Real,
}

/// One part of an event.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Its event.
    pub event: EventId,
    /// Call or result: the ID that the host pairs by. `None`: absent or null.
    pub id: Option<Id>,
    /// Call: the ID that is sent to the provider, if the record stores a second copy; otherwise the same as `id`.
    pub sent_id: Option<Id>,
    /// Call or result: the name of the tool.
    pub tool: Option<Id>,
    /// Result: who wrote it.
    pub origin: Origin,
    /// The part is empty or only white space.
    pub blank: bool,
    /// Call: the arguments are not a JSON object.
    pub bad_input: bool,
    /// Call: the host could run it.
    pub runnable: bool,
    /// Result: it reports that the tool, or its caller, failed.
    pub reports_error: bool,
    /// A hash of the part's bytes, to recognize copies. It differs between runs, so it is never shown.
    pub digest: u64,
}

/// What a link points to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The previous record in the conversation's tree.
    Parent,
    /// No record: this one claims to be the first.
    Root,
    /// Host state: the newest record of the active branch.
    Leaf,
    /// Result: the record of the call that it answers.
    Call,
    /// Compaction: a record that is not sent anymore.
    Forgets,
    /// Compaction: the first record before it that is still sent.
    Kept,
}

/// A reference from one record to another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What the link means.
    pub kind: LinkKind,
    /// The ID that it refers to. `None`: null, or no ID.
    pub to: Option<Id>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_and_a_place_are_stored_as_they_are() {
        for (start, end) in [(0, 0), (7, 300), ((1 << 40) + 3, 1 << 41), (1 << 47, 1 << 48)] {
            let span = Span::new(EntryId(u32::MAX), start, end);
            assert_eq!(StoredSpan::new(span).get(), span);
        }
        for number in [0, 1, 1 << 32, StoredPlace::MAX] {
            for place in [Place::Line, Place::File, Place::Item] {
                assert_eq!(StoredPlace::new(place(number)).get(), place(number));
            }
        }
        let beyond = StoredPlace::new(Place::File(u64::MAX)).get();
        assert_eq!(beyond, Place::File(StoredPlace::MAX));
    }
}
