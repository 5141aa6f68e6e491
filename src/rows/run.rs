//! Judges and repairs lines without a row, as a small line file, by the rules about bytes.

use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::{Layout, ReadError, RecordReader};
use crate::detect::rows::is_row;
use crate::engine::{CheckOptions, Judged, judge_as};
use crate::format::{Detection, Format, FormatContext};
use crate::repair::{Policy, Taken, admitted};
use crate::transcript::unreadable::{OnUnreadable, RecordRemains};
use crate::transcript::{Action, EventId, Request, State, facts};

use super::split::is_torn;
use crate::bytes::window::{ENTRY, Window};

/// Separates rows from the bytes around them. The rows are not read here.
const READING: RecordReader = RecordReader {
    accepts_lone_surrogates: true,
    removes_fragments: true,
    ..RecordReader::new(is_row, |_, _| {})
};

/// Judges lines. `tail`: the transcript ends with them, in the middle of a row.
pub(super) fn judge(
    window: &Window<'_>,
    format: &'static Format,
    layout: Layout,
    options: &CheckOptions,
    tail: bool,
) -> Result<Judged, ReadError> {
    let detection = Detection::new(format, layout);
    let project = if tail {
        |context: &FormatContext<'_>| request(context, true)
    } else {
        |context: &FormatContext<'_>| request(context, false)
    };
    let name = window.name(ENTRY);
    judge_as((window, None), name, &detection, options, &READING, project)
}

fn request(context: &FormatContext<'_>, tail: bool) -> Request {
    let t = context.transcript;
    let mut records: Vec<EventId> = t.records().collect();
    records.retain(|event| t.event(*event).state != State::Padding);
    let is_unreadable = |event: &EventId| t.event(*event).state == State::Unreadable;
    // A host that was killed more than once leaves several truncated lines.
    let mut torn_from = None;
    for event in records.iter().rev().filter(|_| tail) {
        let is_cut = is_unreadable(event)
            && !t.is_damaged(*event)
            && context.entries.fetch(t.event(*event).at()).is_ok_and(|line| is_torn(&line));
        if !is_cut {
            break;
        }
        torn_from = Some(*event);
    }
    // A value in place of a row is skipped; it is not unreadable.
    let unreadable =
        records.iter().copied().filter(|event| is_unreadable(event) && !t.has(*event, facts::BARE));
    Request {
        diagnostics: unreadable
            .map(|event| {
                let left = if torn_from.is_some_and(|from| event >= from) {
                    RecordRemains::Tail
                } else {
                    // What comes before and after it is not known here.
                    RecordRemains::Damaged
                };
                let mut diagnostic = OnUnreadable::FAILS.diagnostic("row", event, left);
                diagnostic.fixes = OnUnreadable::FAILS.removal(event, left);
                diagnostic
            })
            .collect(),
        is_part: true,
        ..Request::default()
    }
}

/// The patch that repairs these lines as far as the policy admits, and the fixes in it.
pub(super) fn repair(window: &Window<'_>, judged: &Judged, policy: &Policy) -> (Patch, Vec<Taken>) {
    let context = judged.context(0, window, window.name(ENTRY), false);
    let mut patch = Vec::new();
    let mut applied = Vec::new();
    for (actions, fix) in admitted(&context, judged, policy) {
        let edits: Vec<Edit> =
            actions.into_iter().flat_map(|action| plan_edits(judged, action)).collect();
        let combined: Vec<Edit> = patch.iter().chain(&edits).cloned().collect();
        // Of two fixes that edit the same line, the second is left to the next run.
        if !edits.is_empty() && Patch::new(combined.clone()).is_ok() {
            patch = combined;
            applied.push(fix);
        }
    }
    (Patch::new(patch).unwrap_or_default(), applied)
}

fn plan_edits(judged: &Judged, action: Action) -> Vec<Edit> {
    match action {
        Action::EditBytes { edits, .. } => edits,
        Action::Remove(event) => {
            vec![Edit::bytes(judged.transcript.event(event).at(), Vec::new())]
        }
        _ => Vec::new(),
    }
}
