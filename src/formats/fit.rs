//! Which format a recording is of: the one that explains its first records best.
//!
//! A format is a candidate when something shows that the recording may be its own, and then says of each of the first
//! whole records whether it has the members that the format requires. Formats and streams that are only known by name
//! compete like those that are read. One exotic record explains itself, and no more.

use super::head::Sample;
use super::named::{self, Named};
use super::{ALL, Conversations, Detection, Format, rows};
use crate::containers::{Layout, Step};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Records that are looked at, a bit of [`Fit::explained`] each: a header, settings, and a first exchange.
pub(super) const LOOK: usize = 20;
/// One of how many records a format must explain to fit: half. Of the fixtures, most of which are damaged, the least that
/// their own format explains is two of three records, and one of two where half of the records are taken out.
const GOOD: u32 = 2;
/// How many records a format alone must explain for each that only a rival explains. Below it the file is a mixture: two
/// sessions in one file explain about as many each.
const MARGIN: u32 = 2;
/// From this step on formats are shapes that anybody may write. Logs of other programs have lines with a role or a
/// content here and there, so of lines that are messages they must explain every one.
const WIRE: u8 = 6;

/// How well a format explains the first records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    place: Place,
    /// Records that were looked at. None: a folder, or a document that ends before its list; its names decide.
    of: u32,
    /// The records that are explained, a bit each.
    explained: u32,
    /// How many of them there must be.
    least: u32,
}

/// Where the records are: only what explains the same records is compared record by record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Lines,
    List(Vec<Step>),
    Names,
}

impl Fit {
    fn new(place: Place, records: &[Node<'_>], explains: fn(Node<'_>) -> bool) -> Fit {
        let of = records.len() as u32;
        let bits = records
            .iter()
            .enumerate()
            .filter(|(_, record)| explains(**record));
        let explained = bits.fold(0, |bits, (at, _)| bits | 1 << at);
        Fit {
            place,
            of,
            explained,
            least: of.div_ceil(GOOD),
        }
    }

    /// Records that are explained, and records that were looked at.
    pub fn count(&self) -> (u32, u32) {
        (self.explained.count_ones(), self.of)
    }

    fn is_good(&self) -> bool {
        self.explained.count_ones() >= self.least
    }

    fn is_full(&self) -> bool {
        self.explained.count_ones() == self.of
    }

    /// Records that this one explains and the other does not.
    fn alone(&self, other: &Fit) -> u32 {
        (self.explained & !other.explained).count_ones()
    }
}

/// A format that a recording may be of.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How well it fits.
    pub fit: Fit,
    /// What the recording would be.
    pub what: What,
}

/// What a recording is.
#[derive(Clone, Debug)]
pub enum What {
    /// A recording of a format that is read.
    Read(Detection),
    /// Something that is known by name only.
    Named(&'static Named),
}

impl Candidate {
    /// The name of the format.
    pub fn name(&self) -> &'static str {
        match &self.what {
            What::Read(claim) => claim.format.name,
            What::Named(named) => named.name,
        }
    }

    fn step(&self) -> u8 {
        match &self.what {
            What::Read(claim) => claim.format.step,
            What::Named(named) => named.step,
        }
    }

    /// Whether it is no worse than the leader of its place: too few records are explained by the leader alone.
    fn rivals(&self, leader: &Candidate) -> bool {
        let (own, its) = (self.fit.alone(&leader.fit), leader.fit.alone(&self.fit));
        let close = if own == 0 {
            its == 0 && self.step() == leader.step()
        } else {
            its < MARGIN * own
        };
        // Some of the lines are never enough for a shape of messages.
        let may = self.fit.is_good() || self.step() < WIRE;
        close && may && self.fit.place == leader.fit.place && self.name() != leader.name()
    }
}

/// What a recording turned out to be.
#[derive(Clone, Debug)]
pub enum Detected {
    Is(What),
    /// None of these fits well, or several do: best first.
    Unclear(Vec<Candidate>),
}

impl Detected {
    /// A recording of a format that is read.
    pub fn read(claim: Detection) -> Detected {
        Detected::Is(What::Read(claim))
    }
}

/// Asks all formats, by steps, until nobody can explain more.
pub fn detect(head: &Sample<'_>) -> Detected {
    match best(candidates(head, false)) {
        Detected::Is(What::Read(claim)) => {
            let claim = Detection {
                detected: true,
                ..claim
            };
            Detected::read(claim.with_changed(head))
        }
        detected => detected,
    }
}

/// The formats that a recording may be of. `all`: also those that cannot win any more.
pub fn candidates(head: &Sample<'_>, all: bool) -> Vec<Candidate> {
    let sample = named::NamedSample::of(head);
    let mut steps: Vec<u8> = ALL
        .iter()
        .map(|format| format.step)
        .chain(named::all().map(|n| n.step))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let mut found = Vec::new();
    for step in steps {
        let named = named::all().filter(|named| head.single.is_some() && named.step == step);
        found.extend(
            named
                .filter(|named| (named.sign)(&sample))
                .map(|named| Candidate {
                    fit: sample.fit(named),
                    what: What::Named(named),
                }),
        );
        let formats = ALL.iter().filter(|format| format.step == step);
        found.extend(formats.filter_map(|format| of(head, format)));
        // Later steps lose where the fit is equal, and nothing is left that only they explain.
        if !all
            && found
                .iter()
                .any(|candidate: &Candidate| candidate.fit.is_full())
        {
            break;
        }
    }
    found
}

/// As a recording of a format that is read.
fn of(head: &Sample<'_>, format: &'static Format) -> Option<Candidate> {
    let claim = super::claim_as(head, format, false)?;
    let fit = match claim.conversations {
        Conversations::One => fit(head, &claim.layout, format),
        Conversations::EachRow { .. } => {
            let (explained, of) = rows::fit(head, format);
            Fit {
                place: place(&claim.layout),
                of,
                explained,
                least: of.div_ceil(GOOD),
            }
        }
    };
    Some(Candidate {
        fit,
        what: What::Read(claim),
    })
}

/// How well a format explains the records of a layout.
pub(super) fn fit(head: &Sample<'_>, layout: &Layout, format: &Format) -> Fit {
    let fit = Fit::new(place(layout), &records(head, layout), format.explains);
    let every = fit.place == Place::Lines && format.step >= WIRE;
    Fit {
        least: if every { fit.of } else { fit.least },
        ..fit
    }
}

pub(super) fn is_good(head: &Sample<'_>, layout: &Layout, format: &Format) -> bool {
    fit(head, layout, format).is_good()
}

fn place(layout: &Layout) -> Place {
    match layout {
        Layout::Lines(_) => Place::Lines,
        Layout::Items { path, .. } => Place::List(path.clone()),
        Layout::Joined { lists, .. } => {
            Place::List(lists.iter().map(|key| Step::Key(key)).collect())
        }
        Layout::Files(_) => Place::Names,
    }
}

/// The records to be explained: the first of them that are whole. A torn record shows no more than a sign.
pub(super) fn records<'h>(head: &'h Sample<'_>, layout: &Layout) -> Vec<Node<'h>> {
    let root = head.root().or_else(|| head.nodes().next());
    let lists: Vec<Node<'h>> = match layout {
        Layout::Lines(_) => return whole(head.nodes()),
        Layout::Items { path, .. } => root
            .and_then(|root| super::follow(root, path))
            .into_iter()
            .collect(),
        Layout::Joined { lists, .. } => lists.iter().filter_map(|key| root?.get(key)).collect(),
        Layout::Files(_) => Vec::new(),
    };
    whole(lists.iter().flat_map(|list| list.items().take(LOOK)))
}

/// Of some records those that are whole objects, if there are any.
pub(super) fn whole<'h>(records: impl Iterator<Item = Node<'h>>) -> Vec<Node<'h>> {
    let objects: Vec<Node<'h>> = records
        .filter(|record| record.kind() == Kind::Object)
        .take(LOOK)
        .collect();
    let whole: Vec<Node<'h>> = objects
        .iter()
        .copied()
        .filter(|record| !record.is_open())
        .collect();
    if whole.is_empty() { objects } else { whole }
}

impl named::NamedSample<'_> {
    fn fit(&self, named: &Named) -> Fit {
        let place = self.path.clone().map_or(Place::Lines, Place::List);
        Fit::new(place, &self.items, named.explains)
    }
}

/// The best of them, if it is good and clearly better than its rivals.
fn best(mut candidates: Vec<Candidate>) -> Detected {
    let explained = |candidate: &Candidate| candidate.fit.count().0;
    candidates.sort_by_key(|candidate| (std::cmp::Reverse(explained(candidate)), candidate.step()));
    // What reads other records cannot be compared with it, so the step decides among the best of each place.
    let good = candidates
        .iter()
        .filter(|candidate| candidate.fit.is_good());
    let mut leaders: Vec<&Candidate> = Vec::new();
    for candidate in good {
        if leaders
            .iter()
            .all(|leader| leader.fit.place != candidate.fit.place)
        {
            leaders.push(candidate);
        }
    }
    let Some(leader) = leaders
        .into_iter()
        .min_by_key(|leader| leader.step())
        .cloned()
    else {
        candidates.retain(|candidate| explained(candidate) > 0);
        return Detected::Unclear(undominated(candidates));
    };
    if !candidates.iter().any(|candidate| candidate.rivals(&leader)) {
        return Detected::Is(leader.what);
    }
    candidates.retain(|candidate| candidate.name() == leader.name() || candidate.rivals(&leader));
    Detected::Unclear(undominated(candidates))
}

/// Candidates without those that explain nothing that a better one does not.
fn undominated(sorted: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in sorted {
        let above = |better: &Candidate| {
            better.fit.place == candidate.fit.place
                && candidate.fit.alone(&better.fit) == 0
                && better.step() < candidate.step()
        };
        if !kept.iter().any(above) {
            kept.push(candidate);
        }
    }
    kept
}

/// The candidates in words, and how to choose: `12 of 20 records look like claude-code, 8 like pi; choose with --from NAME`.
pub(crate) fn told(candidates: &[Candidate]) -> String {
    let mut words = Vec::new();
    for candidate in candidates {
        let (own, all) = candidate.fit.count();
        words.push(match words.is_empty() {
            true => format!("{own} of {all} records look like {}", candidate.name()),
            false => format!("{own} like {}", candidate.name()),
        });
    }
    let is_read = |candidate: &Candidate| matches!(candidate.what, What::Read(_));
    let choose = if candidates.iter().any(is_read) {
        "; choose with --from NAME"
    } else {
        ""
    };
    words.join(", ") + choose
}
