//! Builds the model of the report from a judged conversation: the only place where the two meet.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::file::RecordFile;
use super::introduction::Introduction;
use super::model::{
    Affected, Caveat, Choice, ClientVerdict, Consequence, Conversation, FindingIdentity,
    FindingRecord, PlannedAction, PlannedFix, ReportedEffect, ReportedFinding, Resolution,
    ResumeCommand, Verdict,
};
use super::redact::{RedactMode, StringKind};
use super::text::{Shown, path_hex};
use crate::bytes::source::Entries;
use crate::containers::Layout;
use crate::engine::{Evaluation, Judged, Profile, TargetChoice, TargetFrom};
use crate::find::name_of;
use crate::format::{Alternative, Client, Format, FormatContext, result_text};
use crate::proof::Case;
use crate::repair::{self, Excess, FindingKey};
use crate::rules;
use crate::targets;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{
    Action, Applicability, Code, Effect, EventId, FactValue, Id, Label, LabelRole, PartId,
    PartKind, Place, Role, Severity, State, Subject, facts, time,
};

/// Most records without IDs in a fingerprint, and most bytes of each.
const FINGERPRINT_RECORDS: usize = 4;
const FINGERPRINT_BYTES: u64 = 4096;

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
        ..in_context(path, &context, judged)
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
    in_context(path, &judged.context(0, entries, &name, live), judged)
}

fn in_context(path: &Path, context: &FormatContext<'_>, judged: &Judged) -> Conversation {
    let build = Build { context, judged, excess: Excess::of(judged), quotes: Cell::new(0) };
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
    judged
        .detection
        .format
        .traits
        .cannot_load
        .iter()
        .filter_map(|cannot| {
            let noted = judged.findings.iter().filter(|finding| finding.message == cannot.note);
            let events: HashSet<EventId> =
                noted.flat_map(|finding| &finding.labels).map(|label| label.event).collect();
            let records = events.len() as u64;
            let says = match records {
                0 => return None,
                1 => format!("1 record {}", cannot.one),
                many => format!("{many} records {}", cannot.many),
            };
            Some(Caveat { records, says })
        })
        .collect()
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
    Build { context, judged, excess: None, quotes: Cell::new(0) }.record(label)
}

/// The names of profiles, each once.
fn names(profiles: &[Profile], name: impl Fn(&Profile) -> &'static str) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = profiles.iter().map(name).collect();
    names.dedup();
    names
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

/// Number of messages that a finding hides, in the worst evaluation.
fn hides(finding: &rules::Finding) -> u32 {
    let hidden = finding
        .seen_by
        .iter()
        .filter(|seen| seen.severity >= Severity::Error)
        .map(|seen| seen.effect);
    let hidden = hidden.map(|effect| if let Effect::Hides(count) = effect { count } else { 0 });
    hidden.max().unwrap_or(0)
}

/// Whether a finding is about the inside of records, each alone: not about calls and results, and
/// not about the tree.
fn is_local(finding: &rules::Finding) -> bool {
    !finding.about.is_empty()
        && finding.about.iter().all(|subject| {
            matches!(subject, Subject::Content(_) | Subject::Bytes(_) | Subject::Name(_))
        })
        && finding.labels.iter().all(|label| label.role == LabelRole::Record)
}

pub(super) struct Build<'a> {
    pub(super) context: &'a FormatContext<'a>,
    pub(super) judged: &'a Judged,
    excess: Option<Excess>,
    /// Number of fixes whose text was read.
    quotes: Cell<usize>,
}

/// Most fixes of a conversation for which the removed text is shown.
const QUOTED: usize = 100;

impl Build<'_> {
    /// The format to read removed text with, unless enough was read already.
    fn quoted(&self) -> Option<&'static Format> {
        let quotes = self.quotes.get();
        self.quotes.set(quotes + 1);
        (quotes < QUOTED).then_some(self.judged.detection.format)
    }

    pub(super) fn shown(&self, is: StringKind, id: Id) -> Shown {
        Shown::of(is, self.judged.transcript.ids.get(id))
    }

    fn finding(&self, finding: &rules::Finding) -> ReportedFinding {
        let labels = self.labels(finding);
        let fix = finding.fixes.iter().min_by_key(|fix| fix.applicability);
        let objecting = self.objecting(finding);
        let fingerprint = self.fingerprint(finding);
        let choices = self.choices(finding);
        let is_open = finding.fixes.is_empty() && choices.is_empty();
        let advice = if is_open && finding.severity > Severity::Note {
            self.advice(finding)
        } else {
            Cow::Borrowed("")
        };
        let mut actions = Vec::new();
        if let Some(fix) = fix {
            let steps = repair::proposed(&self.case(finding), self.quoted(), finding, fix);
            actions.extend(steps.into_iter().map(PlannedAction::from));
        }
        let mut consequences = Vec::new();
        for covered in &finding.consequences {
            let (code, message) = (covered.rule.code, covered.message.clone());
            consequences.push(Consequence { code, message });
        }
        ReportedFinding {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity,
            confidence: finding.confidence,
            effect: ReportedEffect {
                load_fails: finding.effect == Effect::LoadFails,
                runs_again: finding.effect == Effect::RunsAgain,
                hides: hides(finding),
            },
            identity: FindingIdentity {
                count: 1,
                is_local: is_local(finding),
                fingerprints: vec![fingerprint.clone()],
                fingerprint,
                keys: vec![FindingKey::of(self.judged, finding)],
            },
            message: finding.message.clone(),
            call_ids: finding.calls.iter().map(|id| self.shown(StringKind::Call, *id)).collect(),
            affected: Affected {
                seen_by: names(&objecting, |profile| self.name(profile)),
                says: self.affects(&objecting),
                api_index: self.api_index(finding),
            },
            records: (labels.iter()).flat_map(|label| self.records(finding, label)).collect(),
            resolution: Resolution {
                fix: PlannedFix { applicability: self.applicability(finding), actions },
                choices,
                is_chosen: finding.is_chosen,
                advice,
            },
            consequences,
        }
    }

    /// Who decides about the fix of a finding. A repair does not touch notes unless it is told to.
    fn applicability(&self, finding: &rules::Finding) -> Applicability {
        match repair::applicability_of(finding, self.excess.as_ref()) {
            Applicability::Safe if finding.severity == Severity::Note => Applicability::OnRequest,
            applicability => applicability,
        }
    }

    /// What the user can do about a finding without a fix, or why it has none.
    fn advice(&self, finding: &rules::Finding) -> Cow<'static, str> {
        if let Some(why) = finding.refused {
            return Cow::Owned(format!("its fix was refused, because {why}"));
        }
        let own = self.judged.detection.format.traits.instead_of_repair;
        Cow::Borrowed(own.unwrap_or_else(|| rules::by_hand::advice(finding.rule.code)))
    }

    /// The conversation with the request that a finding is of.
    fn case(&self, finding: &rules::Finding) -> Case<'_> {
        let evaluation = self.judged.evaluations.get(finding.evaluation);
        let request = evaluation.map_or(self.judged.request(), |own| &own.request);
        Case::new(self.context, request, self.judged.detection.format)
    }

    /// The choices of the user.
    fn choices(&self, finding: &rules::Finding) -> Vec<Choice> {
        if finding.rule.code == Code::PendingCall && !finding.fixes.is_empty() {
            return vec![Choice {
                does: "insert an \"interrupted\" result",
                unit: "",
                numbers: Vec::new(),
                time: None,
                options: vec!["--answer-pending".into()],
                is_kept: false,
                text: None,
            }];
        }
        self.results_to_keep(finding)
    }

    /// The results that may be kept, each with the options to keep it. The options name the call if
    /// several calls have choices.
    fn results_to_keep(&self, finding: &rules::Finding) -> Vec<Choice> {
        if finding.choices.is_empty() {
            return Vec::new();
        }
        let t = &self.judged.transcript;
        let several =
            self.judged.findings.iter().filter(|other| !other.choices.is_empty()).count() > 1;
        let call = finding.calls.first().filter(|_| several);
        let event = |part: &PartId| t.part(*part).event;
        finding
            .choices
            .iter()
            .enumerate()
            .map(|(at, equal)| {
                let mut numbers: Vec<u64> =
                    equal.iter().map(|part| t.event(event(part)).place().number()).collect();
                numbers.dedup();
                let mut options = vec!["--prefer".into(), Shown::new((at + 1).to_string())];
                options.extend(
                    call.into_iter()
                        .flat_map(|id| ["--call".into(), self.shown(StringKind::Call, *id)]),
                );
                let first = equal.first();
                Choice {
                does: "",
                time: first.and_then(|part| t.event(event(part)).time()).map(time::format_utc),
                unit: first.map_or("", |part| t.unit(event(part))),
                numbers,
                options,
                is_kept: finding.applicability() != Applicability::Manual
                    && !equal.iter().all(|part| {
            let mut actions = finding.fixes.iter().flat_map(|fix| &fix.actions);
            actions.any(|action| matches!(action, Action::RemovePart(other) if other == part))
        }),
                text: first
                    .and_then(|part| result_text(self.context, self.judged.detection.format, *part))
                    .map(|text| Shown::of(StringKind::Text, text)),
            }
            })
            .collect()
    }

    /// The message that an error of a provider would name: that of the call, else the first one
    /// that is sent.
    fn api_index(&self, finding: &rules::Finding) -> BTreeMap<&'static str, u32> {
        let mut by_target = BTreeMap::new();
        for Evaluation { profile, request, .. } in &self.judged.evaluations {
            let index = |label: &Label| request.api_index(label.event);
            let call =
                finding.labels.iter().filter(|label| label.role == LabelRole::Call).find_map(index);
            if let Some(index) = call.or_else(|| finding.labels.iter().find_map(index)) {
                by_target.entry(profile.target.name).or_insert(index);
            }
        }
        by_target
    }

    /// The profiles that object, if the conversation was checked for several and only some object.
    fn objecting(&self, finding: &rules::Finding) -> Vec<Profile> {
        let evaluations = &self.judged.evaluations;
        let objecting = finding.seen_by.iter().filter(|seen| seen.severity >= Severity::Error);
        let objecting: Vec<Profile> =
            objecting.filter_map(|seen| Some(evaluations.get(seen.evaluation)?.profile)).collect();
        let all = !self.of_targets() && objecting.len() == evaluations.len();
        if evaluations.len() < 2 || all {
            return Vec::new();
        }
        objecting
    }

    /// Whether the conversation was checked for all providers, not for kinds of clients.
    fn of_targets(&self) -> bool {
        matches!(self.judged.target_choice, TargetChoice::Strictest)
    }

    /// The name of a profile, as in options.
    fn name(&self, profile: &Profile) -> &'static str {
        if self.of_targets() { profile.target.name } else { profile.client.name() }
    }

    /// Who objects, for people.
    fn affects(&self, objecting: &[Profile]) -> String {
        let format = self.judged.detection.format;
        let kind = |client| format.traits.clients.iter().find(|own| own.client == client);
        let who = names(objecting, |profile| match kind(profile.client) {
            Some(kind) if !self.of_targets() => kind.versions,
            _ => profile.target.title,
        })
        .join(", ");
        match (objecting, self.of_targets()) {
            ([], _) => String::new(),
            (_, true) => format!("rejected by {who}"),
            (_, false) => format!("only in {} {who}", format.host.title),
        }
    }

    /// The labels of a finding that the report shows, each with the call or result that it means: a pair that is sound is
    /// no evidence, although it is of the same turn.
    fn labels(&self, finding: &rules::Finding) -> Vec<Label> {
        let t = &self.judged.transcript;
        let mut labels: Vec<Label> = Vec::with_capacity(finding.labels.len());
        let named: HashSet<Id> = finding.calls.iter().copied().collect();
        let is_named = |part: PartId| t.part(part).id.is_none_or(|id| named.contains(&id));
        for label in &finding.labels {
            match label.part {
                Some(part) if named.is_empty() || is_named(part) => labels.push(*label),
                Some(_) => {}
                None => {
                    let meant = self.parts_meant(finding, label, &named);
                    if meant.is_empty() {
                        labels.push(*label)
                    } else {
                        labels.extend(meant.iter().map(|part| Label::of(t, *part, label.role)))
                    }
                }
            }
        }
        // Each of the calls of a record may have a label of its own that means all of them.
        let mut seen = HashSet::new();
        labels.retain(|label| seen.insert(*label));
        labels.sort_by_key(|label| label.event);
        labels
    }

    /// The calls or results of a record that a label means, where it does not say so: those that the finding is about,
    /// else those of its role that the finding names.
    fn parts_meant(
        &self,
        finding: &rules::Finding,
        label: &Label,
        named: &HashSet<Id>,
    ) -> Vec<PartId> {
        let t = &self.judged.transcript;
        let about = finding.about.iter().filter_map(Subject::part);
        let mut here: Vec<PartId> = about
            .filter(|part| t.part(*part).event == label.event && t.part(*part).id.is_some())
            .collect();
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
        }
    }

    fn item(&self, event: EventId) -> Option<String> {
        let t = &self.judged.transcript;
        match (&self.judged.detection.layout, t.event(event).place()) {
            _ if t.event(event).role == Role::HostState => None,
            (Layout::Joined { lists: [first, second], .. }, Place::Item(number)) => {
                Some(match t.value_of(event, facts::IN_SECOND) {
                    Some(FactValue::Number(number)) => format!("/{second}/{number}"),
                    _ => format!("/{first}/{number}"),
                })
            }
            (Layout::Items { path, .. }, Place::Item(number)) => {
                let steps: String = path.iter().map(|step| format!("/{step}")).collect();
                Some(format!("{steps}/{number}"))
            }
            _ => None,
        }
    }

    /// A hash of what does not change when a file is moved or grows: rule, conversation, calls and
    /// records.
    fn fingerprint(&self, finding: &rules::Finding) -> String {
        let t = &self.judged.transcript;
        let mut words: Vec<&str> = finding.calls.iter().map(|id| t.ids.get(*id)).collect();
        words.extend(
            finding
                .labels
                .iter()
                .filter_map(|label| t.event(label.event).id)
                .map(|id| t.ids.get(id)),
        );
        words.sort_unstable();
        words.dedup();
        // Without any ID, the bytes distinguish findings.
        let bytes = if words.is_empty() { self.first_bytes(finding) } else { Vec::new() };
        let mut hasher = Sha256::new();
        hasher.update(&bytes);
        let session = self.judged.session.as_deref().unwrap_or_default();
        for word in [finding.rule.code.as_str(), session].into_iter().chain(words) {
            hasher.update(word.as_bytes());
            hasher.update([0]);
        }
        hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The first bytes of the first records of a finding.
    fn first_bytes(&self, finding: &rules::Finding) -> Vec<u8> {
        let t = &self.judged.transcript;
        let mut bytes = Vec::new();
        for label in finding.labels.iter().take(FINGERPRINT_RECORDS) {
            let mut at = t.event(label.event).at();
            at.end = at.end.min(at.start.saturating_add(FINGERPRINT_BYTES));
            // Read errors were reported when the file was checked.
            bytes.extend(self.context.entries.fetch(at).unwrap_or_default());
        }
        bytes
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
                    runnable && t.part(*result).origin == crate::transcript::Origin::Placeholder
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
