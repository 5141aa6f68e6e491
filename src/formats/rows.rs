//! Files of many conversations, one a line or one an element of an array: how they are told.

use std::io;

use super::head::Head;
use super::{ALL, Format};
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::{Layout, Step};
use crate::json::node::Node;
use crate::json::tape::{End, Kind};

/// Elements of an array that are looked at.
const LOOK: usize = 20;

/// Where the rows of a recording are, if each of them is a conversation of this format. `forced`: every line is one,
/// whatever it looks like. `settled`: it is this format or none, so no row has to show a sign of it.
pub fn recognise(head: &Head<'_>, format: &Format, forced: bool, settled: bool) -> Option<Layout> {
    let entry = head.single.filter(|_| forced || format.habits.rows)?;
    if head.document.is_some() {
        let root = head.root().filter(|root| root.kind() == Kind::Array)?;
        let items = || root.items().take(LOOK).filter(|item| !item.is_open());
        let rows = items().filter(|item| layout_of(format, *item, false, settled).is_some()).count();
        let is_rows = rows > 0 && 2 * rows >= items().count();
        return is_rows.then(|| Layout::Items { entry, path: Vec::new(), envelope: false });
    }
    let values = head.records.iter().filter_map(|(text, tape)| Some((Node::root(tape, &**text)?, tape.end)));
    let whole: Vec<_> = values.filter(|(_, end)| matches!(end, End::Whole | End::Trailing { .. })).collect();
    let rows = whole.iter().filter(|(root, _)| layout_of(format, *root, forced, settled).is_some()).count();
    // One whole row is a document, whatever the file is called. Two that are glued are not.
    let several = head.several || whole.iter().any(|(_, end)| *end != End::Whole);
    (rows > 0 && (forced || (several && 2 * rows >= whole.len()))).then_some(Layout::Lines(entry))
}

/// Where the messages of a row of this format are; `None`: it holds no conversation. `any`: the row may also be a record.
/// `settled`: it need not show a sign of the format.
pub fn inside(head: &Head<'_>, format: &Format, any: bool, settled: bool) -> Option<Layout> {
    let fits = |layout: &Layout| any || layout.is_document();
    let unsigned = || format.habits.unsigned.filter(|_| settled).and_then(|(_, recognise)| recognise(head));
    (format.recognise)(head).filter(fits).or_else(|| unsigned().filter(fits))
}

fn layout_of(format: &Format, row: Node<'_>, any: bool, settled: bool) -> Option<Layout> {
    inside(&Head::of_value(&Nothing, &row.raw()), format, any, settled)
}

/// Whether a value is a row of any format that has rows: an object with a conversation in it.
pub fn is_row(value: Node<'_>) -> bool {
    let named = |layout: Option<Layout>| match layout {
        Some(Layout::Items { path, .. }) => path.iter().any(|step| matches!(step, Step::Key(_))),
        Some(Layout::Joined { .. }) => true,
        _ => false,
    };
    let mut formats = ALL.iter().filter(|format| format.habits.rows);
    value.kind() == Kind::Object && formats.any(|format| named(layout_of(format, value, false, true)))
}

/// No entries: the value is looked at by itself.
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
