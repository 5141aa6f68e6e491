//! Unreadable records: what is left of them, what they may have been, and how to fix them. What a host does with such a
//! record is data.

use std::cell::OnceCell;

use super::diagnostic::{Diagnostic, Effect, Subject};
use super::event::State;
use super::fix::{Action, Fix};
use super::pairs::{PairStatus, Pairs};
use super::{Code, EventId, PartId, Transcript};

/// What a host does with an unreadable record.
#[derive(Copy, Clone, Debug)]
pub struct OnUnreadable {
    /// It skips the record and loads the rest; otherwise it loads nothing.
    pub skips: bool,
    /// It appends to a last line that is cut off, so the next record would be on the same line.
    pub appends: bool,
    /// It works without a record that is missing, so removing one that is cut off is safe.
    pub may_lack: bool,
}

impl OnUnreadable {
    /// The host loads nothing.
    pub const FAILS: OnUnreadable = OnUnreadable { skips: false, appends: false, may_lack: false };

    /// The host skips the record.
    pub const SKIPS: OnUnreadable = OnUnreadable { skips: true, ..OnUnreadable::FAILS };
}

/// What is left of a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordRemains {
    /// The start of the last record.
    Tail,
    /// The start of a record before others, or something that cannot be a record.
    Middle,
    /// Perhaps all of it, with some wrong bytes.
    Damaged,
}

/// The unreadable records of a conversation.
pub(crate) struct Unreadable<'a> {
    t: &'a Transcript,
    pairs: &'a Pairs,
    host: OnUnreadable,
    /// The first record of the unreadable end.
    tail: EventId,
    /// The open calls and the orphaned results, in order.
    unpaired: OnceCell<(Vec<PartId>, Vec<PartId>)>,
}

/// Most open calls before a record that it may explain, and most orphaned results after it.
const MOST_EXPLAINED: usize = 64;

impl<'a> Unreadable<'a> {
    pub(crate) fn new(t: &'a Transcript, pairs: &'a Pairs, host: OnUnreadable) -> Self {
        let mut records = t.records().filter(|event| t.event(*event).state != State::Padding);
        // A host that is killed several times leaves several records that are cut off.
        let read = records.rfind(|event| t.event(*event).state != State::Unreadable);
        let tail = read.map_or(EventId::FIRST, EventId::next);
        Unreadable { t, pairs, host, tail, unpaired: OnceCell::new() }
    }

    /// All unreadable records.
    pub(crate) fn records(&self) -> impl Iterator<Item = EventId> + use<'a> {
        let t = self.t;
        t.records().filter(move |event| t.event(*event).state == State::Unreadable)
    }

    /// What is left of a record.
    pub(crate) fn left(&self, event: EventId) -> RecordRemains {
        if self.t.is_damaged(event) {
            RecordRemains::Damaged
        } else if event >= self.tail {
            RecordRemains::Tail
        } else {
            RecordRemains::Middle
        }
    }

    /// The diagnostic of a record, without what only its format knows.
    pub(crate) fn diagnostic(&self, event: EventId) -> Diagnostic {
        let left = self.left(event);
        let mut diagnostic = self.host.diagnostic(self.t.noun(), event, left);
        diagnostic.fixes = self.host.removal(event, left);
        if left != RecordRemains::Tail {
            diagnostic.covers = self.may_explain(event);
        }
        diagnostic
    }

    /// The nearest open calls before a record and orphaned results after it: the record may have been their other half.
    pub(crate) fn may_explain(&self, event: EventId) -> Vec<Subject> {
        let (open, orphans) = self.unpaired.get_or_init(|| self.unpaired());
        let until =
            |parts: &[PartId]| parts.partition_point(|part| self.t.part(*part).event <= event);
        let before = &open[..until(open)];
        let before = &before[before.len().saturating_sub(MOST_EXPLAINED)..];
        let after = orphans[until(orphans)..].iter().take(MOST_EXPLAINED);
        let before = before.iter().map(|call| Subject::Open(*call));
        before.chain(after.map(|result| Subject::Orphan(*result))).collect()
    }

    fn unpaired(&self) -> (Vec<PartId>, Vec<PartId>) {
        let of = |wanted| {
            let all = self.pairs.all().filter(move |(_, status)| *status == wanted);
            all.map(|(part, _)| part).collect()
        };
        (of(PairStatus::Open), of(PairStatus::Orphan))
    }
}

impl OnUnreadable {
    /// The diagnostic of a record of which this much is left, without fixes.
    pub(crate) fn diagnostic(&self, noun: &str, event: EventId, left: RecordRemains) -> Diagnostic {
        let (code, message) = match left {
            RecordRemains::Tail if self.appends => (
                Code::TornTail,
                format!("the last {noun} is cut off; the next one would be appended to it"),
            ),
            RecordRemains::Tail => (Code::TornTail, format!("the last {noun} is cut off")),
            RecordRemains::Middle => (
                Code::UnreadableRecord,
                format!("{} {noun} in the middle cannot be read", article(noun)),
            ),
            RecordRemains::Damaged => {
                (Code::UnreadableRecord, format!("a damaged {noun} cannot be read"))
            }
        };
        let mut diagnostic = Diagnostic::about(code, message, Subject::Bytes, event);
        diagnostic.effect = if self.skips { Effect::Hides(1) } else { Effect::LoadFails };
        diagnostic
    }

    /// How to do without a record of which this much is left.
    pub(crate) fn removal(&self, event: EventId, left: RecordRemains) -> Vec<Fix> {
        let remove = vec![Action::Remove(event)];
        match left {
            RecordRemains::Tail => vec![Fix::safe(remove)],
            RecordRemains::Middle if self.may_lack => vec![Fix::safe(remove)],
            _ if self.skips => Vec::new(),
            _ => vec![Fix::with_guess(remove)],
        }
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
