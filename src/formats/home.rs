//! Where hosts keep their recordings, and how a conversation is gone on with: facts of each format, as data.

use std::path::Path;

/// The places of one host.
#[derive(Debug)]
pub struct Home {
    /// The word behind `@`: the format's name, or the host's where several hosts share a format.
    pub name: &'static str,
    /// The folders that it keeps things in.
    pub roots: &'static [Root],
    /// The name of the folder for what is done in this folder of the file system: it stands for the first `*` of a place.
    /// `None`: the host does not part its recordings like that, or the places say how they do.
    pub project: fn(&Path) -> Option<String>,
}

/// A folder in which a host keeps things.
#[derive(Debug)]
pub struct Root {
    /// The host's own variable, which comes first; `""`: it has none.
    pub var: &'static str,
    /// The way from the variable's value to the folder, names separated by `/`; `""`: the value is the folder.
    pub below_var: &'static str,
    /// Where it is without the variable: ways from the user's home.
    pub at_home: &'static [&'static str],
    /// Where the recordings are in it.
    pub places: &'static [Place],
}

/// Where recordings are below a root.
#[derive(Debug)]
pub struct Place {
    /// The way from the root to the folder that holds them, names separated by `/`; `*` is any one name, `""` the root.
    pub folder: &'static str,
    /// The conversation's id in the name of a recording. `None`: a file or folder of this name is no recording.
    pub id: fn(&str) -> Option<&str>,
    /// What a recording is there.
    pub holds: Holds,
    /// Other conversations have started these: they are listed below them, and are never the newest session.
    pub children: bool,
    /// Names have only the beginning of the id.
    pub shortened: bool,
    /// A file in the folder that stands for the first `*`, which holds the path of the folder whose project it is; `""`: none.
    pub marker: &'static str,
    /// Where the first record of a recording says in which folder it was started; empty: nowhere.
    pub started_in: &'static [&'static str],
}

/// What a recording is on the disk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A file.
    Files,
    Folders,
    /// The file of this name in a folder, whose name has the conversation's ID.
    FilesIn(&'static str),
}

impl Place {
    /// A place of files; start from it for others.
    pub const fn files(folder: &'static str, id: fn(&str) -> Option<&str>) -> Place {
        let holds = Holds::Files;
        Place {
            folder,
            id,
            holds,
            children: false,
            shortened: false,
            marker: "",
            started_in: &[],
        }
    }

    /// A place of folders.
    pub const fn folders(folder: &'static str, id: fn(&str) -> Option<&str>) -> Place {
        Place {
            holds: Holds::Folders,
            ..Place::files(folder, id)
        }
    }

    /// A place of folders, in each of which the file of this name is the recording.
    pub const fn files_in(
        folder: &'static str,
        file: &'static str,
        id: fn(&str) -> Option<&str>,
    ) -> Place {
        Place {
            holds: Holds::FilesIn(file),
            ..Place::files(folder, id)
        }
    }

    /// The same, of conversations that others have started.
    pub const fn of_children(self) -> Place {
        Place {
            children: true,
            ..self
        }
    }

    /// The same, with names that have only the beginning of the id.
    pub const fn shortened(self) -> Place {
        Place {
            shortened: true,
            ..self
        }
    }

    /// The same, with a file in the project's folder that names the project.
    pub const fn marked(self, marker: &'static str) -> Place {
        Place { marker, ..self }
    }

    /// The same, with a member of the first record that names the project: the way to it.
    pub const fn started_in(self, member: &'static [&'static str]) -> Place {
        Place {
            started_in: member,
            ..self
        }
    }
}

/// How to go on with a conversation in its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The words of the command.
    pub command: Vec<String>,
    /// The folder in which it is typed: where the conversation was started.
    pub folder: Option<String>,
    /// The recording lies where the host looks for it.
    pub at_home: bool,
}

/// Longest id or path that a command is made of.
const LONGEST: usize = 1024;

impl Resume {
    /// `command` with the conversation's id behind it. `None`: no host has such an id. A folder that is none is left out.
    pub fn of(command: &[&str], id: &str, folder: Option<&str>, at_home: bool) -> Option<Resume> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let is_id =
            id.bytes().all(plain) && id.starts_with(|first: char| first.is_ascii_alphanumeric());
        if !is_id || id.len() > LONGEST {
            return None;
        }
        let words = command
            .iter()
            .chain([&id])
            .map(|word| (*word).to_owned())
            .collect();
        let folder = folder.filter(|folder| is_folder(folder)).map(str::to_owned);
        Some(Resume {
            command: words,
            folder,
            at_home,
        })
    }
}

/// An absolute path as one can be typed, also one of Windows.
fn is_folder(text: &str) -> bool {
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes().get(2) == Some(&b'\\');
    (text.starts_with('/') || drive) && text.len() <= LONGEST && !text.chars().any(char::is_control)
}

/// Whether a name is a UUID with its dashes.
pub(crate) fn is_uuid(text: &str) -> bool {
    let parts = text.split('-');
    parts.clone().map(str::len).eq([8, 4, 4, 4, 12])
        && parts
            .flat_map(str::bytes)
            .all(|byte| byte.is_ascii_hexdigit())
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
            assert_eq!(
                of("a", Some(folder)).and_then(|made| made.folder),
                None,
                "{folder:?}"
            );
        }
        assert!(of("a", Some("C:\\Users\\ana")).is_some_and(|made| made.folder.is_some()));
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
