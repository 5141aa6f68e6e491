//! How much of a transcript a repair changes: what a repair of our own transcript never needs is not safe.
//!
//! A host damages a few records. Where a tenth of them would have to change, the file is another program's that looks alike,
//! or a tool rewrote it, and what we take for damage is how that program writes.

use std::fmt;

use hashbrown::HashSet;

use super::choose::Policy;
use crate::bytes::source::{EntryId, Span};
use crate::engine::Judged;
use crate::formats::Format;
use crate::rules::{Finding, layer};
use crate::transcript::touched::changed;
use crate::transcript::{
    Action, Applicability, Code, EventId, Fix, LabelRole, PartId, PartKind, Place,
};

/// Records that a repair may change whatever their share.
pub const FEW_RECORDS: usize = 5;
/// Beyond those, a repair may change one record in this many.
pub const ONE_RECORD_IN: usize = 10;
/// Turns whose calls may get placeholder results whatever their share. A kill leaves one turn open, however many calls it made.
pub const FEW_TURNS: usize = 5;
/// Beyond those, the calls of one turn in this many may get placeholder results.
pub const ONE_TURN_IN: usize = 2;
/// Rows of a file of conversations that a repair may change whatever their share.
pub(crate) const FEW_ROWS: usize = 5;
/// Beyond those, a repair may change one row in this many.
pub(crate) const ONE_ROW_IN: usize = 2;

/// Where a record of the source begins.
pub(super) type Origin = (EntryId, u64);

/// Where a span of the patched source was in the source. `None`: the repair put it there.
pub(super) type Trace<'a> = &'a dyn Fn(Span) -> Option<Origin>;

/// Of the source itself.
pub(super) fn in_place(at: Span) -> Option<Origin> {
    Some((at.entry, at.start))
}

/// What the fixes so far change.
#[derive(Clone, Debug, Default)]
pub(super) struct Extent {
    records: HashSet<Origin>,
    /// Turns with a call that gets a placeholder result, or that go, by the record of their first call.
    turns: HashSet<Origin>,
    /// Such calls.
    answered: usize,
}

impl Extent {
    /// Whether nothing is changed that counts.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.answered == 0
    }

    /// Counts a fix. Mending bytes, ids and numbers changes nothing that a record says, and a copy is there once more.
    pub(super) fn add(&mut self, judged: &Judged, finding: &Finding, fix: &Fix, trace: Trace<'_>) {
        let t = &judged.transcript;
        let is_bytes = |action: &Action| {
            finding.layer == layer::BYTES && matches!(action, Action::EditBytes { .. })
        };
        let copies = finding
            .labels
            .iter()
            .filter(|label| label.role == LabelRole::Copy);
        let copies: HashSet<EventId> = copies.map(|label| label.event).collect();
        for action in fix.actions.iter().filter(|action| !is_bytes(action)) {
            if let Some(call) = open_call(judged, finding, action) {
                self.answered += 1;
                self.turns.extend(trace(
                    t.event(t.a_part(first_of_turn(judged, finding, call)).event)
                        .at,
                ));
            } else if !is_open(finding) {
                let changed = changed(t, action)
                    .into_iter()
                    .filter(|event| !copies.contains(event));
                self.records
                    .extend(changed.filter_map(|event| trace(t.event(event).at)));
            }
        }
    }

    /// More than a repair of a transcript of this format changes. `judged`: the state that the last fixes were found in.
    pub(super) fn excess(&self, judged: &Judged) -> Option<Excess> {
        let t = &judged.transcript;
        let records = usize::try_from(judged.records()).unwrap_or(usize::MAX);
        let format = judged.claim.format;
        if exceeds(self.records.len(), records, FEW_RECORDS, ONE_RECORD_IN) {
            let what = match t.records().next().map(|event| t.event(event).place) {
                Some(Place::Line(_)) => "lines would change",
                Some(Place::Item(_)) => "messages would change",
                _ => "records would change",
            };
            return Some(Excess {
                format,
                changed: self.records.len(),
                all: records,
                what,
            });
        }
        let turns = judged
            .request()
            .pairs
            .batches
            .iter()
            .filter(|batch| !batch.calls.is_empty());
        if exceeds(
            self.turns.len(),
            turns.clone().count(),
            FEW_TURNS,
            ONE_TURN_IN,
        ) {
            let all = turns.map(|batch| batch.calls.len()).sum();
            let what = "tool calls have no result";
            return Some(Excess {
                format,
                changed: self.answered,
                all,
                what,
            });
        }
        None
    }
}

/// Whether a finding is about calls that have no result: what is done about those is counted by turns.
fn is_open(finding: &Finding) -> bool {
    matches!(finding.rule.code, Code::UnansweredCall | Code::PendingCall)
}

/// The call that gets a placeholder result, or goes with its turn.
fn open_call(judged: &Judged, finding: &Finding, action: &Action) -> Option<PartId> {
    match action {
        Action::AnswerCall { call, .. } => Some(*call),
        Action::RemovePart(part) if is_open(finding) => {
            Some(*part).filter(|part| judged.transcript.a_part(*part).kind == PartKind::Call)
        }
        _ => None,
    }
}

fn first_of_turn(judged: &Judged, finding: &Finding, call: PartId) -> PartId {
    let pairs = judged
        .evaluations
        .get(finding.evaluation)
        .map(|sight| &sight.request.pairs);
    let turn = pairs.and_then(|pairs| pairs.batch_of(call));
    turn.and_then(|turn| turn.calls.first().copied())
        .unwrap_or(call)
}

fn exceeds(changed: usize, all: usize, few: usize, one_in: usize) -> bool {
    changed > few && changed.saturating_mul(one_in) > all
}

/// A repair that would change more than a transcript of its format ever needs.
#[derive(Clone, Debug)]
pub struct Excess {
    format: &'static Format,
    changed: usize,
    all: usize,
    what: &'static str,
}

impl Excess {
    /// What a safe repair of a conversation as it is would change beyond that.
    pub fn of(judged: &Judged) -> Option<Excess> {
        safe(judged).excess(judged)
    }

    /// The same of a file of conversations. `changed`: rows that a repair would change.
    pub fn of_rows(format: &'static Format, changed: usize, all: usize) -> Option<Excess> {
        let excess = Excess {
            format,
            changed,
            all,
            what: "rows would change",
        };
        exceeds(changed, all, FEW_ROWS, ONE_ROW_IN).then_some(excess)
    }

    /// How a repair does it all the same.
    pub fn hint(&self) -> String {
        format!(
            "If it is one, --unsafe --from {} repairs it",
            self.format.name
        )
    }
}

/// Whether a safe repair of a conversation would change what counts as a change.
pub(crate) fn changes_safely(judged: &Judged) -> bool {
    !safe(judged).is_empty()
}

fn safe(judged: &Judged) -> Extent {
    let policy = Policy::default();
    let mut extent = Extent::default();
    for finding in &judged.findings {
        if let Some(fix) = policy.admits(judged, finding) {
            extent.add(judged, finding, fix, &in_place);
        }
    }
    extent
}

/// The class of a finding's fix, where the conversation's repair as a whole may be no safe one.
pub(crate) fn class_of(finding: &Finding, excess: Option<&Excess>) -> Applicability {
    match finding.class() {
        Applicability::Safe if excess.is_some() => Applicability::Unsafe,
        class => class,
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = self.format.title;
        let article = match title.chars().next() {
            _ if title.ends_with('s') => "",
            Some('A' | 'E' | 'I' | 'O' | 'U') => "an ",
            _ => "a ",
        };
        let Excess {
            changed, all, what, ..
        } = self;
        write!(
            f,
            "this does not look like {article}{title}, or another program rewrote it: {changed} of {all} {what}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::by_name;

    #[test]
    fn a_few_may_always_change_and_a_share_beyond() {
        assert!(!exceeds(FEW_RECORDS, 5, FEW_RECORDS, ONE_RECORD_IN));
        assert!(exceeds(6, 59, FEW_RECORDS, ONE_RECORD_IN));
        assert!(!exceeds(6, 60, FEW_RECORDS, ONE_RECORD_IN));
        assert!(exceeds(
            usize::MAX,
            usize::MAX - 1,
            FEW_RECORDS,
            ONE_RECORD_IN
        ));
    }

    #[test]
    fn the_sentence_names_the_format() {
        let says = |name| {
            Excess::of_rows(by_name(name).unwrap(), 82, 83)
                .unwrap()
                .to_string()
        };
        assert_eq!(
            says("claude-code"),
            "this does not look like a Claude Code session, or another program rewrote it: 82 of 83 rows would change"
        );
        assert!(says("openhands").contains("like an OpenHands SDK event log, or"));
        assert!(says("anthropic-messages").contains("like Anthropic messages, or"));
    }
}
