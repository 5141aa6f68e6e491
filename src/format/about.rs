//! What a session is about, for people who search for it: its title, its working directory, its first prompt.

use super::{Format, FormatContext};
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::targets;
use crate::transcript::{Event, EventId, State, Transcript};

/// Where a format stores what a session is about.
#[derive(Copy, Clone, Debug)]
pub struct AboutPlaces {
    /// Titles, the best first. If several records have one, the last record counts.
    pub titles: &'static [AboutMember],
    /// The working directory. If several records have one, the first record counts.
    pub folders: &'static [AboutMember],
    /// The version of the program that wrote. Of several records, the last one counts.
    pub versions: &'static [AboutMember],
    /// The model that was asked. Of several records, the last one counts.
    pub models: &'static [AboutMember],
}

/// A string member of records of one kind.
#[derive(Copy, Clone, Debug)]
pub struct AboutMember {
    /// The kind of the records; "" for any.
    pub of: &'static str,
    /// The path of the member.
    pub at: &'static [&'static str],
}

impl AboutPlaces {
    /// For hosts that record none of this.
    pub const NOTHING: AboutPlaces =
        AboutPlaces { titles: &[], folders: &[], versions: &[], models: &[] };
}

/// The member at this path in records of this kind.
pub(crate) const fn member(of: &'static str, at: &'static [&'static str]) -> AboutMember {
    AboutMember { of, at }
}

/// This many records are searched for the working directory and the first prompt.
pub(crate) const SEARCHED: usize = 50;
/// Longer records are not read for this, in bytes.
const LONGEST: u64 = 256 << 10;
/// Characters of a version.
const LONGEST_VERSION: usize = 20;

/// The title that the user or the host gave the session.
pub(crate) fn title(context: &FormatContext<'_>, format: &Format) -> Option<String> {
    let mut titles = format.traits.about.titles.iter();
    titles.find_map(|member| newest(context, member))
}

/// The version of the program that wrote last: the numbers of it.
pub(crate) fn version(context: &FormatContext<'_>, format: &Format) -> Option<String> {
    let mut versions = format.traits.about.versions.iter();
    let version = versions.find_map(|member| newest(context, member))?;
    let numbers: String = version
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .take(LONGEST_VERSION)
        .collect();
    numbers.contains(|c: char| c.is_ascii_digit()).then_some(numbers)
}

/// The model that was asked last.
pub(crate) fn model(context: &FormatContext<'_>, format: &Format) -> Option<String> {
    let mut models = format.traits.about.models.iter();
    models
        .find_map(|member| newest(context, member))
        .or_else(|| (format.model)(context.transcript))
        // Some formats say only whose messages they are.
        .filter(|model| targets::by_name(model).is_none())
}

/// The member of the last record that has it.
fn newest(context: &FormatContext<'_>, member: &AboutMember) -> Option<String> {
    let t = context.transcript;
    holders(t, member).rev().take(SEARCHED).find_map(|event| string(context, event, member))
}

/// The working directory.
pub(crate) fn folder(context: &FormatContext<'_>, format: &Format) -> Option<String> {
    let t = context.transcript;
    format.traits.about.folders.iter().find_map(|member| {
        holders(t, member).take(SEARCHED).find_map(|event| string(context, event, member))
    })
}

/// The records that may have a member, in order.
fn holders<'a>(
    t: &'a Transcript,
    member: &AboutMember,
) -> impl DoubleEndedIterator<Item = EventId> + 'a {
    let kind = t.ids.find(member.of);
    let is_any = member.of.is_empty();
    let events = (is_any || kind.is_some()).then(|| t.events.enumerated());
    let holders = events.into_iter().flatten().filter(move |(_, event)| {
        (is_any || event.kind == kind) && event.state == State::Whole && is_short(event)
    });
    holders.map(|(event, _)| event)
}

pub(crate) fn is_short(event: &Event) -> bool {
    event.at().end.saturating_sub(event.at().start) <= LONGEST
}

fn string(context: &FormatContext<'_>, event: EventId, member: &AboutMember) -> Option<String> {
    let record = context.record(event).ok()?;
    let text = record.root().at(member.at)?.str()?;
    (!text.trim().is_empty()).then(|| text.into_owned())
}

/// A member of the headers of the other sessions in the folder, if all that can be read agree on it.
pub(crate) fn agreed_beside(
    context: &FormatContext<'_>,
    is_header: fn(Node<'_>) -> bool,
    key: &str,
) -> Option<String> {
    let mut agreed: Option<String> = None;
    for line in context.entries.first_lines_beside(".jsonl") {
        let tape = scan(&line, ScanMode::Line);
        let text = line.as_slice();
        let Some(root) = Node::root(&tape, &text).filter(|root| is_header(*root)) else {
            continue;
        };
        let value = root.string(key)?.into_owned();
        if agreed.as_ref().is_some_and(|known| *known != value) {
            return None;
        }
        agreed = Some(value);
    }
    agreed
}
