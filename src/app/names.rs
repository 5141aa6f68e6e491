//! From the words of the command line to transcripts, and what is said of words that name nothing or too much.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::near::neighbors;
use super::progress::Progress;
use super::short_ids::ShortIds;
use super::{App, Error, Result, parallel};
use crate::cli::{did_you_mean, meant};
use crate::engine::{CheckOptions, judge};
use crate::find::homes::{self, StoredSession, StoredSessions};
use crate::find::name_of;
use crate::find::names::{self, Argument, ArgumentTarget, LookupError, ParsedArgument};
use crate::find::search::WordSearch;
use crate::find::surroundings::Surroundings;
use crate::find::{self, Excluded, FindOptions, Finds, Found, FoundRow, Missed, globs};
use crate::hosts;
use crate::journal::Journal;
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, many};
use crate::report::redact::{Redactor, StringKind};
use crate::report::text::{Shown, pad, size, width};

/// Candidates that are listed.
const LISTED: usize = 20;
/// Bytes of a candidate that is read for its first words.
const READ: u64 = 64 << 20;

/// Of more sessions of a host, none is proposed by its ID.
const FEW: usize = 100;
impl<'a> App<'a> {
    /// The transcripts after the words that the user typed. What names nothing is said at once.
    ///
    /// # Errors
    /// A word names several sessions, or no host has its name.
    pub(crate) fn find(&self, words: &[PathBuf]) -> Result<(App<'a>, Finds)> {
        let (mut typed, mut unmatched) = (Vec::new(), Vec::new());
        for word in words {
            let paths = globs::expand(word);
            if paths.is_empty() {
                unmatched.push(Missed::new(word, "no file or folder matches this pattern"));
            }
            typed.extend(paths.iter().map(|path| names::read(path)));
        }
        self.look_up(&typed, unmatched)
    }

    /// The same of words that were read already.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub(crate) fn find_typed(&self, words: &[ParsedArgument]) -> Result<(App<'a>, Finds)> {
        self.look_up(words, Vec::new())
    }

    /// The same; `unmatched`: what else was typed, and names nothing.
    fn look_up(
        &self,
        words: &[ParsedArgument],
        mut unmatched: Vec<Missed>,
    ) -> Result<(App<'a>, Finds)> {
        let around = Surroundings::system();
        let mut app = self.clone();
        app.style.next.names = words.iter().map(|typed| shown(&typed.word)).collect();
        let mut named = Vec::new();
        for ParsedArgument { word, .. } in words {
            match names::look_up(word, &around) {
                Ok(found) => {
                    let by_name = match (&found, word) {
                        (ArgumentTarget::Session(session), Argument::Id(_)) => {
                            vec![(Shown::path(&session.path), shown(word))]
                        }
                        (ArgumentTarget::Session(session), _) => {
                            ShortIds::system().names(std::slice::from_ref(session))
                        }
                        (ArgumentTarget::Home(home), _) if home.sessions.len() <= FEW => {
                            ShortIds::system().names(&home.sessions)
                        }
                        _ => Vec::new(),
                    };
                    app.style.next.by_name.extend(by_name);
                    named.push(found);
                }
                Err(unclear) => unmatched.push(self.unmatched(word, unclear, &around)?),
            }
        }
        let mut finds = self.found(&named);
        if finds.found.is_empty() && finds.missed.is_empty() {
            self.say_unmatched(&unmatched);
            finds.unmatched = unmatched;
        } else {
            // Besides what was found, that is not everything that was asked for.
            finds.missed.append(&mut unmatched);
        }
        self.spare(&finds)?;
        Ok((app, finds))
    }

    /// The sessions of the project that the run was started in. `None`: there are none.
    pub(crate) fn find_project(&self) -> Option<(App<'a>, Finds)> {
        let home = names::project(&Surroundings::system())?;
        let mut app = self.clone();
        app.style.next.is_project = true;
        app.style.next.by_name = ShortIds::system().names(&home.sessions);
        Some((app, self.found(&[ArgumentTarget::Home(home)])))
    }

    /// The transcripts that hold one of these words, among those of all hosts and those that were named, or else those in the
    /// working directory; and among how many. Only what holds one is examined more closely.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub(crate) fn search(
        &self,
        named: &[PathBuf],
        words: &WordSearch,
    ) -> Result<(App<'a>, Finds, u64)> {
        let mut home = homes::find_sessions(hosts::homes(), &Surroundings::system(), None);
        let all = ShortIds::of(&home.sessions);
        let size = |session: &StoredSession| session.stamp().0.unwrap_or(0);
        let progress = Progress::start(self, "Searched", home.sessions.iter().map(size));
        let held = parallel::each(self.options.jobs, &home.sessions, size, |session| {
            let holds = words.matches_session(session);
            progress.add(size(session));
            holds
        });
        drop(progress);
        let (mut app, mut finds) =
            if named.is_empty() { (self.clone(), self.here()) } else { self.find(named)? };
        // A session may be in the working directory, too.
        let stored = home.sessions.iter().map(|session| real(&session.path));
        let mut paths: HashSet<PathBuf> = stored.collect();
        paths.extend(finds.found.iter().map(|located| real(&located.path)));
        let searched = paths.len() as u64;
        // What cannot be read here is reported by who reads it again.
        let mut held = held.into_iter().map(|held| held.unwrap_or(true));
        home.sessions.retain(|_| held.next().unwrap_or(false));
        let held = parallel::each(
            self.options.jobs,
            &finds.found,
            |located| located.size,
            |located| words.matches_source(&located.open().ok()?.source).ok(),
        );
        let mut held = held.into_iter().map(|held| held.unwrap_or(true));
        finds.found.retain(|_| held.next().unwrap_or(false));
        app.style.next.by_name.extend(all.names(&home.sessions));
        let at_home = self.found(&[ArgumentTarget::Home(home)]);
        add_all(&mut finds, at_home);
        self.spare(&finds)?;
        Ok((app, finds, searched))
    }

    /// The newest sessions of all hosts, and the newest transcripts in the working directory.
    ///
    /// # Errors
    /// As [`spare`](Self::spare).
    pub(crate) fn newest(&self, most: usize) -> Result<(App<'a>, Finds)> {
        let mut sessions =
            homes::find_sessions(hosts::homes(), &Surroundings::system(), None).sessions;
        let all = ShortIds::of(&sessions);
        sessions.retain(|session| !session.place.children && session.stamp().0 != Some(0));
        sessions.sort_by_cached_key(|session| Reverse(session.stamp().1));
        sessions.truncate(most);
        let mut app = self.clone();
        app.style.next.by_name.extend(all.names(&sessions));
        let mut finds = self.here();
        finds.found.sort_by_cached_key(|located| Reverse(located.modified()));
        finds.found.truncate(most);
        let targets: Vec<ArgumentTarget> =
            sessions.into_iter().map(ArgumentTarget::Session).collect();
        add_all(&mut finds, self.found(&targets));
        self.spare(&finds)?;
        Ok((app, finds))
    }

    /// The transcripts in the working directory, unless it is the user's home, or around it. Nobody asked for them, so what
    /// cannot be read is not told.
    fn here(&self) -> Finds {
        let around = Surroundings::system();
        let home = around.home().map(|home| home.canonicalize().unwrap_or(home));
        let is_project =
            around.here().is_some_and(|here| home.is_none_or(|home| !home.starts_with(here)));
        if !is_project {
            return Finds::default();
        }
        let mut here = self.found(&[ArgumentTarget::Around(PathBuf::from("."))]);
        here.missed.clear();
        here.skipped.clear();
        here
    }

    /// Whether a word is the ID of one or several sessions, or begins it.
    pub(crate) fn is_session(&self, word: &Path) -> bool {
        let found = names::look_up(&names::read(word).word, &Surroundings::system());
        matches!(found, Ok(ArgumentTarget::Session(_)) | Err(LookupError::Several(_)))
    }

    /// The path that a word stands for. `None`: there is none, and that was said.
    ///
    /// # Errors
    /// It stands for several.
    pub(crate) fn path_of(&self, word: &Path) -> Result<Option<PathBuf>> {
        let (word, around) = (names::read(word).word, Surroundings::system());
        match names::look_up(&word, &around) {
            Ok(
                ArgumentTarget::Path(path) | ArgumentTarget::Session(StoredSession { path, .. }),
            ) => Ok(Some(path)),
            Ok(ArgumentTarget::Home(_) | ArgumentTarget::Around(_)) => Err(Error::usage(format!(
                "{}: name one transcript, not a host's folder",
                self.read(shown(&word)).whole()
            ))),
            Err(unclear) => {
                let unmatched = self.unmatched(&word, unclear, &around)?;
                self.say_unmatched(&[unmatched]);
                Ok(None)
            }
        }
    }

    pub(super) fn found(&self, named: &[ArgumentTarget]) -> Finds {
        let options = FindOptions {
            hidden: self.options.hidden,
            no_ignore: self.options.no_ignore,
            journal: Journal::standard().map(|journal| journal.root().to_owned()),
            ..self.recognizing()
        };
        let is_told = options.only.is_some();
        let mut finds = find::find_named(named, options);
        if !is_told {
            finds.prefer(&self.options.target);
        }
        for missed in &mut finds.missed {
            if missed.why == find::NOT_THERE {
                missed.why.push_str(&self.near(&missed.path));
            }
        }
        finds.targets = named
            .iter()
            .flat_map(|named| match named {
                ArgumentTarget::Path(path)
                | ArgumentTarget::Session(StoredSession { path, .. }) => vec![path.clone()],
                ArgumentTarget::Home(home) => {
                    home.sessions.iter().map(|session| session.path.clone()).collect()
                }
                ArgumentTarget::Around(_) => Vec::new(),
            })
            .collect();
        finds.named = named
            .iter()
            .filter_map(|named| match named {
                ArgumentTarget::Path(path)
                | ArgumentTarget::Session(StoredSession { path, .. }) => Some(path.clone()),
                ArgumentTarget::Home(_) | ArgumentTarget::Around(_) => None,
            })
            .collect();
        finds.exclude(&self.excluded());
        finds.shorten();
        if let Some(since) = self.options.since {
            finds.skip_older(since);
        }
        finds
    }

    /// How transcripts are recognized.
    fn recognizing(&self) -> FindOptions {
        FindOptions {
            only: self.options.format,
            formats: self.options.formats.clone(),
            rows: self.options.rows,
            jobs: self.options.jobs,
            all_pages: self.style.detail == Detail::All,
            ..FindOptions::default()
        }
    }

    /// The conversation in a row of standard input.
    ///
    /// # Errors
    /// It is of no known format.
    pub(super) fn found_row(&self, bytes: Vec<u8>, line: u64) -> Result<FoundRow, Missed> {
        find::find_row(bytes, line, &self.options.target, self.recognizing())
    }

    /// As [`find`](Self::find), with paths only.
    ///
    /// # Errors
    /// None of them can be looked up.
    pub(crate) fn find_paths(&self, paths: Vec<PathBuf>) -> Result<(App<'a>, Finds)> {
        let words = paths.into_iter().map(|path| ParsedArgument {
            word: Argument::Path(path),
            record: None,
            row: None,
        });
        self.find_typed(&words.collect::<Vec<_>>())
    }

    /// What walks skip. Globs were understood when they were read.
    fn excluded(&self) -> Vec<Excluded> {
        let here = Surroundings::system().here().map(Path::to_owned);
        let typed = (here.unwrap_or_default(), self.options.exclude.clone());
        let all = [Some(typed), self.options.excluded.clone()].into_iter().flatten();
        all.filter(|(_, globs)| !globs.is_empty())
            .filter_map(|(folder, globs)| Excluded::new(&folder, &globs).ok())
            .collect()
    }

    /// `; did you mean run.jsonl?`, if the folder of a path that does not exist has such a name.
    fn near(&self, path: &Path) -> String {
        let near = neighbors(path);
        let near: Vec<String> = near.iter().map(|path| self.options.reader.path(path)).collect();
        did_you_mean(&near.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn say_unmatched(&self, unmatched: &[Missed]) {
        for Missed { path, why, .. } in unmatched {
            self.say(Tone::Warn, &format!("{}: {why}", self.options.reader.path(path)));
        }
    }

    /// A word that names nothing.
    ///
    /// # Errors
    /// It names several things, or cannot name anything.
    fn unmatched(
        &self,
        word: &Argument,
        unclear: LookupError,
        around: &Surroundings,
    ) -> Result<Missed> {
        let typed = self.read(shown(word));
        let why = match unclear {
            LookupError::NoSuchHost => {
                let hosts = host_words();
                let known: Vec<&str> = hosts.iter().map(String::as_str).collect();
                return Err(Error::usage(format!(
                    "{}: no host has this name{} (known: {})",
                    typed.whole(),
                    did_you_mean(&meant(typed.exact(), &known)),
                    known.join(", ")
                )));
            }
            LookupError::Several(sessions) => {
                return Err(Error::usage(format!(
                    "{}: {}",
                    typed.whole(),
                    self.several(&sessions)
                )));
            }
            LookupError::NoSession(searched) => {
                let sessions = many(searched as u64, "session");
                let near = self.near(Path::new(typed.exact()));
                format!(
                    "no such file or folder, and no session has this ID or begins with it ({sessions} searched){near}"
                )
            }
            LookupError::Empty(home) => empty(&home, around, &self.options.reader),
        };
        Ok(Missed::new(Path::new(&typed.exact()), why))
    }

    /// The candidates: ID, date, size, host, first words.
    fn several(&self, sessions: &[StoredSession]) -> String {
        let same = |session: &StoredSession| {
            sessions.iter().filter(|other| other.id == session.id).count() > 1
        };
        let count = many(sessions.len() as u64, "session");
        let mut out = format!("matches {count}; type more of the ID, or the path");
        let listed = sessions.iter().take(LISTED);
        let rows: Vec<[String; 5]> =
            listed.map(|session| self.row(session, same(session))).collect();
        for row in &rows {
            let cells: Vec<String> = (0..5)
                .map(|column| {
                    pad(&row[column], rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
                })
                .collect();
            out.push_str(&format!("\n  {}", cells.join("  ").trim_end()));
        }
        if let Some(more) = sessions.len().checked_sub(LISTED).filter(|more| *more > 0) {
            out.push_str(&format!("\n  and {more} more"));
        }
        out
    }

    fn row(&self, session: &StoredSession, by_path: bool) -> [String; 5] {
        let (_, changed) = session.stamp();
        let date = changed.and_then(|changed| jiff::Timestamp::try_from(changed).ok());
        let date =
            date.map(|date| date.strftime("%Y-%m-%d %H:%M UTC").to_string()).unwrap_or_default();
        let name = if by_path {
            self.options.reader.path(&session.path)
        } else {
            Shown::of(StringKind::Session, session.id.as_str())
                .read_by(&self.options.reader)
                .whole()
        };
        let found = self.found(&[ArgumentTarget::Session(session.clone())]).found;
        let found = found.first();
        let bytes = found.map(|located| located.size);
        let words = found
            .filter(|located| located.size <= READ)
            .and_then(|located| self.first_words(&located.open().ok()?));
        let words = words.map(|words| format!("\"{words}\"")).unwrap_or_default();
        [name, date, bytes.map(size).unwrap_or_default(), session.home.name.to_owned(), words]
    }

    /// The beginning of what the user said first.
    fn first_words(&self, found: &Found) -> Option<String> {
        let name = name_of(&found.path);
        let judged =
            judge(&found.source, &name, &found.detection, &CheckOptions::default()).ok()?;
        let context = judged.context(0, &found.source, &name, false);
        hosts::first_prompt(&context, found.detection.format)
            .map(|said| self.options.reader.text(&said))
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Adds what was found elsewhere, without those that started others, and without what is there already.
fn add_all(finds: &mut Finds, more: Finds) {
    let known: HashSet<PathBuf> = finds.found.iter().map(|found| real(&found.path)).collect();
    let new = more.found.into_iter().filter(|found| !known.contains(&real(&found.path)));
    finds.found.extend(new);
    // Those that started them are not among them anymore.
    finds.found.iter_mut().for_each(|found| found.parent = None);
    finds.missed.extend(more.missed);
}

/// The word as it was typed.
fn shown(word: &Argument) -> Shown {
    match word {
        Argument::Path(path) => Shown::path(path),
        Argument::Name(word) => Shown::new(word.as_str()),
        Argument::Id(word) => Shown::of(StringKind::Session, word.as_str()),
    }
}

/// The names of hosts that can be typed.
pub(crate) fn host_words() -> Vec<String> {
    let names = hosts::homes().map(|home| format!("@{}", home.name));
    names.chain([names::ALL.to_owned(), names::LATEST.to_owned()]).collect()
}

/// Folders of hosts that are named where all are empty. Those of all hosts fill a screen.
const NAMED_FOLDERS: usize = 6;

/// That nothing is at home, and where that was looked for.
fn empty(home: &StoredSessions, around: &Surroundings, reader: &Redactor) -> String {
    let mut roots: Vec<String> =
        (home.roots.iter().take(NAMED_FOLDERS)).map(|root| reader.path(root)).collect();
    let more = home.roots.len() - roots.len();
    if more > 0 {
        roots.push(format!("and {}", many(more as u64, "more folder")));
    }
    let mut out = if roots.is_empty() {
        String::from("HOME is not set, so sessions cannot be found")
    } else {
        format!("no sessions in {}", roots.join(", "))
    };
    if around.is_wsl() {
        out.push_str(
            "; for an agent that runs on Windows, name its folder below /mnt/c/Users/NAME",
        );
    }
    out
}
