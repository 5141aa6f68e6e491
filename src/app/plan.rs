//! What is to be done about one source: one patch for all of its conversations.

use std::collections::HashMap;
use std::io;

use super::copies::{self, Proposed};
use super::difference::{self, JudgedRecording};
use super::only_copy::{OnlyCopy, Replacing};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Span};
use crate::containers::ReadError;
use crate::diff::records::{DifferingRecord, RecordsDiff};
use crate::engine::{Blame, CheckOptions, Judged, Verdict, judge};
use crate::find::Found;
use crate::find::name_of;
use crate::format::Detection;
use crate::outputs::many;
use crate::repair::{Focus, Op, Policy, Refused, RepairPlan, Taken};
use crate::report::model::{Applied, AppliedFix, Conversation};
use crate::report::redact::Redactor;
use crate::report::rows::{TranscriptReport, entry};
use crate::report::text::{Shown, escape};
use crate::rows::{self, Checked, Examined, OneConversation};
use crate::transcript::{Applicability, Code, Place, Transcript, find_abbreviated};

/// How a plan is made.
#[derive(Clone)]
pub(crate) struct Planning {
    /// What is asked of the engine.
    pub check: CheckOptions,
    /// Which fixes may be taken.
    pub policy: Policy,
    /// Healthy rows have entries of their own, too.
    pub every_row: bool,
    /// Most changed conversations that are kept to be shown: each takes 10 KB of memory.
    pub most_shown: usize,
}

impl Planning {
    pub(crate) fn new(check: CheckOptions, policy: Policy) -> Planning {
        Planning { check, policy, every_row: false, most_shown: usize::MAX }
    }

    /// The same, of a transcript that somebody is writing.
    pub(super) fn live(&self) -> Planning {
        let mut planning = self.clone();
        planning.check.live = true;
        planning
    }

    /// The same, of nothing but this. `blame`: what a text names, which no check can see.
    pub(super) fn of(mut self, focus: Focus, blame: Option<Blame>) -> Planning {
        self.policy.focus = Some(focus);
        self.check.blame = blame;
        self
    }
}

/// One source with its plan.
pub(super) struct SourcePlan<'a> {
    pub found: &'a Found,
    /// How it was planned.
    pub planning: Planning,
    /// What is done, against the source.
    pub patch: Patch,
    /// The first conversations that are changed, with what is done to each.
    pub parts: Vec<ChangedConversation>,
    /// Number of conversations that are changed beyond these.
    pub more_parts: usize,
    /// Number of safe fixes, and of others.
    pub fixes: (usize, usize),
    /// The entries of the transcript as it is.
    pub before: Vec<Conversation>,
    /// What is done, in numbers.
    pub counts: Applied,
    /// The codes of what is left afterwards, in order.
    pub left: Vec<Code>,
    /// Rows that could not be checked, and why.
    pub missed: Vec<String>,
    /// What to know of the repair.
    pub remarks: Vec<String>,
    /// Why it is written only as a copy, if it is.
    pub only_copy: Option<OnlyCopy>,
    /// Of a transcript that is one conversation.
    plan: Option<Box<RepairPlan>>,
    nothing: Transcript,
}

/// A conversation that is changed.
pub(super) struct ChangedConversation {
    /// As it is.
    pub before: Conversation,
    /// What is repaired.
    pub taken: Vec<Taken>,
    /// Its records that differ.
    pub records: RecordsDiff,
}

impl SourcePlan<'_> {
    /// The facts of a transcript that is one conversation; else none.
    pub(crate) fn facts(&self) -> &Transcript {
        self.plan.as_ref().map_or(&self.nothing, |plan| &plan.before.transcript)
    }

    /// The fixes of the changed conversations that are kept.
    pub(crate) fn changes(&self) -> Vec<AppliedFix> {
        let mut changes = Vec::new();
        for part in &self.parts {
            for taken in &part.taken {
                changes.push(AppliedFix::of(taken.clone(), part.before.row.clone()));
            }
        }
        changes
    }

    /// What a report says that is done.
    pub(crate) fn applied(&self) -> Applied {
        Applied { changes: self.changes(), ..self.counts.clone() }
    }

    /// A transcript that is one conversation, as it would be.
    pub(crate) fn after(&self) -> Option<&Judged> {
        self.plan.as_ref().map(|plan| plan.after())
    }

    /// The same, as it is.
    pub(crate) fn judged(&self) -> Option<&Judged> {
        self.plan.as_ref().map(|plan| &plan.before)
    }
}

/// Takes each conversation that is changed as soon as it is planned.
type EachChanged<'f> = &'f mut dyn FnMut(ChangedConversation) -> io::Result<()>;

/// Works out what is to be done.
///
/// # Errors
/// As [`rows::plan`].
pub(super) fn make<'a>(
    found: &'a Found,
    planning: Planning,
    reader: &Redactor,
) -> Result<SourcePlan<'a>, Refused> {
    let most = planning.most_shown;
    let (mut parts, mut more_parts) = (Vec::new(), 0);
    let mut work = make_each(found, planning, reader, &mut |part| {
        if parts.len() < most {
            parts.push(part);
        } else {
            more_parts += 1;
        }
        Ok(())
    })?;
    if work.only_copy.is_some() {
        let proposed = Proposed::Planned(&work.patch);
        for part in &mut parts {
            copies::name(std::slice::from_mut(&mut part.before), found, &proposed);
        }
    }
    (work.parts, work.more_parts) = (parts, more_parts);
    Ok(work)
}

/// The same, which keeps nothing of a changed conversation but its edits.
///
/// # Errors
/// As [`rows::plan`], or `each` failed.
pub(super) fn make_each<'a>(
    found: &'a Found,
    planning: Planning,
    reader: &Redactor,
    each: EachChanged<'_>,
) -> Result<SourcePlan<'a>, Refused> {
    let Planning { check: options, policy, every_row, .. } = &planning;
    let mut all = PlannedConversations {
        found,
        reader,
        live: options.live,
        report: TranscriptReport::new(&found.path, found.detection.format)
            .with_every_row(*every_row)
            // Each finding is asked for itself.
            .with_each_finding(policy.focus.is_some()),
        each,
        fixes: (0, 0),
        counts: Applied::default(),
        left: Vec::new(),
        replacing: Replacing::new(found),
        bound_rows: 0,
        lines_added: 0,
        plan: None,
    };
    let mut failed = None;
    let name = name_of(&found.path);
    let patch =
        rows::plan(&found.source, &name, &found.detection, options, policy, &mut |examined| {
            if let Err(error) = all.add(examined) {
                failed.get_or_insert(error);
            }
        })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let mut remarks = all.remarks();
    let mut entries = all.report.finish();
    let only_copy = all.replacing.only_copy();
    if only_copy.is_some() {
        copies::name(&mut entries.conversations, found, &Proposed::Planned(&patch));
    }
    remarks.extend(unnamed(&entries.conversations, options));
    Ok(SourcePlan {
        found,
        planning,
        patch,
        parts: Vec::new(),
        more_parts: 0,
        fixes: all.fixes,
        before: entries.conversations,
        counts: all.counts,
        left: all.left,
        missed: entries.missed,
        remarks,
        only_copy,
        plan: all.plan,
        nothing: Transcript::default(),
    })
}

/// What to say where `--call` names no call that has several results.
fn unnamed(before: &[Conversation], options: &CheckOptions) -> Option<String> {
    let word = options.prefer.iter().find_map(|own| own.call.as_deref())?;
    let findings = before.iter().flat_map(|entry| &entry.findings);
    let several = findings
        .filter(|finding| matches!(finding.code, Code::TwoResults | Code::ConflictingResults));
    let ids = several.flat_map(|finding| &finding.call_ids).map(Shown::exact);
    let none = find_abbreviated(word, ids).is_none();
    none.then(|| {
        format!("--call {}: no tool call with several results has this ID here.", escape(word))
    })
}

fn at(place: Place) -> String {
    let word = if matches!(place, Place::Line(_)) { "line" } else { "message" };
    format!("on {word} {}", place.number())
}

/// What to know of thinking that stays behind a change. `place`: where the first of it is.
fn bound(place: &str) -> String {
    format!(
        "Signed thinking {place} and later was made for the old text; most models do not mind. If the provider answers \
         \"The block is bound to a different conversation\" or \"Invalid signature\", run repair --unsafe --error with that text."
    )
}

/// The records of a conversation that its plan changes.
fn changed(
    entries: &dyn Entries,
    plan: &RepairPlan,
    reader: &Redactor,
) -> Result<RecordsDiff, ReadError> {
    let patched = Overlay::new(entries, &plan.patch);
    let (old, new) =
        (JudgedRecording::new(entries, &plan.before), JudgedRecording::new(&patched, plan.after()));
    Ok(difference::records(old, new, Some(&plan.patch), reader)?)
}

/// What is to be done about the conversations so far.
struct PlannedConversations<'a, 'f> {
    found: &'a Found,
    reader: &'f Redactor,
    live: bool,
    report: TranscriptReport,
    each: EachChanged<'f>,
    fixes: (usize, usize),
    counts: Applied,
    left: Vec<Code>,
    replacing: Replacing<'a>,
    /// Rows with thinking after what is changed.
    bound_rows: u64,
    /// Lines that splits added so far.
    lines_added: u64,
    /// The only one, where it is the whole transcript.
    plan: Option<Box<RepairPlan>>,
}

impl PlannedConversations<'_, '_> {
    fn add(&mut self, examined: Examined<'_>) -> Result<(), ReadError> {
        self.replacing.see(&examined);
        self.report.add(&examined, self.live);
        match examined {
            Examined::Conversation(own) => self.conversation(own),
            Examined::Lines { row, window, judged, taken, patch, .. } if !patch.is_empty() => {
                for action in taken.iter().flat_map(|taken| &taken.steps) {
                    let parks = action.op == Op::Remove;
                    *if parks { &mut self.counts.removed } else { &mut self.counts.replaced } += 1;
                }
                let mut rows = removed(&taken, judged, window, self.reader)?;
                rows.extend(self.split(&taken, judged, patch));
                let records = RecordsDiff { rows, ..RecordsDiff::default() };
                let before = self.report.lines(&row, window, judged);
                self.pass_on(ChangedConversation { before, taken, records })
            }
            _ => Ok(()),
        }
    }

    fn conversation(&mut self, own: OneConversation<'_>) -> Result<(), ReadError> {
        let Some(plan) = own.plan() else {
            // Its repair was refused, so what is wrong with it stays.
            self.left.extend(codes(own.judged()));
            return Ok(());
        };
        let is_row = own.row.is_some();
        self.left.extend(codes(plan.after()));
        let records = if plan.patch.is_empty() {
            RecordsDiff { kept: plan.before.records(), ..RecordsDiff::default() }
        } else {
            changed(own.entries, plan, self.reader)?
        };
        self.counts.add(&records.counts());
        if plan.patch.is_empty() && is_row {
            return Ok(());
        }
        self.bound_rows += u64::from(is_row && plan.bound.is_some());
        let before = entry(&self.found.path, &own, self.live);
        self.pass_on(ChangedConversation { before, taken: plan.taken.clone(), records })?;
        if let (None, Checked::Planned(plan)) = (own.row, own.checked) {
            self.plan = Some(plan);
        }
        Ok(())
    }

    fn pass_on(&mut self, part: ChangedConversation) -> Result<(), ReadError> {
        for taken in &part.taken {
            if taken.applicability == Applicability::Safe {
                self.fixes.0 += 1;
            } else {
                self.fixes.1 += 1;
            }
        }
        Ok((self.each)(part)?)
    }

    /// The lines without a conversation that are split, with the lines that they become.
    fn split(&mut self, taken: &[Taken], judged: &Judged, patch: &Patch) -> Vec<DifferingRecord> {
        let glued = taken.iter().filter(|taken| taken.rule.code == Code::GluedRecords);
        let lines = glued.flat_map(|taken| &taken.steps).filter_map(|step| step.line);
        let places = places(judged);
        let mut rows = Vec::new();
        for line in lines {
            let Some(at) = places.get(&line).copied() else {
                continue;
            };
            let edits = patch.bytes_of(at.entry).iter();
            let own = edits.filter(|edit| (at.start..at.end).contains(&edit.start));
            let feeds = own.flat_map(|edit| &edit.with).filter(|b| **b == b'\n');
            let (first, more) = (line.saturating_add(self.lines_added), feeds.count() as u64);
            rows.push(DifferingRecord::split(line, first..=first.saturating_add(more)));
            self.lines_added = self.lines_added.saturating_add(more);
        }
        rows
    }

    /// What to know of the repair.
    fn remarks(&self) -> Vec<String> {
        let place = match &self.plan {
            Some(plan) => plan.bound.map(at),
            None => (self.bound_rows > 0).then(|| format!("in {}", many(self.bound_rows, "row"))),
        };
        let withheld = self.plan.iter().flat_map(|plan| &plan.withheld);
        let bound = place.map(|place| bound(&place));
        bound.into_iter().chain(withheld.cloned()).collect()
    }
}

/// The lines without a conversation that are removed.
fn removed(
    taken: &[Taken],
    judged: &Judged,
    window: &dyn Entries,
    reader: &Redactor,
) -> io::Result<Vec<DifferingRecord>> {
    let steps = taken.iter().flat_map(|taken| &taken.steps);
    let lines = steps.filter(|step| step.op == Op::Remove).map(|step| step.line);
    let places = places(judged);
    let mut rows = Vec::new();
    for line in lines {
        let at = line.and_then(|line| places.get(&line).copied());
        let bytes = at.map(|at| window.fetch(at)).transpose()?;
        rows.push(DifferingRecord::removed(line, &bytes.unwrap_or_default(), reader));
    }
    Ok(rows)
}

/// Where the first record of each number is.
fn places(judged: &Judged) -> HashMap<u64, Span> {
    let mut places = HashMap::new();
    for event in judged.transcript.events.iter() {
        places.entry(event.place().number()).or_insert(event.at());
    }
    places
}

fn codes(judged: &Judged) -> Vec<Code> {
    judged.findings.iter().map(|finding| finding.rule.code).collect()
}

/// What a repair of a source would still do, and how its conversations are as they are.
pub(super) struct Outline {
    pub patch: Patch,
    /// What is wrong.
    pub codes: Vec<Code>,
    /// The verdict of a transcript that is one conversation.
    pub verdict: Option<Verdict>,
}

/// Plans a repair of a source, and keeps no more of it than that. `was`: what it was checked against: a repair may change which
/// provider would be guessed, and findings must stay comparable.
///
/// # Errors
/// As [`rows::plan`].
pub(super) fn outline(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    policy: &Policy,
    was: Option<&Judged>,
) -> Result<Outline, Refused> {
    let (mut found, mut verdict) = (Vec::new(), None);
    let mut failed = None;
    let patch = rows::plan(entries, name, detection, options, policy, &mut |examined| {
        let Examined::Conversation(own) = examined else {
            return;
        };
        verdict = Some(own.judged().verdict).filter(|_| own.row.is_none());
        match was.filter(|was| was.target_choice.name() != own.judged().target_choice.name()) {
            Some(was) => {
                let options = CheckOptions {
                    target: Some(was.target_choice),
                    found_by: Some(was.target_from),
                    ..options.clone()
                };
                match judge(own.entries, name, &own.judged().detection, &options) {
                    Ok(judged) => found.extend(codes(&judged)),
                    Err(error) => failed = Some(error),
                }
            }
            None => found.extend(codes(own.judged())),
        }
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(Outline { patch, codes: found, verdict }),
    }
}

/// The entries of a transcript, judged.
///
/// # Errors
/// It cannot be read.
pub(super) fn entries_of(
    found: &Found,
    entries: &dyn Entries,
    detection: &Detection,
    planning: &Planning,
) -> io::Result<Vec<Conversation>> {
    let mut report =
        TranscriptReport::new(&found.path, detection.format).with_every_row(planning.every_row);
    let name = name_of(&found.path);
    let judged = rows::judge(entries, &name, detection, &planning.check, &mut |examined| {
        report.add(&examined, false)
    });
    judged.map_err(io::Error::other)?;
    Ok(report.finish().conversations)
}
