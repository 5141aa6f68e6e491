//! How much of a transcript a repair changes. A repair that changes too much is not safe.
//!
//! A host damages a few records. If a tenth of them would have to change, another program with a similar format wrote or
//! rewrote the file, and what looks like damage is how that program writes.

use std::fmt;

use hashbrown::HashSet;

use super::choose::Policy;
use crate::bytes::source::{EntryId, Span};
use crate::engine::Judged;
use crate::format::Format;
use crate::rules::{Finding, layer};
use crate::transcript::touched::changed;
use crate::transcript::{
    Action, Applicability, Code, EventId, Fix, LabelRole, PartId, PartKind, Place,
};

/// A repair may always change this many records.
pub const FEW_RECORDS: usize = 5;
/// Beyond those, a repair may change one record in this many.
pub const ONE_RECORD_IN: usize = 10;
/// The calls of this many turns may always get placeholder results. A kill leaves one turn open, however many calls it has.
pub const FEW_TURNS: usize = 5;
/// Beyond those, the calls of one turn in this many may get placeholder results.
pub const ONE_TURN_IN: usize = 2;
/// A repair may always change this many rows of a file of conversations.
pub(crate) const FEW_ROWS: usize = 5;
/// Beyond those, a repair may change one row in this many.
pub(crate) const ONE_ROW_IN: usize = 2;

/// The start of a record of the source.
pub(crate) type RecordOrigin = (EntryId, u64);

/// Finds where a span of the patched source was in the source. `None`: the repair inserted it.
pub(super) type Trace<'a> = &'a dyn Fn(Span) -> Option<RecordOrigin>;

/// The [`Trace`] of the source itself.
pub(super) fn in_place(at: Span) -> Option<RecordOrigin> {
    Some((at.entry, at.start))
}

/// What the fixes of a repair change so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Extent {
    records: HashSet<RecordOrigin>,
    /// Turns that are removed or have a call that gets a placeholder result, by the record of their first call.
    turns: HashSet<RecordOrigin>,
    /// The number of such calls.
    answered: usize,
}

impl Extent {
    /// Whether nothing changes that counts.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.answered == 0
    }

    /// Counts a fix: what it removes, and what it writes on its own. Edits of bytes, IDs, links, times and numbers do not change
    /// the content of a record, nor do moves, and a removed copy exists elsewhere.
    pub(super) fn add(&mut self, judged: &Judged, finding: &Finding, fix: &Fix, trace: Trace<'_>) {
        if is_about_a_total(finding) {
            return;
        }
        let t = &judged.transcript;
        let is_bytes = |action: &Action| {
            let is_outside = finding.layer == layer::BYTES || is_about_the_envelope(finding);
            is_outside && matches!(action, Action::EditBytes { .. })
        };
        let copies = finding.labels.iter().filter(|label| label.role == LabelRole::Copy);
        let copies: HashSet<EventId> = copies.map(|label| label.event).collect();
        for action in fix.actions.iter().filter(|action| !is_bytes(action)) {
            if let Some(call) = open_call(judged, finding, action) {
                self.answered += 1;
                self.turns.extend(trace(
                    t.event(t.part(first_of_turn(judged, finding, call)).event).at(),
                ));
            } else if !is_about_open_calls(finding) {
                let changed =
                    changed(t, action).into_iter().filter(|event| !copies.contains(event));
                self.records.extend(changed.filter_map(|event| trace(t.event(event).at())));
            }
        }
    }

    /// Whether this is more than any repair of a transcript needs. `judged` is the state in which the last fixes were found.
    pub(super) fn excess(&self, judged: &Judged) -> Option<Excess> {
        let t = &judged.transcript;
        let records = usize::try_from(judged.records()).unwrap_or(usize::MAX);
        let format = judged.detection.format;
        if exceeds(self.records.len(), records, FEW_RECORDS, ONE_RECORD_IN) {
            let what = match t.records().next().map(|event| t.event(event).place()) {
                Some(Place::Line(_)) => "lines would change",
                Some(Place::Item(_)) => "messages would change",
                _ => "records would change",
            };
            return Some(Excess { format, changed: self.records.len(), all: records, what });
        }
        let turns = judged.request().pairs.batches.iter().filter(|batch| !batch.calls.is_empty());
        if exceeds(self.turns.len(), turns.clone().count(), FEW_TURNS, ONE_TURN_IN) {
            let all = turns.map(|batch| batch.calls.len()).sum();
            let what = "tool calls have no result";
            return Some(Excess { format, changed: self.answered, all, what });
        }
        None
    }
}

/// Whether the edits of a finding only change the envelope: IDs, links, numbers, times, a status. Hosts that resume a session
/// or copy lines damage many of them at once, and nothing that was recorded changes.
fn is_about_the_envelope(finding: &Finding) -> bool {
    matches!(
        finding.rule.code,
        Code::ReusedCallId
            | Code::MissingCallId
            | Code::LinkMismatch
            | Code::BadCallId
            | Code::BrokenParent
            | Code::ParentCycle
            | Code::StrandedRecord
            | Code::DuplicateRecordId
            | Code::LeafPointer
            | Code::RecordOrder
            | Code::StuckStatus
    )
}

/// Whether a finding is about a limit for the whole request. Its fix says nothing about who wrote the records.
fn is_about_a_total(finding: &Finding) -> bool {
    finding.rule.code == Code::TooManyImages
}

/// Whether a finding is about calls without a result. Their fixes are counted by turn.
fn is_about_open_calls(finding: &Finding) -> bool {
    matches!(finding.rule.code, Code::UnansweredCall | Code::PendingCall)
}

/// The call that gets a placeholder result, or is removed with its turn.
fn open_call(judged: &Judged, finding: &Finding, action: &Action) -> Option<PartId> {
    match action {
        Action::AnswerCall { call, .. } => Some(*call),
        Action::RemovePart(part) if is_about_open_calls(finding) => {
            Some(*part).filter(|part| judged.transcript.part(*part).kind == PartKind::Call)
        }
        _ => None,
    }
}

fn first_of_turn(judged: &Judged, finding: &Finding, call: PartId) -> PartId {
    let pairs = judged.evaluations.get(finding.evaluation).map(|sight| &sight.request.pairs);
    let turn = pairs.and_then(|pairs| pairs.batch_of(call));
    turn.and_then(|turn| turn.calls.first().copied()).unwrap_or(call)
}

fn exceeds(changed: usize, all: usize, few: usize, one_in: usize) -> bool {
    changed > few && changed.saturating_mul(one_in) > all
}

/// A repair that would change more than any transcript of its format needs.
#[derive(Clone, Debug)]
pub struct Excess {
    format: &'static Format,
    changed: usize,
    all: usize,
    what: &'static str,
}

impl Excess {
    /// Whether a safe repair of a conversation would change too much.
    pub fn of(judged: &Judged) -> Option<Excess> {
        extent_of(judged, &Policy::default()).excess(judged)
    }

    /// The same for a repair with unsafe fixes.
    pub fn of_unsafe(judged: &Judged) -> Option<Excess> {
        let policy = Policy { with_unsafe: true, ..Policy::default() };
        extent_of(judged, &policy).excess(judged)
    }

    /// The same for a file of conversations, of which `changed` rows would change.
    pub fn of_rows(format: &'static Format, changed: usize, all: usize) -> Option<Excess> {
        let excess = Excess { format, changed, all, what: "rows would change" };
        exceeds(changed, all, FEW_ROWS, ONE_ROW_IN).then_some(excess)
    }

    /// How to repair the file anyway.
    pub fn hint(&self) -> String {
        format!("If it is one, --unsafe --from {} repairs it", self.format.name)
    }
}

/// What the fixes that a policy admits would change at first.
fn extent_of(judged: &Judged, policy: &Policy) -> Extent {
    let mut extent = Extent::default();
    for finding in &judged.findings {
        if let Some(fix) = policy.admits(judged, finding) {
            extent.add(judged, finding, fix, &in_place);
        }
    }
    extent
}

/// The applicability of a finding's fix, given that the repair of the whole conversation may change too much to be safe.
pub(crate) fn applicability_of(finding: &Finding, excess: Option<&Excess>) -> Applicability {
    match finding.applicability() {
        Applicability::Safe if excess.is_some() => Applicability::Unsafe,
        applicability => applicability,
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
        let Excess { changed, all, what, .. } = self;
        write!(
            f,
            "this does not look like {article}{title}, or another program rewrote it: {changed} of {all} {what}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::by_name;

    #[test]
    fn a_few_may_always_change_and_a_share_beyond() {
        assert!(!exceeds(FEW_RECORDS, 5, FEW_RECORDS, ONE_RECORD_IN));
        assert!(exceeds(6, 59, FEW_RECORDS, ONE_RECORD_IN));
        assert!(!exceeds(6, 60, FEW_RECORDS, ONE_RECORD_IN));
        assert!(exceeds(usize::MAX, usize::MAX - 1, FEW_RECORDS, ONE_RECORD_IN));
    }

    #[test]
    fn the_sentence_names_the_format() {
        let says = |name| Excess::of_rows(by_name(name).unwrap(), 82, 83).unwrap().to_string();
        assert_eq!(
            says("claude-code"),
            "this does not look like a Claude Code session, or another program rewrote it: 82 of 83 rows would change"
        );
        assert!(says("openhands").contains("like an OpenHands SDK event log, or"));
        assert!(says("anthropic-messages").contains("like Anthropic messages, or"));
    }
}
