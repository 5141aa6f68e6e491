//! Checks the session header: missing, truncated, duplicated, or of another session than the file
//! name says.

use super::layout::{self, PiFileName};
use super::path::PiPath;
use super::{kinds, own, repeated};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::format::FormatContext;
use crate::format::about::agreed_beside;
use crate::json::quote::quote;
use crate::rewrite::made_id;
use crate::shapes::copies;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Label, LabelRole, State, Subject, Transcript, time,
};

/// The truncated header: the first line, if it is unreadable and there is no other header.
pub(super) fn truncated(t: &Transcript, path: &PiPath) -> Option<EventId> {
    let first = path.tree.unreadable.first().copied().filter(|event| *event == EventId::FIRST)?;
    path.headers
        .is_empty()
        .then_some(first)
        .filter(|event| matches!(t.kind(*event), "" | "session"))
}

pub(super) fn check(context: &FormatContext<'_>, path: &PiPath) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut diagnostics = Vec::new();
    let Some((first, others)) = path.headers.split_first() else {
        diagnostics.extend(missing(context, path));
        return diagnostics;
    };
    if path.tree.records.first().is_some_and(|record| record < first) {
        let mut diagnostic =
            diagnostic(Code::BadHeader, "the session header is not the first record", *first);
        diagnostic.effect = Effect::LoadFails;
        diagnostics.push(diagnostic);
    }
    for other in others {
        diagnostics.push(second(context, *first, *other));
    }
    // The name of the file is the second place that has the ID.
    let named = layout::named(context.name);
    if let Some(named) = named.filter(|named| named.id != t.text(t.event(*first).id)) {
        let mut diagnostic = diagnostic(
            Code::SessionMismatch,
            "the session ID differs from the one in the file name",
            *first,
        );
        if let Some(edit) = repeated::set(context, *first, "id", &named.id) {
            let mend = Action::edits(
                *first,
                "set the session ID in {} to the one in the file name",
                vec![edit],
            );
            diagnostic.fix_with_guess([mend]);
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn diagnostic(code: Code, message: &'static str, event: EventId) -> Diagnostic {
    Diagnostic::about(code, message, Subject::Content, event)
}

/// A second header, which hosts ignore.
fn second(context: &FormatContext<'_>, first: EventId, other: EventId) -> Diagnostic {
    let t = context.transcript;
    if t.event(first).id != t.event(other).id {
        return diagnostic(Code::SessionMismatch, "a second session header in the file", other);
    }
    let mut diagnostic = diagnostic(Code::RepeatedRecord, "session header stored twice", other);
    diagnostic.labels.insert(0, Label::new(first, LabelRole::Record));
    if copies::is_copy(context, first, other) {
        let edits = vec![Edit::bytes(t.event(other).at(), Vec::new())];
        diagnostic.fix_safely([Action::edits(other, "remove {}", edits)]);
    }
    diagnostic
}

/// A missing header: the host rejects the file, or an older version overwrites it.
fn missing(context: &FormatContext<'_>, path: &PiPath) -> Option<Diagnostic> {
    let t = context.transcript;
    let truncated = truncated(t, path);
    let first = truncated.or_else(|| path.tree.records.first().copied())?;
    let message = if truncated.is_some() {
        "the session header is truncated"
    } else {
        "the session header is missing"
    };
    let mut diagnostic = diagnostic(Code::BadHeader, message, first);
    diagnostic.about.push(Subject::Bytes(first));
    diagnostic.effect = Effect::LoadFails;
    let named = layout::named(context.name);
    // What is left of a truncated header is kept.
    let cwd = truncated.and_then(|first| t.fact_text(first, own::CWD)).map(str::to_owned);
    let cwd = cwd.or_else(|| agreed_beside(context, layout::is_header, "cwd"));
    let shown =
        truncated.and_then(|truncated| t.event(truncated).id).map(|id| t.ids.get(id).to_owned());
    let (id, made_up) = match shown.or(named.as_ref().map(|named| named.id.clone())) {
        Some(id) => (id, cwd.is_none()),
        None => (new_id(t, path), true),
    };
    let cwd = cwd.unwrap_or_else(|| "/".to_owned());
    let line = line(context, path, &id, started(t, path, truncated, named), &cwd);
    let at = t.event(first).at();
    let is_below_title = t.kind(EventId::FIRST) == kinds::TITLE;
    let at = match truncated {
        Some(_) => at,
        None if is_below_title => Span::new(at.entry, at.start, at.start),
        None => Span::new(at.entry, 0, 0),
    };
    let edits = vec![Edit::Bytes { at, with: line }];
    let actions = [Action::edits(first, "rebuild the session header in {}", edits)];
    diagnostic.fix_safely_if(!made_up, actions);
    Some(diagnostic)
}

/// When the session started: from the truncated header, from the file name, or the time of the
/// first entry.
fn started(
    t: &Transcript,
    path: &PiPath,
    truncated: Option<EventId>,
    named: Option<PiFileName>,
) -> String {
    let entry = path.tree.records.iter().find_map(|event| t.event(*event).time());
    let shown = truncated.and_then(|truncated| t.event(truncated).time()).map(time::format_millis);
    shown
        .or(named.and_then(|named| named.time))
        .unwrap_or_else(|| time::format_millis(entry.unwrap_or(0)))
}

fn line(context: &FormatContext<'_>, path: &PiPath, id: &str, time: String, cwd: &str) -> Vec<u8> {
    let t = context.transcript;
    let reset = path.tree.records.iter().any(|event| t.kind(*event) == "reset");
    let version = if reset { 4 } else { 3 };
    let (id, time, cwd) = (quote(id), quote(&time), quote(cwd));
    let first = path.tree.records.first();
    let end = first.map_or("\n", |first| context.line_ending(*first));
    format!(
        r#"{{"type":"session","version":{version},"id":{id},"timestamp":{time},"cwd":{cwd}}}{end}"#
    )
    .into_bytes()
}

/// A session ID derived from the IDs of the first entries.
fn new_id(t: &Transcript, path: &PiPath) -> String {
    let first = path.tree.records.iter().take(64);
    let whole = first.filter(|event| t.event(**event).state == State::Whole);
    let ids: Vec<&str> = whole.map(|event| t.text(t.event(*event).id)).collect();
    made_id(&ids)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::engine::{CheckOptions, judge};
    use crate::find::find;
    use crate::transcript::Applicability;

    const REST: &str = r#"{"type":"message","id":"aa000001","parentId":null,"timestamp":"2026-02-25T06:20:01.000Z","message":{"role":"user","content":"Go."}}
{"type":"message","id":"aa000002","parentId":"aa000001","timestamp":"2026-02-25T06:20:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}}
"#;

    fn applicability(neighbors: &[&str]) -> Applicability {
        let folder = tempfile::tempdir().unwrap();
        for (number, cwd) in neighbors.iter().enumerate() {
            let header = format!(
                r#"{{"type":"session","version":3,"id":"n","timestamp":"t","cwd":"{cwd}"}}"#
            );
            fs::write(folder.path().join(format!("{number}.jsonl")), format!("{header}\n"))
                .unwrap();
        }
        let path = folder.path().join("2026-02-25T06-20-00-000Z_0197c0bb.jsonl");
        fs::write(&path, format!("{{\"type\":\"session\",\"ver\n{REST}")).unwrap();
        let finds = find(&[path], None);
        let found = finds.found[0].open().unwrap();
        let name = "2026-02-25T06-20-00-000Z_0197c0bb.jsonl";
        let judged =
            judge(&found.source, name, &found.detection, &CheckOptions::default()).unwrap();
        assert_eq!(
            judged.findings.iter().map(|finding| finding.rule.code).collect::<Vec<_>>(),
            ["TD011"]
        );
        judged.findings[0].applicability()
    }

    #[test]
    fn a_header_is_forced_where_name_and_neighbors_agree() {
        assert_eq!(applicability(&["/srv/garden", "/srv/garden"]), Applicability::Safe);
        assert_eq!(applicability(&["/srv/garden", "/srv/other"]), Applicability::Unsafe);
        assert_eq!(applicability(&[]), Applicability::Unsafe);
    }
}
