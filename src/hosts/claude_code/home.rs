//! Where Claude Code keeps sessions and those of its sub-agents, and how to resume a session.

use std::path::{Path, PathBuf};

use super::own;
use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Resume, Root, dashed, is_uuid};
use crate::format::{FormatContext, ListFolder};
use crate::transcript::EventId;

pub(super) const HOMES: &[Home] = &[Home {
    name: "claude-code",
    roots: &[
        Root { var: "CLAUDE_CONFIG_DIR", below_var: "", at_home: &[".claude"], places: PLACES },
        Root { var: "", below_var: "", at_home: &[".config/claude"], places: PLACES },
    ],
    project: |folder| Some(dashed(folder.to_str()?)),
}];

const PLACES: &[HomeFolder] = &[
    HomeFolder::files("projects/*", session),
    // Up to about version 2.1, sub-agents had no folder of their own.
    HomeFolder::files("projects/*", agent).of_children(),
    HomeFolder::files("projects/*/*/subagents", agent).of_children(),
    HomeFolder::files("projects/*/*/subagents/*", agent).of_children(),
    HomeFolder::files("projects/*/*/subagents/*/*", agent).of_children(),
];

fn session(name: &str) -> Option<&str> {
    name.strip_suffix(".jsonl").filter(|id| is_uuid(id))
}

fn agent(name: &str) -> Option<&str> {
    let id = name.strip_suffix(".jsonl")?.strip_prefix("agent-")?;
    (!id.is_empty()).then_some(id)
}

/// The session that started this sub-agent, from the folder or, up to about version 2.1, from the first record.
pub(super) fn started_by(path: &Path, head: &Sample<'_>, _: &ListFolder) -> Option<PathBuf> {
    agent(path.file_name()?.to_str()?)?;
    let subagents = path.ancestors().skip(1).take(4).find(|folder| folder.ends_with("subagents"));
    if let Some(session) = subagents.and_then(Path::parent) {
        let mut name = session.file_name()?.to_owned();
        name.push(".jsonl");
        return Some(session.with_file_name(name));
    }
    let id = head.nodes().find_map(|node| node.string("sessionId").map(|id| id.into_owned()))?;
    is_uuid(&id).then(|| path.with_file_name(format!("{id}.jsonl")))
}

/// The command needs the ID, and runs in the folder in which the session was started. Sub-agents cannot be resumed.
pub(super) fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let id = session(context.name)?;
    let project = path.parent()?;
    let at_home = project.parent().is_some_and(|folder| folder.ends_with("projects"));
    let project = project.file_name()?.to_str()?;
    // The working directory may have changed. The right one is that of the project's name.
    let t = context.transcript;
    let chained = |event: &EventId| t.has(*event, own::CHAIN);
    let ends = [t.records().rfind(chained), t.records().find(chained)];
    let is_own = |folder: &String| dashed(folder) == project;
    let mut folders = (ends.into_iter().flatten()).filter_map(|event| cwd(context, event));
    // The other record is not read if the first one says it.
    let folder = match folders.next() {
        Some(folder) if is_own(&folder) => Some(folder),
        other => folders.find(is_own).or(other),
    };
    Resume::of(&["claude", "--resume"], id, folder.as_deref(), at_home)
}

fn cwd(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    Some(record.root().string("cwd")?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_ids() {
        let id = "0197c0bb-2222-7a11-8c00-9d0055e51062";
        assert_eq!(session(&format!("{id}.jsonl")), Some(id));
        assert_eq!(agent("agent-a21e2f5.jsonl"), Some("a21e2f5"));
        for other in ["sessions-index.json", "agent-.jsonl", "agent-a.meta.json", "notes.jsonl"] {
            assert_eq!((session(other), agent(other)), (None, None), "{other}");
        }
    }
}
