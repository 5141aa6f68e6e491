//! The recordings where hosts keep them, known by their names: no file is opened.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::surroundings::Surroundings;
use super::walk;
use crate::formats::home::{Holds, Home, Place};

/// A recording at home.
#[derive(Clone, Debug)]
pub struct Session {
    /// Where it is.
    pub path: PathBuf,
    /// The id that its name tells.
    pub id: String,
    /// Whose it is.
    pub home: &'static Home,
    /// Where it lies there.
    pub place: &'static Place,
}

/// What is at home.
#[derive(Debug, Default)]
pub struct AtHome {
    /// The recordings, in the order of their paths.
    pub sessions: Vec<Session>,
    /// Folders that could not be listed.
    pub missed: Vec<(PathBuf, io::Error)>,
    /// Folders in which it was looked, whether or not they exist.
    pub roots: Vec<PathBuf>,
}

/// Looks where these hosts keep their recordings. `project`: only at those of what is done in this folder.
pub fn look(
    homes: impl IntoIterator<Item = &'static Home>,
    around: &Surroundings,
    project: Option<&Path>,
) -> AtHome {
    let mut all = AtHome::default();
    for home in homes {
        let project = match project {
            None => None,
            Some(folder) => match (home.project)(folder) {
                Some(name) => Some(name),
                None => continue,
            },
        };
        for root in home.roots {
            for folder in roots(root, around) {
                for place in root.places {
                    // A place that is not parted by projects is that of every project.
                    if project.is_none() || place.folder.contains('*') {
                        all.place(&folder, home, place, project.as_deref());
                    }
                }
                all.roots.push(folder);
            }
        }
    }
    all.sessions.sort_by(|a, b| a.path.cmp(&b.path));
    all.sessions.dedup_by(|a, b| a.path == b.path);
    let mut seen = HashSet::new();
    all.roots.retain(|root| seen.insert(root.clone()));
    all
}

/// The folders that a root may be.
fn roots(root: &crate::formats::home::Root, around: &Surroundings) -> Vec<PathBuf> {
    let by_var = Some(root.var).filter(|var| !var.is_empty()).and_then(|var| around.folder(var));
    match (by_var, around.home()) {
        (Some(folder), _) if root.below_var.is_empty() => vec![folder],
        (Some(folder), _) => vec![folder.join(root.below_var)],
        (None, Some(home)) => root.at_home.iter().map(|below| home.join(below)).collect(),
        (None, None) => Vec::new(),
    }
}

impl AtHome {
    fn place(&mut self, root: &Path, home: &'static Home, place: &'static Place, project: Option<&str>) {
        let mut folders = vec![root.to_owned()];
        let mut project = project;
        for step in place.folder.split('/').filter(|step| !step.is_empty()) {
            let step = if step == "*" { project.take().unwrap_or(step) } else { step };
            folders = match step {
                "*" => folders.iter().flat_map(|folder| self.names(folder, Holds::Folders)).collect(),
                name => folders.into_iter().map(|folder| folder.join(name)).collect(),
            };
        }
        for folder in folders {
            for path in self.names(&folder, place.holds) {
                let id = path.file_name().and_then(|name| name.to_str()).and_then(place.id);
                if let Some(id) = id.map(str::to_owned) {
                    self.sessions.push(Session { path, id, home, place });
                }
            }
        }
    }

    /// The files or folders in a folder; links to folders are not followed, hidden ones not looked at.
    fn names(&mut self, folder: &Path, what: Holds) -> Vec<PathBuf> {
        let items = match fs::read_dir(folder) {
            Ok(items) => items,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Vec::new();
            }
            Err(error) => {
                self.missed.push((folder.to_owned(), error));
                return Vec::new();
            }
        };
        let is_it = |item: &fs::DirEntry| {
            let hidden = item.file_name().as_encoded_bytes().starts_with(b".");
            let kind = item.file_type();
            let right =
                kind.is_ok_and(|kind| if what == Holds::Files { kind.is_file() } else { kind.is_dir() });
            right && !hidden
        };
        items.flatten().filter(is_it).map(|item| item.path()).collect()
    }
}

impl Session {
    /// Bytes of a file, and when it, or what is directly in the folder, was changed.
    pub fn stamp(&self) -> (Option<u64>, Option<SystemTime>) {
        let meta = |path: &Path| fs::metadata(path).ok();
        let own = meta(&self.path);
        let size = own.as_ref().filter(|meta| meta.is_file()).map(fs::Metadata::len);
        let parts = walk::PARTS.iter().filter(|_| size.is_none()).map(|part| meta(&self.path.join(part)));
        let times = std::iter::once(own).chain(parts).flatten().filter_map(|meta| meta.modified().ok());
        (size, times.max())
    }

    /// Whether a word is the id, or the name of the file or folder with or without its ending.
    pub fn is(&self, word: &str) -> bool {
        let name = self.name();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        normal(word) == normal(&self.id) || name == word || stem == word
    }

    /// Whether a word is the beginning of the id or of the name.
    pub fn begins(&self, word: &str) -> bool {
        let (id, word_id) = (normal(&self.id), normal(word));
        let longer = self.place.shortened && word_id.starts_with(&id) && self.mentions(word);
        id.starts_with(&word_id) || longer || self.name().starts_with(word)
    }

    /// The whole name.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Whether the first bytes hold a word: of a name with half an id, the other half is there.
    fn mentions(&self, word: &str) -> bool {
        use io::Read;
        let mut bytes = Vec::new();
        let file = crate::bytes::disk::open_regular(&self.path);
        let read = file.and_then(|(file, _)| file.take(HEAD).read_to_end(&mut bytes));
        read.is_ok() && memchr::memmem::find(&bytes, word.as_bytes()).is_some()
    }
}

/// Bytes at the beginning of a file that are looked at for its id.
const HEAD: u64 = 64 << 10;

/// An id as it is compared: hosts write the same one with and without dashes.
fn normal(id: &str) -> String {
    id.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::home::Root;

    fn plain(name: &str) -> Option<&str> {
        name.strip_suffix(".jsonl")
    }

    const HOME: Home = Home {
        name: "test",
        roots: &[
            Root {
                var: "TEST_HOME",
                below_var: "in",
                at_home: &[".test", ".older"],
                places: &[
                    Place::files("projects/*", plain),
                    Place::files("projects/*/*/subagents", plain).of_children(),
                ],
            },
            Root {
                var: "",
                below_var: "",
                at_home: &[".flat"],
                places: &[Place::folders("", |name| Some(name))],
            },
        ],
        project: |folder| Some(folder.to_str()?.replace('/', "-")),
    };

    fn paths(all: &AtHome, dir: &Path) -> Vec<String> {
        let below = |session: &Session| session.path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
        all.sessions.iter().map(below).collect()
    }

    #[test]
    fn recordings_are_known_by_place_and_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_owned();
        for file in [
            ".test/projects/-w/a.jsonl",
            ".test/projects/-w/notes.md",
            ".test/projects/-w/a/subagents/b.jsonl",
            ".test/projects/-w/a/tool-results/c.jsonl",
            ".test/projects/-x/d.jsonl",
            ".test/projects/e.jsonl",
            ".older/projects/-w/f.jsonl",
            ".flat/one/x",
            ".flat/.hidden/x",
            "else/in/projects/-w/g.jsonl",
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        let home = root.clone();
        let around = Surroundings::new(&root, move |name| (name == "HOME").then(|| home.clone().into()));
        let all = look([&HOME], &around, None);
        let wanted = [
            ".flat/one",
            ".older/projects/-w/f.jsonl",
            ".test/projects/-w/a/subagents/b.jsonl",
            ".test/projects/-w/a.jsonl",
            ".test/projects/-x/d.jsonl",
        ];
        assert_eq!(paths(&all, &root), wanted);
        assert!(all.missed.is_empty());
        assert_eq!(all.sessions.iter().filter(|session| session.place.children).count(), 1);
        let project = look([&HOME], &around, Some(Path::new("/x")));
        assert_eq!(paths(&project, &root), [".test/projects/-x/d.jsonl"]);
        // The host's own variable comes first.
        let home = root.clone();
        let around = Surroundings::new(&root, move |name| match name {
            "HOME" => Some(home.clone().into()),
            "TEST_HOME" => Some(home.join("else").into()),
            _ => None,
        });
        assert_eq!(paths(&look([&HOME], &around, None), &root), [".flat/one", "else/in/projects/-w/g.jsonl"]);
    }

    #[test]
    fn ids_are_the_same_with_and_without_dashes() {
        let session = |name: &str, id: &str| Session {
            path: Path::new("/x").join(name),
            id: id.to_owned(),
            home: &HOME,
            place: &HOME.roots[0].places[0],
        };
        let folder = session("81625941432749c6a9a44ba08aafa96f", "81625941432749c6a9a44ba08aafa96f");
        assert!(folder.is("81625941-4327-49C6-a9a4-4ba08aafa96f") && folder.begins("81625941-43"));
        assert!(!folder.begins("9162"));
        let agent = session("agent-7.jsonl", "7");
        assert!(agent.is("agent-7") && agent.is("7") && agent.is("agent-7.jsonl") && agent.begins("agent"));
    }
}
