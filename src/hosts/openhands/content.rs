//! Checks the content of messages and calls while a record is read.

use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::shapes::copies::strip_whitespace;
use crate::transcript::{Action, Code, Diagnostic, Effect, Instance, State, Subject, Transcript};

/// What the SDK stores for arguments that it could not parse (since #3575), with what was recorded.
fn sentinel(arguments: Option<Node<'_>>) -> String {
    let start = r#"{"_openhands_malformed_tool_call": true, "error": "the recorded arguments were not valid JSON""#;
    match arguments.and_then(|arguments| arguments.str()) {
        Some(text) if !text.trim().is_empty() => {
            format!(r#"{start}, "recorded": {}}}"#, quote(&text))
        }
        _ => format!("{start}}}"),
    }
}

/// Reports blank text blocks of a message. litellm writes a placeholder into them for Anthropic.
pub(super) fn blank_blocks(content: Node<'_>, t: &mut Transcript) {
    let mut blank = Vec::new();
    let mut count = 0_u32;
    for block in content.items() {
        let is_text = block.has_str("type", "text");
        if is_text && block.get("text").is_some_and(|text| text.is_blank_str()) {
            blank.push(count);
        }
        count += 1;
    }
    if blank.is_empty() {
        return;
    }
    let only = blank.len() as u32 == count;
    let mut diagnostic =
        Diagnostic::new(Code::EmptyContent, "empty text block in a message", t.newest());
    diagnostic.instance = Some(if only { Instance::Harmless } else { Instance::Corrected });
    let changes = if only { Vec::new() } else { cut::remove_members(content, &blank) };
    finish(t, diagnostic, changes, "remove the empty text from {}");
}

/// Reports arguments that are not a JSON object. If the call ran, `action` still has their values.
/// If it did not, only an error ever answered it, and the sentinel of the SDK says so.
pub(super) fn bad_arguments(
    arguments: Option<Node<'_>>,
    action: Option<Node<'_>>,
    t: &mut Transcript,
) {
    let mut diagnostic =
        Diagnostic::new(Code::BadInput, "tool call arguments are not a JSON object", t.newest());
    diagnostic.effect = Effect::Refused;
    let raw = action.map_or_else(|| sentinel(arguments), without_kind);
    let changes =
        arguments.map(|arguments| vec![cut::replace(arguments, &quote(&raw))]).unwrap_or_default();
    finish(t, diagnostic, changes, "restore the arguments in {}");
}

/// The arguments as the SDK would write them from the action: every member but `kind`.
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
    let changes: Vec<RecordChange> = changes
        .into_iter()
        .map(|change| {
            RecordChange::new(within(change.at.start)..within(change.at.end), change.with)
        })
        .collect();
    let members = crate::containers::rewrite::apply_changes(&action.raw(), &changes);
    // An indented record must not indent JSON inside a string.
    String::from_utf8_lossy(&strip_whitespace(&members)).into_owned()
}

fn finish(
    t: &mut Transcript,
    mut diagnostic: Diagnostic,
    changes: Vec<RecordChange>,
    word: &'static str,
) {
    let event = t.newest();
    let (at, state) = (t.event(event).at(), t.event(event).state);
    diagnostic.about = vec![Subject::Content(event)];
    if state == State::Whole && !changes.is_empty() {
        diagnostic.fix_safely([Action::edit_bytes(event, at, word, changes)]);
    }
    t.diagnostics.push(diagnostic);
}
