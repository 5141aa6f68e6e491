//! Roles that do not alternate, and results of one batch in several messages.

use crate::formats::FormatContext;
use crate::json::cut;
use crate::requests::{places, refused};
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Fix, Label, LabelRole, PartKind, Role, Subject, Transcript,
};

use super::{read, role};

/// Finds runs of messages of one role, and results that stand in a message of the assistant.
pub(super) fn judge(
    context: &FormatContext<'_>,
    pairs: &Pairs,
    sent: &[EventId],
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics: Vec<Diagnostic> = sent
        .iter()
        .filter(|event| t.event(**event).role == Role::Assistant && role(t, **event) == Role::User)
        .map(|event| misplaced_results(context, pairs, *event))
        .collect();
    let mut before = None;
    for run in sent.chunk_by(|a, b| role(t, *a) == role(t, *b)) {
        if run.len() > 1 && role(t, run[0]) != Role::System {
            diagnostics.push(run_of_one_role(t, pairs, before, run));
        }
        before = run.last().copied();
    }
    diagnostics
}

/// A message of the assistant that holds nothing but results.
fn misplaced_results(context: &FormatContext<'_>, pairs: &Pairs, event: EventId) -> Diagnostic {
    let t = context.transcript;
    let mut diagnostic = refused(
        Code::RoleOrder,
        "results in a message of the assistant",
        event,
    );
    let answers = t
        .event(event)
        .parts
        .clone()
        .all(|part| matches!(pairs.standing(part), PairStatus::Answers(_)));
    if answers {
        let action: Option<Action> = context.change(event, |record| {
            let role = read::message(record).get("role");
            role.map(|role| cut::replace(role, "\"user\""))
                .into_iter()
                .collect()
        });
        diagnostic.fixes = action
            .map(|action| Fix::safe(vec![action]))
            .into_iter()
            .collect();
    }
    diagnostic
}

/// Messages of one role in a row become one. Where they hold the results of one batch, that is what is told.
fn run_of_one_role(
    t: &Transcript,
    pairs: &Pairs,
    before: Option<EventId>,
    run: &[EventId],
) -> Diagnostic {
    let answers = |event: &EventId| {
        t.event(*event).parts.clone().any(|part| {
            t.a_part(part).kind == PartKind::Result
                && pairs
                    .call_of(part)
                    .is_some_and(|call| Some(t.a_part(call).event) == before)
        })
    };
    let later = run[1..].iter().any(answers);
    let (code, said) = if later {
        (
            Code::SplitBatch,
            "the results of one response stand in several messages",
        )
    } else {
        (Code::RoleOrder, "messages of one role in a row")
    };
    let mut diagnostic = refused(code, said, run[0]);
    diagnostic.labels = run
        .iter()
        .map(|event| Label {
            event: *event,
            role: LabelRole::Record,
        })
        .collect();
    diagnostic.about = run[1..]
        .iter()
        .map(|event| Subject::Content(*event))
        .collect();
    let told: Vec<EventId> = before.into_iter().chain(run.iter().copied()).collect();
    diagnostic.covers = places(t, pairs, &told);
    let into = run[0];
    let merges = run[1..]
        .iter()
        .map(|from| Action::Merge { from: *from, into });
    diagnostic.fixes = vec![Fix::safe(merges.collect())];
    diagnostic
}
