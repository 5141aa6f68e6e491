//! Finds transcripts where hosts store them, by name and without opening files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::listing::{FolderListing, PARTS};
use super::store::{self, Opened, SharedSessions};
use super::surroundings::Surroundings;
use super::typed::TypedId;
use crate::format::home::{Holds, Home, HomeFolder};
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};

/// A transcript where its host stores it.
#[derive(Clone, Debug)]
pub(crate) struct StoredSession {
    pub path: PathBuf,
    /// The ID in its name.
    pub id: String,
    /// The host that it belongs to.
    pub home: &'static Home,
    /// The rule that found it.
    pub place: &'static HomeFolder,
    /// The database that it is in.
    pub database: Option<Arc<SharedSessions>>,
}

#[derive(Debug, Default)]
pub(crate) struct StoredSessions {
    /// Sorted by path.
    pub sessions: Vec<StoredSession>,
    /// Folders that could not be listed.
    pub missed: Vec<(PathBuf, io::Error)>,
    /// Links that are named like transcripts; they are not followed.
    pub links: Vec<PathBuf>,
    /// Folders that were searched, whether or not they exist.
    pub roots: Vec<PathBuf>,
}

/// Finds the transcripts of these hosts. With `project`, only those of work done in this folder.
pub(crate) fn find_sessions(
    homes: impl IntoIterator<Item = &'static Home>,
    around: &Surroundings,
    project: Option<&Path>,
) -> StoredSessions {
    let mut all = StoredSessions::default();
    for home in homes {
        for root in home.roots {
            for folder in roots(root, around) {
                for place in root.places {
                    all.place(&folder, home, place, project);
                }
                all.roots.push(folder);
            }
        }
    }
    all.links.sort();
    all.links.dedup();
    all.sessions.sort_by(|a, b| a.path.cmp(&b.path));
    all.sessions.dedup_by(|a, b| a.path == b.path);
    let mut seen = HashSet::new();
    all.roots.retain(|root| seen.insert(root.clone()));
    all
}

/// The folders that a root may refer to.
fn roots(root: &crate::format::home::Root, around: &Surroundings) -> Vec<PathBuf> {
    let by_var = Some(root.var).filter(|var| !var.is_empty()).and_then(|var| around.folder(var));
    match (by_var, around.home()) {
        (Some(folder), _) if root.below_var.is_empty() => vec![folder],
        (Some(folder), _) => vec![folder.join(root.below_var)],
        (None, Some(home)) => root.at_home.iter().map(|below| home.join(below)).collect(),
        (None, None) => Vec::new(),
    }
}

impl StoredSessions {
    fn place(
        &mut self,
        root: &Path,
        home: &'static Home,
        place: &'static HomeFolder,
        project: Option<&Path>,
    ) {
        let recorded = !place.started_in.is_empty();
        if project.is_some() && !recorded && !place.folder.contains('*') {
            // Their names do not say which project they belong to.
            return;
        }
        let mut first = project.filter(|_| !recorded);
        let mut folders = vec![root.to_owned()];
        for step in place.folder.split('/').filter(|step| !step.is_empty()) {
            folders = match (step, first.filter(|_| step == "*")) {
                ("*", None) => folders.iter().flat_map(|folder| self.folders(folder)).collect(),
                ("*", Some(project)) => {
                    first = None;
                    let own =
                        folders.iter().map(|folder| self.of_project(folder, home, place, project));
                    own.collect::<Vec<_>>().concat()
                }
                (name, _) => folders.into_iter().map(|folder| folder.join(name)).collect(),
            };
        }
        for folder in folders {
            let FolderListing { files, folders, links, .. } = self.list(&folder);
            let own = links.iter().filter(|name| id_of(name, place).is_some());
            self.links.extend(own.map(|name| folder.join(name)));
            if place.holds == Holds::Sessions {
                let own = files.iter().filter(|name| id_of(name, place).is_some());
                own.for_each(|name| self.database(folder.join(name), home, place));
                continue;
            }
            let names = if place.holds == Holds::Files { files } else { folders };
            for name in &names {
                let Some(id) = id_of(name, place).map(str::to_owned) else {
                    continue;
                };
                let mut path = folder.join(name);
                if let Holds::FilesIn(file) = place.holds {
                    path.push(file);
                    if !path.is_file() {
                        continue;
                    }
                }
                if project.is_none_or(|project| !recorded || started_in(&path, place, project)) {
                    self.sessions.push(StoredSession { path, id, home, place, database: None });
                }
            }
        }
    }

    /// Adds the sessions in a database.
    fn database(&mut self, path: PathBuf, home: &'static Home, place: &'static HomeFolder) {
        let sessions = match store::open(&path) {
            Ok(Opened::Sessions(sessions)) => sessions,
            Ok(Opened::Not(why)) => return self.missed.push((path, io::Error::other(why))),
            Err(error) => return self.missed.push((path, error)),
        };
        let ids: Vec<String> = sessions.ids().map(str::to_owned).collect();
        let shared = Arc::new(SharedSessions::new(sessions));
        self.sessions.extend(ids.into_iter().map(|id| StoredSession {
            path: store::member(&path, &id),
            id,
            home,
            place,
            database: Some(Arc::clone(&shared)),
        }));
    }

    /// The folders of a project, by their name or by the marker file in them.
    fn of_project(
        &mut self,
        within: &Path,
        home: &Home,
        place: &HomeFolder,
        project: &Path,
    ) -> Vec<PathBuf> {
        let named: Vec<PathBuf> =
            (home.project)(project).map(|name| within.join(name)).into_iter().collect();
        if place.marker.is_empty() {
            return named;
        }
        let mut own = self.folders(within);
        let is_marked = |folder: &PathBuf| {
            let text = first_bytes(&folder.join(place.marker)).unwrap_or_default();
            std::str::from_utf8(&text).is_ok_and(|text| Path::new(text.trim()) == project)
        };
        own.retain(|folder| named.contains(folder) || is_marked(folder));
        own
    }

    /// The visible folders in a folder; links are not followed.
    fn folders(&mut self, folder: &Path) -> Vec<PathBuf> {
        let folders = self.list(folder).folders.into_iter();
        folders.filter(|name| !is_hidden(name)).map(|name| folder.join(name)).collect()
    }

    /// The content of a folder; empty if it does not exist.
    fn list(&mut self, folder: &Path) -> FolderListing {
        let mut listing = match FolderListing::of(folder) {
            Ok(listing) => listing,
            Err(error) => {
                if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                    self.missed.push((folder.to_owned(), error));
                }
                return FolderListing::default();
            }
        };
        let failed = std::mem::take(&mut listing.failed).into_iter();
        self.missed.extend(failed.map(|(name, error)| (folder.join(name), error)));
        listing
    }
}

/// The ID in a name, if it is the name of a transcript.
fn id_of<'a>(name: &'a OsStr, place: &HomeFolder) -> Option<&'a str> {
    name.to_str().filter(|_| !is_hidden(name)).and_then(place.id)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

impl StoredSession {
    /// Size in bytes, if it is a file, and the latest modification time of it or the folders
    /// directly in it; of a session in a database, when its last record was written.
    pub(crate) fn stamp(&self) -> (Option<u64>, Option<SystemTime>) {
        if let Some(sessions) = &self.database {
            return (None, store::changed(&self.path, sessions));
        }
        let meta = |path: &Path| fs::metadata(path).ok();
        let own = meta(&self.path);
        let size = own.as_ref().filter(|meta| meta.is_file()).map(fs::Metadata::len);
        let parts = PARTS.iter().filter(|_| size.is_none()).map(|part| meta(&self.path.join(part)));
        let times =
            std::iter::once(own).chain(parts).flatten().filter_map(|meta| meta.modified().ok());
        (size, times.max())
    }

    /// Whether `word` is the ID, or the file or folder name with or without extension.
    pub(crate) fn is(&self, word: &str) -> bool {
        let name = self.name();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        normalize_id(word) == normalize_id(&self.id) || name == word || stem == word
    }

    /// Whether `word` is a prefix or a shortened form of the ID or name.
    pub(crate) fn fits(&self, word: &str) -> bool {
        let (id, word_id) = (normalize_id(&self.id), normalize_id(word));
        let longer = self.place.shortened && word_id.starts_with(&id) && self.mentions(word);
        let typed = TypedId::read(word);
        let (head, tail) = (normalize_id(typed.head), normalize_id(typed.tail));
        let by_id = TypedId { head: &head, tail: &tail }.fits(&id);
        let stem =
            Path::new(self.name()).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        by_id || longer || typed.fits(self.name()) || typed.fits(stem)
    }

    /// The name that has the ID.
    pub(crate) fn name(&self) -> &str {
        let named = match self.place.holds {
            Holds::FilesIn(_) => self.path.parent(),
            _ => Some(self.path.as_path()),
        };
        named.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Whether the first bytes contain `word`. If a name has only half of an ID, they have the
    /// other half.
    fn mentions(&self, word: &str) -> bool {
        let bytes = first_bytes(&self.path).unwrap_or_default();
        memchr::memmem::find(&bytes, word.as_bytes()).is_some()
    }
}

/// Bytes at the start of a file that are searched for its ID or project.
const HEAD: u64 = 256 << 10;

fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (file, _) = crate::bytes::disk::open_regular(path)?;
    io::Read::take(file, HEAD).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a file says that it was started in this folder: in its first record, which may be cut
/// off, or in the second, if the first does not say where.
fn started_in(path: &Path, place: &HomeFolder, folder: &Path) -> bool {
    let bytes = first_bytes(path).unwrap_or_default();
    for line in bytes.split(|byte| *byte == b'\n').take(2) {
        let tape = scan(line, ScanMode::Line);
        let root = Node::root(&tape, &line);
        if let Some(started_in) = root.and_then(|root| root.at(place.started_in)?.str()) {
            return Path::new(started_in.as_ref()) == folder;
        }
    }
    false
}

/// An ID in the form used for comparison: some hosts write the same ID with and without dashes.
fn normalize_id(id: &str) -> String {
    id.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
#[path = "homes_tests.rs"]
mod tests;
