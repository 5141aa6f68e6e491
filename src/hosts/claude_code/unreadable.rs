//! Unreadable lines, which clients skip.

use super::ClaudeSession;
use super::ends::BrokenParent;
use super::lost;
use crate::format::FormatContext;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::unreadable::{RecordRemains, Unreadable};
use crate::transcript::{Action, Diagnostic, Effect, EventId, Fix, Id, Subject, Transcript};

/// This many bytes of a line are searched for parts of a record.
const LOOK: u64 = 1 << 20;

pub(super) fn judge(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let unreadable = Unreadable::new(t, pairs, super::CLAUDE_CODE.traits.unreadable);
    let children = |line: EventId| {
        let broken =
            session.recovered.broken.iter().filter(move |broken| broken.lost_in == Some(line));
        broken.filter(|broken| lost::matters(session, broken)).collect::<Vec<_>>()
    };
    let records = unreadable.records();
    records
        .map(|line| {
            let parts = (session, pairs, &unreadable);
            diagnostic(context, parts, line, &children(line))
        })
        .collect()
}

fn diagnostic(
    context: &FormatContext<'_>,
    (session, pairs, unreadable): (&ClaudeSession, &Pairs, &Unreadable<'_>),
    line: EventId,
    children: &[&BrokenParent],
) -> Diagnostic {
    let t = context.transcript;
    let bytes = bytes(context, line);
    let left = match unreadable.left(line) {
        RecordRemains::Tail if !bytes.ends_with(b"\n") => {
            let mut diagnostic = unreadable.diagnostic(line);
            diagnostic.effect = Effect::None;
            return diagnostic;
        }
        RecordRemains::Tail => RecordRemains::Middle,
        left => left,
    };
    let host = super::CLAUDE_CODE.traits.unreadable;
    let mut diagnostic = host.diagnostic(t.noun(), line, left);
    let is_garbage = left == RecordRemains::Middle && !t.is_torn(line) && !names_record(t, &bytes);
    if is_garbage {
        diagnostic.message = "a line that is not a record".into();
    }
    diagnostic.covers = children.iter().map(|broken| Subject::Parent(broken.event)).collect();
    if !is_garbage {
        diagnostic.covers.extend(halves(t, session, pairs, line));
    }
    let hidden = if children.is_empty() { 1 } else { above(session, line) };
    diagnostic.effect = Effect::Hides(if is_garbage && children.is_empty() { 0 } else { hidden });
    let mut relinks = Vec::new();
    for broken in children {
        let (actions, is_safe) = lost::actions(context, session, broken);
        if is_safe {
            relinks.extend(actions);
        }
    }
    let removal: Vec<Action> = relinks.iter().cloned().chain([Action::Remove(line)]).collect();
    if is_garbage {
        diagnostic.fix_safely(removal);
    } else {
        let relink = (!relinks.is_empty()).then(|| Fix::safe(relinks));
        diagnostic.fixes = relink.into_iter().chain([Fix::with_guess(removal)]).collect();
    }
    diagnostic
}

fn above(session: &ClaudeSession, line: EventId) -> u32 {
    session.tree.spoken_before(line).saturating_add(1)
}

/// The line, or the start of a very long line with its last byte.
fn bytes(context: &FormatContext<'_>, line: EventId) -> Vec<u8> {
    let at = context.transcript.event(line).at();
    let cut = crate::bytes::source::Span { end: at.end.min(at.start.saturating_add(LOOK)), ..at };
    let mut bytes = context.entries.fetch(cut).unwrap_or_default();
    if cut.end < at.end {
        let last = crate::bytes::source::Span { start: at.end - 1, ..at };
        bytes.extend(context.entries.fetch(last).unwrap_or_default());
    }
    bytes
}

/// Whether a line has the ID of a known record.
fn names_record(t: &Transcript, bytes: &[u8]) -> bool {
    const UUID: usize = 36;
    let mut words =
        bytes.windows(UUID).filter(|word| [8, 13, 18, 23].iter().all(|at| word[*at] == b'-'));
    words.any(|word| std::str::from_utf8(word).is_ok_and(|id| t.ids.find(id).is_some()))
}

/// Calls and results whose other half is, or may be, in an unreadable line.
fn halves(t: &Transcript, session: &ClaudeSession, pairs: &Pairs, line: EventId) -> Vec<Subject> {
    let shown: Vec<Id> = t.event(line).parts.clone().filter_map(|part| t.part(part).id).collect();
    let main = &session.tree.main;
    let at = main.partition_point(|event| *event < line);
    let before = at.checked_sub(1).map(|at| main[at]);
    let after = main.get(at).copied();
    let beside = |event: EventId, other: Option<EventId>| {
        let batch = t.event(event).batch;
        other == Some(event)
            || (batch.is_some() && other.is_some_and(|other| t.event(other).batch == batch))
    };
    let mut found = Vec::new();
    for (part, status) in pairs.all() {
        let known = t.part(part);
        let named = known.id.is_some_and(|id| shown.contains(&id));
        match status {
            PairStatus::Open if named || (shown.is_empty() && beside(known.event, before)) => {
                found.push(Subject::Open(part));
            }
            PairStatus::Orphan if named || (shown.is_empty() && after == Some(known.event)) => {
                found.push(Subject::Orphan(part));
            }
            _ => {}
        }
    }
    found
}
