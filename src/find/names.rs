//! What an argument refers to: a path, a line of a file, the transcripts of a host, or a session by
//! its ID.

use std::io;
use std::path::{Path, PathBuf};

use super::homes::{self, StoredSession, StoredSessions};
use super::store;
use super::surroundings::Surroundings;
use super::typed::TypedId;
use crate::format::home::Home;
use crate::hosts;

/// The newest session of any host.
pub(crate) const LATEST: &str = "@latest";
/// The transcripts of all hosts.
pub(crate) const ALL: &str = "@all";
/// Shortest prefix of an ID that is looked up; a shorter argument is more likely a path that does
/// not exist.
const SHORTEST: usize = 4;

/// The kind of an argument, as far as it is known without searching the folders of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A path, or `-` for standard input.
    Path(PathBuf),
    /// `@name`.
    Name(String),
    /// Possibly an ID, or anything else that is not a path.
    Id(String),
}

/// A parsed argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParsedArgument {
    /// The argument, without the line number.
    pub word: Argument,
    /// The number after the last `:`, if there is one.
    pub record: Option<u64>,
    /// The row that a record of a session in a database is, as it is printed: `messages:2`.
    pub row: Option<String>,
}

/// What an argument refers to.
#[derive(Debug)]
pub(crate) enum ArgumentTarget {
    /// A path as typed, or `-`.
    Path(PathBuf),
    /// A session found by ID.
    Session(StoredSession),
    /// The transcripts of a host.
    Home(StoredSessions),
    /// A folder that nobody named: what is hidden or ignored in it is left out.
    Around(PathBuf),
}

/// Why an argument refers to nothing.
#[derive(Debug)]
pub(crate) enum LookupError {
    /// No host has this name.
    NoSuchHost,
    /// The folders of this host have no transcripts.
    Empty(StoredSessions),
    /// No session has this ID; the number of sessions that were compared.
    NoSession(usize),
    /// Several sessions have this ID or begin with it, newest first.
    Several(Vec<StoredSession>),
}

/// Parses an argument: an existing path, `PATH:LINE` of one, `@name`, or else perhaps an ID.
pub(crate) fn read(word: &Path) -> ParsedArgument {
    let path = |path: &Path| ParsedArgument {
        word: Argument::Path(path.to_owned()),
        record: None,
        row: None,
    };
    let Some(text) = word.to_str() else {
        return path(word);
    };
    if is_path(text) {
        return path(word);
    }
    if let Some((session, record)) = store::read(text) {
        let number = record.and_then(|record| record.parse().ok());
        return ParsedArgument {
            record: number,
            row: record.filter(|_| number.is_none()).map(str::to_owned),
            ..path(&session)
        };
    }
    let (text, record) = match text.rsplit_once(':') {
        Some((before, number)) if !before.is_empty() && !is_drive(before) => match number.parse() {
            Ok(number) => (before, Some(number)),
            Err(_) => (text, None),
        },
        _ => (text, None),
    };
    let word = match text {
        _ if is_path(text) => Argument::Path(PathBuf::from(text)),
        name if name.starts_with('@') && !name.contains(['/', '\\']) => {
            Argument::Name(name.to_owned())
        }
        id if !id.is_empty() && !id.contains(['/', '\\', ':', '*', '?']) => {
            Argument::Id(id.to_owned())
        }
        // A path that does not exist is reported as typed.
        _ => return path(word),
    };
    let row = None;
    ParsedArgument { word, record, row }
}

fn is_path(text: &str) -> bool {
    let path = Path::new(text);
    // A file that exists but cannot be examined is a path, too.
    text == "-"
        || path.try_exists().unwrap_or_else(|error| {
            matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Other)
        })
}

/// Whether the text is a drive letter: the `C` of `C:`.
fn is_drive(text: &str) -> bool {
    cfg!(windows) && text.len() == 1
}

/// Looks up what an argument refers to. An unknown ID that does not look like one is treated as a
/// path that does not exist.
///
/// # Errors
/// It refers to nothing, or to several sessions.
pub(crate) fn look_up(
    word: &Argument,
    around: &Surroundings,
) -> Result<ArgumentTarget, LookupError> {
    match word {
        Argument::Path(path) => Ok(ArgumentTarget::Path(path.clone())),
        Argument::Name(name) => by_name(name, around),
        Argument::Id(id) => match by_id(id, around) {
            Err(LookupError::NoSession(_)) if !is_like_an_id(id) => {
                Ok(ArgumentTarget::Path(PathBuf::from(id)))
            }
            other => other.map(ArgumentTarget::Session),
        },
    }
}

fn by_name(name: &str, around: &Surroundings) -> Result<ArgumentTarget, LookupError> {
    let all = || homes::find_sessions(hosts::homes(), around, None);
    if name == LATEST {
        let all = all();
        return match newest(&all.sessions) {
            Some(session) => Ok(ArgumentTarget::Session(session.clone())),
            None => Err(LookupError::Empty(all)),
        };
    }
    let found = if name == ALL {
        all()
    } else {
        let homes: Vec<&'static Home> =
            hosts::homes().filter(|home| name.strip_prefix('@') == Some(home.name)).collect();
        if homes.is_empty() {
            return Err(LookupError::NoSuchHost);
        }
        homes::find_sessions(homes, around, None)
    };
    if found.sessions.is_empty() && found.missed.is_empty() && found.links.is_empty() {
        Err(LookupError::Empty(found))
    } else {
        Ok(ArgumentTarget::Home(found))
    }
}

/// The newest session that is not empty and that no other one started.
fn newest(sessions: &[StoredSession]) -> Option<&StoredSession> {
    let stamps = sessions.iter().filter(|session| !session.place.children);
    let stamps = stamps.map(|session| (session, session.stamp()));
    let stamps = stamps.filter(|(_, (size, _))| *size != Some(0));
    stamps
        .max_by_key(|(session, (_, changed))| (*changed, &session.path))
        .map(|(session, _)| session)
}

/// The session with this ID, or the only one whose ID begins with it.
///
/// # Errors
/// No session matches, or several do.
fn by_id(id: &str, around: &Surroundings) -> Result<StoredSession, LookupError> {
    let all = homes::find_sessions(hosts::homes(), around, None).sessions;
    let searched = all.len();
    let (same, rest): (Vec<StoredSession>, Vec<StoredSession>) =
        all.into_iter().partition(|session| session.is(id));
    let mut meant = same;
    if meant.is_empty() && TypedId::read(id).head.len() >= SHORTEST {
        meant = rest.into_iter().filter(|session| session.fits(id)).collect();
    }
    match meant.len() {
        0 => Err(LookupError::NoSession(searched)),
        1 => meant.pop().ok_or(LookupError::NoSession(searched)),
        _ => {
            meant.sort_by_cached_key(|session| std::cmp::Reverse(session.stamp().1));
            Err(LookupError::Several(meant))
        }
    }
}

/// Whether a word consists of hex digits and dashes, perhaps shortened, and so is an ID rather than
/// a file name.
fn is_like_an_id(word: &str) -> bool {
    let TypedId { head, tail } = TypedId::read(word);
    let all = head.bytes().chain(tail.bytes()).all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    head.len() >= SHORTEST && all && head.bytes().any(|byte| byte != b'-')
}

/// The transcripts of work done in the working directory, or in the nearest parent folder that has
/// some, up to the user's home.
pub(crate) fn project(around: &Surroundings) -> Option<StoredSessions> {
    let home = around.home();
    let folders = around.here()?.ancestors().take_while(|folder| Some(*folder) != home.as_deref());
    // The home may be a project itself, but it is not that of the folders in it.
    let here = around.here().into_iter();
    let found = here
        .chain(folders.skip(1))
        .map(|folder| homes::find_sessions(hosts::homes(), around, Some(folder)));
    found.filter(|found| !found.sessions.is_empty()).map(Some).next().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parsed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a:7");
        std::fs::write(&file, "").unwrap();
        let text = file.to_str().unwrap();
        let read = |word: &str| {
            let typed = read(Path::new(word));
            (typed.word, typed.record)
        };
        assert_eq!(read(text), (Argument::Path(file.clone()), None));
        assert_eq!(read(&format!("{text}:12")), (Argument::Path(file.clone()), Some(12)));
        assert_eq!(read("-"), (Argument::Path("-".into()), None));
        assert_eq!(read("-:3"), (Argument::Path("-".into()), Some(3)));
        assert_eq!(read("@latest:3"), (Argument::Name("@latest".into()), Some(3)));
        assert_eq!(read("5f1c"), (Argument::Id("5f1c".into()), None));
        assert_eq!(read("5f1c:88"), (Argument::Id("5f1c".into()), Some(88)));
        for gone in ["no/such.jsonl", "./gone", "no/such.jsonl:3", "*.jsonl", "@a/b", ""] {
            assert_eq!(read(gone), (Argument::Path(gone.into()), None), "{gone}");
        }
    }

    #[test]
    fn ids_are_recognized() {
        assert!(is_like_an_id("572b42e3…51a3") && is_like_an_id("572b42e3...51a3"));
        assert!(
            is_like_an_id("572b42e3") && is_like_an_id("5f1c-") && is_like_an_id("0197C0BB-2222")
        );
        for word in ["abc", "state", "----", "gone.jsonl", ""] {
            assert!(!is_like_an_id(word), "{word}");
        }
    }
}
