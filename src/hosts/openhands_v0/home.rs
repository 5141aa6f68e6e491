//! Where OpenHands V0 keeps sessions. Users continue them on its web page; no command resumes them.

use crate::format::home::{Home, HomeFolder, Root};

/// The default file store.
pub(super) const HOMES: &[Home] = &[Home {
    name: "openhands-v0",
    roots: &[Root {
        var: "",
        below_var: "",
        at_home: &[".openhands"],
        places: &[
            HomeFolder::folders("sessions", id),
            HomeFolder::folders("users/*/conversations", id),
        ],
    }],
    project: |_| None,
}];

/// The folder name is the ID, whatever it looks like.
fn id(name: &str) -> Option<&str> {
    (!name.starts_with('.')).then_some(name)
}
