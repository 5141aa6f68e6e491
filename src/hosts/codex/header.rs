//! Checks the header, the first record of a rollout.

use std::borrow::Cow;

use super::{layout, own};
use crate::bytes::edit::Edit;
use crate::format::FormatContext;
use crate::json::quote::quote;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, FactValue, State, Subject, Transcript,
};

/// The truncated header in the first line, if there is one.
pub(super) fn truncated(t: &Transcript) -> Option<EventId> {
    let first = t.records().find(|event| t.event(*event).state != State::Padding)?;
    let is_torn = t.event(first).state == State::Unreadable && t.has(first, own::HEADER);
    is_torn.then_some(first)
}

pub(super) fn check(context: &FormatContext<'_>) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut readable = t.records().filter(|event| t.is_readable(*event));
    let Some(first) = readable.next() else {
        return Vec::new();
    };
    if let Some(truncated) = truncated(t) {
        return vec![missing(context, truncated, true)];
    }
    if t.has(first, own::HEADER) {
        let malformed = t.value_of(first, own::MALFORMED);
        return malformed.map(|message| incomplete(t, first, message)).into_iter().collect();
    }
    vec![match readable.find(|event| t.has(*event, own::HEADER)) {
        Some(header) => misplaced(context, first, header),
        None => missing(context, first, false),
    }]
}

fn diagnostic(message: impl Into<Cow<'static, str>>, event: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::about(Code::BadHeader, message, Subject::Content, event);
    diagnostic.effect = Effect::LoadFails;
    diagnostic
}

fn incomplete(t: &Transcript, header: EventId, message: FactValue) -> Diagnostic {
    let message: Cow<'static, str> = match message {
        FactValue::Text(message) => t.ids.get(message).to_owned().into(),
        _ => "the session header is incomplete".into(),
    };
    diagnostic(message, header)
}

/// A misplaced header, which moves to the top.
fn misplaced(context: &FormatContext<'_>, first: EventId, header: EventId) -> Diagnostic {
    let t = context.transcript;
    let mut diagnostic = diagnostic("the session header is not the first record", header);
    let at = t.event(header).at();
    if let Ok(record) = context.record(header) {
        let mut line = record.bytes().to_vec();
        if line.last() != Some(&b'\n') {
            line.extend_from_slice(context.line_ending(first).as_bytes());
        }
        let top = t.event(first).at().before();
        let edits = vec![Edit::bytes(top, line), Edit::bytes(at, Vec::new())];
        diagnostic.fix_safely([Action::edits(header, "move {} to the top", edits)]);
    }
    diagnostic
}

/// A missing header, rebuilt from the file name and the first turn. Its program and version are
/// guesses.
fn missing(context: &FormatContext<'_>, first: EventId, truncated: bool) -> Diagnostic {
    let t = context.transcript;
    let message =
        if truncated { "the session header is truncated" } else { "the session header is missing" };
    let mut diagnostic = diagnostic(message, first);
    if truncated {
        diagnostic.about.push(Subject::Bytes(first));
    }
    // Without the ID in the file name, nothing certain could be written.
    let Some(named) = layout::named(context.name) else {
        return diagnostic;
    };
    // A numbered file needs a number in each record, also in this one.
    let ordinal = t.records().find_map(|event| t.value_of(event, own::ORDINAL));
    let (number, mode) = match ordinal {
        Some(FactValue::Number(ordinal)) if ordinal > 0 => {
            (r#""ordinal":0,"#, r#","history_mode":"paginated""#)
        }
        _ => ("", ""),
    };
    let (id, time) = (quote(&named.id), quote(&named.time));
    let cwd = quote(&cwd(context).unwrap_or_else(|| "/".to_owned()));
    let mut line = format!(
        r#"{{"timestamp":{time},{number}"type":"session_meta","payload":{{"id":{id},"timestamp":{time},"cwd":{cwd},"originator":"codex_cli_rs","cli_version":"0.0.0"{mode}}}}}"#
    )
    .into_bytes();
    line.extend_from_slice(context.line_ending(first).as_bytes());
    let at = t.event(first).at();
    let at = if truncated { at } else { at.before() };
    let edits = vec![Edit::Bytes { at, with: line }];
    diagnostic.fix_with_guess([Action::edits(first, "rebuild the session header in {}", edits)]);
    diagnostic
}

/// The working folder of the first turn.
fn cwd(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let turn = t.records().find(|event| t.kind(*event) == "turn_context")?;
    let record = context.record(turn).ok()?;
    Some(record.root().at(&["payload", "cwd"])?.str()?.into_owned())
}
