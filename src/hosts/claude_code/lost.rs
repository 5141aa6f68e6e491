//! History that a client does not see: parents that do not exist, loops, and roots in the middle.

use std::collections::{HashMap, HashSet};

use super::ClaudeSession;
use super::bridge::Bridge;
use super::ends::{BrokenParent, Goal};
use super::lines;
use super::own;
use super::paths::{ClaudePath, with_siblings};
use super::records::{is_result, is_spoken};
use super::sent::is_sent;
use crate::format::{Client, FormatContext};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, IndexVec, Instance, LabelRole, LinkKind, Request,
    Role, State, Subject, Transcript,
};

/// Checks both paths.
pub(super) fn judge(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    request: &Request,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    // Their calls may be in what is hidden.
    let orphans: Vec<Subject> = request.pairs.orphans().map(Subject::Orphan).collect();
    let bridge = Bridge::of(context, session);
    let rejected = begins_wrong(context, session, &bridge);
    let mut diagnostics: Vec<Diagnostic> = session
        .recovered
        .broken
        .iter()
        .filter(|broken| matters(session, broken))
        .filter(|broken| !is_explained_by_unreadable(t, broken))
        .map(|broken| diagnostic(context, session, &bridge, &orphans, broken))
        .collect();
    for diagnostic in &mut diagnostics {
        if rejected.is_some_and(|broken| diagnostic.labels[0].event == broken) {
            reject(diagnostic);
        }
    }
    let mut known: Option<EventId> = None;
    for path in [&session.current, &session.strict] {
        let root = root(context, session, path).filter(|root| known != Some(*root));
        diagnostics.extend(root.map(|root| root_diagnostic(t, session, root)));
        known = known.or(root);
    }
    diagnostics
}

/// The broken record with which the request of this client begins, if the provider rejects that: an answer, or for strict
/// clients a result, which current ones replace by a text (run: 2.1.20, 2.1.290, 2.1.329, 2.1.332; versions in between begin
/// with a message of their own). A record that is not on a line of its own is not read at all.
fn begins_wrong(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    bridge: &Bridge,
) -> Option<EventId> {
    let t = context.transcript;
    let (path, is_strict) = match context.client {
        Client::Current => (&session.current, false),
        Client::Strict => (&session.strict, true),
    };
    // A result that is to be removed is not on the path, but its children are.
    let mut starts: HashMap<EventId, EventId> = HashMap::new();
    for broken in &session.recovered.broken {
        let event = broken.event;
        let start = match broken.to {
            Goal::Instead(_) => children(session, event).find(|child| path.has(*child)),
            _ => Some(event),
        };
        let is_start = t.event(event).state == State::Whole
            && (is_strict || !bridge.continues(context, event, &[]));
        starts.extend(start.filter(|_| is_start).map(|start| (start, event)));
    }
    if starts.is_empty() {
        return None;
    }
    let mut first = None;
    for event in path.records.iter().rev().copied() {
        if is_sent(t, &session.tree, event) {
            first = Some(event);
        }
        if let Some(broken) = starts.get(&event) {
            let first = if *broken == event { first } else { Some(*broken) };
            let is_wrong = |first: EventId| {
                t.event(first).role == Role::Assistant
                    || (is_result(t, first) && (is_strict || has_call_below(session, t, first)))
            };
            return first.is_some_and(is_wrong).then_some(*broken);
        }
    }
    None
}

/// Whether the response with the call of a result is continued below it. Its lines are sent as one message, which then is the first
/// (run: 2.1.332).
fn has_call_below(session: &ClaudeSession, t: &Transcript, result: EventId) -> bool {
    let call = session.tree.named_by(t, result, own::SOURCE);
    let response = call.and_then(|call| t.event(call).batch);
    response.is_some()
        && session.current.records.iter().any(|event| t.event(*event).batch == response)
}

/// The provider rejects a request that begins there.
fn reject(diagnostic: &mut Diagnostic) {
    let message = std::mem::take(&mut diagnostic.message);
    diagnostic.message = format!("{message}, so the request does not begin with a prompt").into();
    (diagnostic.instance, diagnostic.effect) = (Some(Instance::Rejected), Effect::Refused);
}

/// Whether a broken record, or one of its children, is on a path.
pub(super) fn matters(session: &ClaudeSession, broken: &BrokenParent) -> bool {
    let on = |event: EventId| session.current.has(event) || session.strict.has(event);
    match broken.to {
        // The record itself is removed, so it is not on a path.
        Goal::Instead(_) => {
            let last = session.current.end().is_none_or(|end| end < broken.event);
            last || children(session, broken.event).any(on)
        }
        _ => on(broken.event),
    }
}

/// Whether the parent was in an unreadable line, which explains it.
pub(super) fn is_explained_by_unreadable(t: &Transcript, broken: &BrokenParent) -> bool {
    broken.lost_in.is_some_and(|line| t.event(line).state == State::Unreadable)
}

/// The children of a record.
fn children(session: &ClaudeSession, event: EventId) -> impl Iterator<Item = EventId> + '_ {
    let children_of_removed =
        session.recovered.children_of_removed.get(&event).into_iter().flatten();
    children_of_removed.chain(session.tree.children(event)).copied()
}

/// At most this many results are covered by one lost parent.
const MOST_ORPHANS: usize = 256;

/// The actions that put a broken record where it belongs, and whether they are safe. Empty: there is no fix.
pub(super) fn actions(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    broken: &BrokenParent,
) -> (Vec<Action>, bool) {
    let t = context.transcript;
    let event = broken.event;
    let set_parent = |event, to| Action::set_parent(event, to);
    match broken.to {
        Goal::On(to) => (vec![set_parent(event, Some(to))], true),
        Goal::Root => (vec![set_parent(event, None)], true),
        Goal::Instead(to) => {
            let rest = children(session, event).map(|child| set_parent(child, Some(to)));
            let remove = std::iter::once(Action::Remove(event));
            (remove.chain(rest).collect(), true)
        }
        Goal::Waits | Goal::Reversed => (Vec::new(), false),
        Goal::Perhaps(to) => (vec![set_parent(event, Some(to))], false),
        Goal::Nowhere if super::records::is_result(t, event) => {
            let rest = children(session, event).map(|child| set_parent(child, None));
            let remove = std::iter::once(Action::Remove(event));
            (remove.chain(rest).collect(), false)
        }
        Goal::Nowhere if t.event(event).role == Role::Assistant => {
            let beginning = lines::beginning(context, session, event);
            (beginning.into_iter().collect(), false)
        }
        Goal::Nowhere => (vec![set_parent(event, None)], false),
    }
}

fn diagnostic(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    bridge: &Bridge,
    orphans: &[Subject],
    broken: &BrokenParent,
) -> Diagnostic {
    let t = context.transcript;
    let event = broken.event;
    let (code, message) = match (broken.is_loop, broken.to) {
        (true, _) => (Code::ParentCycle, "the parents of this record form a loop"),
        (_, Goal::Instead(_)) => (
            Code::BrokenParent,
            "neither the parent nor the call of this tool result is in the file",
        ),
        _ if t.link_of(event, LinkKind::Parent).is_none() => (
            Code::BrokenParent,
            "this record has no parent, although it continues the conversation before it",
        ),
        _ => (Code::BrokenParent, "the parent of this record is not in the file"),
    };
    let mut diagnostic = Diagnostic::new(code, message, event);
    if broken.is_loop {
        diagnostic.label(others_in_loop(t, session, event), LabelRole::Record);
    }
    diagnostic.about = vec![Subject::Parent(event)];
    diagnostic.covers = t.event(event).parts.clone().map(Subject::Orphan).collect();
    if !matches!(broken.to, Goal::On(_) | Goal::Root) {
        let own = diagnostic.covers.len();
        diagnostic.covers.extend(orphans.iter().take(MOST_ORPHANS.saturating_sub(own)));
    }
    diagnostic.effect = Effect::Hides(hidden(session, event));
    if context.client == Client::Current && bridge.is_bridged(context, session, broken) {
        // The client continues at the right record, so nothing is lost.
        (diagnostic.instance, diagnostic.effect) = (Some(Instance::Corrected), Effect::None);
    }
    let (actions, is_safe) = actions(context, session, broken);
    if !actions.is_empty() {
        diagnostic.fix_safely_if(is_safe, actions);
    }
    diagnostic
}

/// The other records of a loop.
fn others_in_loop(t: &Transcript, session: &ClaudeSession, event: EventId) -> Vec<EventId> {
    let parent = |event: EventId| {
        let named = t.linked(event, LinkKind::Parent);
        named.and_then(|id| session.tree.named(id))
    };
    let (mut others, mut seen) = (Vec::new(), HashSet::from([event]));
    let mut at = parent(event);
    while let Some(next) = at.filter(|next| seen.insert(*next)) {
        others.push(next);
        at = parent(next);
    }
    others
}

/// How many messages before a record its client does not see.
fn hidden(session: &ClaudeSession, event: EventId) -> u32 {
    session.tree.spoken_before(event)
}

/// The first record of a path, if messages before it are not sent with it. With a command of the user, a compaction, or after
/// the user went back to before the first message, that is intended.
fn root(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    path: &ClaudePath,
) -> Option<EventId> {
    let t = context.transcript;
    let start = path.start()?;
    let is_broken = session.recovered.broken.iter().any(|broken| broken.event == start);
    let fresh = t.has(start, own::COMMAND) || session.tree.begins_anew(t, start);
    let first = session.tree.main.first() == Some(&start);
    if is_broken || fresh || first || session.tree.is_lost(t, start) {
        return None;
    }
    let above = |seen: &IndexVec<EventId, bool>| {
        let mut above = session.tree.main.iter().take_while(|other| **other < start);
        above.any(|other| is_spoken(t, *other) && !seen[*other])
    };
    if !above(&path.on) {
        return None;
    }
    let mut seen = IndexVec::for_each_of(&t.events, false);
    with_siblings(context, &session.tree, path).into_iter().for_each(|event| seen[event] = true);
    if !above(&seen) {
        return None;
    }
    // Its descendants that are before it in the file are other branches, which it does not hide.
    let below = session.tree.below(start, &|_| true);
    seen.iter_mut().zip(below).for_each(|(seen, below)| *seen |= below);
    above(&seen).then_some(start)
}

fn root_diagnostic(t: &Transcript, session: &ClaudeSession, root: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::about(
        Code::BrokenParent,
        "this message has no parent: everything before it is hidden",
        Subject::Parent,
        root,
    );
    diagnostic.effect = Effect::Hides(hidden(session, root));
    let newest = session.recovered.ends_at_roots.get(&root).and_then(|ends| ends.newest);
    if let Some(to) = newest {
        diagnostic.fix_with_guess([Action::set_parent(root, Some(to))]);
    }
    if t.event(root).role == Role::Assistant {
        reject(&mut diagnostic);
    }
    diagnostic
}
