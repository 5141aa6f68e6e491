//! Detects files of many conversations, one in each line, array element, or file of an archive.

use std::borrow::Cow;
use std::io;

use super::fit;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::{Files, FolderFile, Layout, PathStep};
use crate::format::head::Sample;
use crate::format::plain::{self, chosen};
use crate::format::records::{follow, whole};
use crate::format::rows::InsideRow;
use crate::format::{Format, FormatSign, Recognize, RowFilter};
use crate::hosts::ALL;
use crate::json::node::{Node, Owned};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Kind, RecordEnd};
use crate::targets::Serving;

/// Finds the rows of a file, if each of them is a conversation of this format.
pub(crate) fn recognize(
    head: &Sample<'_>,
    format: &'static Format,
    filter: RowFilter,
    sign: FormatSign,
) -> Option<Layout> {
    if filter != RowFilter::All && (!format.traits.rows || lacks_signs(head, format, sign)) {
        return None;
    }
    let Some(entry) = head.single else {
        return in_archive(head, format);
    };
    let of = |filter| {
        let is_own = own_rows(head, |row| !conversations(row, format, filter, sign).is_empty());
        is_own.into_iter().filter(|own| *own).count()
    };
    let is_compound = || {
        let mut rows = heads(head).iter();
        rows.any(|row| is_compound(&conversations(row, format, RowFilter::Conversations, sign)))
    };
    if let Some(root) = document(head) {
        let lists = lists_in(root);
        let Some((key, _)) = lists.first().copied() else {
            return is_compound().then(|| Layout::array(entry));
        };
        if key.is_some_and(|key| !format.traits.rows_in.contains(&key)) {
            return None;
        }
        let rows = of(RowFilter::Conversations);
        let is_rows = rows > 0 && 2 * rows >= heads(head).len();
        // The second list may be beyond what was read of the file.
        return is_rows.then(|| match (key, format.traits.rows_in) {
            (Some(_), [first, second]) => {
                let lists = [first, second].map(|key| vec![PathStep::Key(key)]);
                Layout::Joined { entry, lists }
            }
            _ => Layout::Items {
                entry,
                path: key.map(PathStep::Key).into_iter().collect(),
                envelope: false,
            },
        });
    }
    let rows = of(filter);
    // A single whole row is a document, whatever the name of the file. Two on one line are not.
    (rows > 0
        && (filter == RowFilter::All
            || ((head.several
                || head
                    .records
                    .iter()
                    .any(|(_, tape)| matches!(tape.end, RecordEnd::Trailing { .. }))
                || is_compound())
                && 2 * rows >= heads(head).len())))
    .then_some(Layout::Lines(entry))
}

/// Whether no record has a word of the format, so that none of them, read alone, is a conversation with a sign of it.
fn lacks_signs(head: &Sample<'_>, format: &'static Format, sign: FormatSign) -> bool {
    let traits = &format.traits;
    let words = match &traits.row_words {
        Some(words) if head.document.is_none() => Some(words),
        _ if traits.conversations.is_none() => traits.words.as_ref(),
        _ => None,
    };
    let lacks = sign == FormatSign::Needed && !head.may_have(words);
    debug_assert!(!lacks || fit(head, format).0 == 0, "{}", format.name);
    lacks
}

/// The files of an archive that are rows.
fn in_archive(head: &Sample<'_>, format: &Format) -> Option<Layout> {
    let rows =
        head.names().filter_map(|(entry, name)| Some((entry, (format.traits.row_file)(name)?)));
    let files: Vec<FolderFile> = (0..)
        .zip(rows)
        .map(|(index, (entry, id))| FolderFile {
            entry: Some(entry),
            index,
            id: Some(id.to_owned()),
        })
        .collect();
    (!files.is_empty()).then(|| Layout::Files(Files { files, ..Files::default() }))
}

/// A document, or the only line of a file if that is one with a list of rows.
fn document<'h>(head: &'h Sample<'_>) -> Option<Node<'h>> {
    head.root().or_else(|| {
        head.only().filter(|line| matches!(lists_in(*line).first(), Some((Some(_), _))))
    })
}

/// The lists of rows in a document, and the members that they are.
fn lists_in(root: Node<'_>) -> Vec<(Option<&'static str>, Node<'_>)> {
    if root.kind() == Kind::Array {
        return vec![(None, root)];
    }
    let mut lists = ALL.iter().map(|format| lists_of(root, format.traits.rows_in));
    lists.find(|lists| !lists.is_empty()).unwrap_or_default()
}

fn lists_of<'a>(root: Node<'a>, keys: &[&'static str]) -> Vec<(Option<&'static str>, Node<'a>)> {
    let mut lists = Vec::new();
    for key in keys {
        let Some(list) = root.get(key) else { continue };
        if list.kind() == Kind::Array && list.items().next().is_some() {
            lists.push((Some(*key), list));
        }
    }
    lists
}

/// The first rows, each as if it were alone in a file.
fn heads<'h>(head: &'h Sample<'_>) -> &'h [Sample<'static>] {
    head.rows.get_or_init(|| {
        let rows = match document(head) {
            Some(root) => match &lists_in(root)[..] {
                [] => vec![root],
                lists => {
                    let rows = lists.iter().flat_map(|(_, list)| list.items());
                    whole(chosen(rows))
                }
            },
            None => whole(head.nodes()),
        };
        let alone = rows.iter().filter(|row| !row.is_open());
        // What no record of the file has, none of the rows has.
        alone.map(|row| Sample { words: head.words, ..Sample::of_node(&Nothing, *row) }).collect()
    })
}

/// A bit for each row, set if the format explains its conversation, and how many rows were checked.
pub(crate) fn fit(head: &Sample<'_>, format: &'static Format) -> (u32, u32) {
    let bits = own_rows(head, |row| {
        let mut all =
            conversations(row, format, RowFilter::Conversations, FormatSign::Needed).into_iter();
        all.any(|found| match found.text {
            Some(text) => fit::is_good(&text.sample(), &found.layout, format),
            None => fit::is_good(row, &found.layout, format),
        })
    })
    .into_iter()
    .enumerate();
    (bits.fold(0, |bits, (at, own)| bits | u32::from(own) << at), heads(head).len() as u32)
}

/// Visits the conversations of the first rows, with what each is in and where it is in that, as long as it is told to go on.
pub(super) fn visit_conversations(
    head: &Sample<'_>,
    format: &'static Format,
    visit: &mut dyn FnMut(&Sample<'_>, &Layout) -> bool,
) {
    for row in heads(head) {
        for found in conversations(row, format, RowFilter::Conversations, FormatSign::Needed) {
            let goes_on = match found.text {
                Some(text) => visit(&text.sample(), &found.layout),
                None => visit(row, &found.layout),
            };
            if !goes_on {
                return;
            }
        }
    }
}

/// Whether each of the first rows is of a format. Rows with nothing but text are of the format of others.
fn own_rows(head: &Sample<'_>, is_own: impl Fn(&Sample<'_>) -> bool) -> Vec<bool> {
    let rows = heads(head);
    let mut all: Vec<bool> = rows.iter().map(is_own).collect();
    let is_plain = |row: &Sample<'_>| row.only().is_some_and(plain::is_row);
    if (all.iter().zip(rows)).any(|(own, row)| *own && !is_plain(row)) {
        (all.iter_mut().zip(rows)).for_each(|(own, row)| *own = *own || is_plain(row));
    }
    all
}

/// A conversation of a row.
#[derive(Clone, Debug)]
pub(crate) struct FoundConversation {
    pub format: &'static Format,
    /// Where its messages are: in the row, or in the text.
    pub layout: Layout,
    /// The text that has it, if that is a string of the row.
    pub text: Option<JsonText>,
    /// The target for the model of the agent, if the row names it.
    pub serving: Option<Serving>,
}

/// JSON text in a string of a row.
#[derive(Clone, Debug)]
pub(crate) struct JsonText {
    /// The path of the string.
    pub path: Vec<PathStep>,
    /// Where it is in the row, with its quotes.
    pub at: (u32, u32),
    /// The unescaped text.
    pub text: Vec<u8>,
}

impl JsonText {
    /// The text of a string that begins as a list, and can be written back character by character.
    fn of(row: Node<'_>, path: Vec<PathStep>) -> Option<JsonText> {
        let string = follow(row, &path).filter(|node| node.kind() == Kind::String)?;
        let text = string.str_bytes()?.into_owned();
        let is_plain = std::str::from_utf8(&text).is_ok_and(|text| !text.contains('\u{FFFD}'));
        let span = string.span();
        (text.first() == Some(&b'[') && is_plain).then_some(JsonText {
            path,
            at: (span.start, span.end),
            text,
        })
    }

    fn sample(&self) -> Sample<'static> {
        let tape = scan(&self.text, ScanMode::Document);
        Sample::of_scanned(&Nothing, Owned(self.text.clone()), Cow::Owned(tape))
    }
}

/// The conversations of a row of this format, see [`inside`].
pub(crate) fn conversations(
    head: &Sample<'_>,
    format: &'static Format,
    filter: RowFilter,
    sign: FormatSign,
) -> Vec<FoundConversation> {
    conversations_of(head, format, || inside(head, format, filter, sign))
}

/// The same, if `inside` says where the messages of a row with one conversation are.
pub(crate) fn conversations_of(
    head: &Sample<'_>,
    format: &'static Format,
    inside: impl FnOnce() -> Option<Layout>,
) -> Vec<FoundConversation> {
    let several = format.several(head).into_iter();
    let found = several.filter_map(|inside| match inside {
        InsideRow::List(layout) => {
            Some(FoundConversation { format, layout, text: None, serving: None })
        }
        InsideRow::Text(path) => {
            let serving = format.serving_agent(head.only()?, &path);
            let text = JsonText::of(head.only()?, path)?;
            let layout = (format.recognize)(&text.sample())?;
            let text = Some(text);
            Some(FoundConversation { format, layout, text, serving })
        }
    });
    let found: Vec<FoundConversation> = found.collect();
    if !found.is_empty() {
        return found;
    }
    let found =
        inside().map(|layout| FoundConversation { format, layout, text: None, serving: None });
    found.into_iter().collect()
}

/// The conversation without messages of a row whose list is empty.
pub(crate) fn without_messages(
    head: &Sample<'_>,
    format: &'static Format,
) -> Vec<FoundConversation> {
    let (Some(root), Some(entry)) = (head.only(), head.single) else {
        return Vec::new();
    };
    for path in format.traits.row_lists {
        let list = follow(root, path).filter(|list| list.kind() == Kind::Array);
        if list.is_some_and(|list| list.items().next().is_none()) {
            let layout = Layout::enclosed(entry, path.to_vec());
            return vec![FoundConversation { format, layout, text: None, serving: None }];
        }
    }
    Vec::new()
}

/// Whether a row holds its conversations in another way than as a single list.
fn is_compound(found: &[FoundConversation]) -> bool {
    found.len() > 1 || found.iter().any(|found| found.text.is_some())
}

/// Where the messages of a row of this format are; `None`: the row has no conversation. With
/// [`RowFilter::All`] the row may also be a record.
pub(crate) fn inside(
    head: &Sample<'_>,
    format: &Format,
    filter: RowFilter,
    sign: FormatSign,
) -> Option<Layout> {
    let fits = |layout: &Layout| filter == RowFilter::All || layout.is_document();
    let unsigned = || {
        format
            .traits
            .unsigned
            .filter(|_| sign == FormatSign::Optional)
            .and_then(|(_, recognize)| recognize(head))
    };
    format.find(head).filter(fits).or_else(|| unsigned().filter(fits))
}

/// Whether `recognize` recognizes all of the first rows that contain a conversation.
pub(crate) fn are_all(head: &Sample<'_>, recognize: Recognize) -> bool {
    let mut rows = heads(head).iter().filter(|row| {
        ALL.iter().any(|format| {
            inside(row, format, RowFilter::Conversations, FormatSign::Optional).is_some()
        })
    });
    rows.next().is_some_and(|first| recognize(first).is_some())
        && rows.all(|row| recognize(row).is_some())
}

/// Whether a value is a row of any format with rows: an object that contains a conversation.
pub(crate) fn is_row(value: Node<'_>) -> bool {
    if value.kind() != Kind::Object {
        return false;
    }
    let (filter, sign) = (RowFilter::Conversations, FormatSign::Optional);
    let mut formats = ALL.iter().filter(|format| format.traits.rows);
    let head = Sample::of_node(&Nothing, value).with_words();
    formats.any(|format| {
        is_named(inside(&head, format, filter, sign))
            || is_compound(&conversations(&head, format, filter, sign))
    })
}

/// Whether a conversation is in a member of a value, and not the value itself.
fn is_named(layout: Option<Layout>) -> bool {
    match layout {
        Some(Layout::Items { path, .. }) => {
            path.iter().any(|step| matches!(step, PathStep::Key(_)))
        }
        Some(Layout::Joined { .. }) => true,
        _ => false,
    }
}

/// No entries, for a value on its own.
struct Nothing;

impl Entries for Nothing {
    fn ids(&self) -> Vec<EntryId> {
        Vec::new()
    }

    fn name(&self, _: EntryId) -> &str {
        ""
    }

    fn len(&self, _: EntryId) -> u64 {
        0
    }

    fn open(&self, _: EntryId) -> io::Result<Box<dyn io::Read + '_>> {
        Ok(Box::new(io::empty()))
    }

    fn fetch(&self, _: Span) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
