//! Where pi, OpenClaw, and oh-my-pi store sessions, and how to continue one.

use std::path::Path;

use super::{layout, own};
use crate::format::FormatContext;
use crate::format::home::{Home, HomeFolder, Resume, Root, is_below};
use crate::transcript::Role;

pub(super) const HOMES: &[Home] = &[
    Home {
        name: "pi",
        roots: &[
            Root {
                var: "PI_CODING_AGENT_DIR",
                below_var: "",
                at_home: &[".pi/agent"],
                places: &[HomeFolder::files("sessions/*", pi_id)],
            },
            Root {
                var: "PI_CODING_AGENT_SESSION_DIR",
                below_var: "",
                at_home: &[],
                places: &[HomeFolder::files("", pi_id)],
            },
        ],
        project,
    },
    Home {
        name: "openclaw",
        roots: &[Root {
            var: "OPENCLAW_STATE_DIR",
            below_var: "",
            at_home: &[".openclaw", ".clawdbot"],
            places: &[
                HomeFolder::files("agents/*/sessions", openclaw_id),
                HomeFolder::files("sessions", openclaw_id),
            ],
        }],
        project: |_| None,
    },
    // oh-my-pi's docs/session.md and packages/utils/src/dirs.ts. With pi's variable, which it reads, too, its sessions are found
    // as pi's. Folders are named by the path below the home folder, so the project is read from the header.
    Home {
        name: "oh-my-pi",
        roots: &[
            Root {
                var: "",
                below_var: "",
                at_home: &[OH_MY_PI],
                places: &[
                    HomeFolder::files("agent/sessions/*", pi_id).started_in(&["cwd"]),
                    HomeFolder::files("profiles/*/agent/sessions/*", pi_id).started_in(&["cwd"]),
                ],
            },
            Root {
                var: "XDG_DATA_HOME",
                below_var: "omp",
                at_home: &[],
                places: &[
                    HomeFolder::files("sessions/*", pi_id).started_in(&["cwd"]),
                    HomeFolder::files("profiles/*/sessions/*", pi_id).started_in(&["cwd"]),
                ],
            },
        ],
        project: |_| None,
    },
];

/// The folder of oh-my-pi in the home folder.
pub(super) const OH_MY_PI: &str = ".omp";

/// The ID in `<time>_<id>.jsonl`.
fn pi_id(name: &str) -> Option<&str> {
    let (time, id) = name.strip_suffix(".jsonl")?.split_once('_')?;
    let is_time = time.len() > 10 && time.as_bytes().get(10) == Some(&b'T');
    (is_time && !id.is_empty()).then_some(id)
}

/// The ID in `<id>.jsonl` and `<id>-topic-<n>.jsonl`. Files that the host set aside and side files
/// have none.
fn openclaw_id(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".jsonl")?;
    let aside = layout::is_set_aside(name) || layout::is_side_file(name) || stem.starts_with('.');
    let id = stem.split_once("-topic-").map_or(stem, |(id, _)| id);
    (!aside && !id.is_empty()).then_some(id)
}

/// `--home-ana-shop--`.
fn project(folder: &Path) -> Option<String> {
    let path = folder.to_str()?;
    let path = path.strip_prefix(['/', '\\']).unwrap_or(path);
    Some(format!("--{}--", path.replace(['/', '\\', ':'], "-")))
}

/// pi and oh-my-pi take the ID, in the folder of the header. The gateway of OpenClaw continues without
/// a command.
pub(super) fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let t = context.transcript;
    let folder = path.parent()?.file_name()?.to_str()?;
    if folder == "sessions" || super::is_openclaw(path, t) || layout::is_set_aside(context.name) {
        return None;
    }
    let header = t.events.ids().find(|event| t.event(*event).role == Role::HostState)?;
    let cwd = t.fact_text(header, own::CWD);
    if super::is_oh_my_pi(path, t) {
        let at_home = is_below(path, &[OH_MY_PI]);
        return Resume::of(&["omp", "--resume"], t.text(t.event(header).id), cwd, at_home);
    }
    let at_home = cwd.and_then(|cwd| project(Path::new(cwd))).is_some_and(|name| name == folder);
    Resume::of(&["pi", "--session"], t.text(t.event(header).id), cwd, at_home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_ids() {
        let id = "0197c0bb-2222-7a11-8c00-9d0055e51062";
        assert_eq!(pi_id(&format!("2026-02-25T06-20-00-000Z_{id}.jsonl")), Some(id));
        assert_eq!(pi_id("2026-02-25T06-20-00-000Z_my_session.jsonl"), Some("my_session"));
        assert_eq!((pi_id("a_b.jsonl"), pi_id(&format!("{id}.jsonl"))), (None, None));
        assert_eq!(openclaw_id(&format!("{id}-topic-7.jsonl")), Some(id));
        assert_eq!(openclaw_id(&format!("{id}.jsonl")), Some(id));
        for other in [
            "sessions.json",
            "a.trajectory.jsonl",
            "a.jsonl.lock",
            "a.jsonl.reset.2026-02-25T07-00-00Z",
        ] {
            assert_eq!(openclaw_id(other), None, "{other}");
        }
    }

    #[test]
    fn a_project_is_a_folder() {
        assert_eq!(project(Path::new("/home/ana/shop")).as_deref(), Some("--home-ana-shop--"));
    }
}
