//! Which stories a log tells.

use std::collections::HashSet;

use super::log::Log;
use super::{ALL, Branch, Given, Is, Names, Need, Runs, Step, Story, Time, Variant, resumed};
use crate::engine::Judged;
use crate::formats::Scene;
use crate::rules::Finding;
use crate::transcript::{Confidence, EventNo, Fate, LinkKind, Origin, PartKind, PartNo, pairs::Standing};

/// Events that are looked at for a step with a time.
const LOOKED_AT: usize = 100;

/// A story as a log tells it.
#[derive(Debug)]
pub struct Told {
    /// Which.
    pub story: &'static Story,
    /// How it shows here.
    pub variant: &'static Variant,
    /// The call that it is told of.
    pub call: PartNo,
    /// What happened, in order.
    pub lines: Vec<Line>,
    /// All results of the call, in the order of storage, other branches included.
    pub results: Vec<EventNo>,
    /// How to prevent it; "" where nothing is known.
    pub prevent: &'static str,
    /// Further calls of which the same is told.
    pub more: Vec<PartNo>,
}

/// A step that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The event.
    pub event: EventNo,
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
    /// Whether a finding is explained by it.
    pub fn explains(&self, judged: &Judged, finding: &Finding) -> bool {
        let names = |call: &PartNo| {
            let event = judged.transcript.a_part(*call).event;
            finding.labels.iter().any(|label| label.event == event)
        };
        self.story.explains.contains(&finding.rule.code)
            && std::iter::once(&self.call).chain(&self.more).any(names)
    }

    /// The event of this name.
    pub fn event(&self, name: &str) -> Option<EventNo> {
        self.lines.iter().find(|line| line.name == name).map(|line| line.event)
    }

    /// How often the tools of its calls ran.
    pub fn runs(&self) -> Runs {
        self.variant.runs
    }
}

/// All stories of a conversation, in the order of their calls. A call is told of once; what fits several calls in the same
/// way is told of the first.
pub fn tell(scene: &Scene<'_>, judged: &Judged) -> Vec<Told> {
    let log = Log::of(judged);
    let known: Vec<&'static Story> =
        ALL.iter().filter(|story| story.formats.contains(&judged.claim.format.name)).copied().collect();
    let mut told: Vec<Told> = Vec::new();
    let mut claimed: HashSet<EventNo> = HashSet::new();
    for (call, codes) in anchors(judged, &log) {
        if claimed.contains(&log.t.a_part(call).event) {
            continue;
        }
        let named = |story: &&Story| {
            story.explains.is_empty() || story.explains.iter().any(|code| codes.contains(code))
        };
        let fits = known.iter().filter(|story| named(story)).find_map(|story| {
            let mut variants = story.variants.iter();
            variants.find_map(|variant| Some((*story, variant, fit(&log, call, variant)?)))
        });
        let Some((story, variant, found)) = fits else { continue };
        claimed.extend(claims(&log, call, variant, &found));
        let same = |told: &&mut Told| told.story.code == story.code && std::ptr::eq(told.variant, variant);
        match told.iter_mut().find(same) {
            Some(first) => first.more.push(call),
            None => told.push(told_of(scene, judged, &log, call, (story, variant), found)),
        }
    }
    told
}

/// The calls that may have a story, in order, with the codes of the findings that name them.
fn anchors(judged: &Judged, log: &Log<'_>) -> Vec<(PartNo, Vec<&'static str>)> {
    let mut codes: std::collections::BTreeMap<PartNo, Vec<&'static str>> = log
        .pairs
        .all()
        .filter(|(part, standing)| {
            matches!(standing, Standing::Answered(_)) && log.pairs.results(*part).len() > 1
        })
        .map(|(call, _)| (call, Vec::new()))
        .collect();
    let mut name = |finding: &Finding| {
        for label in &finding.labels {
            for part in log.t.event(label.event).parts.clone() {
                if log.t.a_part(part).kind == PartKind::Call {
                    let own = codes.entry(part).or_default();
                    if !own.contains(&finding.rule.code) {
                        own.push(finding.rule.code);
                    }
                }
            }
        }
    };
    for finding in &judged.findings {
        name(finding);
        finding.consequences.iter().for_each(&mut name);
    }
    codes.into_iter().collect()
}

/// Calls of which nothing else is to be told.
fn claims(log: &Log<'_>, call: PartNo, variant: &Variant, found: &[Option<EventNo>]) -> Vec<EventNo> {
    let mut claims = vec![log.t.a_part(call).event];
    let whole_batch = variant.given.contains(&Given::RestAbandoned)
        || variant.steps.iter().any(|step| step.is == Is::Sister);
    if whole_batch {
        claims.extend(log.events(Is::Sister, call).iter());
    }
    let again = variant.steps.iter().zip(found).filter(|(step, _)| step.is == Is::SameId);
    claims.extend(again.filter_map(|(_, event)| *event));
    claims
}

/// The event of each step of a variant, where the variant fits.
fn fit(log: &Log<'_>, call: PartNo, variant: &Variant) -> Option<Vec<Option<EventNo>>> {
    if !variant.given.iter().all(|given| holds(log, call, *given)) {
        return None;
    }
    let steps = variant.steps;
    let mut found: Vec<Option<EventNo>> = vec![None; steps.len()];
    let mut cursor: Option<EventNo> = None;
    for (step, found) in steps.iter().zip(&mut found).filter(|(step, _)| is_fixed(step)) {
        let event = match cursor {
            None => log.events(step.is, call).first().copied()?,
            Some(after) => log.first(step.is, call, after)?,
        };
        cursor = Some(event);
        *found = Some(event);
    }
    let fixed = found.clone();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| !is_fixed(step)) {
        let prev = fixed[..at].iter().rev().find_map(|event| *event)?;
        let next = fixed[at..].iter().find_map(|event| *event);
        found[at] = between(log, call, step, prev, next);
        match (step.need, found[at]) {
            (Need::Must, None) | (Need::MustNot, Some(_)) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// Whether a step is found by itself; the others are looked for between such ones.
fn is_fixed(step: &Step) -> bool {
    step.need == Need::Must && step.time == Time::Any
}

/// The event of a step between two others.
fn between(
    log: &Log<'_>,
    call: PartNo,
    step: &Step,
    prev: EventNo,
    next: Option<EventNo>,
) -> Option<EventNo> {
    let events = log.events(step.is, call);
    let start = events.partition_point(|event| *event <= prev);
    let end = next.map_or(events.len(), |next| events.partition_point(|event| *event < next));
    let events = events.get(start..end)?;
    let time = |event: EventNo| log.t.event(event).time;
    match step.time {
        Time::Any => events.first().copied(),
        Time::Between => {
            let (low, high) = (time(prev)?, time(next?)?);
            let fits = |event: &&EventNo| time(**event).is_some_and(|time| low < time && time < high);
            events.iter().take(LOOKED_AT).find(fits).copied()
        }
        Time::JustBefore(most) => {
            let until = time(next?)?;
            let fits = |event: &&EventNo| {
                let gap = time(**event).and_then(|time| until.checked_sub(time));
                gap.is_some_and(|gap| (0..=most).contains(&gap))
            };
            events.iter().rev().take(LOOKED_AT).find(fits).copied()
        }
    }
}

fn holds(log: &Log<'_>, call: PartNo, given: Given) -> bool {
    let t = log.t;
    match given {
        Given::RecordsStatus => log.was("running"),
        Given::Runnable => t.a_part(call).runnable,
        Given::NotRunnable => !t.a_part(call).runnable,
        Given::RestAbandoned => {
            let Some(batch) = log.pairs.batch_of(call) else { return false };
            let [first, rest @ ..] = batch.calls.as_slice() else { return false };
            let abandoned = |call: &PartNo| {
                let off = log.view.fate(t.a_part(*call).event) == Fate::OffBranch;
                off || log.view.pairs.standing(*call) == Standing::Open
            };
            *first == call && !rest.is_empty() && rest.iter().all(abandoned)
        }
        Given::SameOutput => {
            let outputs = log.pairs.results(call).iter().map(|result| t.a_part(*result));
            let mut outputs = outputs.filter(|result| result.origin == Origin::Real);
            outputs.next().is_some_and(|first| outputs.all(|other| other.digest == first.digest))
        }
        Given::AnswerIsLater => {
            let time = |part: PartNo| t.event(t.a_part(part).event).time;
            let answer = log.view.pairs.answer(call).and_then(time);
            answer.zip(time(call)).is_some_and(|(answer, call)| answer > call)
        }
        Given::AnswerHangsBefore => {
            let call_event = t.a_part(call).event;
            let named = |result: EventNo| {
                let parent = log.view.parent.get(result as usize).copied().flatten()?;
                let link = t.link_of(result, LinkKind::Parent)?.to?;
                (t.event(parent).id == Some(link)).then_some(parent)
            };
            let on = log.events(Is::Result(Branch::On), call);
            on.iter().filter_map(|result| named(*result)).any(|parent| parent < call_event)
        }
        Given::NoOwnLink => {
            let mut results = log.pairs.results(call).iter().map(|result| t.a_part(*result).event);
            results.all(|result| log.names(call, result) == Names::Foreign)
        }
    }
}

fn told_of(
    scene: &Scene<'_>,
    judged: &Judged,
    log: &Log<'_>,
    call: PartNo,
    (story, variant): (&'static Story, &'static Variant),
    found: Vec<Option<EventNo>>,
) -> Told {
    let text = |event: EventNo| (judged.claim.format.text)(scene, event);
    let session = judged.session.as_deref().and_then(resumed::dashed);
    let stub = variant.steps.iter().zip(&found).find(|(step, _)| matches!(step.is, Is::Recovery(_)));
    let stub = stub.and_then(|(_, event)| *event);
    let mut lines = Vec::new();
    for (step, event) in variant.steps.iter().zip(found).filter(|(step, _)| step.need != Need::MustNot) {
        let mut certainty = if step.fact { Confidence::Certain } else { variant.certainty };
        let mut event = event;
        if step.is == Is::Resumed {
            let quote = session.as_deref().zip(stub);
            let quote = quote.and_then(|(session, stub)| resumed::find(log, &text, session, call, stub));
            (event, certainty) = quote.map_or((None, certainty), |(event, sure)| (Some(event), sure));
        }
        if let Some(event) = event {
            lines.push(Line { event, name: step.name, says: step.says, certainty, aside: step.aside });
        }
    }
    let has = |name: &str| name.is_empty() || lines.iter().any(|line| line.name == name);
    let prevent = story.prevent.iter().find(|(name, _)| has(name)).map_or("", |(_, text)| *text);
    let results = log.pairs.results(call).iter().map(|result| log.t.a_part(*result).event).collect();
    Told { story, variant, call, lines, results, prevent, more: Vec::new() }
}
