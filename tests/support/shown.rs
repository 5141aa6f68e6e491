//! What is shown is what happens: the rows of a difference against the patch, the records of a finding against its calls.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use transcript_doctor::testing::app::difference::{JudgedRecording, records};
use transcript_doctor::testing::bytes::overlay::Overlay;
use transcript_doctor::testing::bytes::source::Span;
use transcript_doctor::testing::diff::records::{RecordFate, RecordsDiff};
use transcript_doctor::testing::engine::Judged;
use transcript_doctor::testing::outputs::{Detail, OUTPUTS, OutputStyle};
use transcript_doctor::testing::repair::RepairPlan;
use transcript_doctor::testing::report::build::conversation;
use transcript_doctor::testing::report::model::Report;
use transcript_doctor::testing::report::redact::{People, RedactMode, Redactor, redact};
use transcript_doctor::testing::transcript::{Role, State};

use super::Opened;

fn reader() -> Redactor {
    Redactor::for_stream(RedactMode::Off, false, People::default())
}

/// What the rows of the difference that a plan makes say that its patch does not do, or do not say that it does.
pub(crate) fn against_patch(opened: &Opened, done: &RepairPlan) -> Vec<String> {
    let patched = Overlay::new(&opened.source, &done.patch);
    let old = JudgedRecording::new(&opened.source, &done.before);
    let new = JudgedRecording::new(&patched, done.after());
    let diff = records(old, new, Some(&done.patch), &reader()).unwrap();
    let mut wrong = Vec::new();
    if (diff.rows.is_empty() && diff.renumbered == 0) != done.patch.is_empty() {
        wrong.push(format!("{} rows of {:?}\n", diff.rows.len(), done.patch.edits()));
    }
    let t = &done.before.transcript;
    let is_place =
        |place: u64| diff.rows.iter().any(|row| row.place == Some(place) && !is_new(&row.what));
    let is_around = diff.rows.iter().any(|row| row.place.is_none());
    let is_moved = |what: &RecordFate| matches!(what, RecordFate::Moved(..));
    let has_moved = diff.rows.iter().any(|row| is_moved(&row.what));
    let mut seen = 0;
    for event in t.events.iter() {
        let is_record = event.state != State::Padding && event.role != Role::HostState;
        if !is_record || event.within.is_some() || event.at().end <= event.at().start {
            continue;
        }
        seen += 1;
        let number = event.place().number();
        // Of records that change places, one is left where it is, whichever way the bytes were written.
        if !has_moved
            && is_inside(done, event.at())
            && !is_place(number)
            && !is_around
            && !is_split(&diff)
        {
            wrong.push(format!("record {number} is edited, and not shown\n"));
        }
    }
    let shown = |is: fn(&RecordFate) -> bool| {
        let rows = diff.rows.iter().filter(|row| row.place.is_some());
        rows.filter(|row| is(&row.what)).count() as u64
    };
    let told = shown(|what| !is_new(what)) + diff.kept;
    if told != seen && !is_split(&diff) {
        wrong.push(format!("{told} of {seen} records are in the difference\n"));
    }
    wrong
}

fn is_new(what: &RecordFate) -> bool {
    matches!(what, RecordFate::Inserted(_))
}

/// One line that becomes several is one row.
fn is_split(diff: &RecordsDiff) -> bool {
    diff.rows.iter().any(|row| matches!(row.what, RecordFate::Split(_)))
}

/// Whether an edit changes bytes of a record, not only those next to it.
fn is_inside(done: &RepairPlan, at: Span) -> bool {
    if done.patch.removes(at.entry) {
        return true;
    }
    let mut edits = done.patch.bytes_of(at.entry).iter();
    edits.any(|edit| edit.start < at.end && at.start < edit.end && edit.start != edit.end)
}

/// The findings whose records do not name the calls that they are about.
pub(crate) fn against_calls(opened: &Opened, judged: &Judged) -> Vec<String> {
    let entry = conversation(Path::new(&opened.name), &opened.source, judged, false);
    let entry = serde_json::to_value(redact(entry, &reader())).unwrap();
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    for finding in list(&entry, "findings") {
        let code = finding["code"].as_str().unwrap();
        let ids: BTreeSet<String> =
            list(&finding, "call_ids").iter().map(ToString::to_string).collect();
        let records = list(&finding, "records");
        let shown: BTreeSet<String> = records.iter().map(|own| own["call"].to_string()).collect();
        // Other rules are about records, or about an ID that is missing, or in another member.
        let is_about_calls = is_about_calls(code);
        let is_all = !matches!(code, "TD108" | "TD207") || ids.is_disjoint(&shown);
        if is_about_calls && is_all && !ids.is_subset(&shown) {
            wrong.push(format!("{code} is about {ids:?}, and shows {shown:?}\n"));
        }
    }
    wrong
}

/// Whether the findings of a rule are about calls, and name them.
fn is_about_calls(code: &str) -> bool {
    code != "TD107" && (code.starts_with("TD1") || code.starts_with("TD2"))
}

/// The outputs that show a finding without a call that it is about. Each finding is printed by two of them, in turn, so that
/// over all fixtures every output shows every kind of finding.
pub(crate) fn in_outputs(opened: &Opened, judged: &Judged) -> Vec<String> {
    let whole = conversation(Path::new(&opened.name), &opened.source, judged, false);
    let mut wrong = Vec::new();
    for (at, finding) in whole.findings.iter().enumerate() {
        let code = finding.code.as_str();
        if !is_about_calls(code) || finding.call_ids.is_empty() {
            continue;
        }
        let mut alone = whole.clone();
        alone.findings = vec![finding.clone()];
        let report = redact(Report::new(vec![alone], Vec::new(), Vec::new()), &reader());
        let ids = &report.conversations[0].findings[0].call_ids;
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        for output in OUTPUTS.iter().cycle().skip(2 * (opened.name.len() + at)).take(2) {
            for detail in [Detail::Normal, Detail::All] {
                let style = OutputStyle { detail, ..OutputStyle::default() };
                let mut out = Vec::new();
                (output.report)(&report, &mut out, &style).unwrap();
                let out = String::from_utf8(out).unwrap();
                // A note is only told where everything is asked for.
                if !out.contains(code) {
                    continue;
                }
                let is_named = match code {
                    "TD108" | "TD207" => ids.iter().any(|id| names(&out, std::slice::from_ref(id))),
                    _ => names(&out, &ids),
                };
                if !is_named {
                    wrong.push(format!(
                        "{code} is about {ids:?}, and {} shows\n{out}\n",
                        output.name
                    ));
                }
            }
        }
    }
    wrong
}

/// Whether a text names all of these IDs, whole or shortened, or the first of them and how many there are.
fn names(text: &str, ids: &[String]) -> bool {
    let is_named = |id: &String| {
        let escaped = serde_json::to_string(id).unwrap();
        let in_html = id.replace('&', "&amp;").replace('<', "&lt;");
        text.contains(id)
            || text.contains(escaped.trim_matches('"'))
            || text.contains(&in_html)
            || is_shortened(text, id)
    };
    let more = format!(" and {} more", ids.len() - 1);
    ids.iter().all(is_named) || is_named(&ids[0]) && text.contains(&more)
}

/// Whether a word with `…` in it begins and ends as an ID does.
fn is_shortened(text: &str, id: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-.:|".contains(c);
    text.match_indices('…').any(|(at, dots)| {
        let before = text[..at].rsplit(|c| !is_part(c)).next().unwrap();
        let after = text[at + dots.len()..].split(|c| !is_part(c)).next();
        !before.is_empty() && id.starts_with(before) && id.ends_with(after.unwrap())
    })
}
