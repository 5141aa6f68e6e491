//! Where Droid keeps sessions, and how one is resumed.

use std::path::Path;

use crate::format::FormatContext;
use crate::format::home::{Home, HomeFolder, Resume, Root, is_uuid};

pub(super) const HOMES: &[Home] = &[Home {
    name: "droid",
    roots: &[Root {
        var: "FACTORY_HOME_OVERRIDE",
        below_var: ".factory",
        at_home: &[".factory"],
        places: &[
            HomeFolder::files("sessions/*", session_id),
            HomeFolder::files("sessions", session_id),
        ],
    }],
    project: |folder| {
        let names = folder.to_str()?.split('/').filter(|name| !name.is_empty());
        Some(names.map(|name| format!("-{name}")).collect())
    },
}];

/// The name of the file is the ID.
pub(super) fn session_id(name: &str) -> Option<&str> {
    name.strip_suffix(".jsonl").filter(|id| is_uuid(id))
}

/// A session is resumed by its ID, in the folder in which it was last.
pub(super) fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let header = super::header(context.transcript)?;
    let record = context.record(header).ok()?;
    let root = record.root();
    let folder = root.string("lastCwd").or_else(|| root.string("cwd"));
    let at_home =
        path.ancestors().skip(1).take(2).any(|folder| folder.ends_with(".factory/sessions"));
    Resume::of(&["droid", "--resume"], &root.string("id")?, folder.as_deref(), at_home)
}
