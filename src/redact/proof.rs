//! Verifies a copy: its findings and the plan of its repair must be those of the transcript.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use crate::bytes::source::{Entries, EntryId, Source, Span};
use crate::engine::{CheckOptions, Judged};
use crate::format::Detection;
use crate::repair::{Op, Policy, Refused, RepairStep, Taken};
use crate::report::model::{Conversation, ReportedFinding};
use crate::report::rows::TranscriptReport;
use crate::report::text::Shown;
use crate::rows::{self, Examined};
use crate::transcript::fact::Facts;
use crate::transcript::{Inclusion, LinkKind, Origin, PartKind, Place, Role, State};

/// The result of examining a transcript or its copy.
#[derive(Debug)]
pub struct ExaminedCopy {
    /// Its findings.
    pub conversations: Vec<Conversation>,
    /// Rows that could not be checked.
    missed: Vec<String>,
    /// The fixes that a repair would apply.
    taken: Vec<Taken>,
    /// How each record was read, by conversation.
    read: Vec<Vec<RecordRead>>,
}

/// How a record was read: its meaning for the host, not its content.
#[derive(Debug, PartialEq, Eq)]
struct RecordRead {
    place: Place,
    role: Role,
    state: State,
    failed: bool,
    inclusion: Inclusion,
    /// Its parts: kind, origin, and whether they are blank, unusable or errors.
    parts: Vec<(PartKind, Origin, [bool; 3])>,
    links: Vec<LinkKind>,
    /// Its facts.
    facts: Facts,
}

/// Examines a transcript or its copy. `name` is that of its file or folder.
///
/// # Errors
/// It cannot be read, or its repair cannot be planned.
pub fn examine(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
) -> Result<ExaminedCopy, Refused> {
    let policy = Policy::default();
    let report = TranscriptReport::new(Path::new(name), detection.format);
    let mut report = report.with_introductions(false);
    let (mut taken, mut all) = (Vec::new(), Vec::new());
    let planned = rows::plan(entries, name, detection, options, &policy, &mut |examined| {
        match &examined {
            Examined::Conversation(own) => {
                taken.extend(own.plan().iter().flat_map(|plan| plan.taken.iter().cloned()));
                all.push(read(own.judged()));
            }
            Examined::Lines { taken: more, .. } => taken.extend(more.iter().cloned()),
            Examined::Skipped | Examined::NotChecked(..) | Examined::UnreadableMember(_) => {}
        }
        report.add(&examined, options.live);
    });
    match planned {
        Ok(_) => {}
        // Its repair is refused, and so must be that of the copy.
        Err(Refused::Excess(_)) => taken.clear(),
        Err(error) => return Err(error),
    }
    let finished = report.finish();
    Ok(ExaminedCopy {
        conversations: finished.conversations,
        missed: finished.missed,
        taken,
        read: all,
    })
}

fn read(judged: &Judged) -> Vec<RecordRead> {
    let (t, request) = (&judged.transcript, judged.request());
    t.events
        .ids()
        .map(|event| {
            let known = t.event(event);
            RecordRead {
                place: known.place(),
                role: known.role,
                state: known.state,
                failed: known.failed,
                inclusion: request.inclusion(event),
                parts: known
                    .parts
                    .clone()
                    .map(|part| {
                        let part = t.part(part);
                        (part.kind, part.origin, [part.blank, part.bad_input, part.reports_error])
                    })
                    .collect(),
                links: t.links_of(event).iter().map(|link| link.kind).collect(),
                facts: known.facts,
            }
        })
        .collect()
}

/// The first difference, in our own words; `None` if there is none.
pub fn difference(was: &ExaminedCopy, is: &ExaminedCopy) -> Option<String> {
    let mut ids = CounterpartIds::default();
    if was.conversations.len() != is.conversations.len() {
        return Some(format!(
            "conversations: {}, not {}",
            is.conversations.len(),
            was.conversations.len()
        ));
    }
    let pairs = was.conversations.iter().zip(&is.conversations);
    if let Some(why) = pairs.into_iter().find_map(|(was, is)| of_conversation(was, is, &mut ids)) {
        return Some(why);
    }
    if was.missed.len() != is.missed.len() {
        return Some("different rows that cannot be checked".to_owned());
    }
    let plans = was.taken.len() != is.taken.len()
        || !was.taken.iter().zip(&is.taken).all(|(a, b)| same_plan(a, b));
    if plans {
        return Some("a different repair plan".to_owned());
    }
    let pairs = was.read.iter().flatten().zip(is.read.iter().flatten());
    let mut other = pairs.filter(|(was, is)| was != is).map(|(was, _)| was.place);
    match other.next() {
        Some(Place::Line(line)) => Some(format!("line {line} is read differently")),
        Some(place) => Some(format!("record {} is read differently", place.number())),
        None if was.read.iter().map(Vec::len).ne(is.read.iter().map(Vec::len)) => {
            Some("a different number of records".to_owned())
        }
        None => None,
    }
}

/// The IDs of the transcript and their counterparts in the copy.
#[derive(Default)]
struct CounterpartIds {
    there: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl CounterpartIds {
    /// Whether two IDs can be counterparts: each has only one.
    fn pair(&mut self, was: &str, is: &str) -> bool {
        let there = self.there.entry(was.to_owned()).or_insert_with(|| is.to_owned()) == is;
        there && self.back.entry(is.to_owned()).or_insert_with(|| was.to_owned()) == was
    }

    fn pair_all<'a>(
        &mut self,
        was: impl Iterator<Item = &'a Shown>,
        is: impl Iterator<Item = &'a Shown>,
    ) -> bool {
        let (was, is): (Vec<_>, Vec<_>) = (was.collect(), is.collect());
        was.len() == is.len()
            && was.iter().zip(is).all(|(was, is)| self.pair(was.exact(), is.exact()))
    }
}

fn of_conversation(
    was: &Conversation,
    is: &Conversation,
    ids: &mut CounterpartIds,
) -> Option<String> {
    let place =
        was.row.as_ref().and_then(|row| row.line.or(row.index)).map(|row| format!("row {row}: "));
    let at_place = |what: String| Some(format!("{}{what}", place.clone().unwrap_or_default()));
    let facts = |c: &Conversation| {
        let row = c.row.as_ref().map(|row| (row.line, row.index));
        (
            c.records,
            c.calls,
            c.rows.clone(),
            row,
            c.target,
            c.format,
            c.clients.clone(),
            c.refused_by.clone(),
        )
    };
    for (number, finding) in was.findings.iter().enumerate() {
        match is.findings.get(number) {
            Some(other) if same(finding, other, ids) => {}
            _ => {
                return at_place(format!("{} {} is missing", finding.code, finding.name));
            }
        }
    }
    if let Some(more) = is.findings.get(was.findings.len()) {
        return at_place(format!("{} {} is new", more.code, more.name));
    }
    if was.verdict != is.verdict {
        return at_place(
            format!("the verdict is {:?}, not {:?}", is.verdict, was.verdict).to_lowercase(),
        );
    }
    if facts(was) != facts(is) {
        return at_place("different numbers of records or calls, or a different target".to_owned());
    }
    let open = |c: &Conversation| (c.pending.clone(), c.unknown_side_effects.clone());
    let ((a, b), (c, d)) = (open(was), open(is));
    let same = ids.pair_all(a.iter(), c.iter()) && ids.pair_all(b.iter(), d.iter());
    if same { None } else { at_place("different calls without a result".to_owned()) }
}

fn same(was: &ReportedFinding, is: &ReportedFinding, ids: &mut CounterpartIds) -> bool {
    let facts = |f: &ReportedFinding| {
        let consequences: Vec<_> = f.consequences.iter().map(|effect| effect.code).collect();
        (
            f.code,
            f.severity,
            f.confidence,
            f.effect.load_fails,
            f.effect.hides,
            f.identity.count,
            f.affected.seen_by.clone(),
            f.affected.api_index.clone(),
            consequences,
        )
    };
    let places = |f: &ReportedFinding| {
        f.records.iter().map(|r| (r.role, r.line, r.index, r.time.clone())).collect::<Vec<_>>()
    };
    facts(was) == facts(is)
        && places(was) == places(is)
        && was.resolution.fix.applicability == is.resolution.fix.applicability
        && same_steps(
            was.resolution.fix.actions.iter().map(|action| &action.step),
            is.resolution.fix.actions.iter().map(|action| &action.step),
        )
        && ids.pair_all(was.call_ids.iter(), is.call_ids.iter())
        && ids.pair_all(
            was.records.iter().filter_map(|record| record.id.as_ref()),
            is.records.iter().filter_map(|record| record.id.as_ref()),
        )
}

fn same_steps<'a>(
    was: impl Iterator<Item = &'a RepairStep>,
    is: impl Iterator<Item = &'a RepairStep>,
) -> bool {
    was.map(facts).eq(is.map(facts))
}

/// What two steps have in common that do the same to a transcript and to its copy.
fn facts(step: &RepairStep) -> (Op, Option<u64>, Option<u64>, &str) {
    (step.op, step.line, step.index, &step.says)
}

fn same_plan(was: &Taken, is: &Taken) -> bool {
    was.rule.code == is.rule.code
        && was.applicability == is.applicability
        && same_steps(was.steps.iter(), is.steps.iter())
}

/// A copy, with the neighboring files of the transcript.
#[derive(Debug)]
pub struct Beside<'a> {
    pub copy: &'a Source,
    /// The transcript.
    pub was: &'a Source,
}

impl Entries for Beside<'_> {
    fn ids(&self) -> Vec<EntryId> {
        self.copy.ids()
    }

    fn name(&self, id: EntryId) -> &str {
        self.copy.name(id)
    }

    fn len(&self, id: EntryId) -> u64 {
        self.copy.len(id)
    }

    fn open(&self, id: EntryId) -> io::Result<Box<dyn Read + '_>> {
        self.copy.open(id)
    }

    fn fetch(&self, at: Span) -> io::Result<Vec<u8>> {
        self.copy.fetch(at)
    }

    /// As the transcript, although the copy is a file: its records are named alike then.
    fn has_rows(&self) -> bool {
        self.was.has_rows()
    }

    fn row_name(&self, id: EntryId, line: u64) -> Option<&str> {
        self.was.row_name(id, line)
    }

    fn first_lines_beside(&self, ending: &str) -> Vec<Vec<u8>> {
        self.was.first_lines_beside(ending)
    }

    fn loss(&self, id: EntryId) -> Option<&'static str> {
        self.was.loss(id)
    }
}
