//! Lines that hold no row: judged as a little line file by the rules of bytes.

use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::{Layout, ReadError, RecordReader};
use crate::engine::{CheckOptions, Judged, judge_as};
use crate::formats::rows::is_row;
use crate::formats::{Detection, Format, FormatContext};
use crate::repair::{Policy, Taken, admitted};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Request, State, Subject, attr,
};

use super::split::is_torn;
use crate::bytes::window::{ENTRY, Window};

/// How rows are told from what is around them. Nothing in them is read here.
const READING: RecordReader = RecordReader {
    cleans_half_pairs: true,
    parks_fragments: true,
    ..RecordReader::new(is_row, |_, _| {})
};

/// Judges lines. `tail`: the recording ends with them, in the middle of a row.
pub(super) fn judge(
    window: &Window<'_>,
    format: &'static Format,
    layout: Layout,
    ask: &CheckOptions,
    tail: bool,
) -> Result<Judged, ReadError> {
    let claim = Detection::new(format, layout);
    let project = if tail {
        |context: &FormatContext<'_>| request(context, true)
    } else {
        |context: &FormatContext<'_>| request(context, false)
    };
    let name = window.name(ENTRY);
    judge_as((window, None), name, &claim, ask, &READING, project)
}

fn request(context: &FormatContext<'_>, tail: bool) -> Request {
    let t = context.transcript;
    let is_hole = |event: &EventId| t.event(*event).state == State::Unreadable;
    // A value in place of a row is skipped, not unreadable.
    let is_bare = |event: &EventId| t.attr_of(*event, attr::BARE).is_some();
    let there: Vec<EventId> = t
        .records()
        .filter(|event| t.event(*event).state != State::Padding)
        .collect();
    let torn = |event: &&EventId| {
        is_hole(event)
            && !t.is_damaged(**event)
            && context
                .entries
                .fetch(t.event(**event).at)
                .is_ok_and(|line| is_torn(&line))
    };
    // A host that was killed more than once leaves more than one of them.
    let count = if tail {
        there.iter().rev().take_while(torn).count()
    } else {
        0
    };
    let from = there
        .get(there.len() - count)
        .copied()
        .filter(|_| count > 0);
    let diagnostic = |hole: EventId| {
        let torn = from.is_some_and(|from| hole >= from);
        let (code, said) = match torn {
            true => (Code::TornTail, "the last row is cut off"),
            false => (Code::UnreadableRecord, "a row cannot be read"),
        };
        let mut diagnostic = Diagnostic::new(code, said, hole);
        diagnostic.about = vec![Subject::Bytes(hole)];
        diagnostic.effect = Effect::LoadFails;
        let park = vec![Action::Park(hole)];
        diagnostic.fixes = vec![if torn {
            Fix::safe(park)
        } else {
            Fix::with_guess(park)
        }];
        diagnostic
    };
    let holes = there
        .iter()
        .copied()
        .filter(|event| is_hole(event) && !is_bare(event));
    Request {
        diagnostics: holes.map(diagnostic).collect(),
        ..Request::default()
    }
}

/// What policy admits of the repair of these lines, and the patch that does it.
pub(super) fn treat(window: &Window<'_>, judged: &Judged, policy: &Policy) -> (Patch, Vec<Taken>) {
    let context = judged.context(0, window, window.name(ENTRY), false);
    let mut patch = Vec::new();
    let mut done = Vec::new();
    for (actions, taken) in admitted(&context, judged, policy) {
        let edits: Vec<Edit> = actions
            .into_iter()
            .flat_map(|action| lower(judged, action))
            .collect();
        let together: Vec<Edit> = patch.iter().chain(&edits).cloned().collect();
        // What two of them want of one line is left to the next run.
        if !edits.is_empty() && Patch::new(together.clone()).is_ok() {
            patch = together;
            done.push(taken);
        }
    }
    (Patch::new(patch).unwrap_or_default(), done)
}

fn lower(judged: &Judged, action: Action) -> Vec<Edit> {
    match action {
        Action::Mend { edits, .. } => edits,
        Action::Park(event) => {
            vec![Edit::Bytes {
                at: judged.transcript.event(event).at,
                with: Vec::new(),
            }]
        }
        _ => Vec::new(),
    }
}
