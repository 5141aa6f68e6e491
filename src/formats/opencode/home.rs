//! Where versions of opencode before 1.2 kept sessions. Later ones have a database.

use crate::formats::home::{Home, Place, Root};

pub(super) const HOMES: &[Home] = &[Home {
    name: "opencode",
    roots: &[Root {
        var: "XDG_DATA_HOME",
        below_var: "opencode",
        at_home: &[".local/share/opencode"],
        places: &[Place::folders("storage/message", |name| {
            name.starts_with("ses_").then_some(name)
        })],
    }],
    project: |_| None,
}];
