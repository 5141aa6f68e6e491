//! Turns what the user typed into sources: files, conversation folders, directory trees, standard
//! input, sessions by name.

mod exclude;
pub(crate) mod globs;
pub(crate) mod homes;
mod kin;
mod listing;
pub(crate) mod names;
mod prefer;
mod reason;
pub(crate) mod search;
pub(crate) mod store;
mod store_folder;
pub(crate) mod surroundings;
pub(crate) mod typed;
mod walk;
mod watched;

pub(crate) use exclude::Excluded;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fs;
use std::io::{self, Read};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::bytes::packed::Codec;
use crate::bytes::source::{Entries, EntryId, Source, SourceShape};
use crate::containers::batches::LONGEST;
use crate::containers::{Scanned, database, pool};
use crate::detect::candidates::{Detected, FormatCandidate, Recognized, detect, detect_file};
use crate::detect::{self, rows};
use crate::format::head::Sample;
use crate::format::home::Holds;
use crate::format::{Detection, Format};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{RecordEnd, Tape};
use homes::{StoredSession, StoredSessions};
use names::ArgumentTarget;
pub(crate) use reason::OpenError;
use reason::reason;
use store::SharedSessions;
use walk::WalkExtent;

pub(crate) use reason::in_words;
pub(crate) use walk::names_below;

/// The last component of a path, with invalid UTF-8 replaced, and without the extension of a codec.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Codec::of_name(&name).map_or(name.as_str(), |(_, stem)| stem).to_owned()
}

/// Most bytes of a compressed file that are read to find the first character of its content.
const MAX_PROBE_BYTES: u64 = 64 << 10;

/// A transcript that was found, without its bytes. Thousands of them keep no file open.
#[derive(Debug)]
pub struct Located {
    /// Path of the transcript; `-` for standard input.
    pub path: PathBuf,
    /// Its format and layout.
    pub detection: Detection,
    /// Its size in bytes, as far as it is known without unpacking.
    pub size: u64,
    /// Index in [`Finds::found`] of the conversation that started this one.
    pub parent: Option<usize>,
    shape: SourceShape,
    /// [`Source::fingerprint`] when it was recognized.
    fingerprint: u64,
    /// Standard input, which cannot be read twice.
    kept: Option<Source>,
    /// The database that it is in, which was searched for sessions once.
    database: Option<Arc<SharedSessions>>,
}

/// A transcript that is open.
#[derive(Debug)]
pub struct Found {
    /// Path of the transcript; `-` for standard input.
    pub path: PathBuf,
    pub source: Source,
    /// Its format and layout.
    pub detection: Detection,
    /// Index in [`Finds::found`] of the conversation that started this one.
    pub parent: Option<usize>,
    /// The database that it is in, which was searched for sessions once.
    pub(crate) database: Option<Arc<SharedSessions>>,
}

impl Located {
    fn new(path: PathBuf, source: Source, detection: Detection, parent: Option<usize>) -> Located {
        let inside = source.ids().into_iter().map(|id| source.len(id)).fold(0, u64::saturating_add);
        let packed = source.packed().map_or(0, |packed| packed.size());
        let (size, shape, fingerprint) = (inside.max(packed), source.shape(), source.fingerprint());
        let kept = Some(source).filter(|source| source.shape() == SourceShape::Stream);
        Located { path, detection, size, parent, shape, fingerprint, kept, database: None }
    }

    /// The transcript, if its source is open.
    fn into_found(self) -> Option<Found> {
        Some(Found {
            path: self.path,
            source: self.kept?,
            detection: self.detection,
            parent: self.parent,
            database: self.database,
        })
    }

    /// When it was written last.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        match &self.database {
            Some(sessions) => store::changed(&self.path, sessions),
            None => fs::metadata(&self.path).ok()?.modified().ok(),
        }
    }

    /// Opens the transcript. If it changed since it was found, it is recognized again.
    ///
    /// # Errors
    /// It cannot be opened, or is no longer a transcript of this format.
    pub fn open(&self) -> Result<Found, OpenError> {
        let source = match &self.kept {
            Some(source) => source.try_clone()?,
            None if let Some(sessions) = &self.database => {
                store::open_session(&self.path, Some(sessions))?.0
            }
            None => open_as(&self.path, self.shape)?,
        };
        let detection = if source.fingerprint() == self.fingerprint {
            self.detection.clone()
        } else {
            recognize_again(&source, &name_of(&self.path), &self.detection)?
        };
        Ok(Found {
            path: self.path.clone(),
            source,
            detection,
            parent: self.parent,
            database: self.database.clone(),
        })
    }
}

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

/// A row of standard input.
#[derive(Debug)]
pub(crate) struct FoundRow {
    pub found: Found,
    /// The tokens of its line and its conversations, if it is one object with any.
    object: Option<(Tape, Vec<rows::FoundConversation>)>,
}

impl FoundRow {
    /// Its line without the ending, if that was scanned, and the conversations in it.
    pub(crate) fn scanned(&self) -> Option<(Scanned<'_>, &[rows::FoundConversation])> {
        let bytes = line_of(&self.found.source)?;
        let (tape, conversations) = self.object.as_ref()?;
        Some((Scanned { bytes, tape }, conversations))
    }
}

/// The only line of a source in memory, without its ending.
fn line_of(source: &Source) -> Option<&[u8]> {
    let bytes = source.in_memory(EntryId(0))?;
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

/// Recognizes the conversation in a row of standard input, which is this line of it.
///
/// # Errors
/// It is of no known format.
pub(crate) fn find_row(
    bytes: Vec<u8>,
    line: u64,
    target: &str,
    options: FindOptions,
) -> Result<FoundRow, Missed> {
    let source = Source::row_of_stdin(bytes, line);
    let (found, object) = match recognize_object(&source, options.only) {
        Some((detection, tape, conversations)) => {
            let found =
                Found { path: PathBuf::from("-"), source, detection, parent: None, database: None };
            (found, Some((tape, conversations)))
        }
        None => (find_source(source, target, options)?, None),
    };
    Ok(FoundRow { found, object })
}

/// Recognizes the transcript in bytes that have no path.
///
/// # Errors
/// It is of no known format.
pub(crate) fn find_bytes(
    bytes: Vec<u8>,
    target: &str,
    options: FindOptions,
) -> Result<Found, Missed> {
    find_source(Source::row_of_stdin(bytes, 1), target, options)
}

/// Recognizes a row that is one object, and scans it only once. `None`: anything else, which [`recognize`] recognizes.
fn recognize_object(
    source: &Source,
    only: Option<&'static Format>,
) -> Option<(Detection, Tape, Vec<rows::FoundConversation>)> {
    let line = line_of(source).filter(|line| line.len() <= LONGEST && line.starts_with(b"{"))?;
    let tape = scan(line, ScanMode::Line);
    if !matches!(tape.end, RecordEnd::Whole) {
        return None;
    }
    let mut sample = Sample::of_line(source, "-", line, tape);
    let (detection, conversations) = detect::recognize_row(&sample, only)?;
    let (_, tape) = sample.records.pop()?;
    Some((detection, tape.into_owned(), conversations))
}

/// Recognizes the transcript in a source that has no path.
fn find_source(source: Source, target: &str, options: FindOptions) -> Result<Found, Missed> {
    let is_told = options.only.is_some();
    let mut finds = Finds { options, ..Finds::default() };
    let path = Path::new("-");
    finds.source(path, source, FileOrigin::Named);
    if !is_told {
        finds.prefer(target);
    }
    let found = finds.found.pop().and_then(Located::into_found);
    found.ok_or_else(|| {
        let missed = finds.missed.pop();
        missed.unwrap_or_else(|| Missed::new(path, "no transcript"))
    })
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

/// The path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Paths without links, of which those of one folder usually follow one another: only the first asks for each component.
#[derive(Debug, Default)]
struct RealPaths {
    /// A folder as it was named, and without links.
    folder: Option<(PathBuf, PathBuf)>,
}

impl RealPaths {
    /// The same as [`real`].
    fn of(&mut self, path: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return real(path);
        };
        if fs::symlink_metadata(path).map_or(true, |meta| meta.is_symlink()) {
            return real(path);
        }
        if let Some((known, real)) = &self.folder
            && known == folder
        {
            return real.join(name);
        }
        let real = real(path);
        let around = real.parent().map(Path::to_owned);
        self.folder = around.map(|around| (folder.to_owned(), around));
        real
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

/// A file, as far as it shows what it is.
fn sample(
    path: &Path,
    origin: FileOrigin,
    options: &FindOptions,
) -> io::Result<(Source, FileKind)> {
    let source = Source::sample(path)?;
    if is_zip(&source) {
        Ok((source, FileKind::Archive))
    } else {
        look(path, source, origin, options)
    }
}

/// What a source is, which may be read further for that.
fn look(
    path: &Path,
    mut source: Source,
    origin: FileOrigin,
    options: &FindOptions,
) -> io::Result<(Source, FileKind)> {
    let mut kind = recognize(path, &source, options)?;
    // The start of a compressed file may not show the format. A file reached by a walk is
    // unpacked further only if it looks like JSON.
    if source.is_sample()
        && kind.is_unclear()
        && (origin == FileOrigin::Named || begins_like_json(&source)?)
    {
        source = Source::file(path)?;
        kind = recognize(path, &source, options)?;
    }
    Ok((source, kind))
}

fn is_zip(source: &Source) -> bool {
    let entry = EntryId(0);
    let at = crate::bytes::source::Span { entry, start: 0, end: 4.min(source.len(entry)) };
    source.fetch(at).is_ok_and(|magic| magic == b"PK\x03\x04")
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

/// What a single file is.
enum FileKind {
    /// A transcript, with the path of the one that started it.
    Transcript(Detection, Option<PathBuf>),
    /// A zip archive, which is read as a whole.
    Archive,
    Empty,
    Database(database::DatabaseKind),
    /// Of a known format that is not supported; the reason in words.
    Unread(String),
    /// Of one of these formats, or of none.
    Unclear(Vec<FormatCandidate>),
}

impl FileKind {
    /// Whether more bytes might decide.
    fn is_unclear(&self) -> bool {
        matches!(self, FileKind::Unclear(_) | FileKind::Database(_))
    }
}

fn recognize(path: &Path, source: &Source, options: &FindOptions) -> io::Result<FileKind> {
    let (only, rows) = (options.format_at(path), options.rows);
    let entry = EntryId(0);
    if source.len(entry) == 0 {
        return Ok(FileKind::Empty);
    }
    if let Some(kind) = database::kind(source, entry) {
        return Ok(FileKind::Database(kind));
    }
    if is_utf_16(source)? {
        return Ok(FileKind::Unread(UTF_16.to_owned()));
    }
    let name = name_of(path);
    let (head, detected) = match (only, rows) {
        (None, false) => detect_file(source, entry, &name)?,
        _ => {
            let head = Sample::of_file(source, entry, &name)?;
            let detected = detect_as_named(&head, only, rows);
            (head, detected)
        }
    };
    Ok(match detected {
        Detected::Is(Recognized::Read(detection)) => {
            let started_by = (detection.format.traits.started_by)(path, &head, &list);
            FileKind::Transcript(detection, started_by)
        }
        Detected::Is(Recognized::Named(kind)) => FileKind::Unread(kind.why()),
        Detected::Unclear(candidates) => FileKind::Unclear(candidates),
    })
}

/// What a file is if the user named its format, or said that each row is a conversation.
fn detect_as_named(head: &Sample<'_>, only: Option<&'static Format>, rows: bool) -> Detected {
    let forced = if rows { detect::recognize_rows(head, only) } else { None };
    if only.is_some() {
        let whole = || detect::recognize(head, only);
        return forced
            .filter(|forced| !whole().is_some_and(|whole| is_session(&whole, forced)))
            .or_else(whole)
            .or_else(|| detect::named_format(head, only))
            .map_or(Detected::Unclear(Vec::new()), Detected::read);
    }
    match (detect(head), forced) {
        (Detected::Is(Recognized::Read(whole)), Some(forced)) if is_session(&whole, &forced) => {
            Detected::read(whole)
        }
        (Detected::Is(Recognized::Read(_)) | Detected::Unclear(_), Some(detection)) => {
            Detected::read(detection)
        }
        (detected, _) => detected,
    }
}

/// Whether a file is one session of a host that writes no rows: its lines are records, and none of them is a conversation.
fn is_session(whole: &Detection, as_rows: &Detection) -> bool {
    whole.layout.is_lines()
        && !whole.conversations.are_rows()
        && whole.format.name == as_rows.format.name
        && !whole.format.traits.rows
}

/// The contents of a folder, for a format that knows which file in it started a conversation.
fn list(folder: &Path) -> Vec<PathBuf> {
    let items = std::fs::read_dir(folder).into_iter().flatten();
    items.flatten().map(|item| item.path()).collect()
}

/// Windows PowerShell writes it where the output of a command is redirected to a file.
const UTF_16: &str = "text in UTF-16, which no agent reads back: convert it to UTF-8, as with `iconv -f UTF-16 -t UTF-8`";
/// First bytes of a text that show its encoding without a mark: a few characters.
const PROBED: u64 = 16;

/// Whether a text is in UTF-16: it has the mark, or a NUL byte at one side of each of its first characters, the first of which
/// opens an object or an array.
fn is_utf_16(source: &Source) -> io::Result<bool> {
    let mut first = Vec::new();
    source.open(EntryId(0))?.take(PROBED).read_to_end(&mut first)?;
    if first.starts_with(&[0xFF, 0xFE]) || first.starts_with(&[0xFE, 0xFF]) {
        return Ok(true);
    }
    let (pairs, _) = first.as_chunks::<2>();
    let is_wide = |side: usize| {
        let opens = pairs.first().is_some_and(|pair| matches!(pair[1 - side], b'{' | b'['));
        opens && pairs.len() > 1 && pairs.iter().all(|pair| pair[side] == 0 && pair[1 - side] != 0)
    };
    Ok(is_wide(0) || is_wide(1))
}

/// Whether the first character, after white space, NULs and a byte order mark, opens an object or
/// an array.
fn begins_like_json(source: &Source) -> io::Result<bool> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF | 0);
    let mut bytes = Vec::new();
    source.open(EntryId(0))?.take(MAX_PROBE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes
        .into_iter()
        .find(|byte| !is_blank(byte))
        .is_some_and(|byte| matches!(byte, b'{' | b'[')))
}

/// Opens a folder as a source, with all names that a format may use.
pub(crate) fn open_folder(path: &Path) -> io::Result<Source> {
    match store_folder::store_of(path) {
        Some(store) => Source::folder(store, store_folder::names(store, path)?),
        None => Source::folder(path, names_below(path)?),
    }
}

/// Opens a transcript again that was found before.
///
/// # Errors
/// It cannot be opened, or is no longer a transcript of this format.
pub(crate) fn open_again(
    path: &Path,
    shape: SourceShape,
    was: &Detection,
) -> io::Result<(Source, Detection)> {
    let source = open_as(path, shape)?;
    let detection = recognize_again(&source, &name_of(path), was)?;
    Ok((source, detection))
}

fn open_as(path: &Path, shape: SourceShape) -> io::Result<Source> {
    match shape {
        SourceShape::Folder => open_folder(path),
        SourceShape::Archive => Source::archive(path),
        SourceShape::Database => store::open_session(path, None).map(|(source, _)| source),
        _ => Source::file(path),
    }
}

/// Recognizes a source of a known format again.
///
/// # Errors
/// It cannot be read, or is no longer of this format.
pub fn recognize_again(source: &Source, name: &str, was: &Detection) -> io::Result<Detection> {
    if source.shape() == SourceShape::Database {
        return store::detection(source, name, was.format);
    }
    detect::recognize_again(&Sample::of_source(source, name)?, was)
        .ok_or_else(|| io::Error::other("it changed, and this format is not recognized in it now"))
}
