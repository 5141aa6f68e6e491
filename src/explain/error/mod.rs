//! From a pasted error to the records: which known text it is, what it names, and what is at that
//! place in a transcript.
//!
//! Three kinds of evidence, strongest first: IDs lead to exact records; without them, the number of
//! a message, mapped to the request; without both, the findings of a full check, in the order in
//! which they can cause the text.

mod account;
mod blamed;
mod focus;
mod ids;
mod likeness;
mod listed;
mod meaning;
mod mentions;
mod normalize;
mod paste;
mod patterns;
mod places;
mod resolve;
mod status;
mod tables;

use crate::transcript::{Code, EventId};
pub(crate) use status::Status;
use std::cmp::Reverse;

use crate::bytes::source::Entries;
use crate::engine::Judged;
use crate::find::typed::TypedId;
use crate::targets::errors::{At, ErrorText};

pub(crate) use account::{ErrorAccount, IdAnswer, IndexCheck, PastedText, UNSEEN, account};
pub(crate) use blamed::blamed;
pub(crate) use focus::focus;
pub(crate) use meaning::{Meaning, Searched, meaning};
pub(crate) use paste::Paste;

use ids::{Hit, KnownIds};
use normalize::DENSE;
use paste::{IDS, Matched, Preferred};
use places::Mapped;
use resolve::Resolver;

/// What connects the text to the transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// IDs of calls or records.
    Ids,
    /// The number of a message.
    Index,
    /// Only the kind of damage.
    Kind,
}

/// An ID in the text.
#[derive(Debug)]
struct NamedId {
    /// The ID as written in the text.
    asked: String,
    /// What it refers to in the transcript.
    hit: Option<Hit>,
    /// The findings about it: indices into the findings of the transcript.
    findings: Vec<usize>,
    status: Status,
    /// The records that hold it in any member, if it is no ID that we know.
    mentioned: Vec<EventId>,
}

/// A text, decoded for a transcript.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    paste: &'a Paste,
    matched: &'a [Matched],
    pub evidence: Evidence,
    ids: Vec<NamedId>,
    mapped: Vec<Mapped>,
    /// The records at the lines and paths that it names, if nothing better leads to a record.
    at_places: Vec<EventId>,
    /// The findings that the text leads to, most likely first: indices into the findings of the
    /// transcript.
    pub findings: Vec<usize>,
    /// Whether something was found for the text, or it is known not to come from a transcript.
    pub found: bool,
}

impl Decoded<'_> {
    /// The known text, if one was recognized.
    fn text(&self) -> Option<&'static ErrorText> {
        self.matched.first().map(|matched| self.paste.text(matched))
    }

    /// Whether an ID of the text is in the transcript.
    pub(crate) fn has_ids(&self) -> bool {
        self.ids.iter().any(|named| !matches!(named.status, Status::Absent | Status::Unclear))
    }

    /// The recognized words, as in the text.
    pub(crate) fn quote(&self) -> Option<&str> {
        self.matched.first().map(|matched| matched.words.trim_matches(['"', '\'', '\\']))
    }

    /// Rules that the text is about, most likely first.
    fn codes(&self) -> &'static [Code] {
        self.text().map_or(&[], |text| text.codes)
    }
}

/// Decodes a text for a transcript, whose bytes are in `entries`.
pub(crate) fn decode<'a>(paste: &'a Paste, judged: &Judged, entries: &dyn Entries) -> Decoded<'a> {
    let known = KnownIds::of(&judged.transcript).with_findings(&judged.findings);
    let preferred =
        Preferred { target: judged.target().name, format: judged.detection.format.name };
    let (matched, hits) = best_match(paste, preferred, &known);
    let matched = matched.unwrap_or_default();
    let resolver = Resolver { judged, paste, matched };
    let mut decoded = Decoded {
        paste,
        matched,
        evidence: Evidence::Kind,
        ids: hits.into_iter().map(|(asked, hit)| resolver.named(asked, hit)).collect(),
        mapped: Vec::new(),
        at_places: Vec::new(),
        findings: Vec::new(),
        found: false,
    };
    // A text of no damage needs no finding.
    if decoded.text().is_some_and(|text| text.codes.is_empty()) {
        decoded.found = true;
    } else if !decoded.ids.is_empty() {
        decoded.evidence = Evidence::Ids;
        decoded.found = decoded.ids.iter().any(|named| named.status.is_about_damage());
        decoded.findings = decoded.ids.iter().flat_map(|named| named.findings.clone()).collect();
        resolver.compare(&mut decoded);
    } else {
        // Without an ID, only the numbers in the text say where.
        resolver.by_index(&mut decoded);
        if decoded.findings.is_empty() {
            decoded.findings = resolver.by_kind(decoded.codes());
        } else {
            decoded.evidence = Evidence::Index;
        }
        let hint = decoded.text().is_some_and(|text| !text.hint.is_empty());
        decoded.found = !decoded.findings.is_empty() || hint;
    }
    if decoded.findings.is_empty() && decoded.text().is_some_and(ErrorText::names_item) {
        show_server_item(&mut decoded, &resolver, entries);
    }
    if matched.iter().any(|matched| matched.nameless) {
        decoded.findings.extend(resolver.by_kind(&[Code::MissingCallId]));
        decoded.found |= !decoded.findings.is_empty();
    }
    if decoded.findings.is_empty() && !decoded.text().is_some_and(|text| text.codes.is_empty()) {
        look_everywhere(&mut decoded, judged, entries);
    }
    // Several IDs of one text may lead to the same finding.
    let mut seen = Vec::new();
    decoded.findings.retain(|at| {
        !seen.contains(at) && {
            seen.push(*at);
            true
        }
    });
    decoded
}

/// Shows the item of the server that the text names: its ID may be in a member that formats do not read, or only both ends of its
/// encrypted content are known.
fn show_server_item(decoded: &mut Decoded<'_>, resolver: &Resolver<'_>, entries: &dyn Entries) {
    let judged = resolver.judged;
    let t = &judged.transcript;
    let all = resolver.by_kind(&[Code::ServerItem, Code::ReasoningItem]);
    for named in decoded.ids.iter_mut().filter(|named| named.findings.is_empty()) {
        let id = named.asked.trim_end_matches(['.', ':', ',']).to_owned();
        let is_whole = TypedId::read(&id).tail.is_empty();
        let holders = mentions::holding(&[id], entries, judged).concat();
        let has = |event: EventId| holders.contains(&t.event(event).within.unwrap_or(event));
        named.findings = all.clone();
        if is_whole {
            let findings = &judged.findings;
            named.findings.retain(|at| findings[*at].labels.iter().any(|label| has(label.event)));
        }
        if !named.findings.is_empty() {
            named.status = Status::Damaged;
            decoded.findings.extend(&named.findings);
        }
    }
    decoded.found |= !decoded.findings.is_empty();
}

/// Looks for what the text names in every member of every record, and at every place that it names.
fn look_everywhere(decoded: &mut Decoded<'_>, judged: &Judged, entries: &dyn Entries) {
    let paste = decoded.paste;
    let of_ids = decoded.ids.iter().filter(|named| named.status == Status::Absent);
    let mut words: Vec<String> =
        of_ids.map(|named| named.asked.trim_end_matches(['.', ':', ',']).to_owned()).collect();
    let shaped = words.len();
    // A known text that names a place quotes only what is wrong there.
    let is_placed = decoded.text().is_some_and(|text| text.at != At::Nowhere);
    if decoded.ids.is_empty() && !is_placed {
        for word in paste.shaped_or_short().iter().chain(&paste.quoted) {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
    }
    let found = mentions::holding(&words, entries, judged);
    let mut found: Vec<(String, Vec<EventId>)> = words.into_iter().zip(found).collect();
    let others = found.split_off(shaped.min(found.len()));
    let absent = decoded.ids.iter_mut().filter(|named| named.status == Status::Absent);
    for (named, (_, events)) in absent.zip(found).filter(|(_, (_, events))| !events.is_empty()) {
        named.status = Status::Mentioned;
        named.mentioned = events;
    }
    let held = others.into_iter().filter(|(_, events)| !events.is_empty());
    decoded.ids.extend(held.map(|(asked, mentioned)| NamedId {
        asked,
        hit: None,
        findings: Vec::new(),
        status: Status::Mentioned,
        mentioned,
    }));
    decoded.at_places = match decoded.text().map(|text| text.at) {
        Some(At::Last) => places::last_two(judged),
        _ => mentions::at_places(&paste.plain, judged),
    };
    let is_named = decoded.ids.iter().any(|named| named.status == Status::Mentioned);
    if is_named {
        decoded.evidence = Evidence::Ids;
    } else if decoded.text().is_none() && !decoded.at_places.is_empty() {
        decoded.evidence = Evidence::Index;
    }
    // A number is in every transcript: it only leads to a record where nothing else is known of the text.
    decoded.found |= is_named || decoded.text().is_none() && !decoded.at_places.is_empty();
}

type Hits = Vec<(String, Option<Hit>)>;

/// Interprets the text in the first of its forms that is a known text and whose IDs are all in the
/// transcript; else in the form with the best score.
fn best_match<'a>(
    paste: &'a Paste,
    preferred: Preferred,
    known: &KnownIds<'_>,
) -> (Option<&'a [Matched]>, Hits) {
    let mut best: (Option<&[Matched]>, Hits) = (None, Vec::new());
    let mut best_score = None;
    for form in 0..=DENSE {
        let Some(matched) = paste.matched(form, preferred) else {
            continue;
        };
        let mut hits: Hits = Vec::new();
        for asked in matched.iter().flat_map(|matched| &matched.ids).take(IDS) {
            let hit = known.find(asked, form == DENSE);
            let is_same = hits.iter().any(|(other, known)| {
                let both = hit.as_ref().zip(known.as_ref());
                other == asked || both.is_some_and(|(hit, known)| hit.id == known.id)
            });
            if !is_same {
                let has_words_attached = hit.is_none() && form == DENSE;
                let asked = if has_words_attached { paste::without_words(asked) } else { asked };
                hits.push((asked.to_owned(), hit));
            }
        }
        let found = hits.iter().filter(|(_, hit)| hit.is_some()).count();
        let text = matched.first().map(|matched| paste.text(matched));
        let coded = text.is_some_and(|text| !text.codes.is_empty());
        // A text that a terminal wrapped may look like a more general text, or like one of a host.
        let provider = matched.first().is_some_and(|matched| paste.table(matched).is_provider());
        let open = matched.iter().any(|matched| matched.open);
        let placed = matched.iter().any(|matched| matched.index.is_some());
        let order = matched.first().map(|matched| {
            let table = paste.table(matched);
            Reverse((preferred.rank(table), matched.table, matched.row))
        });
        let score = (coded, provider, found, placed, order, !hits.is_empty(), !open);
        let whole = placed || !text.is_some_and(ErrorText::is_placed);
        let complete = coded && provider && whole && found > 0 && found == hits.len() && !open;
        if best_score.is_none_or(|best_score| score > best_score) {
            best_score = Some(score);
            best = (Some(matched), hits);
        }
        if complete {
            break;
        }
    }
    if best.0.is_none() || (paste.pieces && best.1.is_empty()) {
        let hits =
            paste.tokens.iter().filter_map(|token| Some((token.clone(), Some(known.call(token)?))));
        best.1 = hits.collect();
    }
    best
}
