//! Where Codex stores rollouts, and how to continue a thread.

use std::path::Path;

use super::layout;
use crate::format::FormatContext;
use crate::format::home::{Home, HomeFolder, Resume, Root};

/// `~/.codex`: one folder per day, and archived rollouts.
pub(super) const HOMES: &[Home] = &[Home {
    name: "codex",
    roots: &[Root {
        var: "CODEX_HOME",
        below_var: "",
        at_home: &[".codex"],
        places: &[
            HomeFolder::files("sessions/*/*/*", id_in_name).started_in(CWD),
            HomeFolder::files("archived_sessions", id_in_name).started_in(CWD),
        ],
    }],
    project: |_| None,
}];

/// The member of the header with the folder.
const CWD: &[&str] = &["payload", "cwd"];

/// The ID in `rollout-<time>-<id>.jsonl`.
fn id_in_name(name: &str) -> Option<&str> {
    layout::named(name)?;
    name.strip_prefix("rollout-")?.split_once(".jsonl")?.0.get(20..)
}

/// `codex resume ID`, typed where the thread was started.
pub(super) fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let id = super::session(context)?;
    let cwd = cwd(context);
    Resume::of(&["codex", "resume"], &id, cwd.as_deref(), layout::home(path).is_some())
}

/// The working folder in the header.
fn cwd(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let header = t.records().find(|event| t.has(*event, super::own::HEADER))?;
    let record = context.record(header).ok()?;
    Some(record.root().at(CWD)?.str()?.into_owned())
}
