//! Which stories a log tells.

use std::collections::HashSet;

use super::fit::fit;
use super::log::Log;
use super::{ALL, Given, Is, Need, Runs, Story, Variant, resumed};
use crate::engine::Judged;
use crate::formats::Scene;
use crate::rules::Finding;
use crate::transcript::pairs::Standing;
use crate::transcript::{Confidence, EventNo, PartKind, PartNo};

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
    pub results: Vec<PartNo>,
    /// How to prevent it; "" where nothing is known.
    pub prevent: &'static str,
    /// Further calls of which the same is told.
    pub more: Vec<PartNo>,
    /// The events of all these calls.
    call_events: HashSet<EventNo>,
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
    pub fn explains(&self, finding: &Finding) -> bool {
        let named = || finding.labels.iter().any(|label| self.call_events.contains(&label.event));
        self.story.explains.contains(&finding.rule.code) && named()
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
            Some(first) => {
                first.more.push(call);
                first.call_events.insert(log.t.a_part(call).event);
            }
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
    let results = log.pairs.results(call).to_vec();
    Told {
        story,
        variant,
        call,
        lines,
        results,
        prevent,
        more: Vec::new(),
        call_events: HashSet::from([log.t.a_part(call).event]),
    }
}
