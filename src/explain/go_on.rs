//! "Is it safe to go on?"

use serde::Serialize;

use super::fill::Words;
use crate::report::redact::Is;
use crate::report::text::Shown;
use crate::stories::{Runs, Told};
use crate::transcript::{Class, PartNo, Severity};

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
    pub says: Vec<String>,
    /// Calls whose effects should be looked after.
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
    /// How often it ran, in words.
    pub ran: &'static str,
}

/// Answers from the findings and the stories. `live`: somebody is writing.
pub(super) fn judge(words: &Words<'_>, told: &[Told], live: bool) -> GoOn {
    let judged = words.judged;
    let open = |least: Severity, class: &dyn Fn(Class) -> bool| {
        judged.at_least(least).filter(|finding| class(finding.class())).count()
    };
    let by_hand = open(Severity::Error, &|class| class != Class::Safe);
    let safe = open(Severity::Warning, &|class| class == Class::Safe);
    let answer = match (live, by_hand, safe) {
        (true, ..) => Answer::Wait,
        (_, 0, 0) => Answer::Yes,
        (_, 0, _) => Answer::AfterRepair,
        _ => Answer::NotYet,
    };
    let mut says: Vec<String> = Vec::new();
    match answer {
        Answer::Wait => says.push("somebody is writing this recording right now.".to_owned()),
        Answer::NotYet => {
            let verb = if by_hand == 1 { "finding needs" } else { "findings need" };
            says.push(format!("{by_hand} {verb} a decision: no safe repair mends that."));
        }
        _ => {}
    }
    // What is said of the effects holds once the repair is done.
    let then = if matches!(answer, Answer::NotYet | Answer::Wait) { "after the repair: " } else { "" };
    says.extend(told.iter().map(|told| format!("{then}{}", words.fill(told.variant.safety, told))));
    let pending = judged.view().pairs.batches.iter().any(|b| b.pending && b.has_open(&judged.view().pairs));
    if pending {
        says.push(
            "a call waits for its answer; that is not damage, but the host runs it at the next run, whether or not it ran before."
                .to_owned(),
        );
    }
    let calls = told.iter().flat_map(|told| {
        std::iter::once(told.call).chain(told.more.iter().copied()).map(|call| (call, told.runs()))
    });
    let effects = calls.filter_map(|(call, runs)| effect(words, call, runs)).collect();
    GoOn { answer, says, effects }
}

fn effect(words: &Words<'_>, call: PartNo, runs: Runs) -> Option<Effect> {
    let ran = match runs {
        Runs::Once => return None,
        Runs::PerhapsTwice => "perhaps twice",
        Runs::Twice => "twice",
        Runs::Again => "once; again at the next run, unless repaired",
        Runs::Unknown => "unknown",
    };
    let t = &words.judged.transcript;
    let shown = |is, id| Shown::of(is, t.ids.get(id));
    let part = t.a_part(call);
    Some(Effect {
        tool: part.tool.map(|tool| shown(Is::Name, tool)),
        call_id: part.id.map(|id| shown(Is::Call, id)),
        ran,
    })
}
