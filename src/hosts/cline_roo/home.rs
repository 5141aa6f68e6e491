//! Where these hosts keep tasks, and how one is gone on with.

use std::path::Path;

use super::{CLINE_ROO, KILO, ROO};
use crate::format::home::{Home, HomeFolder, Resume, Root, is_uuid};
use crate::format::{FormatContext, Host};
use crate::live::{Lease, LeaseKind, Signals};

/// The file of a task.
const HISTORY: &str = "api_conversation_history.json";
/// How the files of Cline's SDK are named, after the ID.
const SESSION: &str = ".messages.json";

/// Where editors keep what their extensions store.
const EDITORS: &[&str] = &[
    ".config/Code/User/globalStorage",
    ".config/Code - Insiders/User/globalStorage",
    ".config/VSCodium/User/globalStorage",
    ".config/Cursor/User/globalStorage",
    ".config/Windsurf/User/globalStorage",
    ".vscode-server/data/User/globalStorage",
    ".cursor-server/data/User/globalStorage",
    "Library/Application Support/Code/User/globalStorage",
    "Library/Application Support/Code - Insiders/User/globalStorage",
    "Library/Application Support/VSCodium/User/globalStorage",
    "Library/Application Support/Cursor/User/globalStorage",
    "Library/Application Support/Windsurf/User/globalStorage",
    "AppData/Roaming/Code/User/globalStorage",
    "AppData/Roaming/Cursor/User/globalStorage",
];

/// The tasks of an extension.
const fn tasks(of: &'static [HomeFolder]) -> Root {
    Root { var: "", below_var: "", at_home: EDITORS, places: of }
}

const fn task_in(folder: &'static str) -> HomeFolder {
    HomeFolder::files_in(folder, HISTORY, task_id)
}

const OF_CLINE: &[HomeFolder] = &[task_in("saoudrizwan.claude-dev/tasks")];
const OF_ROO: &[HomeFolder] = &[task_in("rooveterinaryinc.roo-cline/tasks")];
const OF_KILO: &[HomeFolder] = &[task_in("kilocode.kilo-code/tasks")];
/// What Cline's command-line client, and its extension since 2026, keep.
const OF_CLINE_DATA: &[HomeFolder] = &[
    task_in("tasks"),
    HomeFolder::files("sessions/*", session_id),
    HomeFolder::files("sessions/*", sub_agent_id).of_children(),
];

/// The three hosts.
pub(super) const HOMES: &[Home] = &[
    Home {
        name: "cline",
        roots: &[
            tasks(OF_CLINE),
            Root {
                var: "CLINE_DATA_DIR",
                below_var: "",
                at_home: &[".cline/data"],
                places: OF_CLINE_DATA,
            },
        ],
        project: |_| None,
    },
    Home {
        name: "roo",
        roots: &[
            tasks(OF_ROO),
            Root {
                var: "",
                below_var: "",
                at_home: &[".vscode-mock/global-storage"],
                places: &[task_in("tasks")],
            },
        ],
        project: |_| None,
    },
    Home { name: "kilo", roots: &[tasks(OF_KILO)], project: |_| None },
];

/// A task is a folder with its ID for a name: a UUID, or the time at which it began.
fn task_id(name: &str) -> Option<&str> {
    (is_uuid(name) || is_time(name)).then_some(name)
}

fn is_time(text: &str) -> bool {
    text.len() >= 13 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The ID of a session: the time, and a few letters.
fn session_id(name: &str) -> Option<&str> {
    let id = name.strip_suffix(SESSION)?;
    let (time, rest) = id.split_once('_')?;
    (is_time(time) && !rest.contains("__")).then_some(id)
}

/// Sub-agents have files of their own in the folder of the session that started them.
fn sub_agent_id(name: &str) -> Option<&str> {
    let id = name.strip_suffix(SESSION)?;
    session_id(name).is_none().then_some(id)
}

/// Who wrote it, by the folder.
pub(super) fn host(path: &Path) -> Option<&'static Host> {
    let hosts = [
        ("saoudrizwan.claude-dev", CLINE_ROO.host),
        (".cline", CLINE_ROO.host),
        ("rooveterinaryinc.roo-cline", &ROO),
        (".vscode-mock", &ROO),
        ("kilocode.kilo-code", &KILO),
    ];
    let own = hosts.into_iter().find(|(folder, _)| path.iter().any(|name| name == *folder));
    own.map(|(_, host)| host)
}

/// The command-line clients are shown the ID. Editors have no command.
pub(super) fn resume(_: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    if let Some(id) = session_id(name) {
        let at_home = folder.parent()?.ends_with("data/sessions");
        return Resume::of(&["cline", "--id"], id, None, at_home);
    }
    let at_home = folder.parent()?.ends_with(".vscode-mock/global-storage/tasks");
    let id = folder.file_name()?.to_str().filter(|_| at_home)?;
    Resume::of(&["roo", "--session-id"], id, None, at_home)
}

/// The SDK writes next to a session which process runs it.
pub(super) fn signs(path: &Path) -> Signals {
    let name = path.file_name().and_then(|name| name.to_str());
    let id = name.and_then(|name| name.strip_suffix(SESSION));
    let lease = id.map(|id| Lease {
        path: path.with_file_name(format!("{id}.json")),
        kind: LeaseKind::Running,
    });
    Signals {
        leases: lease.into_iter().collect(),
        at_home: host(path).is_some(),
        ..Signals::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_ids() {
        let uuid = "0197c0bb-2222-7a11-8c00-9d0055e51062";
        assert_eq!(task_id(uuid), Some(uuid));
        assert_eq!(task_id("1772600000000"), Some("1772600000000"));
        assert_eq!(task_id("checkpoints"), None);
        let (own, other) = ("1784094124598_rruoq.messages.json", "agent_1.messages.json");
        assert_eq!(session_id(own), Some("1784094124598_rruoq"));
        assert_eq!(sub_agent_id(own), None);
        assert_eq!((session_id(other), sub_agent_id(other)), (None, Some("agent_1")));
    }

    #[test]
    fn the_folder_names_the_host() {
        let of = |path: &str| host(Path::new(path)).map(|host| host.name);
        assert_eq!(
            of("/h/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/x.json"),
            Some("roo")
        );
        assert_eq!(of("/h/.cline/data/tasks/1/x.json"), Some("cline"));
        assert_eq!(of("/tmp/x.json"), None);
    }
}
