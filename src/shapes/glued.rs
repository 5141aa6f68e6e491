//! Lines that hold several whole records, for hosts that read some or all of them.

use crate::transcript::{Code, EventId, State, Transcript};

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
