//! Builds the model of the report from a judged conversation: the only place where the two meet.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::introduction::Introduction;
use super::model::{
    Caveat, ClientVerdict, Conversation, FindingRecord, ReportedFinding, ResumeCommand, Verdict,
};
use super::redact::{RedactMode, StringKind};
use super::text::{Shown, path_hex};
use crate::bytes::source::Entries;
use crate::engine::{Judged, TargetFrom};
use crate::find::name_of;
use crate::format::{Alternative, Client, FormatContext};
use crate::repair::Excess;
use crate::targets;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Code, EventId, Id, Label, Origin, PartId};

/// A conversation's entry in the report.
pub fn conversation(
    path: &Path,
    entries: &dyn Entries,
    judged: &Judged,
    live: bool,
) -> Conversation {
    let name = name_of(path);
    let context = judged.context(0, entries, &name, live);
    Conversation {
        introduction: Introduction::of(&context, judged),
        ..in_context(path, &context, judged, READ)
    }
}

/// The same for outputs that say nothing by which users recognize it.
pub(super) fn without_introduction(
    path: &Path,
    entries: &dyn Entries,
    judged: &Judged,
    live: bool,
) -> Conversation {
    let name = name_of(path);
    in_context(path, &judged.context(0, entries, &name, live), judged, 0)
}

/// `words`: the number of records whose first words are read.
fn in_context(
    path: &Path,
    context: &FormatContext<'_>,
    judged: &Judged,
    words: usize,
) -> Conversation {
    let excess = Excess::of(judged);
    let build =
        Build { context, judged, excess, quotes: Cell::new(0), words_left: Cell::new(words) };
    let host = judged.detection.format.host_of(path, &judged.transcript);
    let mut findings: Vec<ReportedFinding> =
        (judged.findings.iter()).map(|finding| build.finding(finding)).collect();
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
        remarks: build.excess.iter().map(no_safe_fix).collect(),
        stored: None,
        redacted: RedactMode::default(),
    }
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
    Build { context, judged, excess: None, quotes: Cell::new(0), words_left: Cell::new(1) }
        .record(label)
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
}

impl Build<'_> {
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
