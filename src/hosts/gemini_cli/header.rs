//! The header, which names the session and the project. Without it, the host does not list the
//! chat, and may delete it.

use super::history::GeminiHistory;
use super::{layout, own};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::format::FormatContext;
use crate::format::about::agreed_beside;
use crate::json::quote::quote;
use crate::transcript::{Action, Code, Diagnostic, Effect, Fact, State, Subject, Transcript, time};

/// Stands in for an unknown project: the host looks at the folder, not at the hash.
const NO_PROJECT: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Reports a missing header.
pub(super) fn check(context: &FormatContext<'_>, history: &GeminiHistory) -> Option<Diagnostic> {
    let t = context.transcript;
    if history.is_loaded || !context.layout.is_lines() {
        return None;
    }
    let first = t.records().find(|event| t.event(*event).state != State::Padding)?;
    let mut diagnostic = Diagnostic::about(
        Code::BadHeader,
        "no record names the session and the project",
        Subject::Name,
        first,
    );
    diagnostic.effect = Effect::LoadFails;
    // Without a session ID there is nothing that a header could name.
    let id = session(context, t)?;
    let project = first_text(t, own::PROJECT)
        .or_else(|| agreed_beside(context, layout::is_header, "projectHash"))
        .unwrap_or_else(|| NO_PROJECT.to_owned());
    // From recorded times, so that two repairs of one file write the same.
    let mut times = t.with_inner().filter_map(|event| t.event(event).time());
    let start = times.next().unwrap_or(0);
    let end = times.next_back().unwrap_or(start);
    let [start, end] = [start, end].map(|micros| quote(&time::format_millis(micros)));
    let (id, project) = (quote(&id), quote(&project));
    let line = format!(
        r#"{{"sessionId":{id},"projectHash":{project},"startTime":{start},"lastUpdated":{end},"kind":"main"}}"#
    );
    let with = format!("{line}{}", context.line_ending(first)).into_bytes();
    let top = Span::new(t.event(first).at().entry, 0, 0);
    let edits = vec![Edit::bytes(top, with)];
    diagnostic.fix_with_guess([Action::edits(first, "rebuild the session header in {}", edits)]);
    Some(diagnostic)
}

fn first_text(t: &Transcript, name: Fact) -> Option<String> {
    t.events.ids().find_map(|event| t.fact_text(event, name).map(str::to_owned))
}

/// The session's id: from an update, else the eight characters at the end of the file name, padded.
fn session(context: &FormatContext<'_>, t: &Transcript) -> Option<String> {
    first_text(t, own::SESSION).or_else(|| {
        let stem = context.name.split('.').next().unwrap_or_default();
        let short: String =
            stem.rsplit('-').next()?.chars().filter(char::is_ascii_hexdigit).take(8).collect();
        Some(format!("{short:0<8}-0000-4000-8000-000000000000"))
    })
}
