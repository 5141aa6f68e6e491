//! Which stories a log tells.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use super::ask::Anchor;
use super::fit::fit;
use super::log::Log;
use super::{ALL, About, Is, Need, Runs, Story, Variant, When, resumed};
use crate::engine::Judged;
use crate::formats::{FormatContext, Host};
use crate::rules::Finding;
use crate::transcript::{Code, Confidence, EventId, Origin, PartId, Severity};

/// A story as a log tells it.
#[derive(Debug)]
pub struct Told {
    /// Which.
    pub story: &'static Story,
    /// How it shows here.
    pub variant: &'static Variant,
    /// Who wrote the recording, as people say it.
    pub host: &'static str,
    /// What that host does of it; "" where nothing is known.
    pub does: &'static str,
    /// The record of the call, or the damaged record, that it is told of.
    pub place: EventId,
    /// The call that it is told of; `None`: it is told of a finding that names none.
    pub call: Option<PartId>,
    /// What happened, in order.
    pub lines: Vec<Line>,
    /// All results of the call, in the order of storage, other branches included.
    pub results: Vec<PartId>,
    /// How to prevent it; "" where nothing is known.
    pub prevent: &'static str,
    /// Further places of which the same is told: calls, or the first records of findings.
    pub more: Vec<EventId>,
    /// Further calls in the record of the call of which the same is told.
    pub also: Vec<PartId>,
    /// All calls of which it is told.
    pub calls: Vec<PartId>,
    /// The findings that it explains: positions in the conversation's list.
    pub explained: BTreeSet<usize>,
}

/// A step that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The event.
    pub event: EventId,
    /// The call that it is told of.
    pub call: Option<PartId>,
    /// What texts call it.
    pub name: &'static str,
    /// What it tells, with names in braces to be filled in; "" where it is only named.
    pub says: &'static str,
    /// How sure that is.
    pub certainty: Confidence,
    /// It is said behind the line before it.
    pub aside: bool,
}

impl Told {
    /// The event of this name.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.lines
            .iter()
            .find(|line| line.name == name)
            .map(|line| line.event)
    }

    /// How often the tools of its calls ran.
    pub fn runs(&self) -> Runs {
        self.variant.runs
    }

    /// Adds the same story of another call in the same record: what names its tool is told of it, too.
    fn add(&mut self, other: Told) {
        self.also.extend(other.call);
        for line in other
            .lines
            .into_iter()
            .filter(|line| line.says.contains("{tool}"))
        {
            let same = |known: &Line| (known.event, known.name) == (line.event, line.name);
            if !self.lines.iter().any(same) {
                insert(&mut self.lines, line);
            }
        }
    }
}

/// All stories of a conversation, in the order of what they tell first. A call is told of once, a finding that none of
/// these explains as well; what fits several in the same way is told of the first. `path`: where the recording is, which
/// may tell its host.
pub fn tell(context: &FormatContext<'_>, judged: &Judged, path: &Path) -> Vec<Told> {
    let log = Log::of(context, judged);
    let host = judged.claim.format.host_of(path, &judged.transcript);
    let mut teller = Teller {
        judged,
        host,
        known: ALL
            .iter()
            .copied()
            .filter(|story| story.is_of(judged.claim.format))
            .collect(),
        told: Vec::new(),
        named: BTreeMap::new(),
    };
    let calls = anchors(judged, &log);
    let mut claimed: HashSet<PartId> = HashSet::new();
    for (call, findings) in &calls {
        if !claimed.contains(call) {
            claimed.extend(teller.of_call(&log, *call, findings));
        }
    }
    teller.explain(&log, &calls);
    for (at, finding) in judged.findings.iter().enumerate() {
        let is_open = !teller.told.iter().any(|told| told.explained.contains(&at));
        if is_open && finding.severity > Severity::Note {
            teller.of_finding(&log, at, finding);
        }
    }
    let mut told = teller.told;
    told.sort_by_key(|told| told.lines.first().map(|line| line.event));
    told
}

/// The calls that may have a story, in order, with the findings that name them: of each the position, the code, and
/// whether it is a note. What a finding covers is told with it, or not at all.
type Calls = BTreeMap<PartId, BTreeSet<(usize, Code, bool)>>;

fn anchors(judged: &Judged, log: &Log<'_>) -> Calls {
    let mut calls: Calls = log
        .answered_twice()
        .map(|call| (call, BTreeSet::new()))
        .collect();
    for (at, finding) in judged.findings.iter().enumerate() {
        let is_note = finding.severity == Severity::Note;
        for call in log.calls_of(finding) {
            calls
                .entry(call)
                .or_default()
                .insert((at, finding.rule.code, is_note));
        }
    }
    calls
}

/// The work in progress.
struct Teller<'a> {
    judged: &'a Judged,
    host: &'static Host,
    known: Vec<&'static Story>,
    told: Vec<Told>,
    /// Events of the calls of each story, by its position.
    named: BTreeMap<usize, HashSet<EventId>>,
}

impl Teller<'_> {
    /// Tells of a call; gives the calls of which nothing else is to be told.
    fn of_call(
        &mut self,
        log: &Log<'_>,
        call: PartId,
        findings: &BTreeSet<(usize, Code, bool)>,
    ) -> Vec<PartId> {
        let anchor = Anchor {
            call: Some(call),
            finding: None,
        };
        let named = |story: &Story| {
            let mut named = findings
                .iter()
                .filter(|(_, _, is_note)| story.of_notes || !is_note);
            story.explains.is_empty() || named.any(|(_, code, _)| story.explains.contains(code))
        };
        let known = self
            .known
            .iter()
            .filter(|story| story.about == About::Call && named(story));
        let Some((story, variant, found)) = first_fit(log, anchor, known) else {
            return Vec::new();
        };
        let claims = claims(log, call, variant, &found);
        let event = log.t.a_part(call).event;
        let at = self.add(log, anchor, (story, variant), found, event);
        self.named.entry(at).or_default().insert(event);
        claims
    }

    fn of_finding(&mut self, log: &Log<'_>, at: usize, finding: &Finding) {
        let anchor = Anchor {
            call: log.calls_of(finding).into_iter().next(),
            finding: Some(finding),
        };
        let explains = |story: &Story| story.explains.contains(&finding.rule.code);
        let known = self
            .known
            .iter()
            .filter(|story| story.about == About::Finding && explains(story));
        let Some((story, variant, found)) = first_fit(log, anchor, known) else {
            return;
        };
        let Some(event) = anchor.damaged() else {
            return;
        };
        let told = self.add(log, anchor, (story, variant), found, event);
        self.told[told].explained.insert(at);
    }

    /// Adds a story, or to the one that tells the same; gives its position.
    fn add(
        &mut self,
        log: &Log<'_>,
        anchor: Anchor<'_>,
        (story, variant): (&'static Story, &'static Variant),
        found: Vec<Option<EventId>>,
        event: EventId,
    ) -> usize {
        let same = |told: &Told| {
            std::ptr::eq(told.variant, variant)
                || (story.is_one_cause && told.story.code == story.code)
        };
        let at = match self.told.iter().position(same) {
            Some(at) => {
                if self.told[at].place == event && anchor.call != self.told[at].call {
                    let own = self.told_of(log, anchor, (story, variant), found, event);
                    self.told[at].add(own);
                } else if !story.of_whole_file
                    && self.told[at].place != event
                    && self.told[at].more.last() != Some(&event)
                {
                    self.told[at].more.push(event);
                }
                at
            }
            None => {
                let told = self.told_of(log, anchor, (story, variant), found, event);
                self.told.push(told);
                self.told.len() - 1
            }
        };
        self.told[at].calls.extend(anchor.call);
        at
    }

    /// Which findings the stories of calls explain: those with one of their codes that name one of their calls.
    fn explain(&mut self, log: &Log<'_>, calls: &Calls) {
        for (call, findings) in calls {
            let event = log.t.a_part(*call).event;
            for (at, told) in self.told.iter_mut().enumerate() {
                if self
                    .named
                    .get(&at)
                    .is_some_and(|events| events.contains(&event))
                {
                    let own = findings.iter().filter(|(finding, ..)| {
                        told.story
                            .explains
                            .contains(&self.judged.findings[*finding].rule.code)
                    });
                    told.explained.extend(own.map(|(finding, ..)| *finding));
                }
            }
        }
    }

    fn told_of(
        &self,
        log: &Log<'_>,
        anchor: Anchor<'_>,
        (story, variant): (&'static Story, &'static Variant),
        found: Vec<Option<EventId>>,
        place: EventId,
    ) -> Told {
        let session = self.judged.session.as_deref().and_then(resumed::dashed);
        let stub = variant
            .steps
            .iter()
            .zip(&found)
            .find(|(step, _)| matches!(step.is, Is::Recovery(_)));
        let stub = stub.and_then(|(_, event)| *event);
        let mut lines = Vec::new();
        for (step, event) in variant
            .steps
            .iter()
            .zip(found)
            .filter(|(step, _)| step.need != Need::MustNot)
        {
            let mut certainty = if step.fact {
                Confidence::Certain
            } else {
                variant.certainty
            };
            let mut event = event;
            if step.is == Is::Resumed {
                let quote = session.as_deref().zip(anchor.call.zip(stub));
                let quote = quote
                    .and_then(|(session, (call, stub))| resumed::find(log, session, call, stub));
                (event, certainty) =
                    quote.map_or((None, certainty), |(event, sure)| (Some(event), sure));
            }
            if let Some(event) = event {
                let (call, name) = (anchor.call, step.name);
                lines.push(Line {
                    event,
                    call,
                    name,
                    says: step.says,
                    certainty,
                    aside: step.aside,
                });
            }
        }
        if let Some(call) = anchor
            .call
            .filter(|_| variant.steps.iter().any(|step| step.is.is_result()))
        {
            add_results(log, call, &mut lines);
        }
        let holds = |when: &When| match when {
            When::Always => true,
            When::Found(name) => lines.iter().any(|line| line.name == *name),
            When::By(host) => *host == self.host,
            When::FoundBy(step, host) => {
                *host == self.host && lines.iter().any(|line| line.name == *step)
            }
        };
        let prevent = story
            .prevent
            .iter()
            .find(|(when, _)| holds(when))
            .map_or("", |(_, text)| *text);
        let does = story
            .does
            .iter()
            .find(|(host, _)| host.is_none_or(|host| host == self.host));
        Told {
            story,
            variant,
            host: self.host.title,
            does: does.map_or("", |(_, text)| *text),
            place,
            call: anchor.call,
            results: anchor
                .call
                .map(|call| log.results(call))
                .unwrap_or_default(),
            lines,
            prevent,
            more: Vec::new(),
            also: Vec::new(),
            calls: Vec::new(),
            explained: BTreeSet::new(),
        }
    }
}

/// Adds the results of a call that no step found.
fn add_results(log: &Log<'_>, call: PartId, lines: &mut Vec<Line>) {
    let mut outputs: HashSet<u64> = HashSet::new();
    for result in log
        .results(call)
        .into_iter()
        .map(|result| log.t.a_part(result))
    {
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
                Line {
                    event,
                    call: Some(call),
                    name: "",
                    says,
                    certainty,
                    aside: false,
                },
            );
        }
    }
}

/// Puts a line where it belongs in time.
fn insert(lines: &mut Vec<Line>, line: Line) {
    let later = |other: &Line| other.event > line.event && !other.aside;
    let at = lines.iter().position(later).unwrap_or(lines.len());
    lines.insert(at, line);
}

/// The first story that fits, and its first variant that does.
fn first_fit<'s>(
    log: &Log<'_>,
    anchor: Anchor<'_>,
    mut known: impl Iterator<Item = &'s &'static Story>,
) -> Option<(&'static Story, &'static Variant, Vec<Option<EventId>>)> {
    known.find_map(|story| {
        let mut variants = story.variants.iter();
        variants.find_map(|variant| Some((*story, variant, fit(log, anchor, variant)?)))
    })
}

/// Calls of which nothing else is to be told.
fn claims(
    log: &Log<'_>,
    call: PartId,
    variant: &Variant,
    found: &[Option<EventId>],
) -> Vec<PartId> {
    let mut claims = vec![call];
    let whole_batch = variant.given.contains(&super::Given::RestAbandoned)
        || variant
            .steps
            .iter()
            .any(|step| matches!(step.is, Is::Sister | Is::SisterAnswer));
    if whole_batch {
        claims.extend(
            log.batch_of(call)
                .into_iter()
                .flat_map(|batch| &batch.calls),
        );
    }
    let again = variant
        .steps
        .iter()
        .zip(found)
        .filter(|(step, _)| step.is == Is::SameId);
    let again = again.filter_map(|(_, event)| *event);
    claims.extend(again.flat_map(|event| log.calls_with(event, log.t.a_part(call).id)));
    claims
}
