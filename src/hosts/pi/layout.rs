//! Recognizes sessions of pi and OpenClaw by content, and parses the file names of OpenClaw.

use super::kinds;
use std::path::Path;

use crate::containers::Layout;
use crate::format::head::Sample;
use crate::format::home::is_uuid;
use crate::format::signs::has_string;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// The layout of the records, if the transcript is from one of these hosts.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let entry = head.line_file().filter(|_| !is_side_file(head.name))?;
    (head.nodes().any(is_header)
        || head.nodes().filter(|node| is_entry(*node)).take(2).count() == 2)
        .then_some(Layout::Lines(entry))
}

/// Whether a record belongs to a session: a header, an entry of any type with its place in the
/// tree, or an entry of version 1.
pub(super) fn explains(node: Node<'_>) -> bool {
    let known = kind_of(node).is_some_and(|kind| kinds::is_known(&kind));
    let placed = node.get("parentId").is_some()
        && node.get("id").is_some()
        && node.get("timestamp").is_some();
    is_header(node) || ((known || placed) && !is_anthropic(node)) || is_title(node)
}

/// The title that oh-my-pi keeps above the header.
fn is_title(node: Node<'_>) -> bool {
    node.has_str("type", kinds::TITLE) && node.get("updatedAt").is_some() && has_string(node, "pad")
}

/// A message in Anthropic's shape: hosts that store those write another format.
fn is_anthropic(node: Node<'_>) -> bool {
    let Some(message) = node.get("message") else {
        return false;
    };
    let mut blocks = message.items_of("content");
    let answered = ["api", "provider", "stopReason"].iter().any(|key| message.get(key).is_some());
    match message.string("role").as_deref() {
        Some("user") => blocks.any(|block| block.has_str("type", "tool_result")),
        Some("assistant") => !answered && blocks.any(|block| block.has_str("type", "tool_use")),
        _ => false,
    }
}

/// Whether a JSON value is a record: a header or an entry. Entries of version 1 have no IDs and are
/// recognized by the members that the host needs.
pub(super) fn owns(node: Node<'_>) -> bool {
    let has_id = has_string(node, "id");
    let Some(kind) = kind_of(node).filter(|kind| kinds::is_known(kind)) else {
        return is_header(node);
    };
    has_id
        || (has_string(node, "timestamp")
            && kinds::needs(&kind).iter().all(|key| node.get(key).is_some()))
}

/// Whether a record is not a value inside another one: it is the header, names its parent, or is of
/// version 1. What extensions store in `details` has IDs of its own, but no parent.
pub(super) fn is_outermost(node: Node<'_>) -> bool {
    is_header(node) || node.get("parentId").is_some() || node.get("id").is_none()
}

fn kind_of(node: Node<'_>) -> Option<std::borrow::Cow<'_, str>> {
    node.string("type")
}

/// The first record of a session.
pub(super) fn is_header(node: Node<'_>) -> bool {
    if !node.has_str("type", "session") {
        return false;
    }
    let version = node.get("version");
    has_string(node, "id")
        && version.is_none_or(|version| version.as_u64().is_some_and(|version| version <= 4))
        && (version.is_some() || has_string(node, "timestamp"))
        && node.get("sessionId").is_none()
}

/// An entry that no other format writes: two of them are enough if the header is missing.
fn is_entry(node: Node<'_>) -> bool {
    let Some(kind) = kind_of(node).filter(|kind| kinds::is_known(kind)) else {
        return false;
    };
    let has_parent = node
        .get("parentId")
        .is_some_and(|parent| parent.is_null() || parent.kind() == Kind::String);
    let message = node.get("message");
    // Version 1 has neither IDs nor parents, but messages that only this host writes.
    let is_native = message.is_some_and(|message| {
        message.get("toolCallId").is_some() || message.get("stopReason").is_some()
    });
    if !has_parent && !is_native {
        return false;
    }
    let role = message.and_then(|message| message.string("role"));
    kind != "message" || role.is_some_and(|role| kinds::role(&role).is_some())
}

/// Whether a file next to a transcript only looks like one.
pub(super) fn is_side_file(name: &str) -> bool {
    [".trajectory.jsonl", ".acp-stream.jsonl"].iter().any(|end| name.ends_with(end))
}

/// What a file name says about its session.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PiFileName {
    /// The session's ID.
    pub id: String,
    /// Its start time, ISO 8601.
    pub time: Option<String>,
    /// Whether only OpenClaw uses such a name.
    pub openclaw: bool,
}

/// Parses a file name: `<time>_<id>.jsonl` of pi, `<id>.jsonl` and its variants of OpenClaw.
pub(super) fn named(name: &str) -> Option<PiFileName> {
    let (stem, rest) = name.split_once(".jsonl")?;
    let archive = is_archive_ending(rest);
    if !rest.is_empty() && !archive {
        return None;
    }
    // pi writes a time before the ID, OpenClaw does not.
    if let Some((time, id)) = stem.split_once('_')
        && let Some(time) = iso(time)
    {
        let openclaw = archive;
        return (!id.is_empty()).then(|| PiFileName {
            id: id.to_owned(),
            time: Some(time),
            openclaw,
        });
    }
    let (stem, checkpoint) = match stem.split_once(".checkpoint.") {
        Some((stem, id)) if is_uuid(id) => (stem, true),
        Some(_) => return None,
        None => (stem, false),
    };
    let (id, topic) = match stem.split_once("-topic-") {
        Some((id, _)) => (id, true),
        None => (stem, false),
    };
    is_uuid(id).then(|| PiFileName {
        id: id.to_owned(),
        time: None,
        openclaw: archive || checkpoint || topic,
    })
}

/// `.reset.2026-02-25T07-00-00.000Z` and the like.
fn is_archive_ending(rest: &str) -> bool {
    let ends = [".reset.", ".deleted.", ".bak."];
    ends.iter().any(|end| rest.strip_prefix(end).is_some_and(|time| iso(time).is_some()))
}

/// Whether this is the name of a transcript that its host no longer uses.
pub(super) fn is_set_aside(name: &str) -> bool {
    let archive = name.split_once(".jsonl").is_some_and(|(_, rest)| is_archive_ending(rest));
    archive || name.contains(".checkpoint.") || name.contains(".corrupt-")
}

/// Whether OpenClaw identifies the file by its hash (cold storage), or keeps it as the original of
/// a migration.
pub(super) fn is_an_original(path: &Path) -> bool {
    let mut folders = path.parent().into_iter().flat_map(|folder| folder.iter());
    let is_cold = path.extension().is_some_and(|ending| ending == "zst")
        && folders.clone().last().is_some_and(|name| name == "cold");
    is_cold || folders.any(|name| name == "session-sqlite-import-archive")
}

/// Whether OpenClaw stores sessions at this path: below its home, or
/// `agents/<agent>/sessions/<file>`.
pub(super) fn is_openclaws_folder(path: &Path) -> bool {
    let folders: Vec<_> = path.parent().into_iter().flat_map(|folder| folder.iter()).collect();
    let of_agent = folders.len().checked_sub(3).is_some_and(|at| folders[at] == "agents")
        && folders.last().is_some_and(|last| *last == "sessions");
    of_agent || folders.iter().any(|name| *name == ".openclaw" || *name == ".clawdbot")
}

/// Restores the colons and dots of a time in a file name: `2026-02-25T06-20-00-000Z`.
fn iso(time: &str) -> Option<String> {
    let (day, clock) = time.split_once('T')?;
    let clock: Vec<&str> = clock.strip_suffix('Z')?.split(['-', '.', '_']).collect();
    let date = day.len() == 10 && day.split('-').map(str::len).eq([4, 2, 2]);
    match clock.as_slice() {
        [h, m, s, rest @ ..]
            if date
                && [h, m, s]
                    .iter()
                    .all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit()))
                && rest.len() < 2 =>
        {
            let millis = rest.first().map_or(String::new(), |millis| format!(".{millis}"));
            Some(format!("{day}T{h}:{m}:{s}{millis}Z"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_sessions() {
        let id = "0197c0bb-2222-7a11-8c00-9d0055e51062";
        let parts = |name: String| named(&name).map(|named| (named.id, named.time, named.openclaw));
        let time = Some("2026-02-25T06:20:00.000Z".to_owned());
        assert_eq!(
            parts(format!("2026-02-25T06-20-00-000Z_{id}.jsonl")),
            Some((id.to_owned(), time, false))
        );
        assert_eq!(parts(format!("{id}.jsonl")), Some((id.to_owned(), None, false)));
        for openclaw in [
            "-topic-7.jsonl",
            ".jsonl.reset.2026-02-25T07-00-00.000Z",
            ".jsonl.deleted.2026-02-25T07-00-00Z",
        ] {
            assert_eq!(
                parts(format!("{id}{openclaw}")),
                Some((id.to_owned(), None, true)),
                "{openclaw}"
            );
        }
        for other in ["notes.jsonl", "a_b.jsonl", "0197c0bb.jsonl", "x.json"] {
            assert_eq!(parts(other.to_owned()), None, "{other}");
        }
        assert!(is_set_aside(&format!("{id}.jsonl.bak.2026-02-25T07-00-00.000Z")));
        assert!(is_set_aside(&format!("{id}.checkpoint.{id}.jsonl")));
        assert!(!is_set_aside(&format!("{id}.jsonl")));
    }

    #[test]
    fn cold_storage_and_imported_originals_are_never_written() {
        for path in ["a/cold/ab.jsonl.zst", "session-sqlite-import-archive/x/ab.jsonl"] {
            assert!(is_an_original(Path::new(path)), "{path}");
        }
        for path in ["agents/main/sessions/a.jsonl", "/home/u/.openclaw/sessions/a.jsonl"] {
            assert!(is_openclaws_folder(Path::new(path)), "{path}");
        }
        for path in
            ["sessions/a.jsonl", "agents/main/a.jsonl", "/home/u/.pi/agent/sessions/--w--/a.jsonl"]
        {
            assert!(!is_openclaws_folder(Path::new(path)), "{path}");
        }
        for path in ["a/cold/ab.jsonl", "a/ab.jsonl.zst", "ab.jsonl"] {
            assert!(!is_an_original(Path::new(path)), "{path}");
        }
    }
}
