//! The way through a recording: its rows, the lines that are none, and the rows that their repair frees.

use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Span};
use crate::containers::{Layout, ReadError, Scanned};
use crate::engine::{CheckOptions, Judged};
use crate::formats::head::Sample;
use crate::formats::{Detection, rows};
use crate::repair::{Policy, Refused};
use crate::transcript::Code;

use super::judge::{Conversation, Each, Known, Seen, Work};
use super::split::{self, Part};
use super::{Row, run};
use crate::bytes::window::{ENTRY, Window};

/// What lines without a row are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Rows that nobody can read.
    Unreadable,
    /// Rows that a repair frees: they come next.
    Freed,
    /// A row that was told already, and what is wrong behind it.
    Behind,
    /// The end of the recording.
    End,
}

/// Where the bytes of a row are in the recording.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// From here on, as they stand.
    From(u64),
    /// Somewhere in these lines, which have to be repaired first.
    In(u64, u64),
}

/// How the way is gone.
pub(super) struct Walk<'a> {
    /// What all rows are.
    pub claim: &'a Detection,
    pub ask: &'a CheckOptions,
    /// Which repairs free rows.
    pub policy: &'a Policy,
    /// What is done with each of them.
    pub work: Work<'a>,
}

impl Walk<'_> {
    /// Every part of the recording, in order. The answer: all edits, of the recording.
    pub(super) fn all(&self, entries: &dyn Entries, each: Each<'_>) -> Result<Vec<Edit>, Refused> {
        let layout = &self.claim.layout;
        let mut edits = Vec::new();
        let look = |window: &Window<'_>, scanned: Option<Scanned<'_>>| self.look(window, scanned);
        split::each(entries, layout, self.ask.jobs, &look, &mut |part| {
            edits.extend(self.part(entries, part, each)?);
            Ok(())
        })?;
        let (Layout::Lines(entry) | Layout::Items { entry, .. }) = layout else {
            return Ok(edits);
        };
        if entries.loss(*entry).is_some() {
            let end = entries.len(*entry);
            let window = Window::new(
                entries,
                Span {
                    entry: *entry,
                    start: end,
                    end,
                },
                Some(&[]),
            )
            .at_the_end();
            let judged = self.judged(&window, Layout::Lines(ENTRY), false)?;
            each(Seen::Lines {
                row: Row::default(),
                what: What::End,
                window: &window,
                judged: &judged,
                taken: Vec::new(),
                patch: &Patch::default(),
            });
        }
        Ok(edits)
    }

    fn part(
        &self,
        entries: &dyn Entries,
        part: Part<'_, Looked>,
        each: Each<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let inside = Layout::Items {
            entry: ENTRY,
            path: Vec::new(),
            envelope: false,
        };
        match part {
            Part::Row {
                row,
                at,
                bytes,
                done,
            } => {
                let window = Window::new(entries, at, bytes);
                let edits = done.hand_on(&row, Spot::From(at.start), &window, each)?;
                Ok(edits.into_iter().map(|edit| window.outside(edit)).collect())
            }
            Part::Beyond { row, why, .. } => {
                each(Seen::Missed(row, why.to_owned()));
                Ok(Vec::new())
            }
            Part::Unended { line, at } => self.unended(entries, line, at, each),
            Part::Lines { first, at, tail } => {
                self.broken(entries, Layout::Lines(ENTRY), (Some(first), at, tail), each)
            }
            Part::Document { at } => self.broken(entries, inside, (None, at, false), each),
        }
    }

    /// Recognizes a row and does the work on it.
    fn look(&self, window: &Window<'_>, scanned: Option<Scanned<'_>>) -> Looked {
        let claim = match recognize(window, scanned, self.claim) {
            Ok(Some(claim)) => claim,
            Ok(None) => return Looked::Skipped,
            Err(error) => return Looked::Failed(error.into()),
        };
        match (self.work)(window, scanned, &claim) {
            Ok(known) => Looked::Known(known),
            // A row beyond a limit stops nobody else's.
            Err(Refused::Read(ReadError::Limit { place, what })) => {
                Looked::Missed(format!("{place}: {what}"))
            }
            Err(refused) => Looked::Failed(refused),
        }
    }

    /// Judges lines that are not rows. `tail`: the transcript ends with them, in the middle of a row.
    fn judged(&self, window: &Window<'_>, layout: Layout, tail: bool) -> Result<Judged, ReadError> {
        run::judge(window, self.claim.format, layout, self.ask, tail)
    }

    /// A whole last line without its ending.
    fn unended(
        &self,
        entries: &dyn Entries,
        line: u64,
        at: Span,
        each: Each<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let window = Window::new(entries, at, None);
        let mut judged = self.judged(&window, Layout::Lines(ENTRY), false)?;
        judged
            .findings
            .retain(|finding| finding.rule.code == Code::MissingFinalNewline);
        judged.verdict = crate::engine::Verdict::Healthy;
        if judged.findings.is_empty() {
            return Ok(Vec::new());
        }
        let row = Row {
            line: Some(line),
            ..Row::default()
        };
        let (patch, taken) = run::treat(&window, &judged, self.policy);
        each(Seen::Lines {
            row,
            what: What::Behind,
            window: &window,
            judged: &judged,
            taken,
            patch: &patch,
        });
        Ok(patch
            .edits()
            .into_iter()
            .map(|edit| window.outside(edit))
            .collect())
    }

    /// Lines that hold no row, the first of them, where they are and whether the recording ends with them in the middle of a
    /// row; and the rows that their repair frees.
    fn broken(
        &self,
        entries: &dyn Entries,
        inside: Layout,
        (first, at, tail): (Option<u64>, Span, bool),
        each: Each<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let window = Window::new(entries, at, None);
        let judged = self.judged(&window, inside.clone(), tail)?;
        let (patch, taken) = run::treat(&window, &judged, self.policy);
        let freed = Overlay::new(&window, &patch);
        let mut count = 0_u64;
        let mut each_part = |part: Part<'_, ()>| {
            count += u64::from(matches!(part, Part::Row { .. }));
            Ok(())
        };
        if !patch.is_empty() {
            split::each(&freed, &inside, 1, &|_, _| (), &mut each_part)?;
        }
        let what = if count > 0 {
            What::Freed
        } else {
            What::Unreadable
        };
        let row = Row {
            line: first,
            ..Row::default()
        };
        if !judged.findings.is_empty() {
            each(Seen::Lines {
                row,
                what,
                window: &window,
                judged: &judged,
                taken,
                patch: &patch,
            });
        }
        let mut inner = Vec::new();
        if count > 0 {
            let look =
                |window: &Window<'_>, scanned: Option<Scanned<'_>>| self.look(window, scanned);
            split::each(&freed, &inside, 1, &look, &mut |part| {
                // What is still broken was reported.
                let Part::Row {
                    row,
                    at: own,
                    bytes,
                    done,
                } = part
                else {
                    return Ok(());
                };
                let request = Window::new(&freed, own, bytes);
                let line = first.map(|first| first + lines_before(&window, &patch, own.start));
                let row = Row { line, ..row };
                let edits = done.hand_on(&row, Spot::In(at.start, at.end), &request, each)?;
                inner.extend(edits.into_iter().map(|edit| request.outside(edit)));
                Ok(())
            })?;
        }
        let inner = Patch::new(inner).unwrap_or_default();
        let all = patch.clone().then(inner, &window);
        Ok(all
            .edits()
            .into_iter()
            .map(|edit| window.outside(edit))
            .collect())
    }
}

/// What came of the work on a row.
enum Looked {
    /// It holds no conversation.
    Skipped,
    /// It could not be looked at, and why.
    Missed(String),
    Known(Known),
    Failed(Refused),
}

impl Looked {
    /// Hands it to `each`. The answer: what is changed in the row.
    fn hand_on(
        self,
        row: &Row,
        at: Spot,
        window: &Window<'_>,
        each: Each<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let (seen, edits) = match self {
            Looked::Failed(refused) => return Err(refused),
            Looked::Skipped => (Seen::Skipped, Vec::new()),
            Looked::Missed(why) => (Seen::Missed(row.clone(), why), Vec::new()),
            Looked::Known(known) => {
                let own = Conversation {
                    row: Some((row, at)),
                    entries: window,
                    known,
                };
                let edits = own.plan().map(|plan| plan.patch.edits());
                (Seen::Conversation(own), edits.unwrap_or_default())
            }
        };
        each(seen);
        Ok(edits)
    }
}

/// The conversation in a row of a file of this claim; `None`: it holds none.
pub(super) fn recognize(
    window: &Window<'_>,
    scanned: Option<Scanned<'_>>,
    claim: &Detection,
) -> Result<Option<Detection>, ReadError> {
    let head = match scanned {
        Some(Scanned { bytes, tape }) => Sample::of_scanned(window, bytes, tape.clone()),
        None => Sample::of_file(window, ENTRY, window.name(ENTRY))?,
    };
    let forced = claim.conversations.is_forced();
    let layout = rows::inside(&head, claim.format, forced, true);
    Ok(layout.map(|layout| Detection {
        other: claim.other,
        ..Detection::new(claim.format, layout)
    }))
}

/// Line feeds in a window in front of what stands at this place once it is patched.
fn lines_before(window: &Window<'_>, patch: &Patch, start: u64) -> u64 {
    // `at`: the same place in the patched bytes and, as `before`, in the window.
    let (mut at, mut before) = (0_u64, 0_u64);
    for edit in patch.bytes_of(ENTRY) {
        let kept = edit.start.saturating_sub(before);
        let behind = at
            .saturating_add(kept)
            .saturating_add(edit.with.len() as u64);
        if behind > start {
            break;
        }
        (at, before) = (behind, edit.end);
    }
    let place = before
        .saturating_add(start.saturating_sub(at))
        .min(window.len(ENTRY));
    let lines = window
        .fetch(Span {
            entry: ENTRY,
            start: 0,
            end: place,
        })
        .unwrap_or_default();
    memchr::memchr_iter(b'\n', &lines).count() as u64
}
