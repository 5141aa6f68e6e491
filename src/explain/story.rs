//! The story of a transcript: what happened, how sure that is, whether it is safe to continue.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use super::SCHEMA;
use super::cuts::{self, CutPoints};
use super::fill::TextFiller;
use super::go_on::{self, GoOn, MayContinue};
use super::planned::Planned;
use super::recorded::{self, Recorded};
use super::timeline::{self, Timeline};
use crate::bytes::source::Entries;
use crate::engine::Judged;
use crate::find::name_of;
use crate::format::FormatContext;
use crate::repair::Excess;
use crate::report::build;
use crate::report::fold::fold;
use crate::report::model::{Conversation, FindingRecord, Tool};
use crate::report::redact::{Redact, Redactor, StringKind, redact_fields};
use crate::report::text::{ReportIds, Sentence, Shown};
use crate::stories::{self, Occurrence};
use crate::transcript::{
    Applicability, Confidence, EventId, Inclusion, IndexVec, PartId, Role, Severity, Transcript,
    facts, time,
};

#[derive(Clone, Debug)]
pub struct ExplainOptions {
    /// Which records the timeline shows.
    pub timeline: Timeline,
    /// Number of records shown before and after each one involved.
    pub context: usize,
    /// Shows the records around this line, event number or ID instead of what happened.
    pub around: Option<String>,
    /// Whether to look for root causes.
    pub stories: bool,
    /// Whether sentences have complete IDs.
    pub whole_ids: bool,
    /// Whether the journal has a repair of it that was not undone.
    pub is_repaired: bool,
}

impl Default for ExplainOptions {
    fn default() -> ExplainOptions {
        ExplainOptions {
            timeline: Timeline::Around,
            context: 1,
            around: None,
            stories: true,
            whole_ids: false,
            is_repaired: false,
        }
    }
}

/// The explanation of a transcript.
#[derive(Debug, Serialize)]
pub struct Account {
    /// [`SCHEMA`].
    pub schema: &'static str,
    pub tool: Tool,
    /// The conversation with its findings, as `check` reports it.
    pub conversation: Conversation,
    /// Its size and its last state.
    pub summary: ConversationNumbers,
    pub stories: Vec<FoundStory>,
    /// Findings without a known cause: indices into the findings of the conversation.
    pub unexplained: Vec<usize>,
    /// The recorded error that stopped the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Whether it is safe to continue.
    pub go_on: GoOn,
    /// Where a compaction may cut it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuts: Option<CutPoints>,
    /// The records of the timeline.
    pub timeline: Vec<FindingRecord>,
    /// What a repair would do, if that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<Planned>,
    /// The command to type next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<ProposedCommand>,
}

impl Account {
    /// The IDs of calls that it names, which an abbreviation must tell apart.
    pub(crate) fn call_ids(&self) -> impl Iterator<Item = &Shown> {
        let findings = self.conversation.findings.iter();
        let of_findings = findings.clone().flat_map(|finding| &finding.records);
        let records = self.timeline.iter().chain(of_findings);
        let effects = self.go_on.effects.iter();
        findings
            .flat_map(|finding| &finding.call_ids)
            .chain(records.filter_map(|record| record.call.as_ref()))
            .chain(effects.filter_map(|effect| effect.call_id.as_ref()))
    }
}

impl Account {
    /// Findings above a note that no story explains.
    pub fn unexplained_damage(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.unexplained.iter().copied().filter(|at| {
            self.conversation
                .findings
                .get(*at)
                .is_some_and(|finding| finding.severity > Severity::Note)
        })
    }

    /// Whether a recorded error explains all of them.
    pub fn has_recorded_cause(&self) -> bool {
        let recorded = self.recorded.as_ref().map_or(&[][..], |recorded| &recorded.findings);
        !recorded.is_empty() && self.unexplained_damage().all(|at| recorded.contains(&at))
    }
}

/// A command for this transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProposedCommand {
    pub command: &'static str,
    pub options: &'static [&'static str],
}

/// A conversation in numbers.
#[derive(Debug, Serialize)]
pub struct ConversationNumbers {
    /// Records.
    pub events: u64,
    /// Calls that are sent.
    pub calls: u64,
    pub branches_left: u64,
    /// The host's status, as last recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Shown>,
    /// The last record of the active branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<FindingRecord>,
}

/// A root cause, as it occurred in this transcript.
#[derive(Debug, Serialize)]
pub struct FoundStory {
    /// `P1`.
    pub code: &'static str,
    /// `second-server`.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// How sure the explanation is.
    pub certainty: Confidence,
    /// The call that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Shown>,
    /// What happened, in order.
    pub lines: Vec<StoryLine>,
    /// The consequence; empty if there is none.
    pub so: Sentence,
    /// Another possible explanation; empty if it is certain.
    pub doubt: &'static str,
    /// How to prevent it; empty if unknown.
    pub prevent: &'static str,
    /// Record numbers of further calls with the same story.
    pub more: Vec<u64>,
    /// Further calls of the same record with the same story.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<NamedCall>,
}

/// A call that a story names.
#[derive(Debug, Serialize)]
pub struct NamedCall {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Shown>,
}

/// One thing that happened.
#[derive(Debug, Serialize)]
pub struct StoryLine {
    /// What the number counts: `line` (from 1) or `event` (from 0).
    pub unit: &'static str,
    /// The number of the record.
    pub number: u64,
    /// When, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// In our own words.
    pub says: Sentence,
    pub certainty: Confidence,
    /// More evidence for it, each with how sure it is.
    pub asides: Vec<(Sentence, Confidence)>,
}

redact_fields! {
    Account { conversation, summary, stories, recorded, go_on, timeline, planned }
    ConversationNumbers { status, last }
    FoundStory { call_id, lines, so, also }
    NamedCall { tool, call_id }
}

impl Redact for StoryLine {
    fn redact(&mut self, reader: &Redactor) {
        self.says.redact(reader);
        self.asides.iter_mut().for_each(|(says, _)| says.redact(reader));
    }
}

/// Explains a judged transcript. `path` is as the user named it; `live`: a process is writing the
/// transcript.
pub fn account(
    path: &Path,
    entries: &dyn Entries,
    judged: &Judged,
    live: bool,
    options: &ExplainOptions,
) -> Account {
    let name = name_of(path);
    let context = judged.context(0, entries, &name, live);
    let occurrences =
        if options.stories { stories::find(&context, judged, path) } else { Vec::new() };
    let filler = TextFiller { judged, ids: ids(judged, &occurrences, options.whole_ids) };
    let mut conversation = build::conversation(path, entries, judged, live);
    // Folding joins findings, so places in the judged list are not places in the reported one.
    let (findings, places) = fold(std::mem::take(&mut conversation.findings));
    conversation.findings = findings;
    let reported_at = |all: Vec<usize>| {
        let mut seen = BTreeSet::new();
        let places = all.into_iter().filter_map(|at| places.get(at).copied());
        places.filter(|place| seen.insert(*place)).collect::<Vec<usize>>()
    };
    let unexplained = reported_at(
        (0..judged.findings.len())
            .filter(|at| !occurrences.iter().any(|occurrence| occurrence.explained.contains(at)))
            .collect(),
    );
    let recorded = recorded::find(&context, judged)
        .map(|recorded| Recorded { findings: reported_at(recorded.findings.clone()), ..recorded });
    let state = (live, options.is_repaired);
    let go_on = go_on::assess(&filler, &occurrences, recorded.as_ref(), state);
    let involved = match &options.around {
        Some(word) => super::record::find(judged, word).into_iter().collect(),
        None => involved(judged, &occurrences),
    };
    Account {
        schema: SCHEMA,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        planned: None,
        next: command(judged, &go_on),
        conversation,
        summary: summary(&context, judged),
        stories: occurrences.iter().map(|occurrence| story(&filler, occurrence)).collect(),
        unexplained,
        recorded,
        go_on,
        cuts: cuts::points(judged),
        timeline: timeline::records(&context, judged, options.timeline, &involved, options.context),
    }
}

/// The IDs that sentences name, shortened but distinct.
fn ids(judged: &Judged, occurrences: &[Occurrence], whole: bool) -> ReportIds {
    if whole {
        return ReportIds::default();
    }
    let t = &judged.transcript;
    let calls = occurrences
        .iter()
        .filter_map(|occurrence| t.part(occurrence.call?).id)
        .map(|id| t.ids.get(id));
    ReportIds::short(&calls.collect::<Vec<_>>())
}

/// The records of the stories and of the findings above a note.
fn involved(judged: &Judged, occurrences: &[Occurrence]) -> BTreeSet<EventId> {
    let lines = occurrences.iter().flat_map(|occurrence| {
        occurrence
            .lines
            .iter()
            .map(|line| line.event)
            .chain(occurrence.results.iter().map(|part| judged.transcript.part(*part).event))
    });
    let labels = judged.at_least(Severity::Warning).flat_map(|finding| &finding.labels);
    lines
        .chain(labels.map(|label| label.event))
        .filter(|event| judged.transcript.event(*event).role != Role::HostState)
        .collect()
}

fn story(filler: &TextFiller<'_>, occurrence: &Occurrence) -> FoundStory {
    let t = &filler.judged.transcript;
    let mut lines: Vec<StoryLine> = Vec::new();
    for (at, line) in occurrence.lines.iter().enumerate().filter(|(_, line)| !line.says.is_empty())
    {
        let (says, certainty) = (filler.fill(line.says, occurrence, Some(at)), line.certainty);
        // An aside belongs to the line above it; without one it stands alone.
        match lines.last_mut().filter(|_| line.aside) {
            Some(before) => before.asides.push((says, certainty)),
            None => lines.push(StoryLine {
                unit: filler.unit(line.event),
                number: filler.number(line.event),
                time: t.event(line.event).time().map(time::format_utc),
                says,
                certainty,
                asides: Vec::new(),
            }),
        }
    }
    let so = if occurrence.variant.so.is_empty() {
        filler.outcome(occurrence)
    } else {
        filler.fill(occurrence.variant.so, occurrence, None)
    };
    FoundStory {
        code: occurrence.story.code,
        name: occurrence.story.name,
        title: occurrence.story.title,
        certainty: occurrence.variant.certainty,
        call_id: occurrence
            .call
            .and_then(|call| t.part(call).id)
            .map(|id| Shown::of(StringKind::Call, t.ids.get(id))),
        lines,
        so,
        doubt: occurrence.variant.doubt,
        prevent: occurrence.prevent,
        more: occurrence.more.iter().map(|event| filler.number(*event)).collect(),
        also: occurrence.also.iter().map(|call| asked(t, *call)).collect(),
    }
}

fn asked(t: &Transcript, call: PartId) -> NamedCall {
    let part = t.part(call);
    NamedCall {
        tool: part.tool.map(|tool| Shown::of(StringKind::Name, t.ids.get(tool))),
        call_id: part.id.map(|id| Shown::of(StringKind::Call, t.ids.get(id))),
    }
}

fn summary(context: &FormatContext<'_>, judged: &Judged) -> ConversationNumbers {
    let (t, request) = (&judged.transcript, judged.request());
    let mut off: Vec<EventId> = t.records().collect();
    off.retain(|event| request.inclusion(*event) == Inclusion::OffBranch);
    let mut goes_on = IndexVec::for_each_of(&t.events, false);
    for event in &off {
        if let Some(parent) = request.parent.get(*event).copied().flatten() {
            goes_on[parent] = true;
        }
    }
    let ends = off.iter().filter(|event| !goes_on[**event]);
    let state = t.host_state().into_iter().chain(t.events.ids().rev());
    let mut statuses = state.filter_map(|event| t.fact_text(event, facts::STATUS));
    let status = statuses.next().map(|status| Shown::of(StringKind::Name, status));
    ConversationNumbers {
        events: judged.records(),
        calls: judged.calls(),
        branches_left: ends.count() as u64,
        status,
        last: request.branch.last().map(|event| timeline::record(context, judged, *event)),
    }
}

/// The next command: the repair if it is safe, else a preview of the unsafe one.
fn command(judged: &Judged, go_on: &GoOn) -> Option<ProposedCommand> {
    let has = |applicability| {
        judged.at_least(Severity::Warning).any(|finding| finding.applicability() == applicability)
    };
    match go_on.answer {
        MayContinue::Yes | MayContinue::Wait => None,
        _ if Excess::of(judged).is_some() => None,
        _ if has(Applicability::Safe) => Some(ProposedCommand { command: "repair", options: &[] }),
        _ if has(Applicability::Unsafe) => {
            Some(ProposedCommand { command: "diff", options: &["--unsafe"] })
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "story_tests.rs"]
pub(super) mod tests;
