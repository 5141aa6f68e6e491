//! Records that nobody can read: what is left of one, what it may have been, and what may be done about it. What a host
//! does with such a record is data.

use super::diagnostic::{Action, Diagnostic, Effect, Fix, Subject};
use super::event::{Event, State};
use super::pairs::{PairStatus, Pairs};
use super::{Code, EventId, Transcript};

/// What a host does with a record that it cannot read.
#[derive(Copy, Clone, Debug)]
pub struct OnUnreadable {
    /// What it calls a record.
    pub noun: &'static str,
    /// It skips the record and loads the rest; else it loads nothing.
    pub skips: bool,
    /// It appends to a last line that stops: the next record would be glued to it.
    pub appends: bool,
    /// Killed again and again, it leaves several records that stop at the end.
    pub many_tails: bool,
    /// It does without a record that is gone, so one that stops is removed without a guess.
    pub may_lack: bool,
}

impl OnUnreadable {
    /// It loads nothing.
    pub const FAILS: OnUnreadable = OnUnreadable {
        noun: "record",
        skips: false,
        appends: false,
        many_tails: false,
        may_lack: false,
    };

    /// It skips the record.
    pub const SKIPS: OnUnreadable = OnUnreadable {
        skips: true,
        ..OnUnreadable::FAILS
    };
}

/// What is left of a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// The beginning of the last one.
    Tail,
    /// The beginning of one that others follow, or nothing that could be a record.
    Middle,
    /// All of it, perhaps, with wrong bytes.
    Damaged,
}

/// The unreadable records of a conversation.
pub(crate) struct Unreadable<'a> {
    t: &'a Transcript,
    pairs: &'a Pairs,
    host: OnUnreadable,
    /// From here on nothing can be read.
    tail: Option<EventId>,
}

impl<'a> Unreadable<'a> {
    /// Those of a host of this kind.
    pub(crate) fn new(t: &'a Transcript, pairs: &'a Pairs, host: OnUnreadable) -> Self {
        let is_record = |event: &EventId| t.event(*event).state != State::Padding;
        let can_be_read = |event: &EventId| t.event(*event).state != State::Unreadable;
        let records = t.records().filter(is_record);
        let tail = if host.many_tails {
            let read = records.filter(can_be_read).last();
            Some(read.map_or(EventId::FIRST, EventId::next))
        } else {
            records.last()
        };
        Unreadable {
            t,
            pairs,
            host,
            tail,
        }
    }

    /// All of them.
    pub(crate) fn records(&self) -> impl Iterator<Item = EventId> + use<'a> {
        let t = self.t;
        let is_unreadable = |event: &Event| event.state == State::Unreadable;
        t.records()
            .filter(move |event| is_unreadable(t.event(*event)))
    }

    /// What is left of one.
    pub(crate) fn left(&self, event: EventId) -> Left {
        if self.t.is_damaged(event) {
            Left::Damaged
        } else if self.tail.is_some_and(|tail| event >= tail) {
            Left::Tail
        } else {
            Left::Middle
        }
    }

    /// What can be said of one without its format.
    pub(crate) fn diagnostic(&self, event: EventId) -> Diagnostic {
        let left = self.left(event);
        let mut diagnostic = self.host.diagnostic(event, left);
        let park = vec![Action::Remove(event)];
        diagnostic.fixes = match left {
            Left::Tail => vec![Fix::safe(park)],
            Left::Middle if self.host.may_lack => vec![Fix::safe(park)],
            _ if self.host.skips => Vec::new(),
            _ => vec![Fix::with_guess(park)],
        };
        if left != Left::Tail {
            diagnostic.covers = self.may_explain(event);
        }
        diagnostic
    }

    /// It may have been the result of a call before it, or the call of a result after it.
    pub(crate) fn may_explain(&self, event: EventId) -> Vec<Subject> {
        let is_after = |part| self.t.a_part(part).event > event;
        let explained = |(part, status)| match status {
            PairStatus::Open if !is_after(part) => Some(Subject::Open(part)),
            PairStatus::Orphan if is_after(part) => Some(Subject::Orphan(part)),
            _ => None,
        };
        self.pairs.all().filter_map(explained).collect()
    }
}

impl OnUnreadable {
    /// The diagnostic of a record of which this is left: what it is and does, without fixes.
    pub(crate) fn diagnostic(&self, event: EventId, left: Left) -> Diagnostic {
        let noun = self.noun;
        let (code, message) = match left {
            Left::Tail if self.appends => (
                Code::TornTail,
                format!("the last {noun} is cut off; the next one would be appended to it"),
            ),
            Left::Tail => (Code::TornTail, format!("the last {noun} is cut off")),
            Left::Middle => (
                Code::UnreadableRecord,
                format!("{} {noun} in the middle cannot be read", article(noun)),
            ),
            Left::Damaged => (
                Code::UnreadableRecord,
                format!("a damaged {noun} cannot be read"),
            ),
        };
        let mut diagnostic = Diagnostic::new(code, message, event);
        diagnostic.about = vec![Subject::Bytes(event)];
        diagnostic.effect = if self.skips {
            Effect::Hides(1)
        } else {
            Effect::LoadFails
        };
        diagnostic
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with('e') { "an" } else { "a" }
}
