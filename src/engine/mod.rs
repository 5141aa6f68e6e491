//! One conversation through the arrow: records, events, views, findings, verdict.

mod elsewhere;
mod sights;
mod verdict;

use crate::bytes::overlay::Overlay;
use crate::bytes::source::Entries;
use crate::containers::records::RecordCache;
use crate::containers::{ReadError, RecordReader, Scanned};
use crate::formats::{Client, Detection, FormatContext, blamed};
use crate::requests::{self, Prepared};
use crate::rules::{self, Finding, Preference, Rule, RuleContext, Strategy};
use crate::targets::{self, Target};
use crate::transcript::{
    Code, Confidence, Diagnostic, PartKind, Request, Severity, State, Transcript, attr, placement,
    replaced,
};

pub(crate) use crate::formats::blamed::Blame;
pub(crate) use sights::{Evaluation, Profile};
pub use verdict::Verdict;

/// What is asked of a conversation.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Judge for this provider; `None`: for the one that the recording speaks of.
    pub target: Option<TargetChoice>,
    /// That was not asked for: it is what the recording spoke of before it was changed.
    pub assumed: bool,
    /// Judge for this kind of client, where the host has several; `None`: for all of them.
    pub client: Option<Client>,
    /// Which rules count.
    pub selection: Selection,
    /// Which of several results to keep, of which calls: the first that names a call counts.
    pub prefer: Vec<Preference>,
    /// What to do about calls without a result.
    pub strategy: Strategy,
    /// Somebody is writing the recording right now.
    pub live: bool,
    /// What a provider's own text names, which no check can see.
    pub blame: Option<Blame>,
    /// Threads for one file: for its rows, or for its lines where it is large.
    pub jobs: usize,
}

/// For which provider a conversation is judged.
#[derive(Copy, Clone, Debug)]
pub enum TargetChoice {
    At(&'static Target),
    /// For all of them at once: what one of them refuses is refused.
    Strictest,
}

impl TargetChoice {
    /// By the name that people type.
    pub fn by_name(name: &str) -> Option<TargetChoice> {
        if name == targets::STRICTEST_NAME {
            return Some(TargetChoice::Strictest);
        }
        targets::by_name(name).map(TargetChoice::At)
    }

    /// As people type it.
    pub fn name(self) -> &'static str {
        match self {
            TargetChoice::At(target) => target.name,
            TargetChoice::Strictest => targets::STRICTEST_NAME,
        }
    }
}

/// Which rules count: codes, names or beginnings of codes.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Only these; empty: all.
    pub select: Vec<String>,
    /// These, too.
    pub extend_select: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
    /// Only findings that are at least so certain.
    pub min_confidence: Confidence,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            select: Vec::new(),
            extend_select: Vec::new(),
            ignore: Vec::new(),
            min_confidence: Confidence::Guess,
        }
    }
}

impl Selection {
    /// Whether a finding counts.
    fn admits_finding(&self, finding: &Finding) -> bool {
        finding.confidence >= self.min_confidence && self.admits(finding.rule)
    }

    /// Whether a rule counts. The longer word decides, as in ruff: `--select TD1 --ignore TD104`.
    pub fn admits(&self, rule: &Rule) -> bool {
        let longest = |words: &[String]| {
            words
                .iter()
                .filter(|word| names(word, rule))
                .map(String::len)
                .max()
        };
        let selected = longest(&self.select).max(longest(&self.extend_select));
        match (selected, longest(&self.ignore)) {
            (None, None) => self.select.is_empty(),
            (None, Some(_)) => false,
            (Some(_), None) => true,
            (Some(select), Some(ignore)) => select > ignore,
        }
    }
}

/// Whether a word names a rule: its code, the beginning of its code, or its name.
pub(crate) fn names(word: &str, rule: &Rule) -> bool {
    let code = rule
        .code
        .as_str()
        .get(..word.len())
        .is_some_and(|beginning| beginning.eq_ignore_ascii_case(word));
    (code && word.len() >= 2) || rule.name == word
}

/// A conversation, judged.
#[derive(Debug)]
pub struct Judged {
    /// What it is.
    pub claim: Detection,
    /// Its facts.
    pub transcript: Transcript,
    /// Those for whom it is judged, at least one. The first one's view is the one that is shown.
    pub sights: Vec<Evaluation>,
    /// What is wrong, in the order of places.
    pub findings: Vec<Finding>,
    /// The codes of findings above a note that the selection hides, in order.
    pub hidden: Vec<Code>,
    /// For which provider.
    pub aim: TargetChoice,
    /// Why that one.
    pub target_from: &'static str,
    /// The host's id of it.
    pub session: Option<String>,
    /// The answer: the worst of all sights.
    pub verdict: Verdict,
}

impl Judged {
    /// The view that is shown.
    pub fn request(&self) -> &Request {
        &self.sights[0].request
    }

    /// The provider of the view that is shown.
    pub fn target(&self) -> &'static Target {
        self.sights[0].lens.target
    }

    /// The conversation with its bytes at hand, for the sight with this number, from 0. `name`: of its file
    /// or folder, without the path.
    pub fn context<'a>(
        &'a self,
        sight: usize,
        entries: &'a dyn Entries,
        name: &'a str,
        live: bool,
    ) -> FormatContext<'a> {
        let aim = (self.aim, self.target_from == ASKED);
        context(
            &self.claim,
            &self.transcript,
            aim,
            self.sights[sight].lens,
            entries,
            name,
            live,
        )
    }

    /// The same for every sight, in their order.
    pub fn scenes<'a>(
        &'a self,
        entries: &'a dyn Entries,
        name: &'a str,
        live: bool,
    ) -> Vec<FormatContext<'a>> {
        let prepared = Prepared::default();
        (0..self.sights.len())
            .map(|sight| FormatContext {
                prepared: prepared.clone(),
                ..self.context(sight, entries, name, live)
            })
            .collect()
    }

    /// Records of the conversation, host state and padding left out.
    pub fn records(&self) -> u64 {
        let t = &self.transcript;
        t.records()
            .filter(|event| t.event(*event).state != State::Padding)
            .count() as u64
    }

    /// Calls in what would be sent.
    pub fn calls(&self) -> u64 {
        let sent = self.request().order.iter().filter(|sent| !sent.summary);
        let sent = sent.flat_map(|sent| {
            sent.parts
                .clone()
                .map(|part| self.transcript.a_part(part).kind)
        });
        sent.filter(|kind| *kind == PartKind::Call).count() as u64
    }

    /// Findings of at least this severity.
    pub fn at_least(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(move |finding| finding.severity >= severity)
    }
}

fn context<'a>(
    claim: &'a Detection,
    transcript: &'a Transcript,
    (aim, asked): (TargetChoice, bool),
    lens: Profile,
    entries: &'a dyn Entries,
    name: &'a str,
    live: bool,
) -> FormatContext<'a> {
    let strictest = matches!(aim, TargetChoice::Strictest);
    let Profile { target, client } = lens;
    let asked = asked && !strictest;
    FormatContext {
        entries,
        records: RecordCache::new(entries),
        layout: &claim.layout,
        transcript,
        target,
        client,
        strictest,
        asked,
        name,
        live,
        prepared: Prepared::default(),
    }
}

/// Reads and judges one conversation.
///
/// # Errors
/// Its bytes cannot be had, or are beyond a stated limit. Damage is not an error.
pub fn judge(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
) -> Result<Judged, ReadError> {
    judge_scanned(entries, None, name, claim, ask)
}

/// As [`judge`]. `scanned`: the only entry, if it is one value and was scanned already.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_scanned(
    entries: &dyn Entries,
    scanned: Option<Scanned<'_>>,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
) -> Result<Judged, ReadError> {
    let (reading, project) = (&claim.format.records, claim.format.project);
    judge_as((entries, scanned), name, claim, ask, reading, project)
}

/// As [`judge`], with another reader and another view than the format's own.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_as(
    (entries, scanned): (&dyn Entries, Option<Scanned<'_>>),
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    reading: &RecordReader,
    project: fn(&FormatContext<'_>) -> Request,
) -> Result<Judged, ReadError> {
    let mut transcript = Transcript::default();
    let layout = &claim.layout;
    layout.read_scanned(entries, scanned, reading, ask.jobs, &mut transcript)?;
    judge_transcript(entries, name, claim, ask, transcript, project)
}

/// As [`judge`], of patched entries whose base was read: only what changed is read again.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_changed(
    patched: &Overlay<'_>,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    base: &Transcript,
) -> Result<Judged, ReadError> {
    let (reading, project) = (&claim.format.records, claim.format.project);
    let transcript = claim
        .layout
        .read_changed(patched, reading, ask.jobs, base)?;
    judge_transcript(patched, name, claim, ask, transcript, project)
}

fn judge_transcript(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    mut transcript: Transcript,
    project: fn(&FormatContext<'_>) -> Request,
) -> Result<Judged, ReadError> {
    replaced::resolve(&mut transcript);
    let (aim, mut target_from) = aim(ask, claim, &transcript);
    let assumed =
        (ask.target.is_none() || ask.assumed) && elsewhere::is_assumed(claim, &transcript);
    if assumed {
        target_from = ASSUMED;
    }
    let mut session = None;
    let mut requests = Vec::new();
    let (mut found, mut hidden) = (Vec::new(), Vec::new());
    let mut blame: Option<Option<Diagnostic>> = None;
    let prepared = Prepared::default();
    for lens in sights::lenses(claim.format, aim, ask.client) {
        let asked = target_from == ASKED;
        let context = FormatContext {
            prepared: prepared.clone(),
            ..context(
                claim,
                &transcript,
                (aim, asked),
                lens,
                entries,
                name,
                ask.live,
            )
        };
        let mut request = project(&context);
        request.misplaced = placement::misplaced(
            &transcript,
            &request,
            lens.target.results_anywhere && !request.results_next,
        );
        let needs = requests::check(&context, &request, &claim.format.wire);
        request.diagnostics.extend(needs);
        request.add_last_resort();
        // The first view is the one in which the text's number was looked up.
        let diagnostic = || {
            blamed::diagnostic(
                &context,
                &request,
                claim.format.traits.blames?,
                ask.blame.as_ref()?,
            )
        };
        let blamed = blame.get_or_insert_with(diagnostic).clone();
        request.diagnostics.extend(blamed);
        session = (claim.format.session)(&context);
        let case = RuleContext {
            transcript: &transcript,
            request: &request,
            format: claim.format,
            target: lens.target,
            client: lens.client,
            lines: claim.layout.is_lines(),
            strictest: matches!(aim, TargetChoice::Strictest),
            live: ask.live,
            prefer: &ask.prefer,
            strategy: ask.strategy,
        };
        let (findings, others) = rules::check(&case)
            .into_iter()
            .partition(|finding| ask.selection.admits_finding(finding));
        found.push(findings);
        hidden.push(others);
        requests.push((lens, request));
    }
    let mut findings = sights::join(found);
    if assumed {
        findings.extend(elsewhere::refused(
            (entries, name),
            claim,
            ask,
            &transcript,
            &findings,
        )?);
    }
    leave_deep_records_alone(&transcript, &mut findings);
    rules::sort(&mut findings);
    let hidden = sights::join(hidden)
        .into_iter()
        .filter(|finding| finding.severity > Severity::Note);
    let mut hidden: Vec<Code> = hidden.map(|finding| finding.rule.code).collect();
    hidden.sort_unstable();
    let sights = requests
        .into_iter()
        .enumerate()
        .map(|(number, (lens, request))| {
            let verdict = match sights::verdict(&findings, number, &request) {
                Verdict::Healthy if is_empty(&transcript) => Verdict::Empty,
                verdict => verdict,
            };
            Evaluation {
                lens,
                request,
                verdict,
            }
        });
    let sights: Vec<Evaluation> = sights.collect();
    let verdict = sights
        .iter()
        .map(|sight| sight.verdict)
        .max()
        .unwrap_or(Verdict::Unknown);
    let claim = claim.clone();
    Ok(Judged {
        claim,
        transcript,
        sights,
        findings,
        hidden,
        aim,
        target_from,
        session,
        verdict,
    })
}

/// Why a target that was asked for is the one.
pub(crate) const ASKED: &str = "--target";

/// Why a target is the one where nothing shows whose messages these are.
pub(crate) const ASSUMED: &str = "assumed";

/// The provider to judge for, and why.
fn aim(ask: &CheckOptions, claim: &Detection, t: &Transcript) -> (TargetChoice, &'static str) {
    if let Some(aim) = ask.target {
        return (
            aim,
            if ask.assumed {
                "recorded before"
            } else {
                ASKED
            },
        );
    }
    let said = (claim.format.model)(t);
    if let Some(target) = said.as_deref().and_then(targets::by_name) {
        return (TargetChoice::At(target), "from the file");
    }
    if let Some(target) = said.as_deref().and_then(targets::by_model) {
        return (TargetChoice::At(target), "recorded model");
    }
    let mut ids = t
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::Call)
        .filter_map(|part| part.sent_id);
    if let Some(target) = ids.find_map(|id| targets::by_call_id(t.ids.get(id))) {
        return (TargetChoice::At(target), "guessed from tool call ids");
    }
    (TargetChoice::At(targets::ALL[0]), "default")
}

/// The provider for which a conversation would be judged that somebody else looks at, who asks this.
pub(crate) fn provider(ask: &CheckOptions, judged: &Judged) -> TargetChoice {
    aim(ask, &judged.claim, &judged.transcript).0
}

/// Whether nothing is in a transcript that a host would send, or that may have been such a thing.
fn is_empty(t: &Transcript) -> bool {
    !t.events
        .iter()
        .any(|event| event.role.is_sent() || event.state == State::Unreadable)
}

/// A record that is nested too deeply is not read, although its host may read it. Whatever depends on it is a guess, so nothing is
/// repaired beside it.
fn leave_deep_records_alone(t: &Transcript, findings: &mut [Finding]) {
    let is_deep = |event| t.attr_of(event, attr::TOO_DEEP).is_some();
    if !t.is_known(attr::TOO_DEEP) {
        return;
    }
    for finding in findings {
        finding.fixes.clear();
        if finding.rule.code == Code::UnreadableRecord
            && finding.labels.iter().any(|label| is_deep(label.event))
        {
            finding.message =
                "a record is nested deeper than 1024 levels and was not read".to_owned();
        }
    }
}
