//! What a log answers to the steps of a story: which events are this to a call, or to a finding.

use std::borrow::Cow;

use super::ids::maker;
use super::log::Log;
use super::{Is, Names};
use crate::rules::Finding;
use crate::transcript::{EventId, Id, LabelRole, LinkKind, Origin, PartId, attr};

/// Calls of one response, and records of errors, that are looked at.
const LOOKED_AT: usize = 100;

/// What a story is told of.
#[derive(Copy, Clone)]
pub(super) struct Anchor<'a> {
    /// The call, or the first one that the finding names.
    pub call: Option<PartId>,
    /// The finding; `None`: the story is told of the call alone.
    pub finding: Option<&'a Finding>,
}

impl Anchor<'_> {
    /// The damaged record of the finding, else its first one; without a finding there is none.
    pub(super) fn damaged(&self) -> Option<EventId> {
        let labels = &self.finding?.labels;
        let damaged = labels.iter().find(|label| label.role == LabelRole::Record);
        Some(damaged.or_else(|| labels.first())?.event)
    }

    fn parts(&self, role: LabelRole) -> Vec<EventId> {
        let labels = self
            .finding
            .map_or(&[][..], |finding| &finding.labels)
            .iter();
        let mut events: Vec<EventId> = labels
            .filter(|label| label.role == role)
            .map(|l| l.event)
            .collect();
        events.sort_unstable();
        events.dedup();
        events
    }
}

impl Log<'_> {
    /// The first event behind `after` that is this to an anchor; `None` for `after`: the first of all.
    pub(super) fn first(
        &self,
        is: Is,
        anchor: Anchor<'_>,
        after: Option<EventId>,
    ) -> Option<EventId> {
        let behind = |events: &[EventId]| {
            let start = after.map_or(0, |after| events.partition_point(|event| *event <= after));
            events.get(start).copied()
        };
        if is != Is::OtherTurn {
            return behind(&self.events(is, anchor));
        }
        let start = after.map_or(0, |after| {
            self.turns.partition_point(|turn| turn.event <= after)
        });
        let first = self.turns.get(start)?;
        let own = anchor.call.and_then(|call| self.batch(call));
        let same = first.batch.is_some() && first.batch == own;
        if same {
            self.turns.get(first.next)
        } else {
            Some(first)
        }
        .map(|turn| turn.event)
    }

    /// All events that are this to an anchor; of turns, none.
    pub(super) fn events(&self, is: Is, anchor: Anchor<'_>) -> Cow<'_, [EventId]> {
        match is {
            Is::Status(word) => Cow::Borrowed(self.status.get(word).map_or(&[], Vec::as_slice)),
            Is::Stopped => Cow::Borrowed(&self.stopped),
            Is::UserSpoke => Cow::Borrowed(&self.user),
            Is::HostSpoke => Cow::Borrowed(&self.host),
            Is::Spoke => Cow::Borrowed(&self.spoke),
            Is::Record => Cow::Borrowed(&self.readable),
            Is::Failed => Cow::Borrowed(&self.failed),
            Is::Unreadable => Cow::Borrowed(&self.holes),
            Is::Marked(name) => Cow::Borrowed(self.marked.get(&name).map_or(&[], Vec::as_slice)),
            Is::Failure(texts) => Cow::Owned(self.failures(texts)),
            Is::Damaged => Cow::Owned(anchor.damaged().into_iter().collect()),
            Is::Part(role) => Cow::Owned(anchor.parts(role)),
            Is::RecordBefore => {
                let before = anchor.damaged().and_then(|damaged| {
                    let end = self.readable.partition_point(|event| *event < damaged);
                    self.readable.get(end.checked_sub(1)?).copied()
                });
                Cow::Owned(before.into_iter().collect())
            }
            Is::OtherTurn | Is::Resumed => Cow::Borrowed(&[]),
            _ => anchor
                .call
                .map_or(Cow::Borrowed(&[]), |call| self.of_call(is, call)),
        }
    }

    fn of_call(&self, is: Is, call: PartId) -> Cow<'_, [EventId]> {
        let event = |part: PartId| self.t.a_part(part).event;
        let sisters = || {
            let calls = self.batch_of(call).map_or(&[][..], |batch| &batch.calls);
            calls
                .iter()
                .copied()
                .filter(move |sister| *sister != call)
                .take(LOOKED_AT)
        };
        let mut events: Vec<EventId> = match is {
            Is::SameId => {
                let id = self.t.a_part(call).id;
                return Cow::Borrowed(
                    id.and_then(|id| self.by_id.get(&id))
                        .map_or(&[], Vec::as_slice),
                );
            }
            Is::Sister => sisters().map(event).collect(),
            Is::SisterAnswer => sisters()
                .filter_map(|call| self.request.pairs.answer(call))
                .map(event)
                .collect(),
            Is::Call(branch) => Some(event(call))
                .filter(|event| self.hangs(*event, branch))
                .into_iter()
                .collect(),
            Is::Answer => self
                .request
                .pairs
                .answer(call)
                .map(event)
                .into_iter()
                .collect(),
            Is::OtherMaker => {
                let own = self
                    .t
                    .a_part(call)
                    .id
                    .and_then(|id| maker(self.t.ids.get(id)));
                let others = self
                    .makers
                    .iter()
                    .filter(|(maker, _)| own.is_some_and(|own| own != **maker));
                others.map(|(_, event)| *event).collect()
            }
            Is::Forgets => {
                let own = std::iter::once(call).chain(self.results(call)).map(event);
                let ids: Vec<Id> = own.filter_map(|event| self.t.event(event).id).collect();
                let forgets = |event: &&EventId| {
                    let mut links = self.t.links_of(**event).iter();
                    links.any(|l| {
                        l.kind == LinkKind::Forgets && l.to.is_some_and(|to| ids.contains(&to))
                    })
                };
                self.forgets
                    .iter()
                    .rev()
                    .take(LOOKED_AT)
                    .filter(forgets)
                    .copied()
                    .collect()
            }
            _ => {
                let results = self.results(call).into_iter();
                results
                    .filter(|result| self.is(is, call, *result))
                    .map(event)
                    .collect()
            }
        };
        events.sort_unstable();
        events.dedup();
        Cow::Owned(events)
    }

    /// The last records of errors that say one of these.
    fn failures(&self, texts: &[&str]) -> Vec<EventId> {
        let all = self
            .marked
            .get(&attr::FAILURE)
            .map_or(&[][..], Vec::as_slice);
        let says = |event: &&EventId| {
            self.text(**event)
                .is_some_and(|said| texts.iter().any(|text| said.contains(text)))
        };
        let mut found: Vec<EventId> = all
            .iter()
            .rev()
            .take(LOOKED_AT)
            .filter(says)
            .copied()
            .collect();
        found.reverse();
        found
    }

    fn is(&self, is: Is, call: PartId, result: PartId) -> bool {
        let (event, origin) = (self.t.a_part(result).event, self.t.a_part(result).origin);
        match is {
            Is::Recovery(branch) => {
                self.t.attr_of(event, attr::RECOVERY).is_some() && self.hangs(event, branch)
            }
            Is::Placeholder(branch) => origin == Origin::Placeholder && self.hangs(event, branch),
            Is::Output(names, branch) => {
                let named = names == Names::Any || self.names(call, event) == names;
                origin == Origin::Real && named && self.hangs(event, branch)
            }
            Is::HostError => origin == Origin::HostError,
            Is::Rejection => origin == Origin::Rejection,
            Is::Result(branch) => self.hangs(event, branch),
            _ => false,
        }
    }
}
