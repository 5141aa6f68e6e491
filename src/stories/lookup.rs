//! Looks up the events that match a step of a story, for a call or a finding.

use std::borrow::Cow;

use super::ids::maker;
use super::log::Log;
use super::{Is, Names};
use crate::rules::Finding;
use crate::transcript::{EventId, Id, LabelRole, LinkKind, Origin, PartId, facts};

/// Most calls of one response, and most records of errors, that are examined.
const LOOKED_AT: usize = 100;

/// What a story explains.
#[derive(Copy, Clone)]
pub(super) struct Anchor<'a> {
    /// The call, or the first call that the finding names.
    pub call: Option<PartId>,
    /// The finding; `None` if the story explains the call alone.
    pub finding: Option<&'a Finding>,
}

impl Anchor<'_> {
    /// The damaged record of the finding, else its first one; `None` without a finding.
    pub(super) fn damaged(&self) -> Option<EventId> {
        let labels = &self.finding?.labels;
        let damaged = labels.iter().find(|label| label.role == LabelRole::Record);
        Some(damaged.or_else(|| labels.first())?.event)
    }

    fn parts(&self, role: LabelRole) -> Vec<EventId> {
        let labels = self.finding.map_or(&[][..], |finding| &finding.labels).iter();
        let mut events: Vec<EventId> =
            labels.filter(|label| label.role == role).map(|l| l.event).collect();
        events.sort_unstable();
        events.dedup();
        events
    }
}

impl Log<'_> {
    /// The first matching event after `after`, or the first of all if that is `None`.
    pub(super) fn first(
        &self,
        is: Is,
        anchor: Anchor<'_>,
        after: Option<EventId>,
    ) -> Option<EventId> {
        if is != Is::OtherTurn {
            let events = self.events(is, anchor);
            let start = after.map_or(0, |after| events.partition_point(|event| *event <= after));
            return events.get(start).copied();
        }
        let start = after.map_or(0, |after| self.turns.partition_point(|turn| turn.event <= after));
        let first = self.turns.get(start)?;
        let own = anchor.call.and_then(|call| self.batch(call));
        let is_own_batch = first.batch.is_some() && first.batch == own;
        if is_own_batch { self.turns.get(first.next) } else { Some(first) }.map(|turn| turn.event)
    }

    /// All matching events; none for turns.
    pub(super) fn events(&self, is: Is, anchor: Anchor<'_>) -> Cow<'_, [EventId]> {
        match is {
            Is::Status(word) => Cow::Borrowed(self.status.get(word).map_or(&[], Vec::as_slice)),
            Is::Stopped => Cow::Borrowed(&self.stopped),
            Is::UserSpoke => Cow::Borrowed(&self.user),
            Is::HostSpoke => Cow::Borrowed(&self.host),
            Is::Spoke => Cow::Borrowed(&self.spoke),
            Is::Record => Cow::Borrowed(&self.readable),
            Is::Failed => Cow::Borrowed(&self.failed),
            Is::Unreadable => Cow::Borrowed(&self.unreadable),
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
            _ => anchor.call.map_or(Cow::Borrowed(&[]), |call| self.of_call(is, call)),
        }
    }

    fn of_call(&self, is: Is, call: PartId) -> Cow<'_, [EventId]> {
        let event = |part: PartId| self.t.part(part).event;
        let siblings = || {
            let calls = self.batch_of(call).map_or(&[][..], |batch| &batch.calls);
            calls.iter().copied().filter(move |sibling| *sibling != call).take(LOOKED_AT)
        };
        let mut events: Vec<EventId> = match is {
            Is::SameId => {
                let id = self.t.part(call).id;
                return Cow::Borrowed(
                    id.and_then(|id| self.by_id.get(&id)).map_or(&[], Vec::as_slice),
                );
            }
            Is::Sister => siblings().map(event).collect(),
            Is::SisterAnswer => {
                siblings().filter_map(|call| self.request.pairs.answer(call)).map(event).collect()
            }
            Is::Call(branch) => Some(event(call))
                .filter(|event| self.is_on_branch(*event, branch))
                .into_iter()
                .collect(),
            Is::Answer => self.request.pairs.answer(call).map(event).into_iter().collect(),
            Is::OtherMaker => {
                let own = self.t.part(call).id.and_then(|id| maker(self.t.ids.get(id)));
                let others =
                    self.makers.iter().filter(|(maker, _)| own.is_some_and(|own| own != **maker));
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
                self.forgets.iter().rev().take(LOOKED_AT).filter(forgets).copied().collect()
            }
            _ => {
                let results = self.results(call).into_iter();
                results.filter(|result| self.matches(is, call, *result)).map(event).collect()
            }
        };
        events.sort_unstable();
        events.dedup();
        Cow::Owned(events)
    }

    /// The last records of errors that contain one of these texts.
    fn failures(&self, texts: &[&str]) -> Vec<EventId> {
        let all = self.marked.get(&facts::FAILURE).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<EventId> = all
            .iter()
            .rev()
            .take(LOOKED_AT)
            .filter(|event| {
                self.text(**event).is_some_and(|text_of_record| {
                    texts.iter().any(|text| text_of_record.contains(text))
                })
            })
            .copied()
            .collect();
        found.reverse();
        found
    }

    fn matches(&self, is: Is, call: PartId, result: PartId) -> bool {
        let (event, origin) = (self.t.part(result).event, self.t.part(result).origin);
        match is {
            Is::Recovery(branch) => {
                self.t.value_of(event, facts::RECOVERY).is_some()
                    && self.is_on_branch(event, branch)
            }
            Is::Placeholder(branch) => {
                origin == Origin::Placeholder && self.is_on_branch(event, branch)
            }
            Is::Output(names, branch) => {
                let named = names == Names::Any || self.names(call, event) == names;
                origin == Origin::Real && named && self.is_on_branch(event, branch)
            }
            Is::HostError => origin == Origin::HostError,
            Is::Rejection => origin == Origin::Rejection,
            Is::Result(branch) => self.is_on_branch(event, branch),
            _ => false,
        }
    }
}
