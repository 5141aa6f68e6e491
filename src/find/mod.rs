//! What the user typed, as sources: files, conversation folders, trees of them, standard input, sessions by name.

pub(crate) mod homes;
mod kin;
mod listing;
pub(crate) mod names;
mod prefer;
mod reason;
pub(crate) mod search;
mod store;
pub(crate) mod surroundings;
pub(crate) mod typed;
mod walk;
mod watched;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::bytes::packed::Codec;
use crate::bytes::source::{Entries, EntryId, Shape, Source};
use crate::containers::{Layout, database};
use crate::formats::fit::{Candidate, Detected, What, detect};
use crate::formats::head::Sample;
use crate::formats::home::Holds;
use crate::formats::{self, Detection, Format};
use homes::{AtHome, Session};
use names::Named;
use reason::reason;
use walk::Extent;

pub(crate) use reason::in_words;
pub(crate) use walk::names_below;

/// A path's last component, without what is not UTF-8 in it, and without an ending that says how it is compressed.
pub fn name_of(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    Codec::of_name(&name)
        .map_or(name.as_str(), |(_, stem)| stem)
        .to_owned()
}

/// Bytes of a compressed file that are looked at for the first one of its content.
const LOOK: u64 = 64 << 10;

/// A transcript that was located: what it is, without its bytes. Thousands of them hold no file open.
#[derive(Debug)]
pub struct Located {
    /// Where it is; `-` for standard input.
    pub path: PathBuf,
    /// What it is.
    pub claim: Detection,
    /// Its size in bytes, as far as that is known without unpacking it.
    pub size: u64,
    /// Position in [`Finds::found`] of the conversation that started this one.
    pub parent: Option<usize>,
    shape: Shape,
    /// [`Source::fingerprint`] when it was recognized.
    fingerprint: u64,
    /// Standard input, which cannot be read a second time.
    kept: Option<Source>,
}

/// The same with its bytes at hand.
#[derive(Debug)]
pub struct Found {
    /// Where it is; `-` for standard input.
    pub path: PathBuf,
    /// Its bytes.
    pub source: Source,
    /// What it is.
    pub claim: Detection,
    /// Position in [`Finds::found`] of the conversation that started this one.
    pub parent: Option<usize>,
}

impl Located {
    fn new(path: PathBuf, source: Source, claim: Detection, parent: Option<usize>) -> Located {
        let inside = source
            .ids()
            .into_iter()
            .map(|id| source.len(id))
            .fold(0, u64::saturating_add);
        let packed = source.packed().map_or(0, |packed| packed.size());
        let (size, shape, fingerprint) = (inside.max(packed), source.shape(), source.fingerprint());
        let kept = Some(source).filter(|source| source.shape() == Shape::Stream);
        Located {
            path,
            claim,
            size,
            parent,
            shape,
            fingerprint,
            kept,
        }
    }

    /// Opens it. What changed since it was located is recognized again.
    ///
    /// # Errors
    /// It cannot be opened, or is no longer what it was; in words for the user.
    pub fn open(&self) -> Result<Found, String> {
        let open = || {
            let source = match &self.kept {
                Some(source) => source.try_clone()?,
                None => open_as(&self.path, self.shape)?,
            };
            let claim = match source.fingerprint() == self.fingerprint {
                true => self.claim.clone(),
                false => claim(&source, &name_of(&self.path), &self.claim)?,
            };
            Ok(Found {
                path: self.path.clone(),
                source,
                claim,
                parent: self.parent,
            })
        };
        open().map_err(|error| reason(&error))
    }
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
        Missed {
            path: path.to_owned(),
            why: in_words(&why),
            candidates: Vec::new(),
        }
    }
}

/// What was met on a walk and not looked at, or is not a transcript.
#[derive(Debug)]
pub struct Skipped {
    /// A file, or a folder with everything in it.
    pub path: PathBuf,
    /// Why, a few words.
    pub why: Cow<'static, str>,
}

/// What is looked for, and how far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// The format is known.
    pub only: Option<&'static Format>,
    /// Each row of a file is a conversation, whatever it looks like.
    pub rows: bool,
    /// Hidden files and folders are looked at wherever a walk begins, `.git` too.
    pub hidden: bool,
    /// Ignore files do not count wherever a walk begins, and installed packages are looked at.
    pub no_ignore: bool,
    /// The journal, which holds what was repaired as it was: never looked into.
    pub journal: Option<PathBuf>,
}

/// How a file was met.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Met {
    /// The user named it: it must be a transcript.
    Named,
    /// On a walk: it may be anything.
    Walked,
    /// In the folder of a conversation: it may be anything, and is a part of the conversation if it is nothing else.
    Beside,
}

/// Everything behind the words that the user typed.
#[derive(Debug, Default)]
pub struct Finds {
    /// The recordings, in the order of the words, each folder in the order of its names.
    pub found: Vec<Located>,
    /// What was named and could not be looked at, or is of no known format.
    pub missed: Vec<Missed>,
    /// What was met on a walk and is not among these.
    pub skipped: Vec<Skipped>,
    /// Words that name nothing at all.
    pub unmatched: Vec<Missed>,
    /// What the words stand for.
    pub targets: Vec<PathBuf>,
    /// What was found already: two spellings of one path are one path.
    seen: HashSet<PathBuf>,
    /// The names of the record files of folders that were looked at for one of their files.
    records: HashMap<PathBuf, HashSet<String>>,
    /// Files and folders that a conversation reads through links in its folder.
    linked: HashSet<PathBuf>,
    /// The recordings that started others, as those say: position and path.
    starters: Vec<(usize, PathBuf)>,
    options: Options,
}

/// Finds the recordings behind these paths. The same file named twice is found once. `only`: the format is known.
pub fn find(paths: &[PathBuf], only: Option<&'static Format>) -> Finds {
    let named: Vec<Named> = paths.iter().map(|path| Named::Path(path.clone())).collect();
    find_named(
        &named,
        Options {
            only,
            ..Options::default()
        },
    )
}

/// Finds the recordings behind what was named.
pub(crate) fn find_named(words: &[Named], options: Options) -> Finds {
    let mut finds = Finds {
        options,
        ..Finds::default()
    };
    let mut seen = HashSet::new();
    for word in words {
        match word {
            Named::Path(path) if path.as_os_str() == "-" => match Source::stdin() {
                Ok(source) => finds.file(PathBuf::from("-"), source, Met::Named),
                Err(error) => finds.miss(path, error.to_string()),
            },
            Named::Path(path) | Named::Session(Session { path, .. }) => {
                if seen.insert(real(path)) {
                    named(&mut finds, path);
                }
            }
            Named::Home(home) => at_home(&mut finds, home),
        }
    }
    kin::arrange(&mut finds);
    finds
}

/// A host's recordings: their names were looked at, now their content.
fn at_home(finds: &mut Finds, home: &AtHome) {
    for (path, error) in &home.missed {
        finds.miss(path, reason(error));
    }
    for path in &home.links {
        finds.skip(path, walk::LINK);
    }
    for Session { path, place, .. } in &home.sessions {
        match place.holds {
            Holds::Files => one_file(finds, path, Met::Walked),
            // A conversation's folder holds those that it started.
            Holds::Folders => walk::tree(finds, path, None, Extent::Visible),
        }
    }
}

fn named(finds: &mut Finds, path: &Path) {
    match fs::metadata(path) {
        Err(error) => finds.miss(path, reason(&error)),
        Ok(meta) if meta.is_dir() => walk::folder(finds, path),
        Ok(meta) if meta.is_file() => match walk::whole_of(finds, path) {
            Ok(Some(folder)) if finds.seen.contains(&real(&folder)) => {}
            Ok(Some(folder)) => walk::tree(finds, &folder, None, Extent::Whole),
            Ok(None) => one_file(finds, path, Met::Named),
            Err(error) => finds.miss(path, reason(&error)),
        },
        Ok(_) => finds.miss(path, "neither a file nor a folder: not opened".to_owned()),
    }
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Looks at one file.
fn one_file(finds: &mut Finds, path: &Path, met: Met) {
    if met != Met::Named && !finds.linked.is_empty() && finds.linked.contains(&real(path)) {
        return;
    }
    match Source::sample(path) {
        Ok(source) if is_zip(&source) => archive(finds, path, met),
        Ok(source) => finds.file(path.to_owned(), source, met),
        Err(error) => finds.miss(path, reason(&error)),
    }
}

fn is_zip(source: &Source) -> bool {
    let entry = EntryId(0);
    let at = crate::bytes::source::Span {
        entry,
        start: 0,
        end: 4.min(source.len(entry)),
    };
    source.fetch(at).is_ok_and(|magic| magic == b"PK\x03\x04")
}

fn archive(finds: &mut Finds, path: &Path, met: Met) {
    let open = || {
        let source = Source::archive(path)?;
        let claim = walk::recognize(finds, &source, &name_of(path))?;
        Ok((source, claim))
    };
    match open() {
        Ok((source, Some(claim))) => {
            finds.add(path.to_owned(), source, claim, None);
        }
        Ok((_, None)) => finds.unknown(path, met, "an archive of no format that is known"),
        Err(error) => finds.miss(path, reason(&error)),
    }
}

impl Finds {
    /// Adds a recording, unless it was found already. The answer is its position.
    fn add(
        &mut self,
        path: PathBuf,
        source: Source,
        claim: Detection,
        parent: Option<usize>,
    ) -> Option<usize> {
        if source.shape() != Shape::Stream && !self.seen.insert(real(&path)) {
            return None;
        }
        self.found.push(Located::new(path, source, claim, parent));
        self.found.len().checked_sub(1)
    }

    fn miss(&mut self, path: &Path, why: String) {
        self.missed.push(Missed::new(path, why));
    }

    fn skip(&mut self, path: &Path, why: impl Into<Cow<'static, str>>) {
        self.skipped.push(Skipped {
            path: path.to_owned(),
            why: why.into(),
        });
    }

    /// Something that is not known at all. `named`: what is said of it where the user named it.
    fn unknown(&mut self, path: &Path, met: Met, named: &str) {
        match met {
            Met::Named => self.miss(path, named.to_owned()),
            Met::Walked => self.skip(path, "not a transcript"),
            Met::Beside => {}
        }
    }

    /// Something that is known, and is not checked.
    fn unread(&mut self, path: &Path, met: Met, why: String) {
        if met == Met::Named {
            self.miss(path, why)
        } else {
            self.skip(path, why)
        }
    }

    fn file(&mut self, path: PathBuf, source: Source, met: Met) {
        if let Err(error) = self.look(&path, source, met) {
            self.miss(&path, reason(&error));
        }
    }

    fn look(&mut self, path: &Path, mut source: Source, met: Met) -> io::Result<()> {
        let name = name_of(path);
        let mut look = recognize(path, &source, &self.options)?;
        // The beginning of a compressed file may say too little. One that was met on a walk is unpacked as a whole only
        // where it looks like JSON.
        if source.is_sample()
            && look.is_unclear()
            && (met == Met::Named || begins_like_json(&source)?)
        {
            source = Source::file(path)?;
            look = recognize(path, &source, &self.options)?;
        }
        match look {
            Look::Transcript(claim, _)
                if met != Met::Named && (claim.format.traits.sets_aside)(&name) =>
            {
                self.skip(path, "set aside by its host");
            }
            Look::Transcript(claim, started_by) => {
                let own = self.add(path.to_owned(), source, claim, None);
                self.starters.extend(own.zip(started_by));
            }
            Look::Empty if met == Met::Walked => self.skip(path, "empty file"),
            Look::Empty => self.unknown(path, met, "the file is empty: nothing to check"),
            Look::Database(kind) => self.unread(path, met, store::told(kind, path, &source)),
            Look::Unread(why) => self.unread(path, met, why),
            Look::Unclear(candidates) => self.unclear(path, met, &candidates),
        }
        Ok(())
    }

    /// A recording that no format explains, or none better than another.
    fn unclear(&mut self, path: &Path, met: Met, candidates: &[Candidate]) {
        if candidates.is_empty() {
            return self.unknown(path, met, "of no format that is known");
        }
        let why = format!("unknown format: {}", formats::fit::told(candidates));
        if met != Met::Named {
            return self.skip(path, why);
        }
        let candidates = candidates.iter().map(Candidate::name).collect();
        self.missed.push(Missed {
            path: path.to_owned(),
            why,
            candidates,
        });
    }
}

/// What a single file is.
enum Look {
    /// A transcript, and the one that started it.
    Transcript(Detection, Option<PathBuf>),
    Empty,
    Database(database::Kind),
    /// Of a format that is known and not read, in words.
    Unread(String),
    /// Of one of these, or of none.
    Unclear(Vec<Candidate>),
}

impl Look {
    /// Whether more bytes might tell more.
    fn is_unclear(&self) -> bool {
        matches!(self, Look::Unclear(_) | Look::Database(_))
    }
}

fn recognize(path: &Path, source: &Source, options: &Options) -> io::Result<Look> {
    let Options { only, rows, .. } = *options;
    let entry = EntryId(0);
    if source.len(entry) == 0 {
        return Ok(Look::Empty);
    }
    if let Some(kind) = database::kind(source, entry) {
        return Ok(Look::Database(kind));
    }
    let name = name_of(path);
    let head = Sample::of_file(source, entry, &name)?;
    let forced = if rows {
        formats::recognize_rows(&head, only)
    } else {
        None
    };
    let detected = match only {
        // The user knows.
        Some(_) => forced
            .or_else(|| formats::recognize(&head, only))
            .or_else(|| named_format(&head, only))
            .map_or(Detected::Unclear(Vec::new()), Detected::read),
        None => match (detect(&head), forced) {
            (Detected::Is(What::Read(_)) | Detected::Unclear(_), Some(claim)) => {
                Detected::read(claim)
            }
            (detected, _) => detected,
        },
    };
    Ok(match detected {
        Detected::Is(What::Read(claim)) => {
            let started_by = (claim.format.traits.started_by)(path, &head);
            Look::Transcript(claim, started_by)
        }
        Detected::Is(What::Named(kind)) => Look::Unread(kind.why()),
        Detected::Unclear(candidates) => Look::Unclear(candidates),
    })
}

/// Whether the first byte that is neither white space, a NUL nor a byte order mark opens an object or an array.
fn begins_like_json(source: &Source) -> io::Result<bool> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF | 0);
    let mut bytes = Vec::new();
    source
        .open(EntryId(0))?
        .take(LOOK)
        .read_to_end(&mut bytes)?;
    Ok(bytes
        .into_iter()
        .find(|byte| !is_blank(byte))
        .is_some_and(|byte| matches!(byte, b'{' | b'[')))
}

/// A format that the user named is believed where nothing speaks for another container than lines.
fn named_format(head: &Sample<'_>, only: Option<&'static Format>) -> Option<Detection> {
    let format = only?;
    // The user knows better than what shows no sign.
    if let Some(claim) = formats::unsigned(head, format) {
        return Some(claim);
    }
    let entry = head.single.filter(|_| head.document.is_none())?;
    Some(Detection::new(format, Layout::Lines(entry)))
}

/// A folder as a source, with all names that a format may look at.
pub(crate) fn open_folder(path: &Path) -> io::Result<Source> {
    Source::folder(path, names_below(path)?)
}

/// Opens what was written, as it was found before.
///
/// # Errors
/// It cannot be opened, or is no longer what it was.
pub(crate) fn open_again(
    path: &Path,
    shape: Shape,
    was: &Detection,
) -> io::Result<(Source, Detection)> {
    let source = open_as(path, shape)?;
    let claim = claim(&source, &name_of(path), was)?;
    Ok((source, claim))
}

fn open_as(path: &Path, shape: Shape) -> io::Result<Source> {
    match shape {
        Shape::Folder => open_folder(path),
        Shape::Archive => Source::archive(path),
        _ => Source::file(path),
    }
}

/// Recognizes a source of a known format again.
///
/// # Errors
/// It cannot be read, or is no longer of this format.
pub fn claim(source: &Source, name: &str, was: &Detection) -> io::Result<Detection> {
    let format = was.format;
    let claim = match source.shape() {
        Shape::Folder | Shape::Archive => {
            formats::recognize(&Sample::of_names(source, name), Some(format))
        }
        _ => {
            let head = Sample::of_file(source, EntryId(0), name)?;
            let forced = was.conversations.is_forced();
            let rows = if forced {
                formats::recognize_rows(&head, Some(format))
            } else {
                None
            };
            rows.or_else(|| formats::recognize(&head, Some(format)))
                .or_else(|| named_format(&head, Some(format)))
        }
    };
    let claim = claim.map(|claim| Detection {
        other: was.other,
        ..claim
    });
    claim.ok_or_else(|| io::Error::other("it is no longer a transcript of this format"))
}
