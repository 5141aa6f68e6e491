//! One finding: what is wrong, the records as a ladder, where, and what would be done.

use crate::outputs::OutputStyle;
use crate::outputs::layout::numbered;
use crate::report::ladder::moment;
use crate::report::model::{Choice, FindingRecord, PlannedAction, ReportedFinding, TextRange};
use crate::report::text::Shown;
use crate::transcript::{Applicability, Code, Severity};

/// `no automatic fix: edit the record; only you know what it was meant to say`
pub(crate) fn advice(finding: &ReportedFinding) -> String {
    format!("no automatic fix: {}", finding.resolution.advice)
}

/// The command that shows the record that a person has to look at.
pub(crate) fn look(finding: &ReportedFinding, path: &Shown, style: &OutputStyle) -> Option<String> {
    let record = main_record(finding).filter(|record| record.is_numbered);
    match record.and_then(|record| record.line.or(record.index)) {
        Some(number) => style.next.for_record("explain", path, number),
        None => style.next.for_path("explain", &[], path),
    }
}

/// What is to be chosen.
pub(crate) fn choose(finding: &ReportedFinding) -> &'static str {
    let choices = &finding.resolution.choices;
    if choices.iter().any(|choice| !choice.does.is_empty()) {
        "to continue without waiting"
    } else if choices.iter().any(|choice| choice.is_kept) {
        "to keep a different result"
    } else {
        "you decide which result is right"
    }
}

/// `events 2 and 4, 2026-01-21 09:48:16`, or what a choice does that keeps no result.
pub(crate) fn place_of(choice: &Choice) -> String {
    if !choice.does.is_empty() {
        return choice.does.to_owned();
    }
    let time = choice.time.as_deref().map(moment);
    let zone = if choice.has_zone { " UTC" } else { "" };
    let time = time.map(|time| format!(", {time}{zone}")).unwrap_or_default();
    let kept = if choice.is_kept { " (kept)" } else { "" };
    format!("{}{time}{kept}", numbered(choice.unit, &choice.numbers, usize::MAX))
}

/// The command that keeps it. `None`: its reader may not see it.
pub(crate) fn choosing(choice: &Choice, path: &Shown, style: &OutputStyle) -> Option<String> {
    let options: Vec<&str> = choice.options.iter().map(Shown::typed).collect::<Option<_>>()?;
    let next = style.next.without(&["--prefer", "--call"]);
    next.for_path("repair", &options, path)
}

/// What a call of this finding is told that has no result among the records; "": nothing.
pub(crate) fn alone(finding: &ReportedFinding) -> &'static str {
    if matches!(finding.code, Code::UnansweredCall | Code::PendingCall) { "no result" } else { "" }
}

/// The steps of its fix. What is removed comes first, in one step; equal steps are one, with their number.
pub(crate) fn steps(finding: &ReportedFinding) -> Vec<String> {
    let actions = &finding.resolution.fix.actions;
    let (removals, others): (Vec<&PlannedAction>, Vec<&PlannedAction>) =
        actions.iter().partition(|action| action.step.removes.is_some());
    let mut removed: Vec<String> = removals.into_iter().filter_map(removal).collect();
    removed.dedup();
    let kept = (!removed.is_empty())
        .then(|| format!("remove {} (kept in the journal)", removed.join(", ")));
    let equal = others.chunk_by(|a, b| a.step.says == b.step.says);
    let others = equal.map(|equal| match equal {
        [only] => only.step.says.clone(),
        [first, ..] => format!("{} ({} times)", first.step.says, equal.len()),
        [] => String::new(),
    });
    kept.into_iter().chain(others).collect()
}

/// Why its fix may remove what was recorded: `line 5: an equal one stays`.
pub(crate) fn reasons(finding: &ReportedFinding) -> Vec<String> {
    finding
        .resolution
        .fix
        .actions
        .iter()
        .filter_map(|action| {
            let step = &action.step;
            let name = step.removes.as_deref().unwrap_or(&step.says);
            step.reason.map(|reason| format!("{name}: {}", reason.says()))
        })
        .collect()
}

/// `line 5 "its first words"`
fn removal(action: &PlannedAction) -> Option<String> {
    let name = action.step.removes.as_ref()?;
    let text = action.text.as_ref().filter(|text| !text.is_masked());
    Some(match text {
        Some(text) => format!("{name} \"{text}\""),
        None => name.clone(),
    })
}

/// Who decides about the fix of a finding, for people: `safe`, `unsafe`, `you decide`, `your choice`.
pub(crate) fn decision(finding: &ReportedFinding) -> &'static str {
    if finding.resolution.is_chosen {
        "your choice"
    } else {
        fix_word(finding.resolution.fix.applicability)
    }
}

/// Who decides about such fixes, for people.
pub(crate) fn fix_word(applicability: Applicability) -> &'static str {
    match applicability {
        Applicability::Manual => "you decide",
        Applicability::OnRequest => "on request",
        own => own.name(),
    }
}

/// What is wrong, how often, and with which call, for outputs that show no records.
pub(crate) fn message(finding: &ReportedFinding) -> String {
    named(finding, Shown::to_string)
}

/// The same above the records, which show most calls, with the call's ID in the form that `id` gives it.
pub(crate) fn message_with(finding: &ReportedFinding, id: impl Fn(&Shown) -> String) -> String {
    if names_call(finding.code) { named(finding, id) } else { counted(finding) }
}

fn counted(finding: &ReportedFinding) -> String {
    match finding.identity.count {
        1 => finding.message.clone(),
        count => format!("{} ({count} times)", finding.message),
    }
}

fn named(finding: &ReportedFinding, id: impl Fn(&Shown) -> String) -> String {
    let out = counted(finding);
    let Some(call) = finding.call_ids.first() else {
        return out;
    };
    let records = finding.records.iter();
    let mut own = records.filter(|record| record.call.as_ref() == Some(call));
    let tool = own.find_map(|record| record.tool.as_ref());
    let tool = tool.map(|tool| format!("{tool} ")).unwrap_or_default();
    let out = format!("{out}: {tool}{}", id(call));
    match finding.call_ids.len() {
        0 | 1 => out,
        several => format!("{out} and {} more", several - 1),
    }
}

/// Whether the first line of findings of this rule names the tool and the ID of the call.
fn names_call(code: Code) -> bool {
    use Code::*;
    matches!(code, UnansweredCall | OrphanResult | TwoResults | ConflictingResults)
}

/// A severity as it is printed.
pub(crate) fn level_word(level: Severity) -> &'static str {
    match level {
        Severity::Fatal => "fatal",
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The record that a finding is at: the first that its fix touches, else the first; each best not the call.
pub(crate) fn main_record(finding: &ReportedFinding) -> Option<&FindingRecord> {
    let touched = finding.resolution.fix.actions.iter().find_map(|action| {
        let mut records = finding.records.iter().filter(|r| {
            r.file == action.file && r.line == action.step.line && r.index == action.step.index
        });
        let first = records.next()?;
        let not_call = std::iter::once(first).chain(records).find(|r| r.role != "call");
        not_call.or(Some(first))
    });
    touched
        .or_else(|| finding.records.iter().find(|r| r.role != "call"))
        .or(finding.records.first())
}

/// `PATH:LINE`, or `PATH:LINE:COLUMN` in a document, or the file in the folder.
pub(crate) fn position(path: &Shown, record: &FindingRecord) -> String {
    let mut out = path.whole();
    if let Some(file) = &record.file {
        out = file.below(&out);
    }
    match (record.line, &record.pointer, record.range.as_deref()) {
        (Some(line), ..) => out.push_str(&format!(":{line}")),
        (None, Some(_), Some(TextRange { start, .. })) => {
            out.push_str(&format!(":{}:{}", start.line, start.character));
        }
        (None, Some(pointer), None) => out.push_str(&format!("#{}", pointer.whole())),
        (None, None, _) => {}
    }
    out
}
