//! Where clients look for the last record of the conversation, and where it really is.

use hashbrown::HashSet;

use super::ClaudeSession;
use super::lines::stamped;
use super::paths::ClaudePath;
use super::records::{is_result, is_spoken, pair_ids, pair_parts, with_role};
use super::{kinds, own, renew, spare};
use crate::bytes::edit::Edit;
use crate::format::{Client, FormatContext};
use crate::transcript::time::format_millis;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Id, LabelRole, Role, Subject,
    Transcript,
};

/// Checks the ends of both paths. `known`: what else is wrong with the tree.
pub(super) fn judge(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    known: &[Diagnostic],
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let push = |diagnostic: Option<Diagnostic>, diagnostics: &mut Vec<Diagnostic>| {
        diagnostics.extend(diagnostic.filter(|diagnostic| {
            !diagnostics.iter().any(|other| other.labels[0] == diagnostic.labels[0])
        }));
    };
    for path in [&session.current, &session.strict] {
        push(stolen(t, session, path), &mut diagnostics);
    }
    if known
        .iter()
        .any(|diagnostic| matches!(diagnostic.code, Code::DuplicateRecordId | Code::ParentCycle))
    {
        return diagnostics;
    }
    if diagnostics.is_empty() {
        push(late_leaf(context, session), &mut diagnostics);
        push(too_new(context, session), &mut diagnostics);
    }
    push(stale(context, session), &mut diagnostics);
    diagnostics
}

fn diagnostic(
    t: &Transcript,
    message: &'static str,
    event: EventId,
    hidden: &[EventId],
) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(Code::LeafPointer, message, event);
    let ends = [hidden.first(), hidden.last()].into_iter().flatten();
    diagnostic.label(ends, LabelRole::Record);
    diagnostic.labels.dedup();
    diagnostic.about = vec![Subject::Parent(event)];
    let seen = hidden.iter().filter(|event| is_spoken(t, **event)).count();
    diagnostic.effect = Effect::Hides(seen as u32);
    diagnostic
}

/// Whether a record is only bookkeeping.
fn is_bookkeeping(t: &Transcript, event: EventId) -> bool {
    match (t.kind(event), t.fact_text(event, own::SUBTYPE)) {
        ("progress" | "attachment", _) => true,
        ("system", Some(kind)) => kinds::BOOKKEEPING.contains(&kind),
        _ => false,
    }
}

/// The messages below a record that its client does not send, without lines of the record's own response and errors of the
/// client.
fn lost_below(
    t: &Transcript,
    session: &ClaudeSession,
    path: &ClaudePath,
    top: EventId,
    but: &HashSet<EventId>,
) -> Vec<EventId> {
    let below = session.tree.below(top, &|event| !but.contains(&event));
    let calls: HashSet<Id> = path
        .records
        .iter()
        .filter(|event| t.event(**event).role == Role::Assistant)
        .flat_map(|event| pair_ids(t, *event))
        .collect();
    let batch = t.event(top).batch;
    let answers = |event: EventId| {
        let mut ids = pair_ids(t, event);
        is_result(t, event) && ids.all(|id| calls.contains(&id))
    };
    session
        .tree
        .main
        .iter()
        .copied()
        .filter(|event| {
            below[*event]
                && *event != top
                && !path.has(*event)
                && !path.is_left_behind(t, *event)
                && is_spoken(t, *event)
                && !t.has(*event, own::SYNTHETIC)
                && !(batch.is_some() && t.event(*event).batch == batch)
                && !answers(*event)
        })
        .collect()
}

/// Whether losing these records is harmless: a command of the user that the client ran itself (`/exit`, `!ls`), its caveat
/// and its output. The client writes them together, so their times are in any order.
fn are_commands(t: &Transcript, records: &[EventId]) -> bool {
    records.iter().all(|event| t.has(*event, own::COMMAND))
}

/// Whether these records are one branch, apart from the branches of parallel calls.
fn is_one_branch(t: &Transcript, session: &ClaudeSession, records: &[EventId]) -> bool {
    let Some(end) = records.last().copied() else {
        return false;
    };
    let mut chain: HashSet<EventId> = HashSet::new();
    let mut batches: HashSet<Id> = HashSet::new();
    let mut calls: HashSet<Id> = HashSet::new();
    let mut at = Some(end);
    while let Some(event) = at.filter(|event| chain.insert(*event)) {
        batches.extend(t.event(event).batch);
        at = session.tree.up[event];
    }
    for event in with_role(t, records, Role::Assistant) {
        calls.extend(pair_ids(t, event));
    }
    let beside = |event: EventId| {
        t.event(event).batch.is_some_and(|batch| batches.contains(&batch))
            || pair_parts(t, event)
                .any(|result| t.part(result).id.is_some_and(|id| calls.contains(&id)))
    };
    records.iter().all(|event| chain.contains(event) || beside(*event))
}

/// Bookkeeping below an old record, which clients take for the last record.
fn stolen(t: &Transcript, session: &ClaudeSession, path: &ClaudePath) -> Option<Diagnostic> {
    let run: Vec<EventId> =
        path.records.iter().rev().copied().take_while(|event| !is_spoken(t, *event)).collect();
    let top = run.last().copied()?;
    let at = path.records.len().checked_sub(run.len() + 1)?;
    let base = path.records[at];
    if !run.iter().all(|event| is_bookkeeping(t, *event)) {
        return None;
    }
    let run: HashSet<EventId> = run.into_iter().collect();
    let hidden = lost_below(t, session, path, base, &run);
    if are_commands(t, &hidden) {
        return None;
    }
    let end = hidden.last().copied().filter(|end| *end < top)?;
    let mut diagnostic = diagnostic(
        t,
        "the saved end of the conversation is a bookkeeping record on an old branch",
        top,
        &hidden,
    );
    let relink = vec![Action::set_parent(top, Some(end))];
    let is_certain = is_one_branch(t, session, &hidden);
    diagnostic.fix_safely_if(is_certain, relink);
    Some(diagnostic)
}

/// The last line of the file, if the rest of the conversation descends from it.
fn late_leaf(context: &FormatContext<'_>, session: &ClaudeSession) -> Option<Diagnostic> {
    let t = context.transcript;
    let path = &session.current;
    let end = path.end()?;
    let hidden = lost_below(t, session, path, end, &HashSet::new());
    if hidden.is_empty() {
        return None;
    }
    let mut diagnostic =
        diagnostic(t, "the saved end of the conversation is not its last message", end, &hidden);
    // After the last line of its parent's response.
    let parent = session.tree.bare[end]?;
    let batch = t.event(parent).batch;
    let before = session
        .tree
        .main
        .iter()
        .copied()
        .filter(|event| batch.is_some() && t.event(*event).batch == batch && *event < hidden[0])
        .max()
        .unwrap_or(parent);
    let moved = if before < hidden[0] {
        renew::moved(context, end, before)
    } else {
        // Its descendants are far before it in the file: the last of them moves down.
        lowest(session, &hidden).and_then(|tip| renew::lowered(context, tip, end))
    };
    // If other records have a parent after them, too, one move is not enough, and all moves together would reverse the order.
    let one_move = hidden.iter().all(|event| {
        session.tree.bare[*event].is_none_or(|parent| parent < *event || parent == end)
    });
    let fix = if one_move { Fix::safe } else { Fix::with_guess };
    diagnostic.fixes = moved.into_iter().map(|action| fix(vec![action])).collect();
    Some(diagnostic)
}

/// The last of these records in the tree.
fn lowest(session: &ClaudeSession, records: &[EventId]) -> Option<EventId> {
    let all: HashSet<EventId> = records.iter().copied().collect();
    records
        .iter()
        .rev()
        .copied()
        .find(|event| !session.tree.children(*event).iter().any(|child| all.contains(child)))
}

/// Records with a newer time than the last one. Clients that go by time stop there.
fn too_new(context: &FormatContext<'_>, session: &ClaudeSession) -> Option<Diagnostic> {
    let t = context.transcript;
    let end = session.current.end()?;
    let taken = session.strict.end().filter(|taken| *taken != end)?;
    let newest = t.event(end).time()?;
    if t.event(taken).time().is_none_or(|time| time < newest) {
        return None;
    }
    let hidden = lost_below(t, session, &session.strict, taken, &HashSet::new());
    let is_later = hidden.iter().any(|event| t.event(*event).time() != t.event(taken).time());
    if !is_later || are_commands(t, &hidden) {
        return None;
    }
    let message = if t.event(taken).time() > Some(newest) {
        "a record is newer than the last message, so clients that go by time take it for the end"
    } else {
        "a record has the same time as the last message, so clients that go by time take it for the end"
    };
    let mut diagnostic = diagnostic(t, message, taken, &hidden);
    spare(context, Client::Current, &mut diagnostic);
    let mut actions = Vec::new();
    // Only the last record of a branch counts. Of equally new ones, clients take the first.
    for event in session.tree.main.iter().copied().filter(|event| {
        *event != end
            && (*event == taken || t.event(*event).time().is_some_and(|time| time > newest))
            && !session.tree.children(*event).is_empty()
    }) {
        let above = time_above(t, session, event, newest);
        actions.extend(context.change(event, |root| vec![stamped(root, &format_millis(above))]));
    }
    let edits: Vec<Edit> = actions
        .into_iter()
        .flat_map(
            |action| {
                if let Action::EditBytes { edits, .. } = action { edits } else { Vec::new() }
            },
        )
        .collect();
    if !edits.is_empty() {
        let word = "set the time of {} to that of the record before it";
        diagnostic.fix_safely([Action::edits(taken, word, edits)]);
    }
    Some(diagnostic)
}

/// The time of the nearest ancestor that is not newer than the last record.
fn time_above(t: &Transcript, session: &ClaudeSession, event: EventId, newest: i64) -> i64 {
    const MOST: usize = 64;
    let mut at = session.tree.bare[event];
    for _ in 0..MOST {
        let Some(above) = at else { break };
        if let Some(time) = t.event(above).time().filter(|time| *time < newest) {
            return time;
        }
        at = session.tree.bare[above];
    }
    newest.saturating_sub(1000)
}

/// A pointer to an older branch, although the conversation continued elsewhere after it.
fn stale(context: &FormatContext<'_>, session: &ClaudeSession) -> Option<Diagnostic> {
    let t = context.transcript;
    let hint = session.current.hint?;
    let sent: HashSet<EventId> = session.sequence.iter().copied().collect();
    let late = |event: &EventId| *event > hint && is_spoken(t, *event) && !sent.contains(event);
    let late: Vec<EventId> = session
        .tree
        .main
        .iter()
        .copied()
        .filter(late)
        .filter(|event| !is_result(t, *event))
        .collect();
    let end = late.last().copied().filter(|_| !are_commands(t, &late))?;
    // What is older than the end of the path was abandoned after the pointer was written.
    let spoken = session.sequence.iter().copied();
    if spoken.filter(|event| is_spoken(t, *event)).max() > Some(end) {
        return None;
    }
    // A record without a parent is reported elsewhere.
    let mut top = end;
    let mut steps = session.tree.main.len();
    while let Some(next) = session.tree.up[top].filter(|_| steps > 0) {
        (top, steps) = (next, steps - 1);
    }
    if session.tree.is_lost(t, top) {
        return None;
    }
    let mut diagnostic =
        diagnostic(t, "the saved \"last prompt\" points to an older branch", hint, &late);
    diagnostic.labels[0].role = LabelRole::State;
    diagnostic.about = vec![Subject::Leaf];
    spare(context, Client::Strict, &mut diagnostic);
    if is_one_branch(t, session, &late) {
        let prompt = late.iter().rev().copied().find(|event| t.event(*event).role == Role::User);
        let appended = renew::pointer(context, hint, end, prompt);
        diagnostic.fixes = Fix::only(Applicability::Safe, appended);
    }
    Some(diagnostic)
}
