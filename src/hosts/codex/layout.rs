//! Recognizes rollouts, and parses their names and folders.

use std::path::{Path, PathBuf};

use crate::containers::Layout;
use crate::format::head::Sample;
use crate::format::home::is_uuid;
use crate::format::signs::has_string;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::time;

/// Types of records.
const TYPES: &[&str] = &[
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "token_usage_record",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "rollout_reference",
];

/// Whether this is the type of a record.
pub(super) fn is_known(word: &[u8]) -> bool {
    TYPES.iter().any(|known| known.as_bytes() == word)
}

/// The layout of the records, if the transcript is a rollout.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.lines(owns)
}

/// Whether a record belongs to a rollout, perhaps with an unknown type.
pub(super) fn explains(node: Node<'_>) -> bool {
    owns(node)
        || (node.has_kind("payload", Kind::Object)
            && node.has_kind("type", Kind::String)
            && node.has_kind("timestamp", Kind::String))
}

/// Whether a JSON value is a record.
pub(super) fn owns(node: Node<'_>) -> bool {
    let payload = node.has_kind("payload", Kind::Object);
    let word = node.get("type").and_then(|word| word.utf8());
    payload && word.is_some_and(|word| is_known(&word))
}

/// Whether a record has a time, as each line has. Events inside other events have none.
pub(super) fn is_dated(node: Node<'_>) -> bool {
    has_string(node, "timestamp")
}

/// The parts of the name of a rollout.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RolloutName {
    /// The ID of the thread.
    pub id: String,
    /// Its start time, RFC 3339.
    pub time: String,
}

/// Parses `rollout-2026-03-04T05-06-07-<uuid>.jsonl`, compressed or not.
pub(super) fn named(name: &str) -> Option<RolloutName> {
    let stem = name.strip_prefix("rollout-")?;
    let (stem, _) = stem.split_once(".jsonl")?;
    let (stamp, id) = (stem.get(..19)?, stem.get(19..)?.strip_prefix('-')?);
    let (day, clock) = stamp.split_once('T')?;
    let written = format!("{day}T{}.000Z", clock.replace('-', ":"));
    time::parse(&written)?;
    is_uuid(id).then(|| RolloutName { id: id.to_owned(), time: written })
}

/// The folder of the host, if the rollout is in it.
pub(super) fn home(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .skip(1)
        .find(|folder| {
            folder.file_name().is_some_and(|name| name == "sessions" || name == "archived_sessions")
        })?
        .parent()
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_folders_tell_threads() {
        let id = "01930000-0000-7000-8000-000000000001";
        let name = format!("rollout-2026-03-04T05-06-07-{id}.jsonl");
        let wanted = RolloutName { id: id.to_owned(), time: "2026-03-04T05:06:07.000Z".to_owned() };
        assert_eq!(named(&name), Some(wanted));
        assert!(named(&format!("{name}.zst")).is_some());
        for other in [
            "rollout-x.jsonl",
            "rollout-2026-03-04T05-06-07-x.jsonl",
            "run.jsonl",
            "rollout-é.jsonl",
        ] {
            assert_eq!(named(other), None, "{other}");
        }
        let home =
            |path: &str| home(Path::new(path)).map(|home| home.to_string_lossy().into_owned());
        assert_eq!(home("/h/.codex/sessions/2026/03/04/r.jsonl").as_deref(), Some("/h/.codex"));
        assert_eq!(home("/h/.codex/archived_sessions/r.jsonl").as_deref(), Some("/h/.codex"));
        assert_eq!(home("/h/r.jsonl"), None);
    }
}
