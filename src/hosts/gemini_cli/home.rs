//! Where Gemini CLI keeps chats, and how to resume one.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Resume, Root};
use crate::format::{FormatContext, ListFolder};

/// The home of the client.
pub(super) const HOMES: &[Home] = &[Home {
    name: "gemini-cli",
    roots: &[Root {
        var: "GEMINI_CLI_HOME",
        below_var: ".gemini",
        at_home: &[".gemini"],
        places: &[
            HomeFolder::files("tmp/*/chats", chat).shortened().marked(MARKER),
            HomeFolder::files("tmp/*/chats/*", sub_agent).marked(MARKER).of_children(),
        ],
    }],
    project,
}];

/// Newer clients give a project's folder a short name and write its path to this file.
const MARKER: &str = ".project_root";

/// `session-<time>-<the first characters of the id>.jsonl`, or `.json` of older clients.
fn chat(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json"))?;
    let (_, id) = stem.strip_prefix("session-")?.rsplit_once('-')?;
    (!id.is_empty()).then_some(id)
}

/// `<id>.jsonl` of a sub-agent.
fn sub_agent(name: &str) -> Option<&str> {
    name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json")).filter(|id| !id.is_empty())
}

/// Older clients name a project's folder by the hash of its path.
fn project(folder: &Path) -> Option<String> {
    let hash = Sha256::digest(folder.to_str()?.as_bytes());
    Some(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The chat of a sub-agent is next to the folder named by the chat's ID. File names of chats have
/// only the beginning of the ID, and the time: the newest is the current one.
pub(super) fn started_by(path: &Path, _: &Sample<'_>, list: &ListFolder) -> Option<PathBuf> {
    let folder = path.parent()?;
    let chats = folder.parent().filter(|chats| chats.ends_with("chats"))?;
    let id = folder.file_name()?.to_str()?;
    list(chats)
        .into_iter()
        .filter(|path| {
            let short = path.file_name().and_then(|name| name.to_str()).and_then(chat);
            short.is_some_and(|short| id.starts_with(short))
        })
        .max()
}

/// The command has the ID and runs in the folder of the project, which a chat does not name. A
/// sub-agent cannot be resumed.
pub(super) fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let folder = path.parent()?;
    let of_agent = folder.parent().is_some_and(|parent| parent.ends_with("chats"));
    if of_agent {
        return None;
    }
    Resume::of(&["gemini", "--resume"], &super::session(context)?, None, folder.ends_with("chats"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_beginning_of_the_id() {
        assert_eq!(chat("session-2026-02-25T06-20-0197c0bb.jsonl"), Some("0197c0bb"));
        assert_eq!(chat("session-2026-02-25T06-20-0197c0bb.json"), Some("0197c0bb"));
        for other in
            ["logs.json", "session-.jsonl", "checkpoint-a.json", "session-2026-02-25T06-20-.jsonl"]
        {
            assert_eq!(chat(other), None, "{other}");
        }
    }

    #[test]
    fn a_project_is_a_hash() {
        let hash = project(Path::new("/w")).unwrap();
        assert_eq!(hash.len(), 64);
        assert_ne!(Some(hash), project(Path::new("/x")));
    }
}
