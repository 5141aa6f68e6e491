//! The database of opencode, and where versions before 1.2 kept sessions.

use crate::format::home::{Home, HomeFolder, Root};

pub(super) const HOMES: &[Home] = &[Home {
    name: "opencode",
    roots: &[Root {
        var: "XDG_DATA_HOME",
        below_var: "opencode",
        at_home: &[".local/share/opencode"],
        places: &[
            HomeFolder::databases("", |name| (name == "opencode.db").then_some(name)),
            HomeFolder::folders("storage/message", |name| name.starts_with("ses_").then_some(name)),
        ],
    }],
    project: |_| None,
}];
