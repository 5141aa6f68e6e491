//! Walks through a file of rows: the rows, the lines without a row, and the rows that their repair
//! frees.

use super::inside::{INSIDE, InRow, find, in_row};
use super::place::{LinesKind, RowPlace};
use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::HashMap;

use crate::bytes::edit::Edit;
use crate::bytes::far::LongRecord;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Span};
use crate::containers::batches::LONGEST;
use crate::containers::{Layout, PathStep, ReadError, Scanned, items};
use crate::detect::rows::{self, FoundConversation};
use crate::engine::habits::Habits;
use crate::engine::{CheckOptions, Judged, RuleSelection};
use crate::format::head::Sample;
use crate::format::records::follow;
use crate::format::{Detection, FormatSign};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::RecordEnd;
use crate::repair::{Policy, Refused, withhold, withhold_in_broken};
use crate::transcript::{Code, LabelRole, Role, facts};

use super::habits::RowHabits;
use super::judge::{Checked, ConversationWork, EachExamined, Examined, OneConversation};
use super::quoted::Quoted;
use super::split::{self, FilePart};
use super::{Row, run};
use crate::bytes::window::{ENTRY, Window};
use crate::json::node::Node;

/// The walk and its options.
pub(super) struct RowWalk<'a> {
    /// The detection of the file.
    pub detection: &'a Detection,
    pub options: &'a CheckOptions,
    /// Decides which repairs free rows.
    pub policy: &'a Policy,
    /// The work on each row.
    pub work: ConversationWork<'a>,
    /// The habits of the program that wrote the rows.
    pub habits: &'a RowHabits<'a>,
}

impl RowWalk<'_> {
    /// Passes every part of the transcript to `each`, in order. Returns the edits of all plans.
    pub(super) fn all(
        &self,
        entries: &dyn Entries,
        each: EachExamined<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let layout = &self.detection.layout;
        let mut edits = Vec::new();
        let look = |window: &Window<'_>, scanned: Option<Scanned<'_>>| self.look(window, scanned);
        let mut ids = RequestIds::default();
        split::each(entries, layout, self.options.jobs, &look, &mut |mut part| {
            if let FilePart::Row { row, done: RowResult::Checked(parts), .. } = &mut part {
                ids.add(row, parts, &self.options.selection);
            }
            edits.extend(self.part(entries, part, each)?);
            Ok(())
        })?;
        let Some(entry) = layout.entry() else {
            return Ok(edits);
        };
        if entries.loss(entry).is_some() {
            let end = entries.len(entry);
            let window = Window::new(entries, Span::new(entry, end, end), Some(&[])).at_the_end();
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

    /// Passes on the only row of an entry, which was already scanned, and in which these conversations were found.
    pub(super) fn only(
        &self,
        entries: &dyn Entries,
        (scanned, found): (Scanned<'_>, &[FoundConversation]),
        each: EachExamined<'_>,
    ) -> Result<(), Refused> {
        let Scanned { bytes, tape } = scanned;
        let at = Span::new(ENTRY, 0, bytes.len() as u64);
        let row = Row { line: Some(entries.first_line(ENTRY)), ..Row::default() }
            .with_key(Node::root(tape, &bytes));
        let window = Window::new(entries, at, Some(bytes)).of_row(row.line);
        let part = FilePart::Row {
            row,
            at,
            bytes: Some(bytes),
            done: self.examine(&window, Some(scanned), found.iter().cloned()),
        };
        self.part(entries, part, each).map(|_| ())
    }

    fn part(
        &self,
        entries: &dyn Entries,
        part: FilePart<'_, RowResult>,
        each: EachExamined<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        match part {
            FilePart::Row { row, at, bytes, done } => {
                let window = Window::new(entries, at, bytes).of_row(row.line);
                let edits = done.pass_on(&row, RowPlace::Original(at.start), &window, each)?;
                Ok(edits.into_iter().map(|edit| window.outside(edit)).collect())
            }
            FilePart::Beyond { row, why, .. } => {
                each(Examined::NotChecked(row, why.to_owned()));
                Ok(Vec::new())
            }
            FilePart::Unended { line, at } => self.unended(entries, line, at, each),
            FilePart::Lines { first, at, tail } => {
                let layouts = (Layout::Lines(ENTRY), Layout::Lines(ENTRY));
                self.broken(entries, layouts, (Some(first), at, tail), each)
            }
            FilePart::Document { at } => {
                let rows = self.detection.layout.clone();
                let cut = self.cut_row(entries)?.unwrap_or_else(|| rows.clone());
                self.broken(entries, (cut, rows), (None, at, false), each)
            }
            FilePart::Around { at } => self.around(entries, at, each),
        }
    }

    /// Recognizes the conversations of a row and calls `work` on each.
    fn look(&self, window: &Window<'_>, scanned: Option<Scanned<'_>>) -> RowResult {
        match find(window, scanned, self.detection) {
            Ok(found) => self.examine(window, scanned, found.into_iter()),
            Err(error) => RowResult::Failed(error.into()),
        }
    }

    /// Calls `work` on each of these conversations of a row.
    fn examine(
        &self,
        window: &Window<'_>,
        scanned: Option<Scanned<'_>>,
        found: impl ExactSizeIterator<Item = FoundConversation>,
    ) -> RowResult {
        let found = match in_row(window, self.detection, found) {
            Ok(found) => found,
            Err(error) => return RowResult::Failed(ReadError::from(error).into()),
        };
        let mut parts = Vec::new();
        for (number, in_row) in found.into_iter().enumerate() {
            let InRow { part, detection, quoted } = in_row;
            let work = |known| {
                let options = CheckOptions {
                    habits: Habits::Known((window.start(), number), known),
                    ..self.options.clone()
                };
                match &quoted {
                    Some(quoted) => (self.work)(quoted, None, &detection, &options),
                    None => (self.work)(window, scanned, &detection, &options),
                }
            };
            let known = self.habits.counted();
            let is_known = known.is_some();
            let mut checked = work(known);
            if !is_known
                && checked.as_ref().is_ok_and(|own| own.judged().may_be_habits())
                && let Some(known) = self.habits.of(self)
            {
                checked = work(Some(known));
            }
            match checked {
                Ok(checked) => parts.push(CheckedPart { part, quoted, checked }),
                // A row beyond a limit does not stop the others.
                Err(Refused::Read(ReadError::Limit { place, what })) => {
                    return RowResult::NotChecked(format!("{place}: {what}"));
                }
                Err(refused) => return RowResult::Failed(refused),
            }
        }
        RowResult::Checked(parts)
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
        each: EachExamined<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let window = Window::new(entries, at, None).at_line(Some(line));
        let mut judged = self.judged(&window, Layout::Lines(ENTRY), false)?;
        judged.findings.retain(|finding| finding.rule.code == Code::MissingFinalNewline);
        judged.verdict = crate::engine::Verdict::Healthy;
        if judged.findings.is_empty() {
            return Ok(Vec::new());
        }
        let row = Row { line: Some(line), ..Row::default() };
        let (patch, taken) = run::repair(&window, &judged, self.policy);
        each(Examined::Lines {
            row,
            kind: LinesKind::Unended,
            window: &window,
            judged: &judged,
            taken,
            patch: &patch,
        });
        Ok(patch.edits().into_iter().map(|edit| window.outside(edit)).collect())
    }

    /// The list of messages of the last row of a document, if the document is cut off after one of them. What is left of it
    /// stays, as in a document with one conversation.
    fn cut_row(&self, entries: &dyn Entries) -> Result<Option<Layout>, ReadError> {
        let Layout::Items { entry, path, .. } = &self.detection.layout else {
            return Ok(None);
        };
        // The list, its rows, their lists, and the messages in them.
        let tape = items::skim(entries, *entry, 0, path.len() + INSIDE)?;
        let far = LongRecord::new(entries, *entry, 0);
        let list = Node::root(&tape, &far)
            .filter(|_| matches!(tape.end, RecordEnd::Torn))
            .and_then(|root| follow(root, path));
        let last = list.and_then(|list| (0_u32..).zip(list.items()).last());
        let Some((number, row)) = last.filter(|(_, row)| row.is_open()) else {
            return Ok(None);
        };
        let at = Span::new(*entry, u64::from(row.span().start), entries.len(*entry));
        if at.end - at.start > LONGEST as u64 {
            return Ok(None);
        }
        let bytes = entries.fetch(at)?;
        let tape = scan(&bytes, ScanMode::Document);
        let sample = Sample::of_scanned(entries, bytes.as_slice(), Cow::Borrowed(&tape));
        let filter = self.detection.conversations.filter();
        let found =
            rows::conversations(&sample, self.detection.format, filter, FormatSign::Optional);
        let Some(Layout::Items { path: inner, .. }) =
            found.into_iter().next().map(|own| own.layout)
        else {
            return Ok(None);
        };
        let text = bytes.as_slice();
        let messages = Node::root(&tape, &text).and_then(|row| follow(row, &inner));
        let has_whole = messages.is_some_and(|list| list.items().any(|item| !item.is_open()));
        let path = path.iter().copied().chain([PathStep::At(number)]);
        Ok(has_whole.then(|| Layout::Items {
            entry: ENTRY,
            path: path.chain(inner).collect(),
            envelope: false,
        }))
    }

    /// Reports flaws of a document outside its rows.
    fn around(
        &self,
        entries: &dyn Entries,
        at: Span,
        each: EachExamined<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let window = Window::new(entries, at, None);
        let mut judged = self.judged(&window, self.detection.layout.clone(), false)?;
        // Each row reports its own.
        judged
            .findings
            .retain(|finding| finding.labels.iter().all(|label| label.role == LabelRole::State));
        if judged.findings.is_empty() {
            return Ok(Vec::new());
        }
        let (patch, taken) = run::repair(&window, &judged, self.policy);
        each(Examined::Lines {
            row: Row::default(),
            kind: LinesKind::Around,
            window: &window,
            judged: &judged,
            taken,
            patch: &patch,
        });
        Ok(patch.edits().into_iter().map(|edit| window.outside(edit)).collect())
    }

    /// Reports lines without a row, and passes on the rows that their repair frees. `cut` is where their records are, and `inside`
    /// where the rows will be. `first` is the number of the first line; `tail`: the transcript ends with these lines, in the middle
    /// of a row.
    fn broken(
        &self,
        entries: &dyn Entries,
        (cut, inside): (Layout, Layout),
        (first, at, tail): (Option<u64>, Span, bool),
        each: EachExamined<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let window = Window::new(entries, at, None).at_line(first);
        let mut judged = self.judged(&window, cut, tail)?;
        let (mut patch, mut taken) = run::repair(&window, &judged, self.policy);
        let (mut count, mut stays_broken) = (0_u64, false);
        if !patch.is_empty() {
            let freed = Overlay::new(&window, &patch);
            split::each(&freed, &inside, 1, &|_, _| (), &mut |part| {
                count += u64::from(matches!(part, FilePart::Row { .. }));
                stays_broken |= matches!(part, FilePart::Document { .. });
                Ok(())
            })?;
        }
        if stays_broken && self.policy.is_unasked() {
            withhold_in_broken(&mut judged, self.policy);
            (patch, taken) = (Patch::default(), Vec::new());
        }
        let freed = Overlay::new(&window, &patch);
        let kind = if count > 0 { LinesKind::Freed } else { LinesKind::Unreadable };
        let row = Row { line: first, ..Row::default() };
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
            split::each(
                &freed,
                &inside,
                1,
                &|window, scanned| self.look(window, scanned),
                &mut |part| {
                    // What is still broken was already reported.
                    let FilePart::Row { row, at: row_at, bytes, done } = part else {
                        return Ok(());
                    };
                    let line =
                        first.map(|first| first + lines_before(&window, &patch, row_at.start));
                    let row_window = Window::new(&freed, row_at, bytes).of_row(line);
                    let row = Row { line, ..row };
                    let edits =
                        done.pass_on(&row, RowPlace::Freed(at.start, at.end), &row_window, each)?;
                    inner.extend(edits.into_iter().map(|edit| row_window.outside(edit)));
                    Ok(())
                },
            )?;
        }
        let inner = Patch::new(inner).unwrap_or_default();
        let all = patch.clone().then(inner, &window);
        Ok(all.edits().into_iter().map(|edit| window.outside(edit)).collect())
    }
}

/// The IDs of the requests of a batch, by their hash, each with its line: 16 bytes for each.
#[derive(Default)]
struct RequestIds(HashMap<u64, u64>);

impl RequestIds {
    /// Adds a row. If another request has its ID, that is reported: a batch is refused, because its results could not be shown
    /// apart (`custom_id` in the reference of OpenAI's Batch API and of Anthropic's Message Batches).
    fn add(&mut self, row: &Row, parts: &mut [CheckedPart], selection: &RuleSelection) {
        let (Some(id), Some(line)) = (row.key.as_ref().filter(|_| row.is_request), row.line) else {
            return;
        };
        let hash = self.0.hasher().hash_one(id);
        let first = *self.0.entry(hash).or_insert(line);
        let Some(part) = parts.first_mut().filter(|_| first != line) else {
            return;
        };
        let message =
            format!("the `custom_id` of line {first} once more: a batch is refused for that");
        part.checked.add(Code::DuplicateRecordId, message, selection);
    }
}

/// The result of the work on a row.
enum RowResult {
    /// The row could not be checked, and why.
    NotChecked(String),
    /// Its conversations; none: it has none.
    Checked(Vec<CheckedPart>),
    Failed(Refused),
}

/// A conversation of a row.
struct CheckedPart {
    /// Which one, if the row has several.
    part: Option<String>,
    /// Its bytes, if they are not those of the row.
    quoted: Option<Quoted>,
    checked: Checked,
}

impl RowResult {
    /// Passes the result to `each`. Returns the edits of its plans.
    fn pass_on(
        self,
        row: &Row,
        at: RowPlace,
        window: &Window<'_>,
        each: EachExamined<'_>,
    ) -> Result<Vec<Edit>, Refused> {
        let parts = match self {
            RowResult::Failed(refused) => return Err(refused),
            RowResult::NotChecked(why) => {
                each(Examined::NotChecked(row.clone(), why));
                return Ok(Vec::new());
            }
            RowResult::Checked(parts) => parts,
        };
        if parts.is_empty() {
            each(Examined::Skipped);
        }
        let mut edits = Vec::new();
        for CheckedPart { part, quoted, checked } in without_conflicts(parts) {
            let row = Row { is_text: quoted.is_some(), part, ..row.clone() };
            let conversation = OneConversation {
                row: Some((&row, at.of(quoted.as_ref()))),
                entries: quoted.as_ref().map_or(window, |quoted| quoted),
                checked,
            };
            edits.extend(edits_of(&conversation.checked, quoted.as_ref()));
            each(Examined::Conversation(conversation));
        }
        Ok(edits)
    }
}

/// Why a fix of a conversation is refused that changes what others have, too.
const SHARED: &str =
    "it would change what other conversations of the row have in common with this one";

/// The edits of a plan, as edits of the row.
fn edits_of(checked: &Checked, quoted: Option<&Quoted>) -> Vec<Edit> {
    let Checked::Planned(plan) = checked else {
        return Vec::new();
    };
    match quoted {
        Some(quoted) => quoted.outside(plan.patch.edits()),
        None => plan.patch.edits(),
    }
}

/// The conversations of a row as they may be repaired: not at all if a repair changes what they have in common, because what one
/// lacks there the other may have.
fn without_conflicts(parts: Vec<CheckedPart>) -> Vec<CheckedPart> {
    let all = parts.iter().flat_map(|part| edits_of(&part.checked, part.quoted.as_ref())).collect();
    let is_one = parts.len() < 2;
    if is_one || Patch::new(all).is_ok() && !parts.iter().any(|part| changes_shared(&part.checked))
    {
        return parts;
    }
    parts
        .into_iter()
        .map(|part| CheckedPart {
            checked: match part.checked {
                Checked::Planned(plan) => {
                    let mut before = plan.before;
                    withhold(&mut before, &Policy::default(), &|_, _| Some(SHARED));
                    Checked::Judged(Box::new(before))
                }
                other => other,
            },
            ..part
        })
        .collect()
}

/// Whether a plan changes the list before the one that only its conversation has.
fn changes_shared(checked: &Checked) -> bool {
    let Checked::Planned(plan) = checked else {
        return false;
    };
    let (t, layout) = (&plan.before.transcript, &plan.before.detection.layout);
    if !matches!(layout, Layout::Joined { .. }) {
        return false;
    }
    let records = t.records().filter(|event| {
        t.event(*event).role != Role::HostState && !t.has(*event, facts::IN_SECOND)
    });
    let places: Vec<Span> = records.map(|event| t.event(event).at()).collect();
    let first = places.iter().map(|at| at.start).min().unwrap_or(0);
    let last = places.iter().map(|at| at.end).max().unwrap_or(0);
    let mut edits = plan.patch.edits().into_iter();
    edits.any(|edit| match edit {
        Edit::Bytes { at, .. } => at.start <= last && at.end >= first,
        _ => false,
    })
}

/// Counts the line feeds in a window before the byte that is at offset `start` once the window is
/// patched.
fn lines_before(window: &Window<'_>, patch: &Patch, start: u64) -> u64 {
    // `at` and `before` are the same place, in the patched bytes and in the window.
    let (mut at, mut before) = (0_u64, 0_u64);
    for edit in patch.bytes_of(ENTRY) {
        let kept = edit.start.saturating_sub(before);
        let after = at.saturating_add(kept).saturating_add(edit.with.len() as u64);
        if after > start {
            break;
        }
        (at, before) = (after, edit.end);
    }
    let place = before.saturating_add(start.saturating_sub(at)).min(window.len(ENTRY));
    let lines = window.fetch(Span::new(ENTRY, 0, place)).unwrap_or_default();
    memchr::memchr_iter(b'\n', &lines).count() as u64
}
