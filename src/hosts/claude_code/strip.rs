//! The line after which clients do not send the thinking before it.

use super::ClaudeSession;
use super::lines::{envelope, uuid};
use super::renew::appended;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::transcript::Action;
use crate::transcript::time::format_millis;

/// The first version that knows the line.
const KNOWN_FROM: i64 = 2_000_001_000_329;

/// Appends the line after the last record. `None`: the client that wrote the session does not know it.
pub(super) fn stripped(context: &FormatContext<'_>) -> Option<Action> {
    let t = context.transcript;
    let session = ClaudeSession::of(context);
    let end = session.current.end().filter(|_| session.tree.version >= KNOWN_FROM)?;
    let record = t.event(end);
    let read = context.record(end).ok()?;
    let root = read.root();
    let newest = session.tree.main.iter().filter_map(|event| t.event(*event).time()).max()?;
    let own = t.text(record.id);
    let id = uuid(&[&super::session(context).unwrap_or_default(), "thinking_stripped", own]);
    let marker = NewValue::object([
        ("type", NewValue::text("thinking_stripped")),
        ("scope", NewValue::text("all")),
    ]);
    let mut members = vec![("parentUuid", NewValue::text(own))];
    members.extend(envelope(root));
    members.extend([
        ("type", NewValue::text("attachment")),
        ("attachment", marker),
        ("uuid", NewValue::text(&id)),
        ("timestamp", NewValue::text(format_millis(newest.checked_add(1000)?))),
    ]);
    let line = read.writer().write(&NewValue::Object(members));
    let edit = appended(context, line, end)?;
    let word = "append a line after {} that makes Claude Code leave out all thinking before it";
    Some(Action::edits(end, word, vec![edit]))
}
