//! A judged conversation.

use std::cell::OnceCell;
use std::sync::Arc;

use super::evaluations::{Evaluation, Profile};
use super::habits::FileHabits;
use super::options::{RuleSelection, TargetChoice};
use super::target::TargetFrom;
use super::verdict::Verdict;
use crate::bytes::source::Entries;
use crate::containers::records::RecordCache;
use crate::format::{Client, Detection, FormatContext};
use crate::requests::Prepared;
use crate::rules::{self, Finding, Seen};
use crate::targets::Target;
use crate::transcript::{
    Code, Effect, Label, LabelRole, PartKind, Request, Severity, State, Transcript,
};

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
    /// See [`CheckOptions::ended_before`](super::CheckOptions::ended_before).
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

pub(super) fn context<'a>(
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
