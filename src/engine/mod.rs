//! Judges one conversation: records, events, requests, findings, verdict.

mod check;
mod elsewhere;
mod evaluations;
pub(crate) mod habits;
pub(crate) mod recognized;
mod verdict;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use serde::Serialize;

use crate::bytes::overlay::Overlay;
use crate::bytes::source::Entries;
use crate::containers::records::RecordCache;
use crate::containers::{ReadError, RecordReader, Scanned};
use crate::format::{Client, Detection, Format, FormatContext};
use crate::proof;
use crate::requests::{self, Prepared};
use crate::rewrite::PlanSource;
use crate::rules::fresh::MADE;
use crate::rules::{self, Finding, Preference, Rule, Seen, Strategy};
use crate::targets::{self, Serving, Target};
use crate::transcript::{
    Code, Confidence, Effect, Label, LabelRole, PartKind, Request, Severity, State, Transcript,
    facts, replaced,
};

pub(crate) use crate::format::blamed::Blame;
use check::Checker;
pub(crate) use evaluations::{Evaluation, Profile};
use habits::{FileHabits, Habits, PlaceInFile};
pub use verdict::Verdict;

/// Options for judging a conversation.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The provider to judge for; `None` for the one that the transcript names.
    pub target: Option<TargetChoice>,
    /// How this target was found before the transcript was changed; `None`: the user typed it.
    pub found_by: Option<TargetFrom>,
    /// The kind of client to judge for, if the host has several; `None` for all of them.
    pub client: Option<Client>,
    /// Which rules count.
    pub selection: RuleSelection,
    /// Which of several results to keep, and of which calls. The first entry that names a call
    /// counts.
    pub prefer: Vec<Preference>,
    /// What to do about calls without a result.
    pub strategy: Strategy,
    /// A process is writing the transcript.
    pub live: bool,
    /// Who wrote a record before this time, in microseconds since 1970, has ended. `None`: unknown.
    pub ended_before: Option<i64>,
    /// A fault that an error text of a provider names, and that no check can see.
    pub blame: Option<Blame>,
    /// What is known of the habits of the program that wrote the file.
    pub habits: Habits,
    /// Threads for one file: for its rows, or for the lines of a large file.
    pub jobs: usize,
}

/// The provider to judge a conversation for.
#[derive(Copy, Clone, Debug)]
pub enum TargetChoice {
    At(&'static Target),
    /// All providers: what one of them rejects is a finding.
    Strictest,
}

impl TargetChoice {
    /// Parses the name of a target.
    pub fn by_name(name: &str) -> Option<TargetChoice> {
        if name == targets::STRICTEST_NAME {
            return Some(TargetChoice::Strictest);
        }
        targets::by_name(name).map(TargetChoice::At)
    }

    /// The name that the command line takes.
    pub fn name(self) -> &'static str {
        match self {
            TargetChoice::At(target) => target.name,
            TargetChoice::Strictest => targets::STRICTEST_NAME,
        }
    }
}

/// Which rules count: codes, names, or prefixes of codes.
#[derive(Clone, Debug)]
pub struct RuleSelection {
    /// Only these rules; all if empty.
    pub select: Vec<String>,
    /// These rules as well.
    pub extend_select: Vec<String>,
    /// Not these rules.
    pub ignore: Vec<String>,
    /// Only findings of at least this confidence.
    pub min_confidence: Confidence,
}

impl Default for RuleSelection {
    fn default() -> RuleSelection {
        RuleSelection {
            select: Vec::new(),
            extend_select: Vec::new(),
            ignore: Vec::new(),
            min_confidence: Confidence::Guess,
        }
    }
}

impl RuleSelection {
    /// Whether a finding counts.
    fn admits_finding(&self, finding: &Finding) -> bool {
        finding.confidence >= self.min_confidence && self.admits(finding.rule)
    }

    /// Whether a rule counts. The longest matching word decides, as in ruff: `--select TD1 --ignore
    /// TD104`.
    pub fn admits(&self, rule: &Rule) -> bool {
        let longest =
            |words: &[String]| words.iter().filter(|word| names(word, rule)).map(String::len).max();
        let selected = longest(&self.select).max(longest(&self.extend_select));
        match (selected, longest(&self.ignore)) {
            (None, None) => self.select.is_empty(),
            (None, Some(_)) => false,
            (Some(_), None) => true,
            (Some(select), Some(ignore)) => select > ignore,
        }
    }
}

/// Whether a word names a rule: its code, a prefix of its code, or its name.
pub(crate) fn names(word: &str, rule: &Rule) -> bool {
    let code = rule
        .code
        .as_str()
        .get(..word.len())
        .is_some_and(|beginning| beginning.eq_ignore_ascii_case(word));
    (code && word.len() >= 2) || rule.name == word
}

/// Where the choice of a target comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetFrom {
    /// As users read it.
    #[serde(rename = "target_from")]
    pub words: &'static str,
    /// Whether the conversation is certainly for this provider. Many serve the shape of its messages.
    #[serde(rename = "target_certain")]
    pub is_certain: bool,
}

impl TargetFrom {
    /// It was named with an option.
    pub(crate) const ASKED: TargetFrom = TargetFrom::certain("--target");
    /// It was assumed, because nothing shows whose messages these are.
    pub(crate) const ASSUMED: TargetFrom = TargetFrom::guessed("assumed");
    /// The transcript has no calls, no results, and nothing else that a provider may reject.
    pub(crate) const ONLY_TEXTS: TargetFrom = TargetFrom::guessed("only texts");

    const fn certain(words: &'static str) -> TargetFrom {
        TargetFrom { words, is_certain: true }
    }

    pub(crate) const fn guessed(words: &'static str) -> TargetFrom {
        TargetFrom { words, is_certain: false }
    }

    pub(crate) const fn model(is_own: bool) -> TargetFrom {
        TargetFrom { words: "recorded model", is_certain: is_own }
    }
}

/// A judged conversation.
#[derive(Debug)]
pub struct Judged {
    pub detection: Detection,
    pub transcript: Transcript,
    /// One evaluation per profile, at least one. The request of the first is the one that is shown.
    pub evaluations: Vec<Evaluation>,
    /// What is wrong, in the order of the records.
    pub findings: Vec<Finding>,
    /// The codes of findings above a note that the selection hides, in order.
    pub hidden: Vec<Code>,
    /// The provider that it was checked against.
    pub target_choice: TargetChoice,
    /// Where that choice comes from.
    pub target_from: TargetFrom,
    /// The kind of the client that wrote last, if that is known.
    pub recorded_by: Option<Client>,
    /// The verdicts for older kinds of clients than that.
    pub older_clients: Vec<(Client, Verdict)>,
    /// The session ID that the host gave it.
    pub session: Option<String>,
    /// The habits of the program that wrote it, if some of the findings were that.
    pub(crate) habits: Option<Arc<FileHabits>>,
    /// The worst verdict of all evaluations.
    pub verdict: Verdict,
    /// See [`CheckOptions::ended_before`].
    pub ended_before: Option<i64>,
}

impl Judged {
    /// The request that is shown.
    pub fn request(&self) -> &Request {
        &self.evaluations[0].request
    }

    /// The provider of the request that is shown.
    pub fn target(&self) -> &'static Target {
        self.evaluations[0].profile.target
    }

    /// The context of one evaluation (0-based), with the bytes of the conversation. `name` is the
    /// file or folder name without the path.
    pub fn context<'a>(
        &'a self,
        evaluation: usize,
        entries: &'a dyn Entries,
        name: &'a str,
        live: bool,
    ) -> FormatContext<'a> {
        let target_choice = (self.target_choice, self.target_from == TargetFrom::ASKED);
        context(
            &self.detection,
            &self.transcript,
            target_choice,
            self.evaluations[evaluation].profile,
            entries,
            name,
            (live, self.ended_before),
        )
    }

    /// The contexts of all evaluations, in order.
    pub fn contexts<'a>(
        &'a self,
        entries: &'a dyn Entries,
        name: &'a str,
        live: bool,
    ) -> Vec<FormatContext<'a>> {
        let prepared = Prepared::default();
        (0..self.evaluations.len())
            .map(|evaluation| FormatContext {
                prepared: prepared.clone(),
                ..self.context(evaluation, entries, name, live)
            })
            .collect()
    }

    /// Adds what only the file around the conversation shows: an error that no fix ends.
    pub(crate) fn add(&mut self, code: Code, message: String, selection: &RuleSelection) {
        let t = &self.transcript;
        let around = t.host_state().or_else(|| t.records().next());
        let Some(around) = around.filter(|_| selection.admits(rules::of(code))) else {
            return;
        };
        let mut seen_by = Vec::new();
        for (evaluation, own) in self.evaluations.iter_mut().enumerate() {
            own.verdict = own.verdict.max(Verdict::Lossy);
            seen_by.push(Seen { evaluation, severity: Severity::Error, effect: Effect::None });
        }
        let labels = vec![Label::new(around, LabelRole::State)];
        self.findings.push(Finding {
            labels,
            seen_by,
            ..Finding::of_file(rules::of(code), message)
        });
        self.verdict = self.verdict.max(Verdict::Lossy);
    }

    /// Whether findings may be habits of the program that wrote the file.
    pub(crate) fn may_be_habits(&self) -> bool {
        self.findings.iter().any(|own| own.severity > Severity::Note && own.habit.is_some())
    }

    /// Number of records, without host state and padding.
    pub fn records(&self) -> u64 {
        let t = &self.transcript;
        t.records().filter(|event| t.event(*event).state != State::Padding).count() as u64
    }

    /// Number of calls in the next request.
    pub fn calls(&self) -> u64 {
        let sent = self.request().order.iter().filter(|sent| !sent.summary);
        let sent =
            sent.flat_map(|sent| sent.parts.clone().map(|part| self.transcript.part(part).kind));
        sent.filter(|kind| *kind == PartKind::Call).count() as u64
    }

    /// Findings of at least this severity.
    pub fn at_least(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.severity >= severity)
    }
}

fn context<'a>(
    detection: &'a Detection,
    transcript: &'a Transcript,
    (target_choice, asked): (TargetChoice, bool),
    profile: Profile,
    entries: &'a dyn Entries,
    name: &'a str,
    (live, ended_before): (bool, Option<i64>),
) -> FormatContext<'a> {
    let strictest = matches!(target_choice, TargetChoice::Strictest);
    let Profile { target, client } = profile;
    let asked = asked && !strictest;
    FormatContext {
        entries,
        records: RecordCache::new(entries),
        pieces: detection.format.pieces,
        layout: &detection.layout,
        transcript,
        target,
        client,
        strictest,
        asked,
        name,
        live,
        ended_before,
        prepared: Prepared::default(),
        part_numbers: OnceCell::new(),
    }
}

/// Reads and judges one conversation.
///
/// # Errors
/// The bytes cannot be read, or exceed a limit that the error names. Damage is not an error.
pub fn judge(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
) -> Result<Judged, ReadError> {
    judge_scanned(entries, None, name, detection, options)
}

/// Like [`judge`]. `scanned` is the only entry, if it is one value that was already scanned.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_scanned(
    entries: &dyn Entries,
    scanned: Option<Scanned<'_>>,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
) -> Result<Judged, ReadError> {
    let (reading, project) = (&detection.format.records, detection.format.project);
    judge_as((entries, scanned), name, detection, options, reading, project)
}

/// Like [`judge`], with another reader and another request than the format's own.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_as(
    (entries, scanned): (&dyn Entries, Option<Scanned<'_>>),
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    reading: &RecordReader,
    project: fn(&FormatContext<'_>) -> Request,
) -> Result<Judged, ReadError> {
    let mut transcript = Transcript::default();
    let layout = &detection.layout;
    layout.read_scanned(entries, scanned, reading, options.jobs, &mut transcript)?;
    judge_transcript(entries, name, detection, options, transcript, project)
}

/// Like [`judge`], for patched entries whose base was read: only what changed is read again.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_changed(
    patched: &Overlay<'_>,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    base: &Transcript,
) -> Result<Judged, ReadError> {
    let (reading, project) = (&detection.format.records, detection.format.project);
    let transcript = detection.layout.read_changed(patched, reading, options.jobs, base)?;
    judge_transcript(patched, name, detection, options, transcript, project)
}

fn judge_transcript(
    entries: &dyn Entries,
    name: &str,
    detection: &Detection,
    options: &CheckOptions,
    mut transcript: Transcript,
    mut project: fn(&FormatContext<'_>) -> Request,
) -> Result<Judged, ReadError> {
    transcript.shrink_to_fit();
    transcript.noun = Some(detection.format.traits.noun);
    transcript.has_rows = entries.has_rows();
    replaced::resolve(&mut transcript);
    let mut detection = Cow::Borrowed(detection);
    let is_asked = options.target.is_some() && options.found_by.is_none();
    let form = |detection: &Detection| (detection.format.traits.form)(detection, &transcript);
    if let Some(format) = form(&detection).filter(|_| !is_asked) {
        detection.to_mut().format = format;
        project = format.project;
    }
    let detection = &*detection;
    debug_assert_eq!(
        PlanSource {
            entries,
            records: &RecordCache::new(entries),
            pieces: detection.format.pieces,
            layout: &detection.layout,
            t: &transcript,
        }
        .disagreement(),
        None,
        "the parts of a record are its pieces ({})",
        detection.format.name
    );
    let (target_choice, mut target_from) = choose_target(options, detection, &transcript);
    let assumed = target_from != TargetFrom::ASKED && elsewhere::is_assumed(detection, &transcript);
    if assumed {
        target_from = TargetFrom::ASSUMED;
    }
    // Before there are other findings: both may be many.
    let warnings = if assumed {
        elsewhere::warnings((entries, name), detection, options, &transcript)?
    } else {
        Vec::new()
    };
    let recorded_by = (detection.format.traits.recorded_by)(&transcript);
    let (profiles, older) =
        evaluations::profiles(detection.format, target_choice, options.client, recorded_by);
    let mut checker = Checker::new(
        (entries, name),
        (detection, &transcript),
        options,
        (target_choice, target_from),
        project,
    );
    let (mut requests, mut found, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
    let mut session = None;
    for profile in profiles {
        let outcome = checker.check(profile);
        requests.push((profile, outcome.request));
        found.push(outcome.findings);
        hidden.push(outcome.hidden);
        session = outcome.session;
    }
    let older = older.into_iter().map(|profile| {
        let outcome = checker.check(profile);
        let findings = evaluations::merge(vec![outcome.findings]);
        let verdict = evaluations::verdict(&findings, 0, &outcome.request);
        (profile.client, verdict)
    });
    let older_clients = older.collect();
    let mut findings = evaluations::merge(found);
    findings.extend(elsewhere::unknown(warnings, &findings));
    // What was rejected is damage, however often it was written.
    let may_be = options.blame.is_none() && may_have_habits(detection, target_from);
    let habits = if may_be {
        apply_habits(options, detection, &transcript, target_choice, &mut findings)
    } else {
        findings.iter_mut().for_each(|own| own.habit = None);
        None
    };
    leave_deep_records_alone(&transcript, &mut findings);
    recognized::keep_recognizable((entries, name), detection, &mut findings);
    rules::sort(&mut findings);
    let evaluations = evaluations::of(requests, &findings, is_empty(&transcript));
    let verdicts = evaluations.iter().map(|evaluation| evaluation.verdict);
    let mut judged = Judged {
        verdict: verdicts.max().unwrap_or(Verdict::Unknown),
        detection: detection.clone(),
        transcript,
        evaluations,
        findings,
        hidden: codes_above_notes(hidden),
        target_choice,
        target_from,
        recorded_by,
        older_clients,
        session,
        habits,
        ended_before: options.ended_before,
    };
    keep_proven((entries, name), options, &mut judged);
    Ok(judged)
}

/// Makes fixes unsafe that remove something without a proven reason.
fn keep_proven((entries, name): (&dyn Entries, &str), options: &CheckOptions, judged: &mut Judged) {
    if !judged.findings.iter().any(proof::may_need) {
        return;
    }
    let mut findings = std::mem::take(&mut judged.findings);
    let contexts = judged.contexts(entries, name, options.live);
    let cases = contexts.iter().zip(&judged.evaluations);
    let cases: Vec<proof::Case<'_>> = cases
        .map(|(context, own)| proof::Case::new(context, &own.request, judged.detection.format))
        .collect();
    for finding in &mut findings {
        let case = cases.get(finding.evaluation).or(cases.first());
        if let Some(case) = case.filter(|_| proof::may_need(finding)) {
            proof::keep_proven(case, finding);
        }
    }
    drop(cases);
    drop(contexts);
    judged.findings = findings;
}

/// Whether it may show how a program writes, rather than damage: no host sends the messages, and nothing shows for which
/// provider they are.
fn may_have_habits(detection: &Detection, from: TargetFrom) -> bool {
    detection.format.host.is_nameless() && !from.is_certain && !detection.is_request()
}

/// Takes away the findings that are habits, and returns the habits that were counted here.
fn apply_habits(
    options: &CheckOptions,
    detection: &Detection,
    t: &Transcript,
    choice: TargetChoice,
    findings: &mut Vec<Finding>,
) -> Option<Arc<FileHabits>> {
    let TargetChoice::At(target) = choice else {
        return None;
    };
    if findings.iter().all(|finding| finding.habit.is_none()) {
        return None;
    }
    match &options.habits {
        Habits::Known(at, known) => {
            known.as_ref()?.apply(findings, target, *at);
            known.clone()
        }
        Habits::Counted if detection.detected => {
            let mut counted = FileHabits::default();
            counted.add(t, target, findings, PlaceInFile::default());
            let habits = Arc::new(counted.found()?);
            habits.apply(findings, target, PlaceInFile::default());
            Some(habits)
        }
        Habits::Counted => None,
    }
}

/// The codes of hidden findings above a note, in order.
fn codes_above_notes(hidden: Vec<Vec<Finding>>) -> Vec<Code> {
    let mut codes: Vec<Code> = evaluations::merge(hidden)
        .into_iter()
        .filter(|finding| finding.severity > Severity::Note)
        .map(|finding| finding.rule.code)
        .collect();
    codes.sort_unstable();
    codes
}

/// Whether what a provider accepts makes no difference.
fn has_only_texts(format: &Format, t: &Transcript) -> bool {
    !requests::may_reject_texts(&format.wire, t)
        && t.parts.iter().all(|part| matches!(part.kind, PartKind::Text | PartKind::Thinking))
}

/// The target to judge for, and where that choice comes from.
fn choose_target(
    options: &CheckOptions,
    detection: &Detection,
    t: &Transcript,
) -> (TargetChoice, TargetFrom) {
    if let Some(target_choice) = options.target {
        return (target_choice, options.found_by.unwrap_or(TargetFrom::ASKED));
    }
    let format = detection.format;
    if let Some(target) = format.traits.api.and_then(targets::by_name) {
        let from = TargetFrom::certain("the only API it uses");
        return (TargetChoice::At(target), from);
    }
    let of_model = |serving: Serving| {
        let from = TargetFrom::model(serving.is_own);
        (TargetChoice::At(serving.target), from)
    };
    if let Some(serving) = detection.serving {
        return of_model(serving);
    }
    let recorded = (format.model)(t);
    if let Some(target) = recorded.as_deref().and_then(targets::by_name) {
        let from = match format.traits.shared_api {
            None => TargetFrom::certain("from the file"),
            Some(model) => of_shared_api(target, model(t)),
        };
        return (TargetChoice::At(target), from);
    }
    if let Some(serving) = recorded.as_deref().and_then(targets::serving) {
        return of_model(serving);
    }
    let mut ids = t
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::Call)
        .filter_map(|part| part.sent_id)
        .map(|id| t.ids.get(id))
        .filter(|id| !id.starts_with(MADE));
    if let Some(target) = ids.find_map(targets::by_call_id) {
        let from = TargetFrom::guessed("guessed from tool call IDs");
        return (TargetChoice::At(target), from);
    }
    let why = if has_only_texts(format, t) {
        TargetFrom::ONLY_TEXTS
    } else {
        TargetFrom::guessed("default")
    };
    (TargetChoice::At(targets::ALL[0]), why)
}

/// Where the target of an API that many providers serve comes from: from the model, if its own provider serves that.
fn of_shared_api(target: &Target, model: Option<&str>) -> TargetFrom {
    let serving = model.and_then(targets::serving);
    let is_own = serving.is_some_and(|of| of.is_own && of.target.name == target.name);
    if is_own { TargetFrom::model(true) } else { TargetFrom::guessed("shape of the messages") }
}

/// The target that another caller with these options would judge the conversation for.
pub(crate) fn provider(options: &CheckOptions, judged: &Judged) -> TargetChoice {
    choose_target(options, &judged.detection, &judged.transcript).0
}

/// Whether a transcript contains nothing that a host would send, or that may have been such a
/// record.
fn is_empty(t: &Transcript) -> bool {
    !t.events.iter().any(|event| event.role.is_sent() || event.state == State::Unreadable)
}

/// A record that is nested too deeply is not read, although its host may read it. Findings that
/// depend on it would be guesses, so nothing next to it is repaired.
fn leave_deep_records_alone(t: &Transcript, findings: &mut [Finding]) {
    if !t.is_known(facts::TOO_DEEP) {
        return;
    }
    for finding in findings {
        finding.fixes.clear();
        if finding.rule.code == Code::UnreadableRecord
            && finding.labels.iter().any(|label| t.has(label.event, facts::TOO_DEEP))
        {
            finding.message =
                "a record is nested deeper than 1024 levels and was not read".to_owned();
        }
    }
}
