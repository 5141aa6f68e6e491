//! Where hosts keep transcripts, and how to resume a session: facts of each format, as data.

use std::path::{Path, PathBuf};

use crate::json::node::Node;

/// Whether one of these folders is in a path.
pub(crate) fn is_below(path: &Path, folders: &[&str]) -> bool {
    path.components().any(|part| folders.iter().any(|folder| part.as_os_str() == *folder))
}

/// The folders of one host.
#[derive(Debug)]
pub struct Home {
    /// The name after `@`: that of the format, or of the host if several hosts share a format.
    pub name: &'static str,
    /// The folders in which it keeps things.
    pub roots: &'static [Root],
    /// The name of the folder for the sessions of a project folder. It replaces the first `*` of a place. `None`: the host does
    /// not separate transcripts by project, or its places say how.
    pub project: fn(&Path) -> Option<String>,
}

/// A folder in which a host keeps things.
#[derive(Debug)]
pub struct Root {
    /// The environment variable of the host, which takes precedence; `""`: it has none.
    pub var: &'static str,
    /// The path from the variable's value to the folder, separated by `/`; `""`: the value is the folder.
    pub below_var: &'static str,
    /// Where it is without the variable: paths in the user's home directory.
    pub at_home: &'static [&'static str],
    /// Where transcripts are in it.
    pub places: &'static [HomeFolder],
}

/// A place of transcripts in a root.
#[derive(Debug)]
pub struct HomeFolder {
    /// The path from the root to the folder, separated by `/`; `*` is any one name, `""` the root.
    pub folder: &'static str,
    /// The session's ID in the name of a transcript. `None`: a file or folder with this name is not a transcript.
    pub id: fn(&str) -> Option<&str>,
    /// What a transcript is there.
    pub holds: Holds,
    /// Whether other sessions started these. They are listed below those, and are never the newest session.
    pub children: bool,
    /// Whether names have only the start of the ID.
    pub shortened: bool,
    /// A file in the folder for the first `*` that has the path of the project folder; `""`: none.
    pub marker: &'static str,
    /// The path of the member of the first record with the folder in which the session was started; empty: none.
    pub started_in: &'static [&'static str],
}

/// What a transcript is on disk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    Files,
    Folders,
    /// The file with this name in a folder whose name has the session's ID.
    FilesIn(&'static str),
    /// A session in a database, which is a file with this name.
    Sessions,
}

impl HomeFolder {
    pub const fn files(folder: &'static str, id: fn(&str) -> Option<&str>) -> HomeFolder {
        let holds = Holds::Files;
        HomeFolder {
            folder,
            id,
            holds,
            children: false,
            shortened: false,
            marker: "",
            started_in: &[],
        }
    }

    pub const fn folders(folder: &'static str, id: fn(&str) -> Option<&str>) -> HomeFolder {
        HomeFolder { holds: Holds::Folders, ..HomeFolder::files(folder, id) }
    }

    /// A place of databases with sessions. `is` says which files are databases; sessions have IDs in them.
    pub const fn databases(folder: &'static str, is: fn(&str) -> Option<&str>) -> HomeFolder {
        HomeFolder { holds: Holds::Sessions, ..HomeFolder::files(folder, is) }
    }

    /// A place of folders in which the file with this name is the transcript.
    pub const fn files_in(
        folder: &'static str,
        file: &'static str,
        id: fn(&str) -> Option<&str>,
    ) -> HomeFolder {
        HomeFolder { holds: Holds::FilesIn(file), ..HomeFolder::files(folder, id) }
    }

    /// The same, for sessions that others started.
    pub const fn of_children(self) -> HomeFolder {
        HomeFolder { children: true, ..self }
    }

    /// The same, with names that have only the start of the ID.
    pub const fn shortened(self) -> HomeFolder {
        HomeFolder { shortened: true, ..self }
    }

    /// The same, with a file in the folder that has the path of the project.
    pub const fn marked(self, marker: &'static str) -> HomeFolder {
        HomeFolder { marker, ..self }
    }

    /// The same, with the path of a member of the first record that has the project.
    pub const fn started_in(self, member: &'static [&'static str]) -> HomeFolder {
        HomeFolder { started_in: member, ..self }
    }
}

/// The list from which a host offers sessions, in a SQLite database next to them.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SessionList {
    /// The database for a transcript at this path; `None`: the host does not look there.
    pub database: fn(&Path) -> Option<PathBuf>,
    /// Its table of keys and values, and the names of their columns. All are lowercase.
    pub table: &'static str,
    pub columns: [&'static str; 2],
    /// The key of the list, which is JSON.
    pub key: &'static str,
    /// Why the host does not offer the transcript with this file name, by the list. `None`: it does, or the list does not say.
    pub leaves_out: fn(Node<'_>, &str) -> Option<&'static str>,
}

/// How to resume a session in its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The words of the command.
    pub command: Vec<String>,
    /// The folder in which to run it: where the session was started.
    pub folder: Option<String>,
    /// Whether the transcript is where the host looks for it.
    pub at_home: bool,
}

/// The length limit for IDs and paths in a command.
const LONGEST: usize = 1024;

impl Resume {
    /// `command` followed by the session's ID. `None`: no host has such an ID. A text that is not a folder is left out.
    pub fn of(command: &[&str], id: &str, folder: Option<&str>, at_home: bool) -> Option<Resume> {
        let is_id = id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
            && id.starts_with(|first: char| first.is_ascii_alphanumeric());
        if !is_id || id.len() > LONGEST {
            return None;
        }
        let words = command.iter().chain([&id]).map(|word| (*word).to_owned()).collect();
        let folder = folder.filter(|folder| is_folder(folder)).map(str::to_owned);
        Some(Resume { command: words, folder, at_home })
    }
}

/// Whether a text is an absolute path without unusual characters, on Unix or Windows.
fn is_folder(text: &str) -> bool {
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes().get(2) == Some(&b'\\');
    (text.starts_with('/') || drive) && text.len() <= LONGEST && !text.chars().any(char::is_control)
}

/// The name of a project's folder for Claude Code and Qwen Code: every character that is not a letter or digit of ASCII
/// becomes a dash. JavaScript counts the halves of surrogate pairs.
pub(crate) fn dashed(folder: &str) -> String {
    folder
        .encode_utf16()
        .map(|half| {
            u8::try_from(half)
                .map(char::from)
                .ok()
                .filter(char::is_ascii_alphanumeric)
                .unwrap_or('-')
        })
        .collect()
}

/// Whether a name is a UUID with dashes.
pub(crate) fn is_uuid(text: &str) -> bool {
    let parts = text.split('-');
    parts.clone().map(str::len).eq([8, 4, 4, 4, 12])
        && parts.flat_map(str::bytes).all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_made_of_plain_ids_and_folders() {
        let of = |id, folder| Resume::of(&["claude", "--resume"], id, folder, true);
        let made = of("5f1c-a.b_1", Some("/home/ana/my shop")).unwrap();
        assert_eq!(made.command, ["claude", "--resume", "5f1c-a.b_1"]);
        assert_eq!(made.folder.as_deref(), Some("/home/ana/my shop"));
        for id in ["", "-x", "a b", "a;b", "$(x)", "\u{1b}", "日本"] {
            assert_eq!(of(id, None), None, "{id:?}");
        }
        for folder in ["", "relative", "~", "/a\nb", "/\u{1b}[2J"] {
            assert_eq!(of("a", Some(folder)).and_then(|made| made.folder), None, "{folder:?}");
        }
        assert!(of("a", Some("C:\\Users\\ana")).is_some_and(|made| made.folder.is_some()));
    }

    #[test]
    fn a_project_is_a_folder_of_dashes() {
        assert_eq!(dashed("/home/ana/my.shop_2"), "-home-ana-my-shop-2");
        assert_eq!(dashed("C:\\Users\\ana\\shop"), "C--Users-ana-shop");
        assert_eq!(dashed("/é日🦀"), "-----");
    }

    #[test]
    fn uuids() {
        assert!(is_uuid("0197c0bb-2222-7a11-8c00-9d0055e51062"));
        assert!(
            !is_uuid("0197c0bb22227a118c009d0055e51062")
                && !is_uuid("0197c0bb-2222-7a11-8c00-9d0055e5106x")
        );
    }
}
