//! Finds the stories that fit a log.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use super::fit::fit;
use super::log::Log;
use super::lookup::Anchor;
use super::{ALL, About, Is, PreventsWhen, Runs, StepNeed, Story, Variant, resumed};
use crate::engine::Judged;
use crate::format::{FormatContext, Host};
use crate::rules::Finding;
use crate::transcript::{Code, Confidence, EventId, Origin, PartId, Severity};

/// A story that fits a log, with its events.
#[derive(Debug)]
pub struct Occurrence {
    pub story: &'static Story,
    pub variant: &'static Variant,
    /// The display name of the host that wrote the transcript.
    pub host: &'static str,
    /// What that host does about it; empty if unknown.
    pub does: &'static str,
    /// The record of the call, or the damaged record.
    pub place: EventId,
    /// The call; `None` for a finding that names no call.
    pub call: Option<PartId>,
    /// What happened, in order.
    pub lines: Vec<FoundStep>,
    /// All results of the call, in the order of storage, other branches included.
    pub results: Vec<PartId>,
    /// How to prevent it; empty if unknown.
    pub prevent: &'static str,
    /// Further places with the same story: calls, or the first records of findings.
    pub more: Vec<EventId>,
    /// Further calls of the same record with the same story.
    pub also: Vec<PartId>,
    /// All calls that it explains.
    pub calls: Vec<PartId>,
    /// The findings that it explains: positions in the conversation's list.
    pub explained: BTreeSet<usize>,
}

/// A step that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundStep {
    pub event: EventId,
    /// The call that the line is about.
    pub call: Option<PartId>,
    /// The name of the event in texts.
    pub name: &'static str,
    /// The text, with names in braces to be filled in; empty if it is only named.
    pub says: &'static str,
    pub certainty: Confidence,
    /// Whether the text is appended to the line before it.
    pub aside: bool,
}

impl Occurrence {
    /// The event of this name.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.lines.iter().find(|line| line.name == name).map(|line| line.event)
    }

    /// How often the tools of its calls ran.
    pub fn runs(&self) -> Runs {
        self.variant.runs
    }

    /// Adds the same story of another call in the same record: lines that name the tool are
    /// repeated for it.
    fn add(&mut self, other: Occurrence) {
        self.also.extend(other.call);
        for line in other.lines.into_iter().filter(|line| line.says.contains("{tool}")) {
            if !self.lines.iter().any(|known| (known.event, known.name) == (line.event, line.name))
            {
                insert(&mut self.lines, line);
            }
        }
    }
}

/// All stories of a conversation, in the order of their first events. Each call has at most one
/// story, and so does each finding that no story of a call explains. If a story fits several places
/// in the same way, it is reported for the first. `path` is where the transcript is, which may
/// identify its host.
pub fn find(context: &FormatContext<'_>, judged: &Judged, path: &Path) -> Vec<Occurrence> {
    let log = Log::of(context, judged);
    let host = judged.detection.format.host_of(path, &judged.transcript);
    let mut finder = StepFinder {
        judged,
        host,
        stories: ALL.iter().copied().filter(|story| story.is_of(judged.detection.format)).collect(),
        occurrences: Vec::new(),
        named: BTreeMap::new(),
    };
    let calls = anchors(judged, &log);
    let mut explained: HashSet<PartId> = HashSet::new();
    for (call, findings) in &calls {
        if !explained.contains(call) {
            explained.extend(finder.of_call(&log, *call, findings));
        }
    }
    finder.explain(&log, &calls);
    for (at, finding) in judged.findings.iter().enumerate() {
        let is_open =
            !finder.occurrences.iter().any(|occurrence| occurrence.explained.contains(&at));
        if is_open && finding.severity > Severity::Note {
            finder.of_finding(&log, at, finding);
        }
    }
    let mut occurrences = finder.occurrences;
    occurrences.sort_by_key(|occurrence| occurrence.lines.first().map(|line| line.event));
    occurrences
}

/// The calls that may have a story, in order, with the findings that name them: index, code, and
/// whether it is a note. Findings covered by another one are left out.
type StoryCalls = BTreeMap<PartId, BTreeSet<(usize, Code, bool)>>;

fn anchors(judged: &Judged, log: &Log<'_>) -> StoryCalls {
    let mut calls: StoryCalls = log.answered_twice().map(|call| (call, BTreeSet::new())).collect();
    for (at, finding) in judged.findings.iter().enumerate() {
        let is_note = finding.severity == Severity::Note;
        for call in log.calls_of(finding) {
            calls.entry(call).or_default().insert((at, finding.rule.code, is_note));
        }
    }
    calls
}

struct StepFinder<'a> {
    judged: &'a Judged,
    host: &'static Host,
    stories: Vec<&'static Story>,
    occurrences: Vec<Occurrence>,
    /// Events of the calls of each story, by its index.
    named: BTreeMap<usize, HashSet<EventId>>,
}

impl StepFinder<'_> {
    /// Finds the story of a call. Returns the calls that need no further story.
    fn of_call(
        &mut self,
        log: &Log<'_>,
        call: PartId,
        findings: &BTreeSet<(usize, Code, bool)>,
    ) -> Vec<PartId> {
        let anchor = Anchor { call: Some(call), finding: None };
        let stories = self.stories.iter().filter(|story| {
            let mut named = findings.iter().filter(|(_, _, is_note)| story.of_notes || !is_note);
            story.about == About::Call
                && (story.explains.is_empty()
                    || named.any(|(_, code, _)| story.explains.contains(code)))
        });
        let Some((story, variant, found)) = first_fit(log, anchor, stories) else {
            return Vec::new();
        };
        let explained_calls = explained_calls(log, call, variant, &found);
        let event = log.t.part(call).event;
        let at = self.add(log, anchor, (story, variant), found, event);
        self.named.entry(at).or_default().insert(event);
        explained_calls
    }

    fn of_finding(&mut self, log: &Log<'_>, at: usize, finding: &Finding) {
        let anchor =
            Anchor { call: log.calls_of(finding).into_iter().next(), finding: Some(finding) };
        let stories = self.stories.iter().filter(|story| {
            story.about == About::Finding && story.explains.contains(&finding.rule.code)
        });
        let Some((story, variant, found)) = first_fit(log, anchor, stories) else {
            return;
        };
        let Some(event) = anchor.damaged() else {
            return;
        };
        let index = self.add(log, anchor, (story, variant), found, event);
        self.occurrences[index].explained.insert(at);
    }

    /// Adds a story, or extends the one with the same variant. Returns its index.
    fn add(
        &mut self,
        log: &Log<'_>,
        anchor: Anchor<'_>,
        (story, variant): (&'static Story, &'static Variant),
        found: Vec<Option<EventId>>,
        event: EventId,
    ) -> usize {
        let at = match self.occurrences.iter().position(|occurrence| {
            std::ptr::eq(occurrence.variant, variant)
                || (story.is_one_cause && occurrence.story.code == story.code)
        }) {
            Some(at) => {
                if self.occurrences[at].place == event && anchor.call != self.occurrences[at].call {
                    let own = self.new_occurrence(log, anchor, (story, variant), found, event);
                    self.occurrences[at].add(own);
                } else if !story.of_whole_file
                    && self.occurrences[at].place != event
                    && self.occurrences[at].more.last() != Some(&event)
                {
                    self.occurrences[at].more.push(event);
                }
                at
            }
            None => {
                let occurrence = self.new_occurrence(log, anchor, (story, variant), found, event);
                self.occurrences.push(occurrence);
                self.occurrences.len() - 1
            }
        };
        self.occurrences[at].calls.extend(anchor.call);
        at
    }

    /// Assigns findings to the stories of calls: those with one of their codes that name one of
    /// their calls.
    fn explain(&mut self, log: &Log<'_>, calls: &StoryCalls) {
        for (call, findings) in calls {
            let event = log.t.part(*call).event;
            for (at, occurrence) in self.occurrences.iter_mut().enumerate() {
                if self.named.get(&at).is_some_and(|events| events.contains(&event)) {
                    let own = findings.iter().filter(|(finding, ..)| {
                        occurrence
                            .story
                            .explains
                            .contains(&self.judged.findings[*finding].rule.code)
                    });
                    occurrence.explained.extend(own.map(|(finding, ..)| *finding));
                }
            }
        }
    }

    fn new_occurrence(
        &self,
        log: &Log<'_>,
        anchor: Anchor<'_>,
        (story, variant): (&'static Story, &'static Variant),
        found: Vec<Option<EventId>>,
        place: EventId,
    ) -> Occurrence {
        let session = self.judged.session.as_deref().and_then(resumed::dashed);
        let stub =
            variant.steps.iter().zip(&found).find(|(step, _)| matches!(step.is, Is::Recovery(_)));
        let stub = stub.and_then(|(_, event)| *event);
        let mut lines = Vec::new();
        for (step, event) in
            variant.steps.iter().zip(found).filter(|(step, _)| step.need != StepNeed::MustNot)
        {
            let mut certainty = if step.fact { Confidence::Certain } else { variant.certainty };
            let mut event = event;
            // When a session was resumed is not in a record: it shows in what is quoted later.
            if step.is == Is::Resumed {
                let quote = session.as_deref().zip(anchor.call.zip(stub));
                let quote = quote
                    .and_then(|(session, (call, stub))| resumed::find(log, session, call, stub));
                (event, certainty) =
                    quote.map_or((None, certainty), |(event, sure)| (Some(event), sure));
            }
            if let Some(event) = event {
                let (call, name) = (anchor.call, step.name);
                lines.push(FoundStep {
                    event,
                    call,
                    name,
                    says: step.says,
                    certainty,
                    aside: step.aside,
                });
            }
        }
        if let Some(call) =
            anchor.call.filter(|_| variant.steps.iter().any(|step| step.is.is_result()))
        {
            add_results(log, call, &mut lines);
        }
        let prevent = story.prevent.iter().find(|(when, _)| applies(when, self.host, &lines));
        let prevent = prevent.map_or("", |(_, text)| *text);
        let does = story.does.iter().find(|(host, _)| host.is_none_or(|host| host == self.host));
        Occurrence {
            story,
            variant,
            host: self.host.title,
            does: does.map_or("", |(_, text)| *text),
            place,
            call: anchor.call,
            results: anchor.call.map(|call| log.results(call)).unwrap_or_default(),
            lines,
            prevent,
            more: Vec::new(),
            also: Vec::new(),
            calls: Vec::new(),
            explained: BTreeSet::new(),
        }
    }
}

/// Whether an advice holds for this host and what was found.
fn applies(when: &PreventsWhen, host: &'static Host, lines: &[FoundStep]) -> bool {
    match when {
        PreventsWhen::Always => true,
        PreventsWhen::Found(name) => lines.iter().any(|line| line.name == *name),
        PreventsWhen::By(by) => *by == host,
        PreventsWhen::FoundBy(step, by) => {
            *by == host && lines.iter().any(|line| line.name == *step)
        }
    }
}

/// Adds lines for results of a call that no step found.
fn add_results(log: &Log<'_>, call: PartId, lines: &mut Vec<FoundStep>) {
    let mut outputs: HashSet<u64> = HashSet::new();
    for result in log.results(call).into_iter().map(|result| log.t.part(result)) {
        let says = match result.origin {
            Origin::Real if !outputs.insert(result.digest) => {
                "the same output was recorded again{wait}."
            }
            Origin::Real => "another output of the same call was recorded{wait}.",
            Origin::Placeholder => "a placeholder was written for the call{wait}.",
            Origin::HostError | Origin::Rejection => {
                "another result of the call was recorded{wait}."
            }
        };
        if !lines.iter().any(|line| line.event == result.event) {
            let (event, certainty) = (result.event, Confidence::Certain);
            insert(
                lines,
                FoundStep { event, call: Some(call), name: "", says, certainty, aside: false },
            );
        }
    }
}

/// Inserts a line in the order of events.
fn insert(lines: &mut Vec<FoundStep>, line: FoundStep) {
    let at = lines
        .iter()
        .position(|other| other.event > line.event && !other.aside)
        .unwrap_or(lines.len());
    lines.insert(at, line);
}

/// The first story that fits, with its first variant that fits.
fn first_fit<'s>(
    log: &Log<'_>,
    anchor: Anchor<'_>,
    mut stories: impl Iterator<Item = &'s &'static Story>,
) -> Option<(&'static Story, &'static Variant, Vec<Option<EventId>>)> {
    stories.find_map(|story| {
        let mut variants = story.variants.iter();
        variants.find_map(|variant| Some((*story, variant, fit(log, anchor, variant)?)))
    })
}

/// The calls that need no further story.
fn explained_calls(
    log: &Log<'_>,
    call: PartId,
    variant: &Variant,
    found: &[Option<EventId>],
) -> Vec<PartId> {
    let mut explained_calls = vec![call];
    let whole_batch = variant.given.contains(&super::Given::RestAbandoned)
        || variant.steps.iter().any(|step| matches!(step.is, Is::Sister | Is::SisterAnswer));
    if whole_batch {
        explained_calls.extend(log.batch_of(call).into_iter().flat_map(|batch| &batch.calls));
    }
    let again = variant.steps.iter().zip(found).filter(|(step, _)| step.is == Is::SameId);
    let again = again.filter_map(|(_, event)| *event);
    explained_calls.extend(again.flat_map(|event| log.calls_with(event, log.t.part(call).id)));
    explained_calls
}
