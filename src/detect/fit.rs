//! How well a format explains the first records of a transcript.

use super::named::{Named, NamedSample};
use crate::containers::{Layout, PathStep};
use crate::format::Format;
use crate::format::foreign::ForeignLines;
use crate::format::head::Sample;
use crate::format::records::records;
use crate::json::node::Node;

/// A format must explain one in this many records to fit. In the fixtures, most of which are damaged, the right format always
/// explains at least two of three records, and one of two if half of the records are removed.
const GOOD: u32 = 2;

/// How well a format explains the first records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    pub(super) place: CandidatePlace,
    /// The number of records that were checked. 0: a folder, or a document that ends before its list; names decide.
    pub(super) of: u32,
    /// A bit for each record, set if the format explains it.
    explained: u32,
    /// How many records the format must explain.
    least: u32,
    /// The number of lines between them that are not records.
    pub(super) foreign: u32,
}

/// Where the records are. Only candidates for the same records are compared record by record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CandidatePlace {
    Lines,
    List(Vec<PathStep>),
    Names,
}

impl Fit {
    fn new(place: CandidatePlace, records: &[Node<'_>], explains: fn(Node<'_>) -> bool) -> Fit {
        let of = records.len() as u32;
        let bits = records.iter().enumerate().filter(|(_, record)| explains(**record));
        let explained = bits.fold(0, |bits, (at, _)| bits | 1 << at);
        Fit { place, of, explained, least: of.div_ceil(GOOD), foreign: 0 }
    }

    /// The same if these lines of other text are between the records, or around the only line that has them.
    fn between(self, foreign: ForeignLines, format: &Format) -> Fit {
        let records = match self.place {
            CandidatePlace::Lines if !format.rank.is_of_a_host() => foreign.least_messages(),
            CandidatePlace::Lines => foreign.least_records(),
            _ if foreign.least_records() > 0 => u32::MAX,
            _ => 0,
        };
        Fit { least: self.least.max(records), foreign: foreign.count(), ..self }
    }

    /// The number of explained records, and of checked records.
    pub fn count(&self) -> (u32, u32) {
        (self.explained.count_ones(), self.of)
    }

    pub(super) fn is_good(&self) -> bool {
        self.explained.count_ones() >= self.least
    }

    pub(super) fn is_full(&self) -> bool {
        self.explained.count_ones() == self.of
    }

    /// How many records this one explains and the other does not.
    pub(super) fn alone(&self, other: &Fit) -> u32 {
        (self.explained & !other.explained).count_ones()
    }
}

/// How well a format explains the records at a layout.
pub(super) fn fit(head: &Sample<'_>, layout: &Layout, format: &Format) -> Fit {
    let fit = Fit::new(place(layout), &records(head, layout), format.explains);
    let every = fit.place == CandidatePlace::Lines && !format.rank.is_of_a_host();
    let least = if every { fit.of } else { fit.least };
    Fit { least, ..fit }.between(head.foreign, format)
}

pub(super) fn is_good(head: &Sample<'_>, layout: &Layout, format: &Format) -> bool {
    fit(head, layout, format).is_good()
}

/// How well a format explains rows, of which it explains these.
pub(super) fn of_rows(
    head: &Sample<'_>,
    layout: &Layout,
    format: &Format,
    (explained, of): (u32, u32),
) -> Fit {
    let least = of.div_ceil(GOOD);
    Fit { place: place(layout), of, explained, least, foreign: 0 }.between(head.foreign, format)
}

fn place(layout: &Layout) -> CandidatePlace {
    match layout {
        Layout::Lines(_) => CandidatePlace::Lines,
        Layout::Items { path, .. } => CandidatePlace::List(path.clone()),
        Layout::Joined { lists, .. } => CandidatePlace::List(lists.concat()),
        Layout::Files(_) => CandidatePlace::Names,
    }
}

impl NamedSample<'_> {
    pub(super) fn fit(&self, named: &Named) -> Fit {
        let place = self.path.clone().map_or(CandidatePlace::Lines, CandidatePlace::List);
        Fit::new(place, &self.items, named.explains)
    }
}
