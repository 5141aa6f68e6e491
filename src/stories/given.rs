//! Checks the conditions of a variant besides its steps.

use super::ids;
use super::log::Log;
use super::lookup::Anchor;
use super::{Branch, Given, Is, Names};
use crate::containers::NAME_ID;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Code, EventId, Inclusion, LinkKind, Origin, PartId, PartKind, Role, Severity, State, facts,
};

/// Most records at one place that are examined.
const LOOKED_AT: usize = 100;
/// How many records before and after a record are near it.
const NEAR: usize = 4;

impl Log<'_> {
    /// Whether the condition holds for a call or finding.
    pub(super) fn holds(&self, given: Given, anchor: Anchor<'_>) -> bool {
        let t = self.t;
        let call = anchor.call;
        let damaged = anchor.damaged();
        // What is asked of a call does not hold where there is none, and so for a damaged record.
        match given {
            Given::RecordsStatus => self.was("running"),
            Given::Runnable => call.is_some_and(|call| t.part(call).runnable),
            Given::NotRunnable => call.is_some_and(|call| !t.part(call).runnable),
            Given::RestAbandoned => call.is_some_and(|call| self.rest_is_abandoned(call)),
            Given::Open => {
                call.is_some_and(|call| self.request.pairs.status(call) == PairStatus::Open)
            }
            Given::SameOutput => call.is_some_and(|call| self.same_output(call)),
            Given::AnswerIsLater => call.is_some_and(|call| self.answer_is_later(call)),
            Given::AnswerHasOlderParent => {
                call.is_some_and(|call| self.answer_has_older_parent(call))
            }
            Given::NoOwnLink => call.is_some_and(|call| {
                let results = self.results(call).into_iter().map(|result| t.part(result).event);
                results.into_iter().all(|result| self.names(call, result) == Names::Foreign)
            }),
            Given::CountedId => call
                .and_then(|call| t.part(call).id)
                .is_some_and(|id| ids::is_counter(t.ids.get(id))),
            Given::Failed => call.is_some_and(|call| t.event(t.part(call).event).failed),
            Given::SharesOpenId => call.is_some_and(|call| {
                let pairs = &self.request.pairs;
                pairs.results(call).iter().any(|result| pairs.rival(*result).is_some())
            }),
            Given::Stopped => {
                call.is_some_and(|call| t.value_of(t.part(call).event, facts::STOPPED).is_some())
            }
            Given::Unreadable => {
                damaged.is_some_and(|event| t.event(event).state == State::Unreadable)
            }
            Given::Empty => damaged.is_some_and(|event| {
                let at = t.event(event).at();
                t.event(event).state == State::Unreadable
                    && at.start == at.end
                    && self.has_file(event)
            }),
            Given::SharedNumber => self.shares_number(anchor),
            Given::TimesRunBack => damaged.is_some_and(|event| self.times_run_back(event)),
            Given::TornHere => damaged.is_some_and(|event| self.is_torn(event)),
            Given::CutByMark => {
                damaged.is_some_and(|event| t.value_of(event, facts::CUT_BY_MARK).is_some())
            }
            Given::IdsReplaced => anchor.finding.is_some_and(|finding| {
                finding.rule.code == Code::DuplicateRecordId
                    && finding.severity < Severity::Error
                    && damaged == t.replaced.events.first().copied()
            }),
            Given::Rule(code) => anchor.finding.is_some_and(|finding| finding.rule.code == code),
            Given::SaysFirst => {
                damaged.is_some_and(|event| t.link_of(event, LinkKind::Root).is_some())
            }
            Given::NamesNoParent => {
                damaged.is_some_and(|event| t.link_of(event, LinkKind::Parent).is_none())
            }
            Given::NoResult => {
                damaged.is_some_and(|event| t.part_of(event, PartKind::Result).is_none())
            }
            Given::Inside => damaged.is_some_and(|event| t.event(event).within.is_some()),
            Given::ResultsInOne => call.is_some_and(|call| {
                let results: Vec<EventId> =
                    self.results(call).into_iter().map(|result| t.part(result).event).collect();
                results.windows(2).any(|pair| pair[0] == pair[1])
            }),
            Given::CallsInOne => call.is_some_and(|call| {
                let part = t.part(call);
                self.calls_with(part.event, part.id).len() > 1
            }),
            Given::Begins => damaged.is_some_and(|event| self.begins_with(event)),
            Given::StateRuns => self
                .status_now()
                .is_some_and(|status| matches!(status, "running" | "waiting_for_confirmation")),
            Given::ModelIsNext => t
                .host_state()
                .is_some_and(|state| t.value_of(state, facts::MODEL_IS_NEXT).is_some()),
        }
    }

    fn answer_is_later(&self, call: PartId) -> bool {
        let t = self.t;
        let Some(answer) = self.request.pairs.answer(call) else {
            return false;
        };
        let [asked, answered] = [call, answer].map(|part| t.event(t.part(part).event).time());
        answered.zip(asked).is_some_and(|(answered, asked)| answered > asked)
    }

    fn rest_is_abandoned(&self, call: PartId) -> bool {
        let Some(batch) = self.batch_of(call) else {
            return false;
        };
        let [first, rest @ ..] = &*batch.calls else {
            return false;
        };
        *first == call
            && !rest.is_empty()
            && rest.iter().all(|call| {
                let off = self.request.inclusion(self.t.part(*call).event) == Inclusion::OffBranch;
                off || self.request.pairs.status(*call) == PairStatus::Open
            })
    }

    fn same_output(&self, call: PartId) -> bool {
        let results = self.results(call).into_iter().map(|result| self.t.part(result));
        let mut outputs = results.filter(|result| result.origin == Origin::Real);
        outputs.next().is_some_and(|first| outputs.all(|other| other.digest == first.digest))
    }

    fn answer_has_older_parent(&self, call: PartId) -> bool {
        let t = self.t;
        let call_event = t.part(call).event;
        let results =
            self.events(Is::Result(Branch::On), Anchor { call: Some(call), finding: None });
        let mut parents = results.iter().filter_map(|result| self.named_parent(*result));
        parents.any(|parent| parent < call_event)
    }

    /// The parent of a result, if it is the one that the result names.
    fn named_parent(&self, result: EventId) -> Option<EventId> {
        let parent = self.request.parent.get(result).copied().flatten()?;
        let link = self.t.link_of(result, LinkKind::Parent)?.to?;
        (self.t.event(parent).id == Some(link)).then_some(parent)
    }

    /// Whether a file was created for a record; a missing number has none.
    fn has_file(&self, event: EventId) -> bool {
        self.t.value_of(event, NAME_ID).is_some()
    }

    fn shares_number(&self, anchor: Anchor<'_>) -> bool {
        let labels = anchor.finding.map_or(&[][..], |finding| &finding.labels);
        let mut places = labels.iter().map(|label| self.t.event(label.event).place());
        let first = places.next();
        places.any(|place| Some(place) == first)
    }

    /// Whether more than one record near this one is older than the record before it.
    fn times_run_back(&self, event: EventId) -> bool {
        let at = self.readable.partition_point(|other| *other < event);
        let near = at.saturating_sub(NEAR)..at.saturating_add(NEAR).min(self.readable.len());
        let times = self.readable.get(near).unwrap_or_default().iter();
        let times: Vec<i64> = times.filter_map(|event| self.t.event(*event).time()).collect();
        times.windows(2).filter(|pair| pair[1] < pair[0]).count() > 1
    }

    /// Whether a fragment is at the place of this record.
    fn is_torn(&self, event: EventId) -> bool {
        let place = self.t.event(event).place();
        let here = self.t.events.ids_from(event).take(LOOKED_AT);
        let mut here = here.take_while(|other| self.t.event(*other).place() == place);
        here.any(|other| self.t.value_of(other, facts::TORN).is_some())
    }

    /// Whether the request starts with this record, or with results without a call up to it.
    fn begins_with(&self, event: EventId) -> bool {
        let sent = self.request.order.iter();
        let mut sent =
            sent.filter(|sent| !sent.summary && !matches!(sent.role, Role::System | Role::Nobody));
        let first = sent.find(|sent| {
            let mut parts = sent.parts.clone();
            sent.event == event
                || !parts.all(|part| self.request.pairs.status(part) == PairStatus::Orphan)
        });
        first.is_some_and(|sent| sent.event == event)
    }

    /// The current status: from the host's state, else from the last record that changes it.
    fn status_now(&self) -> Option<&str> {
        let last = self.status.values().filter_map(|events| events.last()).max();
        let mut events = self.t.host_state().into_iter().chain(last.copied());
        events.find_map(|event| self.t.fact_text(event, facts::STATUS))
    }
}
