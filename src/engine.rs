//! One conversation through the arrow: records, events, view, findings, verdict.

use crate::bytes::source::Entries;
use crate::containers::ReadError;
use crate::formats::{Claim, Scene};
use crate::report::model::Verdict;
use crate::rules::{self, Case, Finding, Prefer, Rule};
use crate::targets::{self, Target};
use crate::transcript::{Confidence, Effect, PartKind, Role, Severity, State, Transcript, View, placement};

/// What is asked of a conversation.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Judge for this provider; `None`: for the one that the recording speaks of.
    pub target: Option<&'static Target>,
    /// Which rules count.
    pub selection: Selection,
    /// Which of several results to keep.
    pub prefer: Prefer,
    /// Somebody is writing the recording right now.
    pub live: bool,
}

/// Which rules count: codes, names or beginnings of codes.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these; empty: all.
    pub select: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
}

impl Selection {
    /// Whether a rule counts. The longer word decides, as in ruff: `--select TD1 --ignore TD104`.
    pub fn admits(&self, rule: &Rule) -> bool {
        let longest = |words: &[String]| words.iter().filter(|word| names(word, rule)).map(String::len).max();
        match (longest(&self.select), longest(&self.ignore)) {
            (None, None) => self.select.is_empty(),
            (None, Some(_)) => false,
            (Some(_), None) => true,
            (Some(select), Some(ignore)) => select > ignore,
        }
    }
}

/// Whether a word names a rule: its code, the beginning of its code, or its name.
pub fn names(word: &str, rule: &Rule) -> bool {
    let code = rule.code.get(..word.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(word));
    (code && word.len() >= 2) || rule.name == word
}

/// A conversation, judged.
#[derive(Debug)]
pub struct Judged {
    /// What it is.
    pub claim: Claim,
    /// Its facts.
    pub transcript: Transcript,
    /// What would be sent.
    pub view: View,
    /// What is wrong, in the order of places.
    pub findings: Vec<Finding>,
    /// Who would read it.
    pub target: &'static Target,
    /// Why that one.
    pub target_from: &'static str,
    /// The host's id of it.
    pub session: Option<String>,
    /// The answer.
    pub verdict: Verdict,
}

impl Judged {
    /// Records of the conversation, host state and padding left out.
    pub fn records(&self) -> u64 {
        let t = &self.transcript;
        t.records().filter(|event| t.event(*event).state != State::Void).count() as u64
    }

    /// Calls in what would be sent.
    pub fn calls(&self) -> u64 {
        let sent = self.view.order.iter().filter(|sent| !sent.summary);
        let sent = sent.flat_map(|sent| sent.parts.clone().map(|part| self.transcript.a_part(part).kind));
        sent.filter(|kind| *kind == PartKind::Call).count() as u64
    }

    /// Findings of at least this severity.
    pub fn at_least(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.severity >= severity)
    }
}

/// Reads and judges one conversation.
///
/// # Errors
/// Its bytes cannot be had, or are beyond a stated limit. Damage is not an error.
pub fn judge(entries: &dyn Entries, name: &str, claim: &Claim, ask: &Ask) -> Result<Judged, ReadError> {
    let mut transcript = Transcript::default();
    claim.layout.read(entries, &claim.format.records, &mut transcript)?;
    let (target, target_from) = target(ask, claim, &transcript);
    let scene =
        Scene { entries, layout: &claim.layout, transcript: &transcript, target, name, live: ask.live };
    let mut view = (claim.format.project)(&scene);
    view.misplaced = placement::misplaced(&transcript, &view, target.results_anywhere);
    let session = (claim.format.session)(&scene);
    let case = Case {
        transcript: &transcript,
        view: &view,
        format: claim.format,
        target,
        lines: claim.layout.is_lines(),
        live: ask.live,
        prefer: ask.prefer,
    };
    let mut findings = rules::check(&case);
    findings.retain(|finding| ask.selection.admits(finding.rule));
    let verdict = verdict(&findings, &view);
    Ok(Judged { claim: claim.clone(), transcript, view, findings, target, target_from, session, verdict })
}

/// The provider to judge for, and why.
fn target(ask: &Ask, claim: &Claim, t: &Transcript) -> (&'static Target, &'static str) {
    if let Some(target) = ask.target {
        return (target, "--target");
    }
    let named = |model: String| targets::by_name(&model).or_else(|| targets::by_model(&model));
    if let Some(target) = (claim.format.model)(t).and_then(named) {
        return (target, "recorded model");
    }
    let mut ids = t.parts.iter().filter(|part| part.kind == PartKind::Call).filter_map(|part| part.sent_id);
    if let Some(target) = ids.find_map(|id| targets::by_call_id(t.ids.get(id))) {
        return (target, "shape of the call ids");
    }
    (targets::ALL[0], "default")
}

/// Worst wins.
fn verdict(findings: &[Finding], view: &View) -> Verdict {
    let any = |test: &dyn Fn(&Finding) -> bool| {
        findings.iter().any(|finding| finding.confidence > Confidence::Guess && test(finding))
    };
    if any(&|f| f.effect == Effect::LoadFails && f.severity >= Severity::Error) {
        return Verdict::Unreadable;
    }
    if any(&|f| f.severity == Severity::Fatal) {
        return Verdict::Stuck;
    }
    if any(&|f| f.severity == Severity::Error) {
        return Verdict::Lossy;
    }
    let open = view.pairs.batches.iter().any(|batch| batch.pending && batch.has_open(&view.pairs));
    if open { Verdict::Pending } else { Verdict::Healthy }
}

/// Whether a transcript holds anything that a host would send.
pub fn is_empty(t: &Transcript) -> bool {
    !t.events.iter().any(|event| event.role != Role::HostState && event.state != State::Void)
}
