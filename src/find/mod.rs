//! What the user typed, as sources: files, conversation folders, trees of them, standard input, sessions by name.

pub mod homes;
mod kin;
pub mod names;
mod prefer;
pub mod search;
mod store;
pub mod surroundings;
mod walk;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::bytes::source::{Entries, EntryId, Shape, Source};
use crate::containers::{Layout, database};
use crate::formats::fit::{Candidate, Detected, What, detect};
use crate::formats::head::Head;
use crate::formats::home::Holds;
use crate::formats::{self, Claim, Conversations, Format};
use crate::report::build::name_of;
use homes::{AtHome, Session};
use names::Named;

pub use prefer::alternative;
pub use walk::names_below;

/// A recording that was found.
#[derive(Debug)]
pub struct Found {
    /// Where it is; `-` for standard input.
    pub path: PathBuf,
    /// Its bytes.
    pub source: Source,
    /// What it is.
    pub claim: Claim,
    /// Position in [`Finds::found`] of the conversation that started this one.
    pub parent: Option<usize>,
}

/// What could not be looked at.
#[derive(Debug)]
pub struct Missed {
    /// What was named.
    pub path: PathBuf,
    /// Why, one line.
    pub why: String,
    /// The formats that it may be of, likeliest first, where its records do not tell which.
    pub candidates: Vec<&'static str>,
}

impl Missed {
    /// For another reason than its format.
    pub fn new(path: &Path, why: String) -> Missed {
        Missed { path: path.to_owned(), why, candidates: Vec::new() }
    }
}

/// Everything behind the words that the user typed.
#[derive(Debug, Default)]
pub struct Finds {
    /// The recordings, in the order of the words, each folder in the order of its names.
    pub found: Vec<Found>,
    /// What was named and could not be looked at, or is of no known format.
    pub missed: Vec<Missed>,
    /// Files met on a walk that are no recordings.
    pub passed_over: u64,
    /// Words that name nothing at all.
    pub unmatched: Vec<Missed>,
    /// What the words stand for.
    pub targets: Vec<PathBuf>,
    /// What was found already: two spellings of one path are one path.
    seen: HashSet<PathBuf>,
    /// The names of the record files of folders that were looked at for one of their files.
    records: HashMap<PathBuf, HashSet<String>>,
    /// The recordings that started others, as those say: position and path.
    starters: Vec<(usize, PathBuf)>,
    /// Each row of a file is a conversation, whatever it looks like.
    rows: bool,
}

/// Finds the recordings behind these paths. The same file named twice is found once. `only`: the format is known.
pub fn find(paths: &[PathBuf], only: Option<&'static Format>) -> Finds {
    let named: Vec<Named> = paths.iter().map(|path| Named::Path(path.clone())).collect();
    find_named(&named, only)
}

/// Finds the recordings behind what was named.
pub fn find_named(words: &[Named], only: Option<&'static Format>) -> Finds {
    find_in(Finds::default(), words, only)
}

/// As [`find_named`], where each row of a file is a conversation.
pub fn find_rows(words: &[Named], only: Option<&'static Format>) -> Finds {
    find_in(Finds { rows: true, ..Finds::default() }, words, only)
}

fn find_in(mut finds: Finds, words: &[Named], only: Option<&'static Format>) -> Finds {
    let mut seen = HashSet::new();
    for word in words {
        match word {
            Named::Path(path) if path.as_os_str() == "-" => match Source::stdin() {
                Ok(source) => finds.file(PathBuf::from("-"), source, only, true),
                Err(error) => finds.miss(path, error.to_string()),
            },
            Named::Path(path) | Named::Session(Session { path, .. }) => {
                if seen.insert(real(path)) {
                    named(&mut finds, path, only);
                }
            }
            Named::Home(home) => at_home(&mut finds, home, only),
        }
    }
    kin::arrange(&mut finds);
    finds
}

/// A host's recordings: their names were looked at, now their content.
fn at_home(finds: &mut Finds, home: &AtHome, only: Option<&'static Format>) {
    for (path, error) in &home.missed {
        finds.miss(path, reason(error));
    }
    for Session { path, place, .. } in &home.sessions {
        match place.holds {
            Holds::Files => one_file(finds, path, only, false),
            // A conversation's folder holds those that it started.
            Holds::Folders => walk::tree(finds, path, only, None),
        }
    }
}

fn named(finds: &mut Finds, path: &Path, only: Option<&'static Format>) {
    match fs::metadata(path) {
        Err(error) => finds.miss(path, reason(&error)),
        Ok(meta) if meta.is_dir() => walk::folder(finds, path, only),
        Ok(meta) if meta.is_file() => match walk::whole_of(finds, path, only) {
            Some(folder) if finds.seen.contains(&real(&folder)) => {}
            Some(folder) => walk::tree(finds, &folder, only, None),
            None => one_file(finds, path, only, true),
        },
        Ok(_) => finds.miss(path, "neither a file nor a folder: not opened".to_owned()),
    }
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// An I/O error in words without codes.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// Looks at one file. A file that was named must be a recording; one that was met on a walk may be anything.
fn one_file(finds: &mut Finds, path: &Path, only: Option<&'static Format>, named: bool) {
    // Whatever else is compressed and lies on the way is not unpacked to see that it is no recording.
    let other = |byte: Option<u8>| byte.is_some_and(|byte| !matches!(byte, b'{' | b'['));
    if !named && Source::peek(path).is_ok_and(other) {
        finds.passed_over += 1;
        return;
    }
    match Source::file(path) {
        Ok(source) if is_zip(&source) => archive(finds, path, only, named),
        Ok(source) => finds.file(path.to_owned(), source, only, named),
        Err(error) if named => finds.miss(path, reason(&error)),
        Err(_) => finds.missed_on_walk(path),
    }
}

fn is_zip(source: &Source) -> bool {
    let entry = EntryId(0);
    let at = crate::bytes::source::Span { entry, start: 0, end: 4.min(source.len(entry)) };
    source.fetch(at).is_ok_and(|magic| magic == b"PK\x03\x04")
}

fn archive(finds: &mut Finds, path: &Path, only: Option<&'static Format>, named: bool) {
    match Source::archive(path) {
        Ok(source) => {
            let claim = formats::recognise(&Head::of_names(&source, &name_of(path)), only);
            match claim {
                Some(claim) => {
                    finds.add(path.to_owned(), source, claim, None);
                }
                None => finds.unknown(path, named, "an archive of no format that is known"),
            }
        }
        Err(error) if named => finds.miss(path, reason(&error)),
        Err(_) => finds.missed_on_walk(path),
    }
}

impl Finds {
    /// Adds a recording, unless it was found already. The answer is its position.
    fn add(&mut self, path: PathBuf, source: Source, claim: Claim, parent: Option<usize>) -> Option<usize> {
        if source.shape() != Shape::Stream && !self.seen.insert(real(&path)) {
            return None;
        }
        self.found.push(Found { path, source, claim, parent });
        self.found.len().checked_sub(1)
    }

    fn miss(&mut self, path: &Path, why: String) {
        self.missed.push(Missed::new(path, why));
    }

    fn missed_on_walk(&mut self, path: &Path) {
        self.miss(path, "permission denied or vanished".to_owned());
    }

    fn unknown(&mut self, path: &Path, named: bool, why: &str) {
        if named {
            self.miss(path, why.to_owned());
        } else {
            self.passed_over += 1;
        }
    }

    fn file(&mut self, path: PathBuf, source: Source, only: Option<&'static Format>, named: bool) {
        let entry = EntryId(0);
        let size = source.len(entry);
        if size == 0 {
            self.unknown(&path, named, "the file is empty: nothing to check");
            return;
        }
        if let Some(kind) = database::kind(&source, entry) {
            let told = if named { store::told(kind, &path, &source) } else { String::new() };
            return self.unknown(&path, named, &told);
        }
        let name = name_of(&path);
        let head = match Head::of_file(&source, entry, &name) {
            Ok(head) => head,
            Err(error) if named => return self.miss(&path, reason(&error)),
            Err(_) => return self.missed_on_walk(&path),
        };
        let forced = if self.rows { formats::recognise_rows(&head, only) } else { None };
        let detected = match only {
            // The user knows.
            Some(_) => forced
                .or_else(|| formats::recognise(&head, only))
                .or_else(|| named_format(&head, only))
                .map_or(Detected::Unclear(Vec::new()), Detected::read),
            None => match (detect(&head), forced) {
                (Detected::Is(What::Read(_)) | Detected::Unclear(_), Some(claim)) => Detected::read(claim),
                (detected, _) => detected,
            },
        };
        match detected {
            Detected::Is(What::Read(claim)) if !named && (claim.format.habits.sets_aside)(&name) => {
                self.passed_over += 1;
            }
            Detected::Is(What::Read(claim)) => {
                let started_by = (claim.format.habits.started_by)(&path, &head);
                drop(head);
                let own = self.add(path, source, claim, None);
                self.starters.extend(own.zip(started_by));
            }
            Detected::Is(What::Named(kind)) => self.unknown(&path, named, &kind.why()),
            Detected::Unclear(candidates) => self.unclear(&path, named, &candidates),
        }
    }

    /// A recording that no format explains, or none better than another.
    fn unclear(&mut self, path: &Path, named: bool, candidates: &[Candidate]) {
        if !named || candidates.is_empty() {
            return self.unknown(path, named, "of no format that is known");
        }
        let why = format!("unknown format: {}", formats::fit::told(candidates));
        let candidates = candidates.iter().map(Candidate::name).collect();
        self.missed.push(Missed { path: path.to_owned(), why, candidates });
    }
}

/// A format that the user named is believed where nothing speaks for another container than lines.
fn named_format(head: &Head<'_>, only: Option<&'static Format>) -> Option<Claim> {
    let format = only?;
    // The user knows better than what shows no sign.
    if let Some(layout) = format.habits.unsigned.and_then(|(_, recognise)| recognise(head)) {
        return Some(Claim { format, layout, conversations: Conversations::One });
    }
    let entry = head.single.filter(|_| head.document.is_none())?;
    Some(Claim { format, layout: Layout::Lines(entry), conversations: Conversations::One })
}

/// A folder as a source, with all names that a format may look at.
pub fn open_folder(path: &Path) -> io::Result<Source> {
    Source::folder(path, names_below(path)?)
}

/// Opens what was written, as it was found before.
///
/// # Errors
/// It cannot be opened, or is no longer what it was.
pub fn open_again(path: &Path, shape: Shape, was: &Claim) -> io::Result<(Source, Claim)> {
    let source = match shape {
        Shape::Folder => open_folder(path)?,
        Shape::Archive => Source::archive(path)?,
        _ => Source::file(path)?,
    };
    let claim = claim(&source, &name_of(path), was)?;
    Ok((source, claim))
}

/// Recognises a source of a known format again.
///
/// # Errors
/// It cannot be read, or is no longer of this format.
pub fn claim(source: &Source, name: &str, was: &Claim) -> io::Result<Claim> {
    let format = was.format;
    let claim = match source.shape() {
        Shape::Folder | Shape::Archive => formats::recognise(&Head::of_names(source, name), Some(format)),
        _ => {
            let head = Head::of_file(source, EntryId(0), name)?;
            let forced = was.conversations.is_forced();
            let rows = if forced { formats::recognise_rows(&head, Some(format)) } else { None };
            rows.or_else(|| formats::recognise(&head, Some(format)))
                .or_else(|| named_format(&head, Some(format)))
        }
    };
    claim.ok_or_else(|| io::Error::other("it is no recording of this format any more"))
}
