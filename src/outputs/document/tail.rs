//! What is at the end of a page: where it comes from.

use super::{Look, PageBlock, StyledSpan, StyledText, chapter, conversation, prose};
use crate::outputs::many;
use crate::report::model::{Conversation, StoredFiles, Tool};
use crate::report::redact::RedactMode;
use crate::report::text::size;

/// What somebody who helps must know of the surroundings. No clock and no name of a machine.
pub(super) fn environment(conversation: &Conversation, tool: &Tool) -> PageBlock {
    let mut facts: Vec<(&'static str, StyledText)> = vec![
        ("tool", prose(&format!("{} {}", tool.name, tool.version))),
        ("format", prose(&format!("{} (`{}`)", conversation.title, conversation.format))),
        ("host", prose(&host(conversation))),
    ];
    if let Some(model) = &conversation.introduction.model {
        facts.push(("model", vec![StyledSpan::new(Look::Name, model.to_string())]));
    }
    if let Some(session) = &conversation.session {
        facts.push(("session", vec![StyledSpan::new(Look::Name, session.to_string())]));
    }
    facts.push(("checked against", prose(&conversation.provider())));
    for client in conversation.clients.values() {
        let versions = StyledSpan::new(Look::Plain, client.versions);
        facts.push(("in versions", vec![versions, conversation::label(client.verdict)]));
    }
    facts.extend(recorded(conversation));
    facts.push((
        "size",
        prose(&format!(
            "{}, {}{}",
            many(conversation.records, "record"),
            many(conversation.calls, "call"),
            conversation.stored.as_ref().map(bytes).unwrap_or_default()
        )),
    ));
    // A checksum identifies a file, so a strict reader does not get it.
    let checksum = conversation
        .stored
        .as_ref()
        .and_then(|stored| stored.checksum.clone())
        .filter(|_| conversation.redacted < RedactMode::Strict);
    facts.extend(checksum.map(|sum| ("SHA-256", vec![StyledSpan::new(Look::Name, sum)])));
    let hidden = match conversation.redacted {
        RedactMode::Off => "off: beginnings of texts may be shown",
        RedactMode::Auto => "not redacted (up to 40 characters of each text)",
        RedactMode::Strict => "strict: no text, other names for IDs and paths",
        RedactMode::Content => "content: no text of the conversation",
    };
    facts.push(("redaction", prose(hidden)));
    chapter("Environment", vec![PageBlock::Facts(facts)])
}

/// When it was recorded.
fn recorded(conversation: &Conversation) -> Option<(&'static str, StyledText)> {
    let introduction = &conversation.introduction;
    let last = introduction.date.as_ref()?;
    let days = match &introduction.started {
        Some(first) if first != last => format!("{first} to {last}"),
        _ => last.clone(),
    };
    Some(("recorded", prose(&days)))
}

/// `, 12 KB`, or of a folder `, 12 KB in 8 files`
fn bytes(stored: &StoredFiles) -> String {
    let bytes = size(stored.bytes);
    match stored.files {
        1 => format!(", {bytes}"),
        files => format!(", {bytes} in {}", many(files, "file")),
    }
}

/// The program that recorded it, with its version where that is recorded.
fn host(conversation: &Conversation) -> String {
    match &conversation.introduction.version {
        Some(version) => format!("{} {version}", conversation.host_title),
        None => conversation.host_title.to_owned(),
    }
}

/// Who made the page.
pub(super) fn made_by() -> PageBlock {
    let text = format!("Made by {} {}.", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    PageBlock::Text(vec![StyledSpan::new(Look::Quiet, text)])
}
