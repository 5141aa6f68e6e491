//! Messages that any API may have, with a role and text. If many of them come first, or rows with nothing else, a sample passes
//! over the rest, so that it has what shows whose they are.

use crate::json::node::Node;
use crate::json::tape::Kind;

/// This many records are checked, a header, settings, and a first exchange.
pub(crate) const LOOK: usize = 20;

/// This many are kept.
const KEPT: usize = LOOK / 2;

/// Chooses the records of a sample, which are offered in order.
#[derive(Default)]
pub(crate) struct RecordChooser {
    plain: usize,
    /// There was another record.
    is_over: bool,
}

impl RecordChooser {
    /// Whether there were only such messages.
    pub(crate) fn knows_nothing(&self) -> bool {
        self.plain > 0 && !self.is_over
    }

    /// Whether a sample takes a record.
    pub(crate) fn takes(&mut self, record: Node<'_>) -> bool {
        // One that is cut off may only have a sign of its format.
        let is_cut = record.is_open();
        self.is_over = self.is_over || !(is_cut || is_message(record) || is_row(record));
        if self.is_over || is_cut {
            return true;
        }
        self.plain += 1;
        self.plain <= KEPT
    }
}

/// The items of a list that a sample has.
pub(crate) fn sampled<'a>(list: Node<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    chosen(list.items())
}

/// Those of these records that a sample has.
pub(crate) fn chosen<'a>(
    records: impl Iterator<Item = Node<'a>>,
) -> impl Iterator<Item = Node<'a>> {
    let mut chooser = RecordChooser::default();
    let chosen = records.filter(move |record| chooser.takes(*record));
    chosen.take(LOOK)
}

/// Whether a record is a message that all APIs with roles accept.
fn is_message(record: Node<'_>) -> bool {
    record.kind() == Kind::Object
        && !record.is_open()
        && record.members().all(|(key, value)| match value.kind() {
            Kind::String => key.is_str("role") || key.is_str("content"),
            Kind::Array => {
                key.is_str("content")
                    && value.items().all(|block| {
                        block.members().all(|(key, value)| {
                            key.is_str("text") || (key.is_str("type") && value.is_str("text"))
                        })
                    })
            }
            _ => false,
        })
}

/// Whether each list of objects in a row, of which there is one, is of such messages.
pub(crate) fn is_row(record: Node<'_>) -> bool {
    let members = record.members().map(|(_, value)| value);
    let mut lists = members
        .chain([record])
        .filter(|list| {
            let mut items = list.items();
            items.next().is_some_and(|item| item.kind() == Kind::Object)
        })
        .peekable();
    !record.is_open() && lists.peek().is_some() && lists.all(|list| list.items().all(is_message))
}
