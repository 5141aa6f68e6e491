//! Sessions, newest first: known by the names and times of their files; only those that are listed are read.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use super::short_ids::ShortIds;
use super::{App, Result, judge};
use crate::find::homes::{self, StoredSession};
use crate::find::names::{self, ArgumentTarget};
use crate::find::surroundings::Surroundings;
use crate::hosts;
use crate::live::{System, World};
use crate::report::redact::StringKind;
use crate::report::sessions::{SCHEMA, Session, Sessions};
use crate::report::text::Shown;

/// A session that may be listed.
struct SessionCandidate {
    path: PathBuf,
    /// Where its host stores it, if it was found there.
    stored: Option<StoredSession>,
    size: Option<u64>,
    modified: Option<SystemTime>,
}

/// The newest sessions of these hosts and paths, checked; without words, those of all hosts. The flag: something could not
/// be checked, and that was said.
///
/// # Errors
/// No host has a name, or a word stands for several sessions.
pub(crate) fn newest(app: &App<'_>, words: &[PathBuf], limit: usize) -> Result<(Sessions, bool)> {
    let all = homes::find_sessions(hosts::homes(), &Surroundings::system(), None).sessions;
    let ids = ShortIds::of(&all);
    let (mut candidates, mut missed) = if words.is_empty() {
        (all.iter().cloned().filter_map(stored).collect(), false)
    } else {
        candidates(app, words)?
    };
    candidates.sort_by(|a, b| (b.modified, &a.path).cmp(&(a.modified, &b.path)));
    let total = candidates.len() as u64;
    candidates.truncate(limit);
    let targets: Vec<ArgumentTarget> = candidates
        .iter()
        .map(|candidate| match &candidate.stored {
            Some(stored) => ArgumentTarget::Session(stored.clone()),
            None => ArgumentTarget::Path(candidate.path.clone()),
        })
        .collect();
    let mut finds = app.found(&targets);
    let mut checked: HashMap<Shown, Session> = HashMap::new();
    for conversation in judge::all(app, &mut finds, true) {
        if conversation.row.is_none() {
            let path = conversation.path.clone();
            checked.insert(path.clone(), Session::of(conversation, path));
        }
    }
    app.say_missed(&finds);
    missed |= !finds.missed.is_empty();
    let now = System.now();
    let sessions = candidates.iter().filter_map(|candidate| {
        let mut session = checked.remove(&Shown::path(&candidate.path))?;
        let located = finds.found.iter().find(|found| found.path == candidate.path);
        session.size = candidate.size.or(located.map(|found| found.size))?;
        session.modified = candidate.modified.and_then(stamp);
        session.age = age(now, candidate.modified);
        if let Some(id) = candidate.stored.as_ref().and_then(|own| ids.short(own)) {
            session.name = Shown::of(StringKind::Session, id);
        }
        Some(session)
    });
    let sessions =
        Sessions { schema: SCHEMA, sessions: sessions.collect(), total, is_numbered: false };
    Ok((sessions, missed))
}

/// A session of a host. `None`: another one started it, or it is empty.
fn stored(session: StoredSession) -> Option<SessionCandidate> {
    let (size, modified) = session.stamp();
    (!session.place.children && size != Some(0)).then(|| SessionCandidate {
        path: session.path.clone(),
        stored: Some(session),
        size,
        modified,
    })
}

/// The sessions that these words stand for. Paths are searched for transcripts.
///
/// # Errors
/// As [`newest`].
fn candidates(app: &App<'_>, words: &[PathBuf]) -> Result<(Vec<SessionCandidate>, bool)> {
    let around = Surroundings::system();
    let (mut out, mut paths) = (Vec::new(), Vec::new());
    for word in words {
        match names::look_up(&names::read(word).word, &around) {
            Ok(ArgumentTarget::Home(home)) => {
                out.extend(home.sessions.into_iter().filter_map(stored));
            }
            _ => paths.push(word.clone()),
        }
    }
    if paths.is_empty() {
        return Ok((out, false));
    }
    let (_, finds) = app.find(&paths)?;
    app.say_missed(&finds);
    let found = finds.found.iter().filter(|found| found.parent.is_none());
    out.extend(found.map(|found| SessionCandidate {
        path: found.path.clone(),
        stored: None,
        size: Some(found.size),
        modified: found.modified(),
    }));
    Ok((out, !finds.missed.is_empty()))
}

/// A time for machines, in UTC.
fn stamp(time: SystemTime) -> Option<String> {
    let time = jiff::Timestamp::try_from(time).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// How long ago that was; beyond a month, the day.
fn age(now: SystemTime, time: Option<SystemTime>) -> String {
    let Some(time) = time else {
        return String::new();
    };
    let seconds = now.duration_since(time).unwrap_or_default().as_secs();
    let (minute, hour, day) = (60, 3600, 86_400);
    match seconds {
        0..60 => "now".to_owned(),
        _ if seconds < hour => format!("{} min ago", seconds / minute),
        _ if seconds < day => format!("{} h ago", seconds / hour),
        _ if seconds < 30 * day => format!("{} d ago", seconds / day),
        _ => stamp(time)
            .and_then(|stamp| Some(stamp.split_once('T')?.0.to_owned()))
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ages() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_000_000);
        let ago = |seconds| age(now, Some(now - Duration::from_secs(seconds)));
        assert_eq!(ago(5), "now");
        assert_eq!(ago(150), "2 min ago");
        assert_eq!(ago(7_300), "2 h ago");
        assert_eq!(ago(200_000), "2 d ago");
        assert_eq!(ago(40 * 86_400), "2025-12-12");
        assert_eq!(age(now, Some(now + Duration::from_secs(9))), "now");
    }
}
