//! Turns what the user typed into sources: files, conversation folders, directory trees, standard
//! input, sessions by name.

mod exclude;
pub(crate) mod globs;
pub(crate) mod homes;
mod kin;
mod kind;
pub(crate) mod listed;
mod listing;
mod located;
pub(crate) mod names;
mod prefer;
mod real;
mod reason;
mod row;
pub(crate) mod search;
pub(crate) mod store;
mod store_folder;
pub(crate) mod surroundings;
pub(crate) mod typed;
mod walk;
mod watched;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::source::{Source, SourceShape};
use crate::containers::pool;
use crate::detect;
use crate::detect::candidates::FormatCandidate;
use crate::format::home::Holds;
use crate::format::{Detection, Format};
use homes::{StoredSession, StoredSessions};
use kind::{FileKind, look, sample};
use names::ArgumentTarget;
use real::{RealPaths, real};
use reason::reason;
use walk::WalkExtent;

pub(crate) use exclude::Excluded;
pub use located::{Found, name_of, recognize_again};
pub(crate) use located::{Located, open_again, open_folder};
pub(crate) use reason::{NOT_THERE, OpenError, in_words};
pub(crate) use row::{FoundRow, find_bytes, find_row};
pub(crate) use walk::names_below;

/// A path that could not be checked.
#[derive(Debug)]
pub struct Missed {
    /// The path as named.
    pub path: PathBuf,
    /// Why, in one line.
    pub why: String,
    /// If its records do not tell its format, the names of possible formats, likeliest first.
    pub candidates: Vec<&'static str>,
}

impl Missed {
    /// For any reason but an ambiguous format.
    pub fn new(path: &Path, why: impl ToString) -> Missed {
        Missed { path: path.to_owned(), why: in_words(&why.to_string()), candidates: Vec::new() }
    }
}

/// A path that a walk skipped, or that is not a transcript.
#[derive(Debug)]
pub struct SkippedPath {
    /// A file, or a folder with everything in it.
    pub path: PathBuf,
    /// Why, in a few words.
    pub why: Cow<'static, str>,
}

/// What to find, and where to look.
#[derive(Clone, Debug, Default)]
pub(crate) struct FindOptions {
    /// The format, if the user named it.
    pub only: Option<&'static Format>,
    /// The formats of the files at these places, if the user named none.
    pub formats: Arc<[(Excluded, &'static Format)]>,
    /// How many threads recognize files.
    pub jobs: usize,
    /// Treat each row of a file as a conversation, whatever the file looks like.
    pub rows: bool,
    /// Include hidden files and folders in walks, even `.git`.
    pub hidden: bool,
    /// Do not respect ignore files in walks, and include installed packages.
    pub no_ignore: bool,
    /// The journal, which holds originals of repaired transcripts: walks never enter it.
    pub journal: Option<PathBuf>,
    /// Check every page of a database, however large it is.
    pub all_pages: bool,
}

impl FindOptions {
    /// The format that the user named for what is at this path.
    fn format_at(&self, path: &Path) -> Option<&'static Format> {
        self.only.or_else(|| {
            self.formats.iter().rev().find(|(place, _)| place.has(path)).map(|(_, format)| *format)
        })
    }
}

/// How a file was reached.
#[derive(Copy, Clone, PartialEq, Eq)]
enum FileOrigin {
    /// The user named it: it must be a transcript.
    Named,
    /// By a walk: it may be anything.
    Walked,
    /// In the folder of a conversation: it may be anything, and belongs to the conversation if it
    /// is nothing else.
    Beside,
}

/// Everything that the user's arguments refer to.
#[derive(Debug, Default)]
pub struct Finds {
    /// The transcripts, in the order of the arguments; those of a folder by name.
    pub found: Vec<Located>,
    /// Named paths that could not be read or are of no known format.
    pub missed: Vec<Missed>,
    /// Paths that walks skipped.
    pub skipped: Vec<SkippedPath>,
    /// Arguments that refer to nothing at all.
    pub unmatched: Vec<Missed>,
    /// The paths that the arguments refer to.
    pub targets: Vec<PathBuf>,
    /// Those of them that the arguments name one by one, and not as the sessions of a host or project.
    pub named: Vec<PathBuf>,
    /// Paths found so far, without links: two spellings of one path are one path.
    seen: HashSet<PathBuf>,
    real: RealPaths,
    /// For folders that were checked for one of their files, the names of their record files.
    records: HashMap<PathBuf, HashSet<String>>,
    /// Files and folders that a conversation reads through links in its folder.
    linked: HashSet<PathBuf>,
    /// Transcripts that name another one as their starter: index of the former, path of the latter.
    starters: Vec<(usize, PathBuf)>,
    options: FindOptions,
}

impl Finds {
    /// Whether the arguments name each transcript: it, a file of its folder, or the session that started it.
    pub(crate) fn are_all_named(&self) -> bool {
        // A session of a store is found without the links of the path that was typed.
        let typed: Vec<PathBuf> = self.named.iter().map(|path| real(path)).collect();
        let named: HashSet<&Path> = typed.iter().flat_map(|path| path.ancestors()).collect();
        self.found.iter().all(|located| {
            let starter = located.parent.and_then(|at| self.found.get(at));
            let mut meant = iter::once(located).chain(starter);
            meant.any(|own| named.contains(real(&own.path).as_path()))
        })
    }

    /// Names what is below the working directory as people do: `run.jsonl`, not `./run.jsonl`.
    pub(crate) fn shorten(&mut self) {
        let located = self.found.iter_mut().map(|found| &mut found.path);
        let missed = self.missed.iter_mut().map(|missed| &mut missed.path);
        let skipped = self.skipped.iter_mut().map(|skipped| &mut skipped.path);
        for path in
            located.chain(missed).chain(skipped).chain(&mut self.targets).chain(&mut self.named)
        {
            let short = path.strip_prefix(".").ok().map(Path::to_owned);
            // `@all` and `-v` would not be read as paths.
            if let Some(short) = short.filter(|short| {
                let first = short.as_os_str().as_encoded_bytes().first();
                !matches!(first, None | Some(b'@' | b'-'))
            }) {
                *path = short;
            }
        }
    }
}

/// Finds the transcripts at these paths. A file named twice is found once. `only` is the format, if
/// it is known.
pub fn find(paths: &[PathBuf], only: Option<&'static Format>) -> Finds {
    let named: Vec<ArgumentTarget> =
        paths.iter().map(|path| ArgumentTarget::Path(path.clone())).collect();
    find_named(&named, FindOptions { only, ..FindOptions::default() })
}

/// Finds the transcripts that these arguments refer to.
pub(crate) fn find_named(words: &[ArgumentTarget], options: FindOptions) -> Finds {
    let mut finds = Finds { options, ..Finds::default() };
    let mut seen = HashSet::new();
    for word in words {
        match word {
            ArgumentTarget::Path(path) if path.as_os_str() == "-" => match Source::stdin() {
                Ok(source) => finds.source(path, source, FileOrigin::Named),
                Err(error) => finds.miss(path, error.to_string()),
            },
            ArgumentTarget::Session(StoredSession { path, database: Some(known), .. }) => {
                finds.add_session(path.clone(), Some(known));
            }
            ArgumentTarget::Path(path) | ArgumentTarget::Session(StoredSession { path, .. }) => {
                if seen.insert(real(path)) {
                    named(&mut finds, path);
                }
            }
            ArgumentTarget::Home(home) => add_host(&mut finds, home),
            ArgumentTarget::Around(path) => {
                walk::tree(&mut finds, path, None, WalkExtent::Visible);
            }
        }
    }
    kin::order_by_starter(&mut finds);
    finds
}

/// Adds the transcripts of a host. They are known by name; this reads their content.
fn add_host(finds: &mut Finds, home: &StoredSessions) {
    for (path, error) in &home.missed {
        finds.miss(path, reason(error));
    }
    for path in &home.links {
        finds.skip(path, walk::LINK);
    }
    let is_folder = |session: &StoredSession| matches!(session.place.holds, Holds::Folders);
    for alike in home.sessions.chunk_by(|a, b| is_folder(a) == is_folder(b)) {
        let (stored, alike): (Vec<&StoredSession>, Vec<&StoredSession>) =
            alike.iter().partition(|session| session.database.is_some());
        for session in stored {
            finds.add_session(session.path.clone(), session.database.as_ref());
        }
        let paths = alike.iter().map(|session| session.path.clone());
        if alike.iter().any(|session| is_folder(session)) {
            // The folder of a conversation holds those that it started.
            paths.for_each(|path| walk::tree(finds, &path, None, WalkExtent::Visible));
        } else {
            add_files(finds, paths.collect(), FileOrigin::Walked);
        }
    }
}

/// What reads a pipe, such as that of `<(COMMAND)` and `/dev/stdin`.
const PIPED: &str = "to read what a command prints: COMMAND | transcript-doctor check -";

fn named(finds: &mut Finds, path: &Path) {
    match fs::metadata(path) {
        Err(_) if store::of_member(path).is_some() => finds.add_session(path.to_owned(), None),
        Err(error) => finds.miss(path, reason(&error)),
        Ok(_) if let Some(around) = store_folder::around(path) => {
            if !finds.seen.contains(&around) {
                walk::tree(finds, &around, None, WalkExtent::Whole);
            }
        }
        Ok(meta) if meta.is_dir() => walk::folder(finds, path),
        Ok(meta) if meta.is_file() => match walk::whole_of(finds, path) {
            Ok(Some(folder)) if finds.seen.contains(&real(&folder)) => {}
            Ok(Some(folder)) => walk::tree(finds, &folder, None, WalkExtent::Whole),
            Ok(None) => add_file(finds, path, FileOrigin::Named),
            Err(error) => finds.miss(path, reason(&error)),
        },
        Ok(_) => finds.miss(path, format!("neither a file nor a folder: not opened; {PIPED}")),
    }
}

/// Adds a file, if it is a transcript.
fn add_file(finds: &mut Finds, path: &Path, origin: FileOrigin) {
    let seen = sample(path, origin, &finds.options);
    finds.take(path, origin, seen);
}

/// Files that are worth a thread.
const FILES_PER_THREAD: usize = 16;

/// Adds files that a walk reached, in their order. What each is, is found out on several threads.
fn add_files(finds: &mut Finds, files: Vec<PathBuf>, origin: FileOrigin) {
    let options = finds.options.clone();
    let jobs = options.jobs.min(files.len() / FILES_PER_THREAD).max(1);
    let mut files = files.into_iter();
    let mut next = |_| Ok::<_, Infallible>(files.next().into());
    let work = |path: PathBuf| {
        let seen = sample(&path, origin, &options);
        (path, seen)
    };
    let mut take = |(path, seen): (PathBuf, io::Result<(Source, FileKind)>)| {
        finds.take(&path, origin, seen);
        Ok(())
    };
    let Ok(()) = pool::in_order(jobs, &mut next, &work, &mut take);
}

fn archive(finds: &mut Finds, path: &Path, origin: FileOrigin) {
    let open = || {
        let source = Source::archive(path)?;
        let detection = walk::recognize(finds, &source, &name_of(path))?;
        Ok((source, detection))
    };
    match open() {
        Ok((source, Some(detection))) => {
            finds.add(path.to_owned(), source, detection, None);
        }
        Ok((_, None)) => finds.unknown(path, origin, "an archive of an unknown format"),
        Err(error) => finds.miss(path, reason(&error)),
    }
}

impl Finds {
    /// Adds a transcript, unless it was found before, and returns its index.
    fn add(
        &mut self,
        path: PathBuf,
        source: Source,
        detection: Detection,
        parent: Option<usize>,
    ) -> Option<usize> {
        if source.shape() != SourceShape::Stream && !self.seen.insert(self.real.of(&path)) {
            return None;
        }
        self.found.push(Located::new(path, source, detection, parent));
        self.found.len().checked_sub(1)
    }

    fn miss(&mut self, path: &Path, why: String) {
        self.missed.push(Missed::new(path, why));
    }

    fn skip(&mut self, path: &Path, why: impl Into<Cow<'static, str>>) {
        self.skipped.push(SkippedPath { path: path.to_owned(), why: why.into() });
    }

    /// Handles a file of no known format. `named` is the message if the user named it.
    fn unknown(&mut self, path: &Path, origin: FileOrigin, named: &str) {
        match origin {
            FileOrigin::Named => self.miss(path, named.to_owned()),
            FileOrigin::Walked => self.skip(path, "not a transcript"),
            FileOrigin::Beside => {}
        }
    }

    /// Handles a file of a known format that cannot be checked.
    fn unread(&mut self, path: &Path, origin: FileOrigin, why: String) {
        if origin == FileOrigin::Named { self.miss(path, why) } else { self.skip(path, why) }
    }

    /// Adds what a source without a path holds.
    fn source(&mut self, path: &Path, source: Source, origin: FileOrigin) {
        let seen = look(path, source, origin, &self.options);
        self.take(path, origin, seen);
    }

    /// Adds a file that is of this kind, unless a conversation reads it through a link.
    fn take(&mut self, path: &Path, origin: FileOrigin, seen: io::Result<(Source, FileKind)>) {
        let may_be_linked = origin != FileOrigin::Named && !self.linked.is_empty();
        if may_be_linked && self.linked.contains(&real(path)) {
            return;
        }
        match seen {
            Ok((source, kind)) => self.file(path, source, kind, origin),
            Err(error) => self.miss(path, reason(&error)),
        }
    }

    fn file(&mut self, path: &Path, source: Source, kind: FileKind, origin: FileOrigin) {
        match kind {
            FileKind::Transcript(detection, _)
                if origin != FileOrigin::Named
                    && (detection.format.traits.sets_aside)(&name_of(path)) =>
            {
                self.skip(path, "set aside by its host");
            }
            FileKind::Transcript(detection, started_by) => {
                let own = self.add(path.to_owned(), source, detection, None);
                self.starters.extend(own.zip(started_by));
            }
            FileKind::Archive => archive(self, path, origin),
            FileKind::Empty if origin == FileOrigin::Walked => self.skip(path, "empty file"),
            FileKind::Empty => self.unknown(path, origin, "the file is empty: nothing to check"),
            FileKind::Database(kind) => self.database(path, origin, kind),
            FileKind::Unread(why) => self.unread(path, origin, why),
            FileKind::Unclear(candidates) => self.unclear(path, origin, &candidates),
        }
    }

    /// Handles a file that no format explains, or none better than another.
    fn unclear(&mut self, path: &Path, origin: FileOrigin, candidates: &[FormatCandidate]) {
        if candidates.is_empty() {
            return self.unknown(path, origin, "unknown format");
        }
        let why = format!("unknown format: {}", detect::candidates::describe(candidates));
        if origin != FileOrigin::Named {
            return self.skip(path, why);
        }
        let candidates = candidates.iter().map(FormatCandidate::name).collect();
        self.missed.push(Missed { path: path.to_owned(), why, candidates });
    }
}
