//! The records of a finding: which call or result each means, and where it is.

use std::collections::HashSet;

use memchr::memmem;

use super::build::Build;
use super::file::RecordFile;
use super::model::FindingRecord;
use super::redact::StringKind;
use super::text::Shown;
use crate::containers::{Layout, pointer};
use crate::engine::Judged;
use crate::format::result_text;
use crate::rules::Finding;
use crate::transcript::{
    EventId, FactValue, Id, Label, LabelRole, PartId, PartKind, PartsAbout, Place, Role, State,
    facts, time,
};

/// Longer records are not read for their first words, in bytes.
const LONGEST: u64 = 256 << 10;

impl Build<'_> {
    /// The labels of a finding that the report shows, each with the call or result that it means: a pair that is sound is
    /// no evidence, although it is of the same turn.
    pub(super) fn labels(&self, finding: &Finding) -> Vec<Label> {
        let t = &self.judged.transcript;
        let mut labels: Vec<Label> = Vec::with_capacity(finding.labels.len());
        let named: HashSet<Id> = finding.calls.iter().copied().collect();
        let is_named = |part: PartId| t.part(part).id.is_none_or(|id| named.contains(&id));
        let about = PartsAbout::of(t, &finding.about);
        // Each of the calls of a record may have a label of its own that means all of them.
        let mut seen = HashSet::new();
        for label in finding.labels.iter().filter(|label| seen.insert(**label)) {
            match label.part {
                Some(part) if named.is_empty() || is_named(part) => labels.push(*label),
                Some(_) => {}
                None => {
                    let meant = self.parts_meant(&about, label, &named);
                    if meant.is_empty() {
                        labels.push(*label)
                    } else {
                        labels.extend(meant.iter().map(|part| Label::of(t, *part, label.role)))
                    }
                }
            }
        }
        seen.clear();
        labels.retain(|label| seen.insert(*label));
        labels.sort_by_key(|label| label.event);
        labels
    }

    /// The calls or results of a record that a label means, where it does not say so: those that the finding is about,
    /// else those of its role that the finding names.
    fn parts_meant(&self, about: &PartsAbout, label: &Label, named: &HashSet<Id>) -> Vec<PartId> {
        let t = &self.judged.transcript;
        let here = about.in_record(label.event);
        let mut here: Vec<PartId> = here.filter(|part| t.part(*part).id.is_some()).collect();
        if here.is_empty() {
            let parts = t.event(label.event).parts.clone();
            let has_name = |part: &PartId| t.part(*part).id.is_some_and(|id| named.contains(&id));
            here.extend(
                parts.filter(|part| has_role(t.part(*part).kind, label.role) && has_name(part)),
            );
        }
        here.sort_unstable();
        here.dedup();
        here
    }

    /// The first call or result of a record, of the kind that the role of its label says.
    fn first_part(&self, label: &Label) -> Option<PartId> {
        let t = &self.judged.transcript;
        let parts = t.event(label.event).parts.clone();
        let mut either =
            parts.filter(|part| matches!(t.part(*part).kind, PartKind::Call | PartKind::Result));
        let first = either.clone().next();
        either.find(|part| has_role(t.part(*part).kind, label.role)).or(first)
    }

    /// The place of a record. Its call or result is that of the label, else the first one.
    pub(super) fn record(&self, label: &Label) -> FindingRecord {
        let t = &self.judged.transcript;
        let event = t.event(label.event);
        let entry = self.context.entries.name(event.at().entry);
        let from_folder = self.judged.detection.layout.below_folder(entry);
        let in_folder = matches!(self.judged.detection.layout, Layout::Files(_));
        let row = match event.place() {
            Place::Line(line) => self.context.entries.row_name(event.at().entry, line),
            _ => None,
        };
        let is_of_row = row.is_some() || self.judged.detection.layout.is_of_rows();
        let is_state = label.role == LabelRole::State;
        let part = label.part.or_else(|| self.first_part(label));
        let part = part.map(|part| t.part(part));
        FindingRecord {
            role: role(label.role),
            file: match row {
                Some(row) => Some(RecordFile::inside(row)),
                None => (in_folder && !entry.is_empty()).then(|| RecordFile::inside(from_folder)),
            },
            line: match event.place() {
                Place::Line(line) if row.is_none() => Some(line),
                _ => None,
            },
            index: match event.place() {
                Place::File(number) | Place::Item(number) if !is_state => Some(number),
                Place::Line(number) => row.map(|_| number),
                _ => None,
            },
            is_numbered: is_record(self.judged, label.event)
                && (event.within.is_none() || event.role == Role::HostState),
            unit: t.unit(label.event),
            pointer: match t.value_of(label.event, facts::POINTER) {
                Some(FactValue::Text(pointer)) if event.within.is_some() => {
                    // What is outside the records has no position among them.
                    let of_record =
                        event.within.is_some_and(|holder| t.event(holder).role != Role::HostState);
                    let record = self.item(label.event).filter(|_| of_record).unwrap_or_default();
                    Some(record + t.ids.get(pointer))
                }
                _ => self.item(label.event),
            }
            .map(|pointer| Shown::of(StringKind::Pointer, pointer)),
            byte: (event.at().end > event.at().start && !is_of_row)
                .then_some([event.at().start, event.at().end]),
            range: None,
            id: event.id.map(|id| self.shown(StringKind::Record, id)),
            kind: event.kind.map(|kind| self.shown(StringKind::Name, kind)),
            time: event.time().map(time::format_utc),
            tool: part.and_then(|part| part.tool).map(|tool| self.shown(StringKind::Name, tool)),
            call: part.and_then(|part| part.id).map(|id| self.shown(StringKind::Call, id)),
            has_zone: self.words_left.get() > 0 && self.has_zone(label.event),
            words: self.words(label),
        }
    }

    /// Whether a record says in which zone its time is. A number, and a time that is recorded in another zone, is not found as
    /// it is printed here; a text that ends without a zone is the clock of some machine.
    pub(super) fn has_zone(&self, event: EventId) -> bool {
        let known = self.judged.transcript.event(event);
        let at = known.at();
        let is_short = at.end.saturating_sub(at.start) <= LONGEST;
        let (Some(time), true) = (known.time(), is_short) else {
            return false;
        };
        let Ok(record) = self.context.entries.fetch(at) else {
            return false;
        };
        let naive = time::format_naive(time);
        let Some(start) = memmem::find(&record, &naive.as_bytes()[..naive.len().min(19)]) else {
            return true;
        };
        let mut rest = record.iter().skip(start + 19);
        rest.find(|byte| !byte.is_ascii_digit() && **byte != b'.').is_some_and(|end| *end != b'"')
    }

    /// The first words of a message or of a result, unless it is long or enough were read.
    fn words(&self, label: &Label) -> Option<Shown> {
        let event = self.judged.transcript.event(label.event);
        let at = event.at();
        let is_short = at.end.saturating_sub(at.start) <= LONGEST;
        let is_spoken = matches!(event.role, Role::User | Role::Assistant | Role::Tool);
        let left = self.words_left.get();
        if !is_short || !is_spoken || event.state != State::Whole || left == 0 {
            return None;
        }
        self.words_left.set(left - 1);
        let format = self.judged.detection.format;
        let text = match label.part.or_else(|| self.first_part(label)) {
            Some(part) if self.judged.transcript.part(part).kind == PartKind::Result => {
                result_text(self.context, format, part)
            }
            _ => (format.text)(self.context, label.event),
        };
        let text = text.filter(|text| !text.trim().is_empty())?;
        Some(Shown::of(StringKind::Text, text))
    }

    fn item(&self, event: EventId) -> Option<String> {
        let t = &self.judged.transcript;
        match (&self.judged.detection.layout, t.event(event).place()) {
            _ if t.event(event).role == Role::HostState => None,
            (Layout::Joined { lists: [first, second], .. }, Place::Item(number)) => {
                Some(match t.value_of(event, facts::IN_SECOND) {
                    Some(FactValue::Number(number)) => format!("{}/{number}", pointer(second)),
                    _ => format!("{}/{number}", pointer(first)),
                })
            }
            (Layout::Items { path, .. }, Place::Item(number)) => {
                Some(format!("{}/{number}", pointer(path)))
            }
            _ => None,
        }
    }
}

/// Whether an event is a record that users can inspect.
pub(crate) fn is_record(judged: &Judged, event: EventId) -> bool {
    judged.transcript.event(event).state != State::Padding
}

/// Whether a part of this kind can have this role in a finding.
fn has_role(kind: PartKind, role: LabelRole) -> bool {
    match role {
        LabelRole::Call => matches!(kind, PartKind::Call | PartKind::Hosted),
        LabelRole::Result | LabelRole::Placeholder => {
            matches!(kind, PartKind::Result | PartKind::Hosted)
        }
        LabelRole::Copy => matches!(kind, PartKind::Call | PartKind::Result | PartKind::Hosted),
        _ => false,
    }
}

/// The role of a record in a finding, in words.
pub fn role(role: LabelRole) -> &'static str {
    match role {
        LabelRole::Call => "call",
        LabelRole::Result => "result",
        LabelRole::Placeholder => "placeholder",
        LabelRole::Intruder => "intruder",
        LabelRole::Compaction => "compaction",
        LabelRole::Parent => "parent",
        LabelRole::State => "state",
        LabelRole::Record => "record",
        LabelRole::Copy => "copy",
    }
}
