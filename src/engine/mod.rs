//! Judges one conversation: records, events, requests, findings, verdict.

mod check;
mod elsewhere;
mod evaluations;
pub(crate) mod habits;
mod judged;
mod options;
pub(crate) mod recognized;
mod target;
mod verdict;

use std::borrow::Cow;
use std::sync::Arc;

use crate::bytes::overlay::Overlay;
use crate::bytes::source::Entries;
use crate::containers::records::RecordCache;
use crate::containers::{ReadError, RecordReader, Scanned};
use crate::format::{Client, Detection, FormatContext};
use crate::proof;
use crate::rewrite::PlanSource;
use crate::rules::{self, Finding};
use crate::transcript::{Code, Request, Severity, State, Transcript, facts, replaced};
use check::Checker;
use habits::{FileHabits, Habits, PlaceInFile};
use target::choose_target;

pub(crate) use crate::format::blamed::Blame;
pub(crate) use evaluations::{Evaluation, Profile};
pub use judged::Judged;
pub use options::CheckOptions;
pub(crate) use options::{RuleSelection, TargetChoice, names};
pub(crate) use target::TargetFrom;
pub(crate) use target::provider;
pub use verdict::Verdict;

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
    transcript.end();
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
    if cfg!(debug_assertions) {
        assert_parts_are_pieces(entries, detection, &transcript);
    }
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
    let older_clients = older.into_iter().map(|profile| verdict_for(&mut checker, profile));
    let older_clients = older_clients.collect();
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

/// A repair finds a part again as the piece at its number.
fn assert_parts_are_pieces(entries: &dyn Entries, detection: &Detection, t: &Transcript) {
    let source = PlanSource {
        entries,
        records: &RecordCache::new(entries),
        pieces: detection.format.pieces,
        layout: &detection.layout,
        t,
    };
    let format = detection.format.name;
    assert_eq!(source.disagreement(), None, "the parts of a record are its pieces ({format})");
}

/// The client of a profile, with the verdict for it alone.
fn verdict_for(checker: &mut Checker<'_>, profile: Profile) -> (Client, Verdict) {
    let outcome = checker.check(profile);
    let findings = evaluations::merge(vec![outcome.findings]);
    (profile.client, evaluations::verdict(&findings, 0, &outcome.request))
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
            finding.message = "a record is nested deeper than 1024 levels and was not read".into();
        }
    }
}
