//! What a pasted text means for a transcript, ready to be printed or serialized.

use super::status::{sentence, word};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use super::ids::MatchKind;
use super::paste::{Matched, Paste};
use super::{Decoded, Evidence, Status, places};
use crate::bytes::source::Entries;
use crate::engine::Judged;
use crate::explain::SCHEMA;
use crate::explain::story::ProposedCommand;
use crate::explain::timeline::{self, Timeline};
use crate::find::name_of;
use crate::report::build;
use crate::report::model::{Conversation, FindingRecord, Tool};
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::Shown;
use crate::rules::Finding;
use crate::targets::errors::At;
use crate::transcript::{Applicability, Code, Confidence, EventId, Part, PartKind, Severity};

/// Most records shown around what the text names.
const MOST: usize = 40;

/// The explanation of a text for a transcript.
#[derive(Debug, Serialize)]
pub struct ErrorAccount {
    /// [`SCHEMA`].
    pub schema: &'static str,
    pub tool: Tool,
    /// What the text says.
    pub read: PastedText,
    /// Whether something was found for it.
    pub found: bool,
    /// What connects the text to the transcript: `ids`, `index`, or only the `kind` of damage.
    pub evidence: &'static str,
    pub certainty: Confidence,
    /// Every ID in the text.
    pub answers: Vec<IdAnswer>,
    /// Every message number in the text, mapped to our request.
    pub index_checks: Vec<IndexCheck>,
    /// The conclusion, in our own words; empty if there is none.
    pub says: Cow<'static, str>,
    /// The operation that repaired what the text is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repaired_by: Option<u64>,
    /// The records that the text is about, and those around them.
    pub records: Vec<FindingRecord>,
    /// The findings that can cause the text: indices into the findings of the conversation.
    pub findings: Vec<usize>,
    /// Other findings above a note.
    pub others: Vec<usize>,
    /// The conversation with its findings, as `check` reports it.
    pub conversation: Conversation,
    /// The command to type next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<ProposedCommand>,
}

impl ErrorAccount {
    /// The IDs of calls that it names, which an abbreviation must tell apart.
    pub(crate) fn call_ids(&self) -> impl Iterator<Item = &Shown> {
        let findings = self.conversation.findings.iter();
        let records = self.records.iter();
        let answers = self.answers.iter();
        findings
            .flat_map(|finding| &finding.call_ids)
            .chain(records.filter_map(|record| record.call.as_ref()))
            .chain(answers.flat_map(|answer| answer.id.iter().chain([&answer.asked])))
    }
}

/// What the text says.
#[derive(Debug, Serialize)]
pub struct PastedText {
    /// Who wrote it; empty if it was not recognized.
    pub speaker: &'static str,
    /// Its meaning in our own words; empty if it was not recognized.
    pub means: &'static str,
    /// Where such a text was seen; empty if it was not recognized.
    pub source: &'static str,
    /// Rules whose damage causes such a text, most likely first.
    pub codes: Vec<Code>,
    /// Whether it is only like a text of this speaker: words of it are missing.
    pub is_alike: bool,
    /// Whether it does not come from a damaged transcript.
    pub no_damage: bool,
    /// The IDs in it, as written.
    pub ids: Vec<Shown>,
    /// The message numbers in it, as written.
    pub indices: Vec<u32>,
}

/// What is known about an ID in the text.
#[derive(Debug, Serialize)]
pub struct IdAnswer {
    /// The ID as written in the text.
    pub asked: Shown,
    /// The ID as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Shown>,
    /// How sure it is that these are the same.
    pub certainty: Confidence,
    /// Why that is not certain; empty if it is.
    pub doubt: &'static str,
    /// `unanswered`, `waits`, `elsewhere`, `several`, `no_call`, `damaged`, `proper`, `mentioned`,
    /// `not_sent`, `unclear`, `absent`.
    pub status: &'static str,
    /// The same in words.
    pub says: &'static str,
    /// What the numbers count: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The records that `says` is about: the results of a call with several results, else all
    /// records with the ID.
    pub numbers: Vec<u64>,
    /// The record of the call, if `says` is about its results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
}

/// A message number of the text, mapped to our request.
#[derive(Debug, Serialize)]
pub struct IndexCheck {
    /// The message that the text names, from 0.
    pub api: u32,
    /// Its position in our request, from 0.
    pub ours: u32,
    /// What the numbers count: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The records of that message in our request.
    pub numbers: Vec<u64>,
}

redact_fields! {
    ErrorAccount { read, answers, records, conversation }
    PastedText { ids }
    IdAnswer { asked, id }
}

/// Explains a text for a judged transcript. `path` is as the user named it; `live`: a process is
/// writing the transcript.
pub(crate) fn account(
    path: &Path,
    entries: &dyn Entries,
    judged: &Judged,
    live: bool,
    decoded: &Decoded<'_>,
) -> ErrorAccount {
    let name = name_of(path);
    let context = judged.context(0, entries, &name, live);
    // Only the records around the problem: the others would hide them.
    let involved = involved(judged, decoded);
    let mut records = timeline::records(&context, judged, Timeline::Around, &involved, 1);
    records.truncate(MOST);
    let others = (0..judged.findings.len())
        .filter(|at| {
            !decoded.findings.contains(at) && (judged.findings[*at].severity > Severity::Note)
        })
        .collect();
    ErrorAccount {
        schema: SCHEMA,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        read: PastedText::of_decoded(decoded),
        found: decoded.found,
        evidence: match decoded.evidence {
            Evidence::Ids => "ids",
            Evidence::Index => "index",
            Evidence::Kind => "kind",
        },
        certainty: certainty(decoded),
        answers: decoded.ids.iter().map(|named| answer(judged, named)).collect(),
        index_checks: decoded.mapped.iter().map(|mapped| check(judged, mapped)).collect(),
        says: says(decoded).into(),
        repaired_by: None,
        records,
        findings: decoded.findings.clone(),
        others,
        conversation: build::conversation(path, entries, judged, live),
        next: next(judged, decoded),
    }
}

impl PastedText {
    /// What a decoded text says.
    pub(in crate::explain) fn of_decoded(decoded: &Decoded<'_>) -> PastedText {
        let ids = decoded.ids.iter().map(|named| Shown::of(StringKind::Call, typed_id(named)));
        PastedText::of(decoded.paste, decoded.matched, ids.collect())
    }

    /// What a text with these IDs says.
    pub(super) fn of(paste: &Paste, matched: &[Matched], ids: Vec<Shown>) -> PastedText {
        let text = matched.first().map(|matched| paste.text(matched));
        let table = matched.first().map(|matched| paste.table(matched));
        let own = text.map_or("", |text| text.source);
        PastedText {
            speaker: table.map_or("", |table| table.title),
            source: if own.is_empty() { table.map_or("", |table| table.source) } else { own },
            means: text.map_or("", |text| text.means),
            codes: text.map_or(&[][..], |text| text.codes).to_vec(),
            is_alike: paste.is_alike,
            no_damage: text.is_some_and(|text| text.codes.is_empty()),
            ids,
            indices: matched.iter().filter_map(|matched| matched.index).collect(),
        }
    }
}

/// An ID as written in the text, without the full stop of its sentence.
fn typed_id(named: &super::NamedId) -> &str {
    match &named.hit {
        Some(hit) if hit.kind == MatchKind::Same => &hit.id,
        _ => named.asked.trim_end_matches('.'),
    }
}

fn certainty(decoded: &Decoded<'_>) -> Confidence {
    match decoded.evidence {
        Evidence::Ids
            if decoded.matched.is_empty()
                || decoded.paste.pieces
                || !decoded.ids.iter().all(|named| {
                    named.hit.as_ref().is_none_or(|hit| hit.kind == MatchKind::Same)
                }) =>
        {
            Confidence::Likely
        }
        Evidence::Ids => Confidence::Certain,
        Evidence::Index
            if !decoded.paste.is_alike
                && decoded.mapped.iter().all(|mapped| mapped.api == mapped.ours) =>
        {
            Confidence::Certain
        }
        Evidence::Index => Confidence::Likely,
        Evidence::Kind => Confidence::Guess,
    }
}

fn answer(judged: &Judged, named: &super::NamedId) -> IdAnswer {
    let t = &judged.transcript;
    let parts: Vec<&Part> =
        named.hit.iter().flat_map(|hit| &hit.parts).map(|part| t.part(*part)).collect();
    let results = parts.iter().filter(|part| part.kind == PartKind::Result);
    let results: BTreeSet<EventId> = results.map(|part| part.event).collect();
    // The call itself is not one of its results.
    let of_results = matches!(named.status, Status::Several | Status::Elsewhere);
    let call = parts.iter().find(|part| part.kind == PartKind::Call).map(|part| part.event);
    let call = call.filter(|_| of_results && !results.is_empty());
    let mut events: BTreeSet<EventId> = match call {
        _ if !named.mentioned.is_empty() => named.mentioned.iter().copied().collect(),
        Some(_) => results,
        None => parts
            .iter()
            .map(|part| part.event)
            .chain(named.hit.iter().filter_map(|hit| hit.record))
            .collect(),
    };
    if events.is_empty() {
        let labels = named.findings.iter().flat_map(|at| &judged.findings[*at].labels);
        events = labels.map(|label| label.event).collect();
    }
    let how = named.hit.as_ref().map_or(MatchKind::Same, |hit| hit.kind);
    IdAnswer {
        asked: Shown::of(StringKind::Call, typed_id(named)),
        id: named.hit.as_ref().map(|hit| Shown::of(StringKind::Call, hit.id.as_str())),
        certainty: if how == MatchKind::Same { Confidence::Certain } else { Confidence::Likely },
        doubt: match how {
            MatchKind::Same | MatchKind::Unclear => "",
            MatchKind::Shortened => "the only ID that begins and ends like that",
            MatchKind::Rewritten => "as a library or a proxy rewrites it",
            MatchKind::Joined => "matched after removing all white space",
        },
        status: word(named.status),
        says: sentence(named.status),
        unit: events.first().map_or("", |event| t.unit(*event)),
        numbers: events.iter().map(|event| t.event(*event).place().number()).collect(),
        call: call.map(|event| t.event(event).place().number()),
    }
}

fn check(judged: &Judged, mapped: &places::Mapped) -> IndexCheck {
    let t = &judged.transcript;
    let records = places::records(judged, mapped.ours);
    IndexCheck {
        api: mapped.api,
        ours: mapped.ours,
        unit: records.first().map_or("", |event| t.unit(*event)),
        numbers: records.iter().map(|event| t.event(*event).place().number()).collect(),
    }
}

/// Said where the text may be about damage that no rule knows.
pub(crate) const UNSEEN: &str = "We see no such damage here: it may be a kind that transcript-doctor does not know yet. To report it, \
    `transcript-doctor redact` makes a copy without texts.";

fn says(decoded: &Decoded<'_>) -> &'static str {
    let are_absent =
        !decoded.ids.is_empty() && decoded.ids.iter().all(|named| named.status == Status::Absent);
    let Some(text) = decoded.text() else {
        return match (decoded.findings.is_empty(), decoded.ids.is_empty()) {
            (false, _) => "Not a known error text; this is based on the IDs in it.",
            (true, true) if decoded.at_places.is_empty() && !decoded.paste.shaped().is_empty() => {
                "Not a known error text, and none of the IDs in it are in this transcript."
            }
            _ => UNSEEN,
        };
    };
    // A hint says where else to look, which is more than that nothing was found.
    if decoded.findings.is_empty() && !text.hint.is_empty() {
        return text.hint;
    }
    match decoded.evidence {
        _ if decoded.findings.is_empty() && are_absent => {
            "None of the IDs in it are in this transcript: it may be about another session."
        }
        _ if decoded.findings.is_empty() && !decoded.found => UNSEEN,
        _ if decoded.findings.is_empty()
            && decoded.ids.iter().any(|named| named.status == Status::Mentioned) =>
        {
            UNSEEN
        }
        _ if decoded.findings.is_empty() && !decoded.at_places.is_empty() => UNSEEN,
        Evidence::Kind if text.at == At::Nowhere || decoded.mapped.is_empty() => {
            "The error does not say where. Problems here that cause it, most likely first:"
        }
        Evidence::Kind => {
            "Nothing is wrong at the place that the error names. Problems here that cause it:"
        }
        _ => "",
    }
}

/// The records of the findings, of the IDs and of the numbered messages.
fn involved(judged: &Judged, decoded: &Decoded<'_>) -> BTreeSet<EventId> {
    let t = &judged.transcript;
    let labels = decoded
        .findings
        .iter()
        .flat_map(|at| &judged.findings[*at].labels)
        .map(|label| label.event);
    let hits = decoded.ids.iter().filter_map(|named| named.hit.as_ref());
    let parts = hits.clone().flat_map(|hit| &hit.parts).map(|part| t.part(*part).event);
    let mut events: BTreeSet<EventId> = labels
        .chain(parts)
        .chain(hits.filter_map(|hit| hit.record))
        .chain(decoded.ids.iter().flat_map(|named| named.mentioned.iter().copied()))
        .chain(decoded.at_places.iter().copied())
        .collect();
    if decoded.evidence != Evidence::Ids {
        events
            .extend(decoded.mapped.iter().flat_map(|mapped| places::records(judged, mapped.ours)));
    }
    events.retain(|event| t.event(*event).role != crate::transcript::Role::HostState);
    events
}

fn next(judged: &Judged, decoded: &Decoded<'_>) -> Option<ProposedCommand> {
    let findings = decoded.findings.iter().map(|at| &judged.findings[*at]);
    let (pending, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.partition(|finding| finding.rule.code == Code::PendingCall);
    let (command, options): (_, &[&str]) =
        match others.iter().map(|finding| finding.applicability()).min() {
            Some(Applicability::Safe) => ("repair", &[]),
            Some(Applicability::Unsafe) => ("diff", &["--unsafe"]),
            Some(Applicability::OnRequest | Applicability::Manual) => return None,
            None if !pending.is_empty() => ("repair", &["--answer-pending"]),
            None => return None,
        };
    Some(ProposedCommand { command, options })
}
