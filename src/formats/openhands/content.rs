//! What stands inside messages and calls, judged while the record is at hand.

use super::read::HEALED;
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, Fix, Severity, State, Subject, Transcript,
};

/// What the SDK itself stores for arguments that it could not parse (since #3575).
const SENTINEL: &str = r#"{"_openhands_malformed_tool_call": true, "error": "the recorded arguments were not valid JSON"}"#;

/// Blank text blocks of a message. litellm writes a placeholder into them on the Anthropic route.
pub(super) fn blank_blocks(content: Node<'_>, t: &mut Transcript) {
    let is_blank = |block: &Node<'_>| {
        block.has_str("type", "text") && block.get("text").is_some_and(|text| text.is_blank_str())
    };
    let mut blank = Vec::new();
    let mut count = 0_u32;
    for block in content.items() {
        if is_blank(&block) {
            blank.push(count);
        }
        count += 1;
    }
    if blank.is_empty() {
        return;
    }
    let only = blank.len() as u32 == count;
    let mut diagnostic = Diagnostic::new(
        Code::EmptyContent,
        "empty text block in a message",
        t.newest(),
    );
    diagnostic.severity = Some(if only { Severity::Note } else { HEALED });
    let changes = if only {
        Vec::new()
    } else {
        cut::remove_members(content, &blank)
    };
    finish(t, diagnostic, changes, "remove the empty text from {}");
}

/// Arguments that are no JSON object. Where the call was run, `action` still has its values; where
/// it was not, it has only ever been answered by an error, and the SDK's own sentinel says so.
pub(super) fn bad_arguments(
    arguments: Option<Node<'_>>,
    action: Option<Node<'_>>,
    t: &mut Transcript,
) {
    let mut diagnostic = Diagnostic::new(
        Code::BadInput,
        "tool call arguments are not a JSON object",
        t.newest(),
    );
    diagnostic.effect = Effect::Refused;
    let raw = action.map_or_else(|| SENTINEL.to_owned(), without_kind);
    let changes = arguments
        .map(|arguments| vec![cut::replace(arguments, &quote(&raw))])
        .unwrap_or_default();
    finish(t, diagnostic, changes, "restore the arguments in {}");
}

/// The action as the SDK would write its arguments: every member but `kind`.
fn without_kind(action: Node<'_>) -> String {
    let kind: Vec<u32> = action
        .members()
        .enumerate()
        .filter(|(_, (key, _))| key.is_str("kind"))
        .map(|(at, _)| at as u32)
        .collect();
    let changes = cut::remove_members(action, &kind);
    let start = action.span().start;
    let within = |at: u32| at.saturating_sub(start);
    let changes: Vec<Change> = changes
        .into_iter()
        .map(|change| Change::new(within(change.at.start)..within(change.at.end), change.with))
        .collect();
    squeezed(&String::from_utf8_lossy(
        &crate::containers::rewrite::apply_changes(&action.raw(), &changes),
    ))
}

/// JSON without the white space between its tokens: an indented record must not indent what is
/// inside a string.
fn squeezed(json: &str) -> String {
    let (mut string, mut escaped) = (false, false);
    let keep = |char: &char| {
        if string {
            string = escaped || *char != '"';
            escaped = !escaped && *char == '\\';
            return true;
        }
        string = *char == '"';
        !char.is_ascii_whitespace()
    };
    json.chars().filter(keep).collect()
}

fn finish(
    t: &mut Transcript,
    mut diagnostic: Diagnostic,
    changes: Vec<Change>,
    word: &'static str,
) {
    let event = t.newest();
    let (at, state) = (t.event(event).at, t.event(event).state);
    diagnostic.about = vec![Subject::Content(event)];
    if state == State::Whole && !changes.is_empty() {
        diagnostic.fixes = vec![Fix::safe(vec![Action::edit_bytes(
            event, at, word, changes,
        )])];
    }
    t.diagnostics.push(diagnostic);
}
