//! One record: where it is, what it contains, what its calls and results are paired with, what is
//! wrong with it.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use super::cuts::{self, CutBefore};
use super::{SCHEMA, timeline};
use crate::bytes::source::Entries;
use crate::engine::Judged;
use crate::find::name_of;
use crate::find::typed::TypedId;
use crate::format::FormatContext;
use crate::report::model::FindingRecord;
use crate::report::records::is_record;
use crate::report::redact::{StringKind, redact_fields};
use crate::report::text::Shown;
use crate::transcript::pairs::{PairPolicy, PairStatus, Paired, Pairs};
use crate::transcript::{
    Code, EventId, Id, Inclusion, LinkKind, Origin, PartId, PartKind, Place, Severity,
};

/// Most records described.
const MOST: usize = 50;

/// A description of some records of a conversation.
#[derive(Debug, Serialize)]
pub struct RecordsAccount {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The conversation, as the user named it.
    pub path: Shown,
    pub format: &'static str,
    /// The provider that messages are counted for.
    pub target: &'static str,
    /// The records, in the order of storage.
    pub records: Vec<RecordAccount>,
    /// Number of matching records that are not described.
    pub left_out: usize,
}

/// A description of one record.
#[derive(Debug, Serialize)]
pub struct RecordAccount {
    /// Its place, kind, ID and time. The role is what it is: `call`, `user`, `status error` …
    pub record: FindingRecord,
    /// What the number counts: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// Its line or event number.
    pub number: u64,
    /// The record before it in the conversation's tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Ref>,
    /// The ID of its parent, if no record has that ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_parent: Option<Shown>,
    /// Its children in the tree.
    pub children: Vec<Ref>,
    /// Position of its message in the request, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_index: Option<u32>,
    /// The cut before it: what a compaction would summarize, and what it would keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutBefore>,
    /// Whether it is in the next request, in words.
    pub inclusion: &'static str,
    /// Its calls and results.
    pub holds: Vec<Held>,
    /// The findings that name it.
    pub findings: Vec<NamingFinding>,
    /// The start of its text, as far as the reader may see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Shown>,
}

/// A reference to a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ref {
    /// Its line or event number.
    pub number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Shown>,
}

/// A call or a result.
#[derive(Debug, Serialize)]
pub struct Held {
    /// `call`, or the kind of a result: `result`, `placeholder`, `error of the host`, `refusal`.
    pub what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Shown>,
    /// The ID that the host pairs by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Shown>,
    /// What it is paired with, in words.
    pub standing: &'static str,
    /// The results of a call, or the call of a result.
    pub pair: Vec<Ref>,
}

redact_fields! {
    RecordsAccount { path, records }
    RecordAccount { record, parent, missing_parent, children, holds, preview }
    Ref { id }
    Held { tool, id, pair }
}

/// A finding that names the record.
#[derive(Debug, Serialize)]
pub struct NamingFinding {
    /// `TD104`.
    pub code: Code,
    pub severity: Severity,
    /// What is wrong, in our own words.
    pub message: String,
}

/// The records with this line number (from 1) or event number (from 0); a header, or another state
/// of the host, if no record has it.
pub fn find_number(judged: &Judged, number: u64) -> Vec<EventId> {
    let t = &judged.transcript;
    let has_number =
        |event: &EventId| is_record(judged, *event) && t.event(*event).place().number() == number;
    let records: Vec<EventId> = t.records().filter(has_number).collect();
    if !records.is_empty() {
        return records;
    }
    let states = t.events.ids().filter(|event| t.is_host_state(*event));
    states.filter(has_number).collect()
}

/// The records that an argument names, in the order of storage: by line number (from 1), by event
/// number (from 0), or by the ID of a record or call as [`fitting`] matches it, if only one fits.
pub fn find(judged: &Judged, word: &str) -> Vec<EventId> {
    if let Ok(number) = word.parse::<u64>() {
        let found = find_number(judged, number);
        if !found.is_empty() {
            return found;
        }
    }
    let exact = find_id(judged, word, Which::All);
    if !exact.is_empty() {
        return exact;
    }
    match &fitting(judged, word, Which::All)[..] {
        [one] => find_id(judged, one.exact(), Which::All),
        _ => Vec::new(),
    }
}

/// Which IDs to search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// IDs of calls.
    Calls,
    /// IDs of calls and records.
    All,
}

/// The records with exactly this ID, or with a call or result of this ID, in the order of storage.
pub fn find_id(judged: &Judged, id: &str, which: Which) -> Vec<EventId> {
    let t = &judged.transcript;
    let Some(id) = t.ids.find(id).filter(|id| !t.ids.is_empty(*id)) else {
        return Vec::new();
    };
    let found = t.with_inner().filter(|event| {
        let has_id = which == Which::All && t.event(*event).id == Some(id);
        (has_id && is_record(judged, *event)) || holds(judged, *event, id)
    });
    found.collect()
}

/// The record that is this row of a database, as it is printed: `messages:2`.
pub fn find_row(judged: &Judged, entries: &dyn Entries, row: &str) -> Vec<EventId> {
    let (t, layout) = (&judged.transcript, &judged.detection.layout);
    t.events
        .ids()
        .filter(|event| {
            let record = t.event(*event);
            match record.place() {
                Place::Line(line) => entries.row_name(record.at().entry, line) == Some(row),
                _ => {
                    layout.is_of_rows()
                        && layout.below_folder(entries.name(record.at().entry)) == row
                }
            }
        })
        .collect()
}

/// The IDs that a typed ID may stand for: shortened as we print it, or a prefix.
pub fn fitting(judged: &Judged, word: &str, which: Which) -> Vec<Shown> {
    let (t, typed) = (&judged.transcript, TypedId::read(word));
    let mut found: BTreeSet<Shown> = BTreeSet::new();
    for event in t.with_inner() {
        let record = t.event(event);
        let calls = record.parts.clone().map(|part| t.part(part));
        let calls = calls.filter(|part| matches!(part.kind, PartKind::Call | PartKind::Result));
        let calls = calls
            .flat_map(|part| [part.id, part.sent_id])
            .flatten()
            .map(|id| (StringKind::Call, id));
        let own = record.id.filter(|_| which == Which::All && is_record(judged, event));
        let ids = own.map(|id| (StringKind::Record, id)).into_iter().chain(calls);
        let fits = ids.map(|(is, id)| (is, t.ids.get(id))).filter(|(_, id)| typed.fits(id));
        found.extend(fits.map(|(is, id)| Shown::of(is, id)));
    }
    found.into_iter().collect()
}

/// Whether an event holds this call or one of its results.
fn holds(judged: &Judged, event: EventId, id: Id) -> bool {
    let t = &judged.transcript;
    let mut parts = t.event(event).parts.clone().map(|part| t.part(part));
    parts.any(|part| {
        let ids = [part.id, part.sent_id];
        matches!(part.kind, PartKind::Call | PartKind::Result) && ids.contains(&Some(id))
    })
}

/// Describes these records. `path` is as the user named it; `live`: a process is writing the
/// transcript.
pub fn known(
    path: &Path,
    entries: &dyn Entries,
    judged: &Judged,
    live: bool,
    events: &[EventId],
) -> RecordsAccount {
    let name = name_of(path);
    let context = judged.context(0, entries, &name, live);
    let all: Vec<EventId> = judged.transcript.with_inner().collect();
    let lookup = Lookup {
        judged,
        pairs: Pairs::find(&judged.transcript, PairPolicy::CONVERSATION, &Paired::events(&all)),
    };
    let listed_events = &events[..events.len().min(MOST)];
    let cuts = cuts::here(judged, listed_events);
    let known = listed_events
        .iter()
        .zip(cuts)
        .map(|(event, cut)| RecordAccount { cut, ..lookup.known(&context, *event) });
    RecordsAccount {
        schema: SCHEMA,
        path: Shown::path(path),
        format: judged.detection.format.name,
        target: judged.target_choice.name(),
        records: known.collect(),
        left_out: events.len().saturating_sub(MOST),
    }
}

struct Lookup<'a> {
    judged: &'a Judged,
    /// The pairs of the whole log, including other branches.
    pairs: Pairs,
}

impl Lookup<'_> {
    fn known(&self, context: &FormatContext<'_>, event: EventId) -> RecordAccount {
        let (t, request) = (&self.judged.transcript, self.judged.request());
        let place = t.event(event).place();
        let parent = request.parent.get(event).copied().flatten();
        let link = t.link_of(event, LinkKind::Parent).and_then(|link| link.to);
        // A host may set another parent than the one that the record names.
        let nowhere = link.filter(|id| {
            parent.is_none_or(|parent| t.event(parent).id.is_some_and(|own| own != *id))
        });
        let children = t.records().filter(|other| request.parent.get(*other) == Some(&Some(event)));
        let says = (self.judged.detection.format.text)(context, event);
        RecordAccount {
            record: timeline::record(context, self.judged, event),
            unit: t.unit(event),
            number: place.number(),
            parent: parent.map(|parent| self.name(parent)),
            missing_parent: nowhere.map(|id| Shown::of(StringKind::Record, t.ids.get(id))),
            children: children.map(|child| self.name(child)).collect(),
            api_index: request.api_index(event),
            cut: None,
            inclusion: match request.inclusion(event) {
                _ if t.is_host_state(event) => "never sent: the state of the host",
                Inclusion::Sent => "on the active branch",
                Inclusion::OffBranch => "on an abandoned branch, never sent",
                Inclusion::Forgotten => "left out by a compaction",
                Inclusion::Failed => "a failed response, left out by the host",
                Inclusion::Bookkeeping => "never sent: records of this type are not",
                Inclusion::Dropped => "left out by the host: its call or result is missing",
                Inclusion::Unreadable => "unreadable",
            },
            holds: self.held(event),
            findings: self.findings(event),
            preview: says
                .filter(|text| !text.trim().is_empty())
                .map(|text| Shown::of(StringKind::Text, text)),
        }
    }

    fn name(&self, event: EventId) -> Ref {
        let t = &self.judged.transcript;
        let record = t.event(event);
        Ref {
            number: record.place().number(),
            id: record.id.map(|id| Shown::of(StringKind::Record, t.ids.get(id))),
        }
    }

    fn held(&self, event: EventId) -> Vec<Held> {
        let t = &self.judged.transcript;
        let parts = t.event(event).parts.clone();
        let asks =
            parts.filter(|part| matches!(t.part(*part).kind, PartKind::Call | PartKind::Result));
        asks.map(|part| self.half(part)).collect()
    }

    fn half(&self, part: PartId) -> Held {
        let t = &self.judged.transcript;
        let known = t.part(part);
        let in_request = self.judged.request().pairs.status(part);
        // What is not sent has no status in the request; the pairs of all records say more than "not paired".
        let standing =
            if in_request == PairStatus::None { self.pairs.status(part) } else { in_request };
        let results = || {
            let own = self.judged.request().pairs.results(part);
            if own.is_empty() { self.pairs.results(part) } else { own }
        };
        let (words, pair) = match standing {
            PairStatus::Answered(_) if results().len() > 1 => {
                ("has more than one result", results().to_vec())
            }
            PairStatus::Answered(_) => ("answered", results().to_vec()),
            PairStatus::Open if self.judged.request().is_pending(part) => {
                ("waiting for its result", Vec::new())
            }
            PairStatus::Open => ("no result", Vec::new()),
            PairStatus::CopyOf(original) => ("a copy of another tool call", vec![original]),
            PairStatus::Answers(call) | PairStatus::Surplus(call)
                if in_request == PairStatus::None =>
            {
                ("not sent; result of", vec![call])
            }
            PairStatus::Answers(call) => ("answers", vec![call]),
            PairStatus::Surplus(call) => ("extra result for", vec![call]),
            PairStatus::Failed => ("of a failed response", results().to_vec()),
            PairStatus::OfFailed(call) => ("of a failed response, for", vec![call]),
            PairStatus::Orphan => ("no call", Vec::new()),
            PairStatus::None => ("not paired", Vec::new()),
        };
        Held {
            what: match (known.kind, known.origin) {
                (PartKind::Result, Origin::Placeholder) => "placeholder",
                (PartKind::Result, Origin::HostError) => "error of the host",
                (PartKind::Result, Origin::Rejection) => "refusal",
                (PartKind::Result, Origin::Real) => "result",
                _ => "call",
            },
            tool: known.tool.map(|tool| Shown::of(StringKind::Name, t.ids.get(tool))),
            id: known.id.map(|id| Shown::of(StringKind::Call, t.ids.get(id))),
            standing: words,
            pair: pair.into_iter().map(|part| self.name(t.part(part).event)).collect(),
        }
    }

    fn findings(&self, event: EventId) -> Vec<NamingFinding> {
        let all =
            self.judged.findings.iter().flat_map(|f| std::iter::once(f).chain(&f.consequences));
        let naming = all.filter(|finding| finding.labels.iter().any(|label| label.event == event));
        naming
            .map(|finding| NamingFinding {
                code: finding.rule.code,
                severity: finding.severity,
                message: finding.message.to_string(),
            })
            .collect()
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
