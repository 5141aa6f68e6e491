//! Where OpenHands stores conversations, and how to continue one.

use std::path::Path;

use super::state::is_conversation_id;
use crate::containers::Layout;
use crate::format::FormatContext;
use crate::format::home::{Home, HomeFolder, Resume, Root, is_uuid};

/// The command-line client and the app server. Only the caller of an agent server knows its folder.
pub(super) const HOMES: &[Home] = &[Home {
    name: "openhands",
    roots: &[
        Root { var: "OPENHANDS_CONVERSATIONS_DIR", below_var: "", at_home: &[], places: IN_FOLDER },
        Root {
            var: "OPENHANDS_PERSISTENCE_DIR",
            below_var: "",
            at_home: &[".openhands"],
            places: IN_BASE,
        },
        Root { var: "OH_PERSISTENCE_DIR", below_var: "", at_home: &[], places: IN_BASE },
    ],
    project: |_| None,
}];

const IN_FOLDER: &[HomeFolder] =
    &[HomeFolder::folders("", id), HomeFolder::folders("*/subagents", id).of_children()];
const IN_BASE: &[HomeFolder] = &[
    HomeFolder::folders("conversations", id),
    HomeFolder::folders("conversations/*/subagents", id).of_children(),
    HomeFolder::folders("*/v1_conversations", id),
];

/// The name of the folder is the ID.
fn id(name: &str) -> Option<&str> {
    (is_conversation_id(name) || is_uuid(name)).then_some(name)
}

/// The command-line client loads a persistence folder, but not that of a subagent.
pub(super) fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let Layout::Files(files) = context.layout else {
        return None;
    };
    files.state?;
    let folder = path.parent().and_then(Path::file_name);
    if folder.is_some_and(|folder| folder == "subagents") {
        return None;
    }
    let at_home = folder.is_some_and(|folder| folder == "conversations");
    Resume::of(&["openhands", "--resume"], id(context.name)?, None, at_home)
}
