//! Whether it is safe to continue.

use std::collections::BTreeMap;

use serde::Serialize;

use super::fill::TextFiller;
use super::recorded::{Ended, Recorded};
use crate::engine::Judged;
use crate::repair::{Excess, applicability_of};
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::{Sentence, Shown};
use crate::stories::{Occurrence, Runs};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Applicability, EventId, Inclusion, Origin, PartId, PartKind, Role, Severity, Subject,
    Transcript,
};

/// Said where the last thing recorded is a refusal that no finding explains.
const REFUSED: &str = "the last request was refused, no answer follows, and no damage that transcript-doctor knows explains it.";
/// Said where the last request failed for a reason that passes.
const AGAIN: &str =
    "wait and try again. The last request failed, but not because of the transcript.";

/// The effect of a tool whose result the model does not get.
const UNSEEN: &str = "ran once, and the model does not see it";

/// Whether the conversation may be continued.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MayContinue {
    /// As it is.
    Yes,
    /// After the safe fixes of `repair`.
    AfterRepair,
    /// The user must decide something first.
    NotYet,
    /// A process is writing it.
    Wait,
}

/// The answer, and which effects to check.
#[derive(Debug, Serialize)]
pub struct GoOn {
    pub answer: MayContinue,
    /// The reasons, one sentence each.
    pub says: Vec<Sentence>,
    /// What is so after the repair, if the conversation must not be continued before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Sentence>,
    /// Calls whose effects the user should check, in order.
    pub effects: Vec<CallEffect>,
}

/// A call that did not simply run once.
#[derive(Debug, Serialize)]
pub struct CallEffect {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Shown>,
    /// What the number counts: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The number of its record.
    pub number: u64,
    /// How often it ran, in words.
    pub ran: &'static str,
}

redact_fields! {
    GoOn { says, then, effects }
    CallEffect { tool, call_id }
}

/// Decides from the findings, the stories and the last recorded error. `live`: a process is writing the transcript.
/// `is_repaired`: it was repaired since that error.
pub(super) fn assess(
    filler: &TextFiller<'_>,
    occurrences: &[Occurrence],
    recorded: Option<&Recorded>,
    (live, is_repaired): (bool, bool),
) -> GoOn {
    let judged = filler.judged;
    let failed = recorded.filter(|recorded| recorded.findings.is_empty());
    let is_refused = failed.is_some_and(|recorded| {
        recorded.ended == Ended::Refused && (!is_repaired || recorded.read.codes.is_empty())
    });
    let excess = Excess::of(judged);
    let open = |least: Severity, applicability: &dyn Fn(Applicability) -> bool| {
        judged
            .at_least(least)
            .filter(|finding| applicability(applicability_of(finding, excess.as_ref())))
            .count()
    };
    let by_hand = open(Severity::Error, &|applicability| applicability != Applicability::Safe);
    let safe = open(Severity::Warning, &|applicability| applicability == Applicability::Safe);
    let answer = match (live, by_hand, safe) {
        (true, ..) => MayContinue::Wait,
        (_, 0, _) if is_refused => MayContinue::NotYet,
        (_, 0, 0) => MayContinue::Yes,
        (_, 0, _) => MayContinue::AfterRepair,
        _ => MayContinue::NotYet,
    };
    let mut says: Vec<Sentence> = Vec::new();
    match answer {
        MayContinue::Wait => {
            says.push("another process is writing this transcript right now.".into())
        }
        MayContinue::NotYet if by_hand == 0 => says.push(REFUSED.into()),
        MayContinue::Yes if failed.is_some_and(|failed| failed.ended == Ended::Failed) => {
            says.push(AGAIN.into());
        }
        MayContinue::NotYet => {
            says.push(
                match &excess {
                    Some(excess) => format!("there is no safe repair: {excess}."),
                    None => undecided(filler),
                }
                .into(),
            );
        }
        _ => {}
    }
    let told = occurrences.iter().filter(|own| {
        own.calls.is_empty()
            || !own.calls.iter().all(|call| judged.transcript.is_recorded_elsewhere(*call))
    });
    let mut then: Vec<Sentence> = told.flat_map(|occurrence| filler.safety(occurrence)).collect();
    // The statements about effects hold after the repair.
    if !matches!(answer, MayContinue::NotYet | MayContinue::Wait) {
        says.append(&mut then);
    }
    if waits(judged) {
        let then = match judged.detection.format.traits.pending_note {
            "" => "whether its tool ran is not recorded",
            then => then,
        };
        says.push(
            format!("a tool call waits for its result. That is not a problem, but {then}.").into(),
        );
    }
    let effects = outcomes(filler, occurrences)
        .into_iter()
        .map(|(call, ran)| effect(filler, call, ran))
        .collect();
    GoOn { answer, says, then, effects }
}

/// Whether a call waits for its result. Calls that a repair answers together with other damage do not wait anymore.
fn waits(judged: &Judged) -> bool {
    let pairs = &judged.request().pairs;
    let is_answered = |call: PartId| {
        let mut findings = judged.at_least(Severity::Error);
        findings.any(|finding| finding.covers.contains(&Subject::Open(call)))
    };
    let mut pending = pairs.batches.iter().filter(|batch| batch.pending);
    pending.any(|batch| batch.open(pairs).any(|call| !is_answered(call)))
}

/// What the user has to decide, and where.
fn undecided(filler: &TextFiller<'_>) -> String {
    let damage = filler.judged.at_least(Severity::Error);
    let open: Vec<_> =
        damage.filter(|own| applicability_of(own, None) != Applicability::Safe).collect();
    let event = open.iter().find_map(|own| Some(own.labels.first()?.event));
    let place = event.map(|event| format!(" ({} {})", filler.unit(event), filler.number(event)));
    let place = place.unwrap_or_default();
    let is_choice = open.iter().all(|own| !own.choices.is_empty());
    match (open.len(), is_choice) {
        (1, true) => format!("you must choose which result is right{place}."),
        (1, false) => format!("1 problem needs your decision{place}."),
        (n, true) => format!("you must choose which results are right, for {n} calls."),
        (n, false) => format!("{n} problems need your decision."),
    }
}

/// The calls that did not simply run once, in order: those of the stories, and those with only a
/// placeholder or no result at all.
fn outcomes(filler: &TextFiller<'_>, occurrences: &[Occurrence]) -> BTreeMap<PartId, &'static str> {
    let mut outcomes: BTreeMap<PartId, &'static str> = BTreeMap::new();
    for occurrence in occurrences {
        let ran = ran(occurrence.runs());
        outcomes.extend(
            occurrence
                .calls
                .iter()
                .filter_map(|call| Some((*call, ran?)))
                .filter(|(call, _)| !filler.judged.transcript.is_recorded_elsewhere(*call)),
        );
    }
    let (t, request) = (&filler.judged.transcript, filler.judged.request());
    let named: std::collections::HashSet<EventId> = filler
        .judged
        .at_least(Severity::Warning)
        .flat_map(|f| &f.labels)
        .map(|label| label.event)
        .collect();
    // What the model has already seen and continued from is not news.
    let answers = request.order.iter().filter(|sent| sent.role == Role::Assistant);
    let last_turn = answers.map(|sent| sent.event).max();
    for (part, standing) in
        request.pairs.all().filter(|(part, _)| t.part(*part).kind == PartKind::Call)
    {
        let event = t.part(part).event;
        let ran = match standing {
            PairStatus::Open if t.is_recorded_elsewhere(part) => {
                Some("it ran; its result is recorded, but not among the messages")
            }
            PairStatus::Open if request.is_pending(part) => {
                Some("waiting for its result; may or may not have run")
            }
            PairStatus::Open
                if named.contains(&event) && request.inclusion(event) != Inclusion::Forgotten =>
            {
                Some("no result; may or may not have run")
            }
            PairStatus::Answered(result) if t.part(result).origin == Origin::Placeholder => {
                let is_news = last_turn.is_none_or(|last| last < t.part(result).event);
                let is_said = is_news || named.contains(&event);
                is_said.then_some("only a placeholder result; may or may not have run")
            }
            PairStatus::Failed if named.contains(&event) => {
                Some(ran_unsent(t, request.pairs.results(part)))
            }
            _ => None,
        };
        if let Some(ran) = ran {
            outcomes.entry(part).or_insert(ran);
        }
    }
    outcomes
}

/// The effect of a call of a failed response, whose results the model does not get.
fn ran_unsent(t: &Transcript, results: &[PartId]) -> &'static str {
    match results.iter().map(|result| t.part(*result).origin).max() {
        Some(Origin::Real) => UNSEEN,
        Some(_) => "only a placeholder result; may or may not have run",
        None => "no result; may or may not have run",
    }
}

fn ran(runs: Runs) -> Option<&'static str> {
    match runs {
        Runs::Once => None,
        Runs::PerhapsTwice => Some("may have run twice"),
        Runs::Twice => Some("ran twice"),
        Runs::Again => Some("ran once, and runs again at the next run unless repaired"),
        Runs::Unseen => Some(UNSEEN),
        Runs::Unknown => Some("may or may not have run"),
    }
}

fn effect(filler: &TextFiller<'_>, call: PartId, ran: &'static str) -> CallEffect {
    let t = &filler.judged.transcript;
    let part = t.part(call);
    CallEffect {
        tool: part.tool.map(|tool| Shown::of(StringKind::Name, t.ids.get(tool))),
        call_id: part.id.map(|id| Shown::of(StringKind::Call, t.ids.get(id))),
        unit: filler.unit(part.event),
        number: filler.number(part.event),
        ran,
    }
}
