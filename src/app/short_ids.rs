//! IDs of sessions, as short as they can be typed.

use crate::find::homes::{self, StoredSession};
use crate::find::surroundings::Surroundings;
use crate::hosts;
use crate::report::redact::StringKind;
use crate::report::text::Shown;

/// Characters of an ID that are shown, at least.
const SHORTEST: usize = 8;

/// The IDs of all sessions of this machine.
pub(super) struct ShortIds {
    sorted: Vec<String>,
}

impl ShortIds {
    pub(super) fn system() -> ShortIds {
        ShortIds::of(&homes::find_sessions(hosts::homes(), &Surroundings::system(), None).sessions)
    }

    pub(super) fn of(sessions: &[StoredSession]) -> ShortIds {
        let mut sorted: Vec<String> = sessions.iter().map(|own| own.id.clone()).collect();
        sorted.sort_unstable();
        ShortIds { sorted }
    }

    /// The beginning of an ID that no other session has. `None`: several sessions have this ID.
    pub(super) fn short<'a>(&self, session: &'a StoredSession) -> Option<&'a str> {
        let id = session.id.as_str();
        let at = self.sorted.binary_search_by(|own| own.as_str().cmp(id)).ok()?;
        let before = at.checked_sub(1).and_then(|before| self.sorted.get(before));
        let neighbors = [before, self.sorted.get(at + 1)];
        let shared = neighbors.into_iter().flatten().map(|other| {
            let same = id.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
            same.count()
        });
        let needed = shared.max().map_or(0, |shared| shared + 1).max(SHORTEST);
        if needed <= id.len() {
            return id.get(..needed).or(Some(id));
        }
        let is_shared = neighbors.into_iter().flatten().any(|other| other.starts_with(id));
        if is_shared { None } else { Some(id) }
    }

    /// The names that commands may have for these sessions, with their paths.
    pub(super) fn names(&self, sessions: &[StoredSession]) -> Vec<(Shown, Shown)> {
        let named = sessions.iter().filter_map(|own| Some((own, self.short(own)?)));
        let shown =
            named.map(|(own, name)| (Shown::path(&own.path), Shown::of(StringKind::Session, name)));
        shown.collect()
    }
}
