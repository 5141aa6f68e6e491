//! Digests that are made when they are asked for.
//!
//! A digest shows whether a call or a result is a copy of another one, which only matters where several share an ID, or have
//! none. To hash the content of all others took up to 0.8 instructions of each byte, so a reader may put a digest off
//! ([`Transcript::digest_later`]); then it is 0. What is compared after all is read again from its line, once all are read.

use super::conversation::Transcript;
use super::event::{LinkKind, Part, PartKind, State};
use super::ids::{Id, Interner};
use super::index::{EventId, IndexVec};

/// Whether digests are put off.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct LateDigests {
    /// Those of the current record may be, because it can be read again.
    is_allowed: bool,
    /// Some were.
    is_any: bool,
}

impl Transcript {
    /// Lets the reader of the next record put off its digests, or not.
    pub(crate) fn allow_late_digests(&mut self, is_allowed: bool) {
        self.late.is_allowed = is_allowed;
    }

    /// The digest of a part that the current event gets, or 0 if it is put off.
    #[inline]
    pub(crate) fn digest_later(&mut self, digest: impl FnOnce(&Interner) -> u64) -> u64 {
        // An element of a list inside a record has no line of its own.
        if self.late.is_allowed && self.newest_mut().within.is_none() {
            self.late.is_any = true;
            return 0;
        }
        digest(&self.ids)
    }

    /// Notes that parts are copied from a transcript of which digests may have been put off.
    pub(super) fn copy_late_digests(&mut self, from: &Transcript) {
        self.late.is_any |= from.late.is_any;
    }

    /// The records with digests that were put off and are compared with others, in order.
    pub(crate) fn awaiting_digests(&self) -> Vec<EventId> {
        if !self.late.is_any {
            return Vec::new();
        }
        let uses = IdUses::of(self);
        let of_kind = |kind| self.parts.iter().filter(move |part| part.kind == kind);
        // Such a result may belong to the call of any other one.
        let any_odd = of_kind(PartKind::Result).any(|part| uses.is_odd(part));
        let mut events: Vec<EventId> = (self.parts.iter().filter(|part| {
            let is_asked_for = match part.kind {
                PartKind::Call => uses.is_shared(part),
                PartKind::Result => any_odd || uses.is_shared(part),
                _ => false,
            };
            // What is left of a damaged record is never put off; it may have none.
            let is_late = part.digest == 0 && self.event(part.event).state == State::Whole;
            is_late && is_asked_for
        }))
        .map(|part| part.event)
        .collect();
        events.dedup();
        events
    }

    /// Takes the digests of a record from `again`, into which only that record was read.
    pub(crate) fn take_digests(&mut self, event: EventId, again: &Transcript) {
        let parts = self.event(event).parts.clone();
        debug_assert!(parts.clone().count() <= again.parts.len(), "read as before");
        for (part, other) in parts.zip(again.parts.iter()) {
            let own = &mut self.parts[part];
            debug_assert_eq!(own.kind, other.kind, "read as before");
            own.digest = other.digest;
        }
    }

    /// Whether a part has the digest that it is compared by.
    pub(crate) fn has_digest(&self, part: &Part) -> bool {
        !self.late.is_any || part.digest != 0
    }
}

/// How calls and results use their IDs.
struct IdUses<'a> {
    t: &'a Transcript,
    /// How many calls have each ID, and how many results, up to 255.
    calls: IndexVec<Id, u8>,
    results: IndexVec<Id, u8>,
    /// The ID of the first call in the record with each ID. Empty if no result has a link to a record.
    call_of_record: IndexVec<Id, Option<Id>>,
}

impl<'a> IdUses<'a> {
    fn of(t: &'a Transcript) -> IdUses<'a> {
        let has_links = t.links.iter().any(|link| link.kind == LinkKind::Call);
        let mut uses = IdUses {
            t,
            calls: t.ids.table(0),
            results: t.ids.table(0),
            call_of_record: t.ids.table(None),
        };
        for part in t.parts.iter() {
            let Some(id) = uses.real_id(part) else {
                continue;
            };
            match part.kind {
                PartKind::Call => {
                    uses.calls[id] = uses.calls[id].saturating_add(1);
                    if let Some(record) = t.event(part.event).id.filter(|_| has_links) {
                        uses.call_of_record[record].get_or_insert(id);
                    }
                }
                PartKind::Result => uses.results[id] = uses.results[id].saturating_add(1),
                _ => {}
            }
        }
        uses
    }

    fn real_id(&self, part: &Part) -> Option<Id> {
        part.id.filter(|id| !self.t.ids.is_empty(*id))
    }

    /// Whether another call or another result has the ID of a part, or it has none.
    fn is_shared(&self, part: &Part) -> bool {
        self.real_id(part).is_none_or(|id| self.calls[id] > 1 || self.results[id] > 1)
    }

    /// Whether a result may be paired otherwise than by its ID.
    fn is_odd(&self, result: &Part) -> bool {
        let Some(id) = self.real_id(result).filter(|id| self.calls[*id] > 0) else {
            return true;
        };
        let link = self.t.link_of(result.event, LinkKind::Call);
        let linked = link.and_then(|link| self.call_of_record[link.to?]);
        linked.is_some_and(|linked| linked != id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Span};
    use crate::transcript::{Idx, PartId, Place, State};

    /// A transcript with an event for each part, which has an ID and perhaps a link, and the digests of all put off.
    fn transcript(parts: &[(PartKind, &str, Option<&str>)]) -> Transcript {
        let mut t = Transcript::default();
        for (line, (kind, id, link)) in parts.iter().enumerate() {
            let at = Span::new(EntryId(0), line as u64, line as u64 + 1);
            t.begin(at, Place::Line(line as u64 + 1), State::Whole);
            let name = t.ids.intern(&format!("record {line}"));
            t.newest_mut().id = Some(name);
            t.allow_late_digests(true);
            let mut part = t.blank_part(*kind);
            part.id = Some(t.ids.intern(id));
            part.digest = t.digest_later(|ids| ids.digest(b"content"));
            t.allow_late_digests(false);
            t.add_part(part);
            if let Some(link) = link {
                let link = t.ids.intern(link);
                t.add_link(LinkKind::Call, Some(link));
            }
        }
        t
    }

    #[test]
    fn only_what_is_compared_needs_its_digest() {
        use PartKind::{Call, Result};
        let (a, b) = ((Call, "a", None), (Call, "b", None));
        let (of_a, of_b) = ((Result, "a", None), (Result, "b", None));
        for (parts, awaited) in [
            (vec![a, of_a, b, of_b], vec![]),
            // Two results, or two calls, with the same ID.
            (vec![a, of_a, b, of_b, of_a], vec![0, 1, 4]),
            (vec![a, a, of_a, b, of_b], vec![0, 1, 2]),
            // No ID.
            (vec![a, of_a, (Call, "", None)], vec![2]),
            (vec![a, of_a, b, (Result, "", None)], vec![1, 3]),
            // No call has the ID, so it may belong to any.
            (vec![a, of_a, b, (Result, "c", None)], vec![1, 3]),
            // The link leads to its call, or to another one.
            (vec![a, of_a, b, (Result, "b", Some("record 2"))], vec![]),
            (vec![a, of_a, b, (Result, "b", Some("record 0"))], vec![1, 3]),
        ] {
            let t = transcript(&parts);
            let events: Vec<usize> =
                (t.awaiting_digests().iter()).map(|event| event.index()).collect();
            assert_eq!(events, awaited, "{parts:?}");
        }
    }

    #[test]
    fn a_digest_is_put_off_only_where_it_can_be_made_again() {
        let mut t = transcript(&[(PartKind::Call, "a", None)]);
        assert_eq!(t.parts[PartId::FIRST].digest, 0);
        assert!(!t.has_digest(t.part(PartId::FIRST)));
        assert_ne!(t.digest_later(|ids| ids.digest(b"content")), 0, "not allowed");
        let again = {
            let mut again = Transcript::with_hasher_of(&t);
            let mut part = again.blank_part(PartKind::Call);
            part.digest = again.digest_later(|ids| ids.digest(b"content"));
            again.add_part(part);
            again
        };
        t.take_digests(EventId::FIRST, &again);
        assert_eq!(t.part(PartId::FIRST).digest, t.ids.digest(b"content"));
    }
}
