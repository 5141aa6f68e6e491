//! Detects the format of a transcript: the one that explains its first records best.
//!
//! A format is a candidate if the transcript has a sign of it. Then it says for each of the first whole records whether it
//! has the members that the format requires. Streams that are only known by name compete with the formats. One exotic record
//! has little effect.

use std::io;

use super::fit::{self, CandidatePlace, Fit};
use super::named::{self, Named};
use super::{known, rows, streams};
use crate::bytes::source::{Entries, EntryId};
use crate::containers::Layout;
use crate::dialects::members::Strangers;
use crate::format::head::{BEGINNING, Sample};
use crate::format::plain::LOOK;
use crate::format::records::objects;
use crate::format::vocabulary::WordSet;
use crate::format::{ConversationCount, Detection, Format, FormatSign, Rank};
use crate::hosts::ALL;
use crate::transcript::distinct;

/// This many are checked for members of other programs, if there may be some.
const MOST: usize = 400;
/// Words of other programs in the place of known ones.
const STRANGE: WordSet = WordSet::of(&[
    "toolCalls:",
    "toolCallId:",
    "toolUseID:",
    "callId:",
    "tool_call:",
    "tool_call_result:",
    "tool_uses:",
    "toolInvocations:",
    "run:",
]);
/// For each record that only a rival explains, a format must explain this many that only it explains. Otherwise the file is a
/// mixture: two sessions in one file explain about the same number.
const MARGIN: u32 = 2;
/// A possible format of a transcript.
#[derive(Clone, Debug)]
pub struct FormatCandidate {
    pub fit: Fit,
    /// What the transcript would be.
    pub what: Recognized,
    /// Members of its messages that are of another program.
    pub strangers: Vec<String>,
}

/// What a transcript is.
#[derive(Clone, Debug)]
pub enum Recognized {
    /// A transcript of a supported format.
    Read(Detection),
    /// Something that is only known by name.
    Named(&'static Named),
}

impl FormatCandidate {
    /// The name of the format.
    pub fn name(&self) -> &'static str {
        match &self.what {
            Recognized::Read(detection) => detection.format.name,
            Recognized::Named(named) => named.name,
        }
    }

    fn rank(&self) -> Rank {
        match &self.what {
            Recognized::Read(detection) => detection.format.rank,
            Recognized::Named(named) => named.rank,
        }
    }

    /// Whether it is as good as the leader among candidates for the same records, because the leader alone explains too few.
    fn rivals(&self, leader: &FormatCandidate) -> bool {
        let (own, its) = (self.fit.alone(&leader.fit), leader.fit.alone(&self.fit));
        let close =
            if own == 0 { its == 0 && self.rank() == leader.rank() } else { its < MARGIN * own };
        // A message format must explain all lines.
        let may = self.fit.is_good() || self.rank().is_of_a_host();
        close && may && self.fit.place == leader.fit.place && self.name() != leader.name()
    }
}

#[derive(Clone, Debug)]
pub enum Detected {
    Is(Recognized),
    /// No candidate fits well, or several do. The best one is first.
    Unclear(Vec<FormatCandidate>),
}

impl Detected {
    /// A transcript of a supported format.
    pub fn read(detection: Detection) -> Detected {
        Detected::Is(Recognized::Read(detection))
    }

    /// The detection, if it is clear and its format can be read.
    pub(super) fn readable(self) -> Option<Detection> {
        match self {
            Detected::Is(Recognized::Read(detection)) => Some(detection),
            _ => None,
        }
    }
}

/// Detects the format of a single file. Returns what it was detected from, too.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn detect_file<'a>(
    entries: &'a dyn Entries,
    entry: EntryId,
    name: &'a str,
) -> io::Result<(Sample<'a>, Detected)> {
    let head = Sample::beginning(entries, entry, name)?;
    if head.has_rest() {
        // No message format can be obvious.
        let found = candidates_of(&head, Rank::is_of_a_host, false);
        if is_obvious(&head, &found) {
            let detected = detected(&head, found);
            return Ok((head, detected));
        }
    }
    let head = head.complete();
    let detected = match detect(&head) {
        Detected::Unclear(candidates) if candidates.is_empty() => {
            detect_damaged(&head).unwrap_or(Detected::Unclear(candidates))
        }
        detected => detected,
    };
    Ok((head, detected))
}

/// Detects the format of a document that is damaged before its list, if it explains everything that can be read of it.
pub(super) fn detect_damaged(head: &Sample<'_>) -> Option<Detected> {
    let head = head.without_damage()?;
    let mut found = candidates(&head, false);
    found.retain(|candidate| candidate.fit.of > 0 && candidate.fit.is_full());
    match best(&mut found) {
        Detected::Is(Recognized::Read(detection)) => {
            let is_theirs = !strangers(&head, &detection).are_many();
            is_theirs.then(|| Detected::read(Detection { detected: true, ..detection }))
        }
        _ => None,
    }
}

/// Whether one format explains all records of the beginning of a sample, no other explains any of them, and the rest begins
/// as they do. A message format must explain every line, and each row is a record of its own, so these need the whole sample.
fn is_obvious(head: &Sample<'_>, found: &[FormatCandidate]) -> bool {
    let mut explaining = found.iter().filter(|other| other.fit.count().0 > 0);
    let is_clear = explaining.next().as_ref().is_some_and(|candidate| {
        let is_session = match &candidate.what {
            Recognized::Read(detection) => !detection.conversations.are_rows(),
            Recognized::Named(_) => false,
        };
        is_session
            && candidate.fit.is_full()
            && candidate.fit.is_good()
            && candidate.fit.of as usize >= BEGINNING
            && candidate.fit.place == CandidatePlace::Lines
    }) && explaining.next().is_none();
    is_clear && head.rest_begins_alike()
}

/// Detects the format. Tries formats by rank, until no later one can win.
pub fn detect(head: &Sample<'_>) -> Detected {
    detected(head, candidates(head, false))
}

fn detected(head: &Sample<'_>, mut candidates: Vec<FormatCandidate>) -> Detected {
    match best(&mut candidates) {
        Detected::Is(Recognized::Read(detection)) => {
            let strangers = strangers(head, &detection);
            if strangers.are_many() {
                candidates.sort_by_key(|candidate| candidate.name() != detection.format.name);
                candidates.truncate(1);
                let names = strangers.names_beside(detection.format.traits.members.shapes);
                candidates.iter_mut().for_each(|candidate| candidate.strangers.clone_from(&names));
                return Detected::Unclear(candidates);
            }
            let detection = Detection { detected: true, ..detection };
            Detected::read(known::with_changed(detection, head))
        }
        detected => detected,
    }
}

/// The members of other programs in the first messages, if any program may write such messages.
fn strangers(head: &Sample<'_>, detection: &Detection) -> Strangers {
    let mut strangers = Strangers::default();
    let format = detection.format;
    let shapes = format.traits.members.shapes;
    if format.rank.is_of_a_host() || shapes.is_empty() {
        return strangers;
    }
    let most = if head.may_have(Some(&STRANGE)) { MOST } else { LOOK };
    let mut add = |head: &Sample<'_>, layout: &Layout| {
        for message in objects(head, layout, most) {
            strangers.add(message, shapes);
        }
        !strangers.are_unlikely()
    };
    match detection.conversations {
        ConversationCount::One => {
            if add(head, &detection.layout) {
                let torn = head.nodes().filter(|record| record.is_open());
                torn.for_each(|record| strangers.add_line(record, shapes));
                head.behind_damage(&mut |message| strangers.add(message, shapes));
                head.names_behind_damage(&mut |name| strangers.add_name(name, shapes));
            }
        }
        ConversationCount::EachRow(_) => rows::visit_conversations(head, format, &mut add),
    }
    strangers
}

/// Whether something that is only known by name may explain a file best. Otherwise [`detect`] names a supported format, or
/// none.
pub(super) fn may_be_named(head: &Sample<'_>) -> bool {
    let mut possible = streams::possible(head).peekable();
    if possible.peek().is_none() {
        return false;
    }
    let sample = named::NamedSample::of(head);
    possible.any(|named| (named.sign)(&sample) && sample.fit(named).is_good())
}

/// The possible formats of a transcript. `all`: including those that cannot win.
pub fn candidates(head: &Sample<'_>, all: bool) -> Vec<FormatCandidate> {
    candidates_of(head, |_| true, all)
}

/// The same, of formats with these ranks.
fn candidates_of(head: &Sample<'_>, is_asked: fn(Rank) -> bool, all: bool) -> Vec<FormatCandidate> {
    let sample = named::NamedSample::of(head);
    let ranks: Vec<Rank> = distinct(ALL.iter().map(|format| format.rank).chain(streams::ranks()));
    let mut found = Vec::new();
    for rank in ranks.into_iter().filter(|rank| is_asked(*rank)) {
        let named =
            streams::possible(head).filter(|named| head.single.is_some() && named.rank == rank);
        found.extend(named.filter(|named| (named.sign)(&sample)).map(|named| FormatCandidate {
            fit: sample.fit(named),
            what: Recognized::Named(named),
            strangers: Vec::new(),
        }));
        let formats = ALL.iter().filter(|format| format.rank == rank);
        found.extend(formats.filter_map(|format| of(head, format)));
        // Later ranks lose ties, and no record is left that only they could explain.
        if !all && found.iter().any(|candidate: &FormatCandidate| candidate.fit.is_full()) {
            break;
        }
    }
    found
}

/// The candidate for a supported format.
fn of(head: &Sample<'_>, format: &'static Format) -> Option<FormatCandidate> {
    let detection = known::recognize_as(head, format, FormatSign::Needed)?;
    let fit = match detection.conversations {
        ConversationCount::One => fit::fit(head, &detection.layout, format),
        ConversationCount::EachRow(_) => {
            fit::of_rows(head, &detection.layout, format, rows::fit(head, format))
        }
    };
    Some(FormatCandidate { fit, what: Recognized::Read(detection), strangers: Vec::new() })
}

/// The best candidate, if it is good and clearly better than its rivals.
fn best(candidates: &mut Vec<FormatCandidate>) -> Detected {
    candidates
        .sort_by_key(|candidate| (std::cmp::Reverse(candidate.fit.count().0), candidate.rank()));
    // Candidates for other records cannot be compared with it, so the rank decides among the best for each place.
    let good = candidates.iter().filter(|candidate| candidate.fit.is_good());
    let mut leaders: Vec<&FormatCandidate> = Vec::new();
    for candidate in good {
        if leaders.iter().all(|leader| leader.fit.place != candidate.fit.place) {
            leaders.push(candidate);
        }
    }
    let Some(leader) = leaders.into_iter().min_by_key(|leader| leader.rank()).cloned() else {
        candidates.retain(|candidate| candidate.fit.count().0 > 0);
        return Detected::Unclear(undominated(candidates));
    };
    if !candidates.iter().any(|candidate| candidate.rivals(&leader)) {
        return Detected::Is(leader.what);
    }
    candidates.retain(|candidate| candidate.name() == leader.name() || candidate.rivals(&leader));
    Detected::Unclear(undominated(candidates))
}

/// The candidates without those that explain only what a better one explains, too.
fn undominated(sorted: &[FormatCandidate]) -> Vec<FormatCandidate> {
    let mut kept: Vec<FormatCandidate> = Vec::new();
    for candidate in sorted {
        if !kept.iter().any(|better| {
            better.fit.place == candidate.fit.place
                && candidate.fit.alone(&better.fit) == 0
                && better.rank() < candidate.rank()
        }) {
            kept.push(candidate.clone());
        }
    }
    kept
}

/// Describes the candidates, and how to choose one: `12 of 20 records look like claude-code, 8 like pi; choose with --from
/// NAME`, or ``resembles OpenAI chat messages, but `toolCalls`, `run` are not theirs; --from openai-chat reads it as such``.
pub(crate) fn describe(candidates: &[FormatCandidate]) -> String {
    if let [candidate] = candidates
        && let Recognized::Read(detection) = &candidate.what
        && let [_, ..] = &candidate.strangers[..]
    {
        return resembles(detection.format, &candidate.strangers);
    }
    let mut words = Vec::new();
    for candidate in candidates {
        let (own, all) = candidate.fit.count();
        words.push(if words.is_empty() {
            format!("{own} of {all} records look like {}", candidate.name())
        } else {
            format!("{own} like {}", candidate.name())
        });
    }
    let foreign = candidates.first().map_or(0, |best| best.fit.foreign);
    match foreign {
        0 => {}
        1 => words.push("1 line is other text".to_owned()),
        _ => words.push(format!("{foreign} lines are other text")),
    }
    let choose = if candidates.iter().any(|candidate| matches!(candidate.what, Recognized::Read(_)))
    {
        "; choose with --from NAME"
    } else {
        ""
    };
    words.join(", ") + choose
}

/// How many strangers are named.
const NAMED: usize = 4;

/// Says of which format messages are not, and why.
fn resembles(format: &Format, strangers: &[String]) -> String {
    let names: Vec<String> = strangers.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let verb = match strangers.len() {
        1 => "is",
        _ => "are",
    };
    let names = names.join(", ") + if strangers.len() > NAMED { " and others" } else { "" };
    format!(
        "resembles {}, but {names} {verb} not theirs; --from {} reads it as such",
        format.title, format.name
    )
}
