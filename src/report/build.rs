//! Builds the model of the report from a judged conversation: the only place where the two meet.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::fold::{MOST_FINDINGS, fold, generalize};
use super::introduction::Introduction;
use super::model::{
    Caveat, ClientVerdict, Conversation, FindingRecord, PlannedFix, ReportedFinding, Resolution,
    ResumeCommand, Verdict,
};
use super::redact::{RedactMode, StringKind};
use super::text::{Shown, path_hex};
use crate::bytes::source::Entries;
use crate::engine::{Judged, TargetFrom};
use crate::find::name_of;
use crate::format::{Alternative, Client, FormatContext};
use crate::proof::Case;
use crate::repair::Excess;
use crate::rules::Finding;
use crate::targets;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Applicability, Code, EventId, Id, Label, Origin, PartId};

/// A conversation's entry in the report, with each finding for itself.
pub fn conversation(
    path: &Path,
    entries: &dyn Entries,
    judged: &Judged,
    live: bool,
) -> Conversation {
    let how = EntryOptions { live, introduces: true, is_refused: false, folds: false };
    entry(path, entries, judged, how)
}

/// What an entry has.
pub(super) struct EntryOptions {
    pub live: bool,
    /// It says by what users recognize the conversation.
    pub introduces: bool,
    /// Its repair is refused.
    pub is_refused: bool,
    /// Findings with the same cause become one, before there are many.
    pub folds: bool,
}

pub(super) fn entry(
    path: &Path,
    entries: &dyn Entries,
    judged: &Judged,
    how: EntryOptions,
) -> Conversation {
    let name = name_of(path);
    let context = judged.context(0, entries, &name, how.live);
    let introduction =
        if how.introduces { Introduction::of(&context, judged) } else { Introduction::default() };
    Conversation { introduction, ..in_context(path, &context, judged, &how) }
}

fn in_context(
    path: &Path,
    context: &FormatContext<'_>,
    judged: &Judged,
    how: &EntryOptions,
) -> Conversation {
    let excess = Excess::of(judged);
    let words = if how.introduces { READ } else { 0 };
    let build = Build { excess, ..Build::new(context, judged, words) };
    let host = judged.detection.format.host_of(path, &judged.transcript);
    let own = judged.findings.iter().map(|finding| {
        let mut own = build.finding(finding);
        if how.is_refused {
            make_unsafe(&mut own);
        }
        own
    });
    let mut findings: Vec<ReportedFinding> =
        if how.folds { fold(own.enumerate().map(beyond_most)).0 } else { own.collect() };
    let mut remarks: Vec<String> = build.excess.iter().map(no_safe_fix).collect();
    if how.folds && judged.findings.len() > MOST_FINDINGS {
        remarks.push(COUNTED.to_owned());
    }
    if judged.detection.layout.is_in_store() {
        findings
            .iter_mut()
            .flat_map(ReportedFinding::files)
            .for_each(|file| file.set_store_of(path));
    }
    Conversation {
        path: Shown::path(path),
        path_hex: path_hex(path),
        format: judged.detection.format.name,
        host: host.name,
        host_title: host.title,
        title: judged.detection.format.title,
        session: judged.session.as_deref().map(|id| Shown::of(StringKind::Session, id)),
        parent: None,
        rows: None,
        row: None,
        verdict: judged.verdict,
        live: context.live,
        target: judged.target_choice.name(),
        target_title: targets::title(judged.target_choice.name()),
        refused_by: refused_by(judged),
        clients: clients(judged),
        recorded_by: judged.recorded_by.map(Client::name),
        target_from: judged.target_from,
        hint: hint(judged),
        may_be_habits: judged.may_be_habits(),
        introduction: Introduction::default(),
        records: judged.records(),
        calls: judged.calls(),
        findings,
        not_selected: counted(&judged.hidden),
        known: 0,
        caveats: caveats(judged),
        pending: build.calls(true),
        unknown_side_effects: build.unknown_side_effects(),
        applied: None,
        resume: (judged.detection.format.traits.resume)(context, path).map(resume),
        copy: None,
        container: None,
        no_safe_fix: build.excess.as_ref().map(Excess::to_string),
        needs_from: build.excess.is_some() || Excess::of_unsafe(judged).is_some(),
        offer: None,
        remarks,
        stored: None,
        redacted: RedactMode::default(),
    }
}

/// What to know of a conversation with very many findings.
const COUNTED: &str = "Of each kind, the findings beyond the first 10,000 are counted as one.";

/// Says of a fix that is safe alone that it is not among the others.
pub(super) fn make_unsafe(finding: &mut ReportedFinding) {
    if finding.is_safe() {
        finding.resolution.fix.applicability = Applicability::Unsafe;
    }
}

/// A finding whose fix cannot be written, whatever the user decides.
pub(super) fn withdraw(finding: &mut ReportedFinding, advice: &'static str) {
    let Resolution { fix, choices, advice: own, .. } = &mut finding.resolution;
    if fix.applicability == Applicability::Manual {
        return;
    }
    *fix = PlannedFix { applicability: Applicability::Manual, actions: Vec::new() };
    choices.clear();
    *own = advice.into();
}

/// A finding, which is only counted if it is beyond those that are reported for themselves.
fn beyond_most((number, mut finding): (usize, ReportedFinding)) -> ReportedFinding {
    if number >= MOST_FINDINGS {
        generalize(&mut finding);
    }
    finding
}

/// Why nothing is repaired although each fix alone is safe.
pub(crate) fn no_safe_fix(excess: &Excess) -> String {
    format!("No safe fix: {excess}. {}.", excess.hint())
}

/// What else a conversation without signs of its format may be.
pub(super) fn hint(judged: &Judged) -> Option<String> {
    let Alternative { target, format } =
        judged.detection.other.filter(|_| judged.target_from == TargetFrom::ASSUMED)?;
    let title = format.title;
    Some(format!(
        "The messages do not show which API they are for; --target {target} reads them as {title}."
    ))
}

/// Counts each code.
fn counted(codes: &[Code]) -> BTreeMap<Code, u64> {
    let mut counts = BTreeMap::new();
    codes.iter().for_each(|code| *counts.entry(*code).or_default() += 1);
    counts
}

/// Records that the host cannot load although nothing is wrong with them.
fn caveats(judged: &Judged) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    for cannot in judged.detection.format.traits.cannot_load {
        let noted = judged.findings.iter().filter(|finding| finding.message == cannot.note);
        let events: HashSet<EventId> =
            noted.flat_map(|finding| &finding.labels).map(|label| label.event).collect();
        let says = match events.len() {
            0 => continue,
            1 => format!("1 record {}", cannot.one),
            many => format!("{many} records {}", cannot.many),
        };
        caveats.push(Caveat { records: events.len() as u64, says });
    }
    caveats
}

fn resume(resume: crate::format::home::Resume) -> ResumeCommand {
    ResumeCommand {
        command: resume.command.into_iter().map(Shown::new).collect(),
        folder: resume.folder.map(|folder| Shown::of(StringKind::Path, folder)),
        has_folder: true,
        at_home: resume.at_home,
    }
}

/// A record as the report shows it, with the role of its label.
pub(crate) fn record(context: &FormatContext<'_>, judged: &Judged, label: &Label) -> FindingRecord {
    Build::new(context, judged, 1).record(label)
}

/// The providers that will reject the next request.
fn refused_by(judged: &Judged) -> Vec<&'static str> {
    let stuck = judged.evaluations.iter().filter(|evaluation| evaluation.verdict == Verdict::Stuck);
    let mut names: Vec<&'static str> =
        stuck.map(|evaluation| evaluation.profile.target.title).collect();
    names.dedup();
    names
}

/// The verdict by kind of client, if the host has several.
fn clients(judged: &Judged) -> BTreeMap<&'static str, ClientVerdict> {
    let own = judged.evaluations.iter().map(|own| (own.profile.client, own.verdict));
    let all = own.chain(judged.older_clients.iter().copied());
    let mut clients: BTreeMap<&'static str, ClientVerdict> = BTreeMap::new();
    for (client, verdict) in all {
        let kinds = judged.detection.format.traits.clients;
        let Some(kind) = kinds.iter().find(|kind| kind.client == client) else {
            continue;
        };
        let versions = kind.versions;
        let worst = clients.entry(client.name()).or_insert(ClientVerdict { verdict, versions });
        worst.verdict = worst.verdict.max(verdict);
    }
    clients
}

/// Records of findings whose first words are read, at most.
const READ: usize = 100;

pub(super) struct Build<'a> {
    pub(super) context: &'a FormatContext<'a>,
    pub(super) judged: &'a Judged,
    pub(super) excess: Option<Excess>,
    /// Number of fixes whose text was read.
    pub(super) quotes: Cell<usize>,
    /// Number of records whose words may still be read.
    pub(super) words_left: Cell<usize>,
    /// What proves the fixes of each evaluation, made once: it lists all IDs that unreadable records show.
    cases: Vec<OnceCell<Case<'a>>>,
}

impl<'a> Build<'a> {
    /// `words`: the number of records whose first words are read.
    fn new(context: &'a FormatContext<'a>, judged: &'a Judged, words: usize) -> Build<'a> {
        let cases = judged.evaluations.iter().map(|_| OnceCell::new()).collect();
        let (quotes, words_left) = (Cell::new(0), Cell::new(words));
        Build { context, judged, excess: None, quotes, words_left, cases }
    }

    /// The conversation with the request that a finding is of.
    pub(super) fn case(&self, finding: &Finding) -> Option<&Case<'a>> {
        let at = finding.evaluation;
        let at = if at < self.cases.len() { at } else { 0 };
        let request = &self.judged.evaluations.get(at)?.request;
        let format = self.judged.detection.format;
        Some(self.cases.get(at)?.get_or_init(|| Case::new(self.context, request, format)))
    }

    pub(super) fn shown(&self, is: StringKind, id: Id) -> Shown {
        Shown::of(is, self.judged.transcript.ids.get(id))
    }

    /// Open calls of batches that are pending (or not pending).
    fn calls(&self, pending: bool) -> Vec<Shown> {
        let t = &self.judged.transcript;
        let pairs = &self.judged.request().pairs;
        let batches = pairs.batches.iter().filter(|batch| batch.pending == pending);
        let open = batches
            .flat_map(|batch| &batch.calls)
            .filter(|call| pairs.status(**call) == PairStatus::Open);
        open.filter_map(|call| t.part(*call).id)
            .map(|id| self.shown(StringKind::Call, id))
            .collect()
    }

    /// Calls that may have run although the next request has no result, or only a placeholder.
    fn unknown_side_effects(&self) -> Vec<Shown> {
        let t = &self.judged.transcript;
        let pairs = &self.judged.request().pairs;
        // Hosts do not run the tools of a failed response, unless results are recorded.
        let ran: HashSet<EventId> = pairs
            .failed
            .iter()
            .filter(|calls| calls.iter().any(|call| !pairs.results(*call).is_empty()))
            .flat_map(|calls| calls.iter().map(|call| t.part(*call).event))
            .collect();
        let ran_at_all = |call: PartId| ran.contains(&t.part(call).event);
        let unknown = pairs.all().filter(|(call, standing)| {
            let runnable = t.part(*call).runnable;
            match standing {
                PairStatus::Open => runnable && !self.judged.request().is_pending(*call),
                PairStatus::Answered(result) => {
                    runnable && t.part(*result).origin == Origin::Placeholder
                }
                PairStatus::Failed => runnable && ran_at_all(*call),
                _ => false,
            }
        });
        unknown
            .filter_map(|(call, _)| t.part(call).id)
            .map(|id| self.shown(StringKind::Call, id))
            .collect()
    }
}
