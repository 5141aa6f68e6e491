//! From a pasted error to the records: which known text it is, what it names, what stands there in a recording.
//!
//! Three kinds of evidence, the strongest first: ids lead to exact records; without them the number of a message, mapped
//! through the view; without both, what a full check finds, in the order in which it can make somebody say that text.

mod account;
mod blamed;
mod focus;
mod ids;
mod listed;
mod look;
mod meaning;
mod normalize;
mod paste;
mod places;
mod tables;

use crate::transcript::Code;
use std::cmp::Reverse;

use crate::engine::Judged;
use crate::targets::errors::Text;

pub(crate) use account::{Account, Answer, IndexCheck, Read, account};
pub(crate) use blamed::blamed;
pub(crate) use focus::focus;
pub(crate) use meaning::{Meaning, meaning};
pub(crate) use paste::Paste;

use ids::{Hit, Known};
use look::Look;
use normalize::DENSE;
use paste::{Heard, IDS, Own};
use places::Mapped;

/// What leads from the text to the recording.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Ids of calls or records.
    Ids,
    /// The number of a message.
    Index,
    /// Neither: the kind of damage only.
    Kind,
}

/// How it stands with an id that the text names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// A call without a result.
    Unanswered,
    /// A call that waits for its result at the end of the recording.
    Waits,
    /// Its result stands elsewhere.
    Elsewhere,
    /// More than one result.
    Several,
    /// A result without a call.
    NoCall,
    /// Something else is wrong with it.
    Damaged,
    /// All is as it should be: the recording was changed since, or another one is meant.
    Proper,
    /// It is recorded only where nothing is sent from.
    NotSent,
    /// It was shortened, and several ids fit.
    Unclear,
    /// It is not in this recording.
    Absent,
}

/// An id of the text.
#[derive(Debug)]
struct Named {
    /// As it stands in the text.
    asked: String,
    /// What it stands for here.
    hit: Option<Hit>,
    /// The findings about it: positions in the recording's list.
    findings: Vec<usize>,
    /// How it stands with it.
    status: Status,
}

/// A text, decoded for a recording.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    paste: &'a Paste,
    heard: &'a [Heard],
    /// What leads to the recording.
    pub evidence: Evidence,
    ids: Vec<Named>,
    mapped: Vec<Mapped>,
    /// The findings that the text leads to: positions in the recording's list, likeliest first.
    pub findings: Vec<usize>,
    /// Something was found for the text, or it is known to need nothing from a recording.
    pub found: bool,
}

impl Decoded<'_> {
    /// The known text; `None`: none was recognized.
    fn text(&self) -> Option<&'static Text> {
        self.heard.first().map(|heard| self.paste.text(heard))
    }

    /// The words that were recognized, as they are in the text.
    pub(crate) fn quote(&self) -> Option<&str> {
        self.heard
            .first()
            .map(|heard| heard.words.trim_matches(['"', '\'', '\\']))
    }

    /// Rules that the text speaks of, likeliest first.
    fn codes(&self) -> &'static [Code] {
        self.text().map_or(&[], |text| text.codes)
    }
}

/// Decodes a text for a recording.
pub(crate) fn decode<'a>(paste: &'a Paste, judged: &Judged) -> Decoded<'a> {
    let known = Known::of(&judged.transcript).and(&judged.findings);
    let own = Own {
        target: judged.target().name,
        format: judged.claim.format.name,
    };
    let (heard, hits) = listen(paste, own, &known);
    let heard = heard.unwrap_or_default();
    let look = Look {
        judged,
        paste,
        heard,
    };
    let mut decoded = Decoded {
        paste,
        heard,
        evidence: Evidence::Kind,
        ids: hits
            .into_iter()
            .map(|(asked, hit)| look.named(asked, hit))
            .collect(),
        mapped: Vec::new(),
        findings: Vec::new(),
        found: false,
    };
    if decoded.text().is_some_and(|text| text.codes.is_empty()) {
        decoded.found = true;
    } else if !decoded.ids.is_empty() {
        decoded.evidence = Evidence::Ids;
        let open = |named: &&Named| {
            !matches!(
                named.status,
                Status::Proper | Status::Unclear | Status::Absent
            )
        };
        decoded.found = decoded.ids.iter().any(|named| open(&named));
        decoded.findings = decoded
            .ids
            .iter()
            .flat_map(|named| named.findings.clone())
            .collect();
        look.compare(&mut decoded);
    } else {
        look.by_index(&mut decoded);
        if decoded.findings.is_empty() {
            decoded.findings = look.by_kind(decoded.codes());
        } else {
            decoded.evidence = Evidence::Index;
        }
        let hint = decoded.text().is_some_and(|text| !text.hint.is_empty());
        decoded.found = !decoded.findings.is_empty() || hint;
    }
    if heard.iter().any(|heard| heard.nameless) {
        decoded
            .findings
            .extend(look.by_kind(&[Code::MissingCallId]));
        decoded.found |= !decoded.findings.is_empty();
    }
    let mut seen = Vec::new();
    decoded.findings.retain(|at| {
        !seen.contains(at) && {
            seen.push(*at);
            true
        }
    });
    decoded
}

type Hits = Vec<(String, Option<Hit>)>;

/// What the text says, in the first of its forms that says something and all of whose ids the recording holds; else in
/// the one of which it holds most.
fn listen<'a>(paste: &'a Paste, own: Own, known: &Known<'_>) -> (Option<&'a [Heard]>, Hits) {
    let mut best: (Option<&[Heard]>, Hits) = (None, Vec::new());
    let mut most = None;
    for form in 0..=DENSE {
        let Some(heard) = paste.heard(form, own) else {
            continue;
        };
        let mut hits: Hits = Vec::new();
        for asked in heard.iter().flat_map(|heard| &heard.ids).take(IDS) {
            let hit = known.find(asked, form == DENSE);
            let same = |(other, known): &(String, Option<Hit>)| {
                other == asked
                    || hit
                        .as_ref()
                        .zip(known.as_ref())
                        .is_some_and(|(a, b)| a.id == b.id)
            };
            if !hits.iter().any(same) {
                let words_hang_on_it = hit.is_none() && form == DENSE;
                let asked = if words_hang_on_it {
                    paste::without_words(asked)
                } else {
                    asked
                };
                hits.push((asked.to_owned(), hit));
            }
        }
        let found = hits.iter().filter(|(_, hit)| hit.is_some()).count();
        let text = heard.first().map(|heard| paste.text(heard));
        let coded = text.is_some_and(|text| !text.codes.is_empty());
        // A text that a terminal broke may look like a more general one, or like one of a host.
        let provider = heard
            .first()
            .is_some_and(|heard| paste.table(heard).is_provider());
        let open = heard.iter().any(|heard| heard.open);
        let placed = heard.iter().any(|heard| heard.index.is_some());
        let order = heard.first().map(|heard| {
            let table = paste.table(heard);
            Reverse((own.rank(table), heard.table, heard.row))
        });
        let score = (
            coded,
            provider,
            found,
            placed,
            order,
            !hits.is_empty(),
            !open,
        );
        let whole = placed || !text.is_some_and(Text::is_placed);
        let complete = coded && provider && whole && found > 0 && found == hits.len() && !open;
        if most.is_none_or(|most| score > most) {
            most = Some(score);
            best = (Some(heard), hits);
        }
        if complete {
            break;
        }
    }
    if best.0.is_none() || (paste.pieces && best.1.is_empty()) {
        let hits = paste
            .tokens
            .iter()
            .filter_map(|token| Some((token.clone(), Some(known.call(token)?))));
        best.1 = hits.collect();
    }
    best
}
