//! Lines that hold several whole records, for hosts that read some or all of them, and what a host loses that skips them.

use hashbrown::HashSet;

use crate::transcript::request::{Cut, Sent};
use crate::transcript::{Code, EventId, Role, State, Transcript};

/// A line with nothing but whole records.
pub(crate) struct GluedLine {
    pub first: EventId,
    pub rest: Vec<EventId>,
}

/// All such lines. Those with a fragment are not among them: it may have been anything.
pub(crate) fn lines(t: &Transcript) -> Vec<GluedLine> {
    let reported = t.diagnostics.iter();
    let glued = reported.filter(|diagnostic| diagnostic.code == Code::GluedRecords);
    let firsts = glued.filter_map(|diagnostic| Some(diagnostic.labels.first()?.event));
    firsts.filter_map(|first| line(t, first)).collect()
}

fn line(t: &Transcript, first: EventId) -> Option<GluedLine> {
    let at = t.event(first).at();
    let rest = t.events.ids_from(first.next());
    let rest: Vec<EventId> = rest.take_while(|event| t.event(*event).at() == at).collect();
    rest.iter()
        .all(|event| t.event(*event).state == State::Recovered)
        .then_some(GluedLine { first, rest })
}

/// What a host loses that follows parents and skips some of the records of its path.
pub(crate) fn cut(
    t: &Transcript,
    (branch, order): (&[EventId], &[Sent]),
    is_skipped: impl Fn(EventId) -> bool,
) -> Option<Cut> {
    if t.diagnostics.is_empty() {
        return None;
    }
    let at = branch.iter().rposition(|event| is_skipped(*event))?;
    let rest: HashSet<EventId> = branch[at + 1..].iter().copied().collect();
    let first = order.iter().position(|sent| rest.contains(&sent.event));
    let (lost, left) = order.split_at(first.unwrap_or(order.len()));
    let place = t.event(branch[at]).at();
    Some(Cut {
        line: t.records().find(|event| t.event(*event).at() == place)?,
        hides: u32::try_from(lost.len()).unwrap_or(u32::MAX),
        starts_with_answer: left
            .first()
            .is_some_and(|sent| !sent.summary && sent.role == Role::Assistant),
    })
}
