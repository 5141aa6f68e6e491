//! Walks through a file of rows: the rows, the lines without a row, and the rows that their repair
//! frees.

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

use super::judge::{Checked, Conversation, Each, Examined, Work};
use super::split::{self, Part};
use super::{Row, key, run};
use crate::bytes::window::{ENTRY, Window};
use crate::json::node::Node;

/// The kinds of lines without a row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinesKind {
    /// Unreadable rows.
    Unreadable,
    /// A repair frees rows from these lines; they follow as conversations.
    Freed,
    /// The last line, whose row was already passed on, has no line ending.
    Unended,
    /// The compressed stream is cut off after these lines.
    CutOff,
}

/// Where the bytes of a row are in the transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowPlace {
    /// Unchanged, from this offset on.
    Original(u64),
    /// In the lines between these offsets, after their repair.
    Freed(u64, u64),
}

/// The walk and its options.
pub(super) struct Walk<'a> {
    /// The detection of the file.
    pub detection: &'a Detection,
    pub options: &'a CheckOptions,
    /// Decides which repairs free rows.
    pub policy: &'a Policy,
    /// The work on each row.
    pub work: Work<'a>,
}

impl Walk<'_> {
    /// Passes every part of the transcript to `each`, in order. Returns the edits of all plans.
    pub(super) fn all(&self, entries: &dyn Entries, each: Each<'_>) -> Result<Vec<Edit>, Refused> {
        let layout = &self.detection.layout;
        let mut edits = Vec::new();
        let look = |window: &Window<'_>, scanned: Option<Scanned<'_>>| self.look(window, scanned);
        split::each(entries, layout, self.options.jobs, &look, &mut |part| {
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
            each(Examined::Lines {
                row: Row::default(),
                kind: LinesKind::CutOff,
                window: &window,
                judged: &judged,
                taken: Vec::new(),
                patch: &Patch::default(),
            });
        }
        Ok(edits)
    }

    /// Passes on the only row of an entry, which was already scanned.
    pub(super) fn only(
        &self,
        entries: &dyn Entries,
        scanned: Scanned<'_>,
        each: Each<'_>,
    ) -> Result<(), Refused> {
        let Scanned { bytes, tape } = scanned;
        let at = Span {
            entry: ENTRY,
            start: 0,
            end: bytes.len() as u64,
        };
        let row = Row {
            line: Some(entries.first_line(ENTRY)),
            key: Node::root(tape, &bytes).and_then(key),
            ..Row::default()
        };
        let window = Window::new(entries, at, Some(bytes)).of_row(row.line);
        let part = Part::Row {
            row,
            at,
            bytes: Some(bytes),
            done: self.look(&window, Some(scanned)),
        };
        self.part(entries, part, each).map(|_| ())
    }

    fn part(
        &self,
        entries: &dyn Entries,
        part: Part<'_, RowResult>,
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
                let window = Window::new(entries, at, bytes).of_row(row.line);
                let edits = done.pass_on(&row, RowPlace::Original(at.start), &window, each)?;
                Ok(edits.into_iter().map(|edit| window.outside(edit)).collect())
            }
            Part::Beyond { row, why, .. } => {
                each(Examined::NotChecked(row, why.to_owned()));
                Ok(Vec::new())
            }
            Part::Unended { line, at } => self.unended(entries, line, at, each),
            Part::Lines { first, at, tail } => {
                self.broken(entries, Layout::Lines(ENTRY), (Some(first), at, tail), each)
            }
            Part::Document { at } => self.broken(entries, inside, (None, at, false), each),
        }
    }

    /// Recognizes a row and calls `work` on it.
    fn look(&self, window: &Window<'_>, scanned: Option<Scanned<'_>>) -> RowResult {
        let detection = match recognize(window, scanned, self.detection) {
            Ok(Some(detection)) => detection,
            Ok(None) => return RowResult::Skipped,
            Err(error) => return RowResult::Failed(error.into()),
        };
        match (self.work)(window, scanned, &detection) {
            Ok(checked) => RowResult::Checked(checked),
            // A row beyond a limit does not stop the others.
            Err(Refused::Read(ReadError::Limit { place, what })) => {
                RowResult::NotChecked(format!("{place}: {what}"))
            }
            Err(refused) => RowResult::Failed(refused),
        }
    }

    /// Judges lines that are not rows. `tail`: the transcript ends with them, in the middle of a
    /// row.
    fn judged(&self, window: &Window<'_>, layout: Layout, tail: bool) -> Result<Judged, ReadError> {
        run::judge(window, self.detection.format, layout, self.options, tail)
    }

    /// Reports a last line without a line ending.
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
        let (patch, taken) = run::repair(&window, &judged, self.policy);
        each(Examined::Lines {
            row,
            kind: LinesKind::Unended,
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

    /// Reports lines without a row, and passes on the rows that their repair frees. `first` is the
    /// number of the first line; `tail`: the transcript ends with these lines, in the middle of a
    /// row.
    fn broken(
        &self,
        entries: &dyn Entries,
        inside: Layout,
        (first, at, tail): (Option<u64>, Span, bool),
        each: Each<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let window = Window::new(entries, at, None);
        let judged = self.judged(&window, inside.clone(), tail)?;
        let (patch, taken) = run::repair(&window, &judged, self.policy);
        let freed = Overlay::new(&window, &patch);
        let mut count = 0_u64;
        let mut each_part = |part: Part<'_, ()>| {
            count += u64::from(matches!(part, Part::Row { .. }));
            Ok(())
        };
        if !patch.is_empty() {
            split::each(&freed, &inside, 1, &|_, _| (), &mut each_part)?;
        }
        let kind = if count > 0 {
            LinesKind::Freed
        } else {
            LinesKind::Unreadable
        };
        let row = Row {
            line: first,
            ..Row::default()
        };
        if !judged.findings.is_empty() {
            each(Examined::Lines {
                row,
                kind,
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
                // What is still broken was already reported.
                let Part::Row {
                    row,
                    at: row_at,
                    bytes,
                    done,
                } = part
                else {
                    return Ok(());
                };
                let line = first.map(|first| first + lines_before(&window, &patch, row_at.start));
                let row_window = Window::new(&freed, row_at, bytes).of_row(line);
                let row = Row { line, ..row };
                let edits =
                    done.pass_on(&row, RowPlace::Freed(at.start, at.end), &row_window, each)?;
                inner.extend(edits.into_iter().map(|edit| row_window.outside(edit)));
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

/// The result of the work on a row.
enum RowResult {
    /// The row has no conversation.
    Skipped,
    /// The row could not be checked, and why.
    NotChecked(String),
    Checked(Checked),
    Failed(Refused),
}

impl RowResult {
    /// Passes the result to `each`. Returns the edits of its plan.
    fn pass_on(
        self,
        row: &Row,
        at: RowPlace,
        window: &Window<'_>,
        each: Each<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let (examined, edits) = match self {
            RowResult::Failed(refused) => return Err(refused),
            RowResult::Skipped => (Examined::Skipped, Vec::new()),
            RowResult::NotChecked(why) => (Examined::NotChecked(row.clone(), why), Vec::new()),
            RowResult::Checked(checked) => {
                let conversation = Conversation {
                    row: Some((row, at)),
                    entries: window,
                    checked,
                };
                let edits = conversation.plan().map(|plan| plan.patch.edits());
                (
                    Examined::Conversation(conversation),
                    edits.unwrap_or_default(),
                )
            }
        };
        each(examined);
        Ok(edits)
    }
}

/// Recognizes the conversation in a row; `None` if it has none.
pub(super) fn recognize(
    window: &Window<'_>,
    scanned: Option<Scanned<'_>>,
    detection: &Detection,
) -> Result<Option<Detection>, ReadError> {
    let sample = match scanned {
        Some(Scanned { bytes, tape }) => Sample::of_scanned(window, bytes, tape.clone()),
        None => Sample::of_file(window, ENTRY, window.name(ENTRY))?,
    };
    let forced = detection.conversations.is_forced();
    let layout = rows::inside(&sample, detection.format, forced, true);
    Ok(layout.map(|layout| Detection {
        other: detection.other,
        ..Detection::new(detection.format, layout)
    }))
}

/// Counts the line feeds in a window before the byte that is at offset `start` once the window is
/// patched.
fn lines_before(window: &Window<'_>, patch: &Patch, start: u64) -> u64 {
    // `at` and `before` are the same place, in the patched bytes and in the window.
    let (mut at, mut before) = (0_u64, 0_u64);
    for edit in patch.bytes_of(ENTRY) {
        let kept = edit.start.saturating_sub(before);
        let after = at
            .saturating_add(kept)
            .saturating_add(edit.with.len() as u64);
        if after > start {
            break;
        }
        (at, before) = (after, edit.end);
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
