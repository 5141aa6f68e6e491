//! Unreadable lines, which clients skip.

use hashbrown::HashMap;

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
    let mut children: HashMap<EventId, Vec<&BrokenParent>> = HashMap::new();
    for broken in session.recovered.broken.iter().filter(|broken| lost::matters(session, broken)) {
        if let Some(line) = broken.lost_in {
            children.entry(line).or_default().push(broken);
        }
    }
    let halves = OtherHalves::of(t, pairs);
    let records = unreadable.records();
    records
        .map(|line| {
            let children = children.remove(&line).unwrap_or_default();
            diagnostic(context, (session, &halves, &unreadable), line, &children)
        })
        .collect()
}

fn diagnostic(
    context: &FormatContext<'_>,
    (session, halves, unreadable): (&ClaudeSession, &OtherHalves, &Unreadable<'_>),
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
        diagnostic.covers.extend(halves.in_line(t, session, line));
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

/// The calls without a result and the results without a call, whose other half may be in an unreadable line. They are found
/// once, because there may be as many lines.
#[derive(Default)]
struct OtherHalves {
    by_id: HashMap<Id, Vec<Subject>>,
    /// The calls, by their record, and by the ID of their response.
    open_at: HashMap<EventId, Vec<Subject>>,
    open_in: HashMap<Id, Vec<Subject>>,
    /// The results, by their record.
    orphans_at: HashMap<EventId, Vec<Subject>>,
}

impl OtherHalves {
    fn of(t: &Transcript, pairs: &Pairs) -> OtherHalves {
        let mut all = OtherHalves::default();
        for (at, status) in pairs.all() {
            let part = t.part(at);
            let subject = match status {
                PairStatus::Open => Subject::Open(at),
                PairStatus::Orphan => Subject::Orphan(at),
                _ => continue,
            };
            if let Some(id) = part.id {
                all.by_id.entry(id).or_default().push(subject);
            }
            if status == PairStatus::Orphan {
                all.orphans_at.entry(part.event).or_default().push(subject);
                continue;
            }
            match t.event(part.event).batch {
                Some(batch) => all.open_in.entry(batch).or_default().push(subject),
                None => all.open_at.entry(part.event).or_default().push(subject),
            }
        }
        all
    }

    /// Those whose IDs the line shows; if it shows none, those next to it.
    fn in_line(&self, t: &Transcript, session: &ClaudeSession, line: EventId) -> Vec<Subject> {
        let shown = t.event(line).parts.clone().filter_map(|part| t.part(part).id);
        let mut shown: Vec<Id> = shown.collect();
        if !shown.is_empty() {
            shown.sort_unstable();
            shown.dedup();
            return shown.iter().filter_map(|id| self.by_id.get(id)).flatten().copied().collect();
        }
        let main = &session.tree.main;
        let at = main.partition_point(|event| *event < line);
        let open = at.checked_sub(1).map(|at| main[at]).and_then(|before| {
            let batch = t.event(before).batch;
            batch.map_or_else(|| self.open_at.get(&before), |batch| self.open_in.get(&batch))
        });
        let orphans = main.get(at).and_then(|after| self.orphans_at.get(after));
        open.into_iter().chain(orphans).flatten().copied().collect()
    }
}
