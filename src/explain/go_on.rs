//! "Is it safe to go on?"

use std::collections::BTreeMap;

use serde::Serialize;

use super::fill::Words;
use crate::repair::{Excess, class_of};
use crate::report::redact::{Is, redact_fields};
use crate::report::text::{Sentence, Shown};
use crate::stories::{Runs, Told};
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Applicability, EventId, Inclusion, Origin, PartId, PartKind, Role, Severity, Transcript,
};

/// How often a tool ran whose result the model does not get.
const UNSEEN: &str = "ran once, and the model does not see it";

/// Whether the conversation may be continued.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// As it is.
    Yes,
    /// When `repair` has done what is safe.
    AfterRepair,
    /// Something needs a decision first.
    NotYet,
    /// Somebody is writing it right now.
    Wait,
}

/// The answer, and what to look after.
#[derive(Debug, Serialize)]
pub struct GoOn {
    /// The answer.
    pub answer: Answer,
    /// Why, a sentence each.
    pub says: Vec<Sentence>,
    /// Calls whose effects should be looked after, in order.
    pub effects: Vec<Effect>,
}

/// A call that did not simply run once.
#[derive(Debug, Serialize)]
pub struct Effect {
    /// Its tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Shown>,
    /// Its id.
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
    GoOn { says, effects }
    Effect { tool, call_id }
}

/// Answers from the findings and the stories. `live`: somebody is writing.
pub(super) fn judge(words: &Words<'_>, told: &[Told], live: bool) -> GoOn {
    let judged = words.judged;
    let excess = Excess::of(judged);
    let open = |least: Severity, class: &dyn Fn(Applicability) -> bool| {
        judged
            .at_least(least)
            .filter(|finding| class(class_of(finding, excess.as_ref())))
            .count()
    };
    let by_hand = open(Severity::Error, &|class| class != Applicability::Safe);
    let safe = open(Severity::Warning, &|class| class == Applicability::Safe);
    let answer = match (live, by_hand, safe) {
        (true, ..) => Answer::Wait,
        (_, 0, 0) => Answer::Yes,
        (_, 0, _) => Answer::AfterRepair,
        _ => Answer::NotYet,
    };
    let mut says: Vec<Sentence> = Vec::new();
    match answer {
        Answer::Wait => says.push("another process is writing this transcript right now.".into()),
        Answer::NotYet => {
            let verb = if by_hand == 1 {
                "problem needs"
            } else {
                "problems need"
            };
            says.push(
                match &excess {
                    Some(excess) => format!("there is no safe repair: {excess}."),
                    None => format!("{by_hand} {verb} your decision."),
                }
                .into(),
            );
        }
        _ => {}
    }
    // What is said of the effects holds once the repair is done.
    let then = if matches!(answer, Answer::NotYet | Answer::Wait) {
        "after the repair: "
    } else {
        ""
    };
    says.extend(
        told.iter()
            .flat_map(|told| words.safety(told))
            .map(|safety| Sentence::from(then).and(safety)),
    );
    let pending = judged
        .request()
        .pairs
        .batches
        .iter()
        .any(|b| b.pending && b.has_open(&judged.request().pairs));
    if pending {
        let then = match judged.claim.format.traits.pending_note {
            "" => "whether its tool ran is not recorded",
            then => then,
        };
        says.push(
            format!("a tool call waits for its result. That is not a problem, but {then}.").into(),
        );
    }
    let effects = outcomes(words, told)
        .into_iter()
        .map(|(call, ran)| effect(words, call, ran))
        .collect();
    GoOn {
        answer,
        says,
        effects,
    }
}

/// The calls that did not simply run once, in order: those of the stories, and those of which nothing but a placeholder,
/// or nothing at all, says what became of them.
fn outcomes(words: &Words<'_>, told: &[Told]) -> BTreeMap<PartId, &'static str> {
    let mut outcomes: BTreeMap<PartId, &'static str> = BTreeMap::new();
    for told in told {
        let ran = ran(told.runs());
        outcomes.extend(told.calls.iter().filter_map(|call| Some((*call, ran?))));
    }
    let (t, request) = (&words.judged.transcript, words.judged.request());
    let named: std::collections::HashSet<EventId> = words
        .judged
        .at_least(Severity::Warning)
        .flat_map(|f| &f.labels)
        .map(|label| label.event)
        .collect();
    // What the model has seen and gone on from is no news.
    let answers = request
        .order
        .iter()
        .filter(|sent| sent.role == Role::Assistant);
    let last_turn = answers.map(|sent| sent.event).max();
    for (part, standing) in request
        .pairs
        .all()
        .filter(|(part, _)| t.a_part(*part).kind == PartKind::Call)
    {
        let event = t.a_part(part).event;
        let stub = |result: PartId| {
            let news = last_turn.is_none_or(|last| last < t.a_part(result).event)
                || named.contains(&event);
            t.a_part(result).origin == Origin::Placeholder && news
        };
        let ran = match standing {
            PairStatus::Open if request.is_pending(part) => {
                Some("waiting for its result; may or may not have run")
            }
            PairStatus::Open
                if named.contains(&event) && request.inclusion(event) != Inclusion::Forgotten =>
            {
                Some("no result; may or may not have run")
            }
            PairStatus::Answered(result) if stub(result) => {
                Some("only a placeholder result; may or may not have run")
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

/// Of a call of a failed response, whose results the model does not get.
fn ran_unsent(t: &Transcript, results: &[PartId]) -> &'static str {
    match results.iter().map(|result| t.a_part(*result).origin).max() {
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

fn effect(words: &Words<'_>, call: PartId, ran: &'static str) -> Effect {
    let t = &words.judged.transcript;
    let shown = |is, id| Shown::of(is, t.ids.get(id));
    let part = t.a_part(call);
    Effect {
        tool: part.tool.map(|tool| shown(Is::Name, tool)),
        call_id: part.id.map(|id| shown(Is::Call, id)),
        unit: words.unit(part.event),
        number: words.number(part.event),
        ran,
    }
}
