//! New lines in the style of existing ones.

use sha2::{Digest, Sha256};

use super::ClaudeSession;
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::dialects::placeholders;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::rewrite::set_member;
use crate::transcript::{Action, EventId, time};

/// The members that show where and by which client a line was written. New lines copy them from a neighbor.
pub(super) const ENVELOPE: &[&str] = &[
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "agentId",
];

/// The change that sets the time of a record.
pub(super) fn stamped(root: Node<'_>, stamp: &str) -> RecordChange {
    set_member(root, None, "timestamp", &quote(stamp))
}

/// A record ID from sixteen bytes of a hash, with the bits of a UUID of version 4.
pub(super) fn uuid(words: &[&str]) -> String {
    let mut hash = Sha256::digest(words.join("\0").as_bytes());
    hash[6] = (hash[6] & 0x0F) | 0x40;
    hash[8] = (hash[8] & 0x3F) | 0x80;
    let hex: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let cuts = [0..8, 8..12, 12..16, 16..20, 20..32];
    cuts.map(|cut| hex[cut].to_owned()).join("-")
}

/// The [`ENVELOPE`] of a record, with the raw values.
pub(super) fn envelope(root: Node<'_>) -> Vec<(&'static str, NewValue)> {
    ENVELOPE.iter().filter_map(|key| Some((*key, NewValue::copy(root.get(key)?)))).collect()
}

/// Inserts a user line before this one, which says that the start is lost.
pub(super) fn beginning(
    context: &FormatContext<'_>,
    session: &ClaudeSession,
    event: EventId,
) -> Option<Action> {
    let t = context.transcript;
    let record = t.event(event);
    let read = context.record(event).ok()?;
    let root = read.root();
    let own = t.text(record.id);
    let id = uuid(&[&super::session(context).unwrap_or_default(), "beginning", own]);
    // Older than all other records, so that no client takes it for the last one.
    let oldest = session.tree.main.iter().filter_map(|event| t.event(*event).time()).min();
    let stamp = time::format_millis(oldest.unwrap_or_default().saturating_sub(1000));
    let message = NewValue::object([
        ("role", NewValue::text("user")),
        ("content", NewValue::text(placeholders::LOST_BEGINNING)),
    ]);
    let members = [("parentUuid", NewValue::NULL)].into_iter().chain(envelope(root)).chain([
        ("type", NewValue::text("user")),
        ("message", message),
        ("uuid", NewValue::text(&id)),
        ("timestamp", NewValue::text(stamp)),
    ]);
    let mut line = read.writer().write(&NewValue::Object(members.collect()));
    line.extend_from_slice(context.line_ending(event).as_bytes());
    let parent = set_member(root, None, "parentUuid", &quote(&id));
    let mut edits = vec![Edit::bytes(record.at().before(), line)];
    edits.extend(change::edits(record.at(), vec![parent]));
    let word = "insert a marked first message before {}";
    Some(Action::edits(event, word, edits))
}
