//! The results of an assistant message's calls must follow it. Converters that make a message of every part of a response write
//! all calls first.

use std::cell::LazyCell;

use super::{Need, RequestContext, places, refused};
use crate::transcript::pairs::Pairs;
use crate::transcript::request::Sent;
use crate::transcript::{
    Action, Code, Diagnostic, IndexVec, Label, LabelRole, PartId, PartKind, Role, Subject,
    Transcript,
};

pub(crate) const NEED: Need = Need { name: "calls_together", reports: &[Code::SplitBatch], check };

/// An assistant message that is separated from its results, as positions in the order.
struct Apart {
    /// The position of the message.
    message: usize,
    /// The position of its last result.
    last: usize,
}

/// Finds runs of such messages, and reports one diagnostic for each run.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    if cx.request.joins_answers {
        return Vec::new();
    }
    let (t, pairs) = (cx.transcript(), &cx.request.pairs);
    let order = cx.request.order.as_slice();
    let mut place = IndexVec::for_each_of(&t.parts, usize::MAX);
    for (at, sent) in order.iter().enumerate() {
        sent.parts.clone().for_each(|part| place[part] = at);
    }
    // For each position, the end of the run of messages with calls and results that it is in. Rarely asked for.
    let ends = LazyCell::new(|| {
        let mut ends = vec![0; order.len()];
        let mut end = order.len();
        for (at, sent) in order.iter().enumerate().rev() {
            if sent.role != Role::Tool && calls(t, sent).next().is_none() {
                end = at;
            }
            ends[at] = end;
        }
        ends
    });
    let mut runs: Vec<Vec<Apart>> = Vec::new();
    let mut reach = 0;
    let asking = order.iter().enumerate().filter(|(_, sent)| calls(t, sent).next().is_some());
    for (asks, sent) in asking {
        let answers = calls(t, sent).filter_map(|call| pairs.answer(call));
        let answers = answers.map(|result| place[result]);
        let (mut last, mut early) = (None, false);
        for at in answers.filter(|at| *at != usize::MAX) {
            last = last.max(Some(at));
            early |= at < asks;
        }
        let Some(last) = last else {
            continue;
        };
        let between =
            order[asks + 1..last.max(asks + 1)].iter().any(|sent| sent.role != Role::Tool);
        if early || !between || last >= ends[asks] {
            continue;
        }
        let own = Apart { message: asks, last };
        match runs.last_mut().filter(|_| asks < reach) {
            Some(run) => run.push(own),
            None => runs.push(vec![own]),
        }
        reach = reach.max(last);
    }
    runs.iter().map(|run| split(t, order, pairs, run)).collect()
}

fn calls<'a>(t: &'a Transcript, sent: &Sent) -> impl Iterator<Item = PartId> + 'a {
    sent.parts.clone().filter(|part| t.part(*part).kind == PartKind::Call)
}

fn split(t: &Transcript, order: &[Sent], pairs: &Pairs, run: &[Apart]) -> Diagnostic {
    let first = run.first().map_or(0, |apart| apart.message);
    let last = run.iter().map(|apart| apart.last).max().unwrap_or(first);
    let message =
        "tool calls of one response are in several messages, separated from their results";
    let own = &order[first..=last];
    let mut diagnostic = refused(Code::SplitBatch, message, order[first].event);
    let labels = own.iter().map(|sent| {
        let role = if sent.role == Role::Tool { LabelRole::Result } else { LabelRole::Call };
        Label::new(sent.event, role)
    });
    diagnostic.labels = labels.collect();
    let events: Vec<_> = own.iter().map(|sent| sent.event).collect();
    diagnostic.about = events.iter().map(|event| Subject::Content(*event)).collect();
    diagnostic.covers = places(t, pairs, &events);
    let moves = own.iter().filter_map(|sent| {
        let calls: Vec<PartId> = calls(t, sent).collect();
        let mut answers: Vec<PartId> =
            calls.iter().filter_map(|call| pairs.answer(*call)).collect();
        answers.sort_unstable();
        (!answers.is_empty())
            .then(|| Action::MoveTogether(calls.into_iter().chain(answers).collect()))
    });
    diagnostic.fix_safely(moves);
    diagnostic
}
