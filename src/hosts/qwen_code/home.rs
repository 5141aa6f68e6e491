//! Where Qwen Code keeps chats and those of its sub-agents, how one is resumed, and where a running client shows.

use std::path::{Path, PathBuf};

use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Resume, Root, dashed, is_uuid};
use crate::format::{FormatContext, ListFolder};
use crate::live::{Lease, LeaseKind, Signals};

/// The client's.
pub(super) const HOMES: &[Home] = &[Home {
    name: "qwen-code",
    roots: &[
        Root { var: "QWEN_RUNTIME_DIR", below_var: "", at_home: &[".qwen"], places: PLACES },
        Root { var: "QWEN_HOME", below_var: "", at_home: &[], places: PLACES },
    ],
    project: |folder| Some(dashed(folder.to_str()?)),
}];

const PLACES: &[HomeFolder] = &[
    HomeFolder::files("projects/*/chats", chat),
    HomeFolder::files("projects/*/chats/archive", chat),
    HomeFolder::files("projects/*/subagents/*", agent).of_children(),
];

fn chat(name: &str) -> Option<&str> {
    name.strip_suffix(".jsonl").filter(|id| is_uuid(id))
}

fn agent(name: &str) -> Option<&str> {
    let id = name.strip_suffix(".jsonl")?.strip_prefix("agent-")?;
    (!id.is_empty()).then_some(id)
}

/// The folder of a project: that of `chats` or `subagents`.
fn project(path: &Path) -> Option<&Path> {
    path.ancestors()
        .skip(1)
        .take(3)
        .find(|folder| folder.ends_with("chats") || folder.ends_with("subagents"))?
        .parent()
}

/// The chat whose sub-agent this is: the folder has its ID for a name.
pub(super) fn started_by(path: &Path, _: &Sample<'_>, _: &ListFolder) -> Option<PathBuf> {
    agent(path.file_name()?.to_str()?)?;
    let id = path.parent()?.file_name()?.to_str()?;
    Some(project(path)?.join("chats").join(format!("{id}.jsonl")))
}

/// Resumes a session by its ID, in the folder of its project. A sub-agent cannot be resumed.
pub(super) fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let t = context.transcript;
    let cwd = t.records().take(LOOK).find_map(|event| {
        let record = context.record(event).ok()?;
        Some(record.root().string("cwd")?.into_owned())
    });
    if agent(context.name).is_some() {
        return None;
    }
    Resume::of(
        &["qwen", "--resume"],
        &super::session(context)?,
        cwd.as_deref(),
        path.parent().is_some_and(|folder| folder.ends_with("chats")),
    )
}

/// Records among which one with the working folder is looked for.
const LOOK: usize = 8;

/// Running clients register next to the chat, and those that are served in a folder of locks.
pub(super) fn signs(path: &Path) -> Signals {
    let project = project(path);
    let id = path.file_name().and_then(|name| chat(name.to_str()?));
    let (Some(id), Some(project)) = (id, project) else {
        return Signals { at_home: project.is_some(), ..Signals::default() };
    };
    let base = project.parent().and_then(Path::parent);
    let lock = base.map(|base| base.join(format!("tmp/session-writer-locks/{id}.lock")));
    let status = project.join(format!("chats/{id}.runtime.json"));
    Signals {
        leases: std::iter::once(status)
            .chain(lock)
            .map(|path| Lease { path, kind: LeaseKind::Process })
            .collect(),
        at_home: true,
        ..Signals::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0197c0bb-2222-7a11-8c00-9d0055e51062";

    #[test]
    fn names_have_ids() {
        assert_eq!(chat(&format!("{ID}.jsonl")), Some(ID));
        assert_eq!(agent("agent-a21e2f5.jsonl"), Some("a21e2f5"));
        for other in [&format!("{ID}.ledger.jsonl"), "agent-.jsonl", "agent-a.meta.json"] {
            assert_eq!((chat(other), agent(other)), (None, None), "{other}");
        }
    }

    #[test]
    fn running_clients_register_in_two_places() {
        let signs = signs(Path::new(&format!("/h/.qwen/projects/-w/chats/{ID}.jsonl")));
        let paths: Vec<_> = signs.leases.into_iter().map(|lease| lease.path).collect();
        assert_eq!(
            paths,
            [
                PathBuf::from(format!("/h/.qwen/projects/-w/chats/{ID}.runtime.json")),
                PathBuf::from(format!("/h/.qwen/tmp/session-writer-locks/{ID}.lock")),
            ]
        );
        assert!(signs.at_home);
        assert!(!super::signs(Path::new("/tmp/x.jsonl")).at_home);
    }

    #[test]
    fn a_sub_agent_lies_in_a_folder_of_its_chat() {
        let path = PathBuf::from(format!("/h/.qwen/projects/-w/subagents/{ID}/agent-a1.jsonl"));
        assert_eq!(project(&path), Some(Path::new("/h/.qwen/projects/-w")));
    }
}
