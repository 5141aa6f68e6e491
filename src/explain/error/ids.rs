//! Finds the calls and records that an ID in a text refers to. IDs must be equal; part of an ID is
//! not enough.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::find::typed::TypedId;
use crate::rules::Finding;
use crate::transcript::{EventId, PartId, PartKind, Transcript};

/// How an ID in a text was matched.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum MatchKind {
    Same,
    /// It was shortened, and only one ID fits.
    Shortened,
    /// The host or a library rewrote it.
    Rewritten,
    /// It was found only after removing white space from the text.
    Joined,
    /// It was shortened, and several IDs fit.
    Unclear,
}

/// Shortest prefix of an ID that is matched without its end, in bytes.
const SHORTEST_PREFIX: usize = 10;

/// What an ID refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The ID as recorded.
    pub id: String,
    /// How it was found.
    pub kind: MatchKind,
    /// The calls and results with this ID; empty for the ID of a record, or one that only findings
    /// name.
    pub parts: Vec<PartId>,
    /// The record with this ID, if it is not the ID of a call.
    pub record: Option<EventId>,
}

/// The IDs of a transcript.
pub(super) struct KnownIds<'a> {
    t: &'a Transcript,
    calls: BTreeMap<&'a str, Vec<PartId>>,
}

impl<'a> KnownIds<'a> {
    pub(super) fn of(t: &'a Transcript) -> KnownIds<'a> {
        let mut calls: BTreeMap<&str, Vec<PartId>> = BTreeMap::new();
        for (number, part) in t.parts.enumerated() {
            if !matches!(part.kind, PartKind::Call | PartKind::Result) {
                continue;
            }
            let mut names: Vec<_> = part.id.into_iter().chain(part.sent_id).collect();
            names.dedup();
            for id in names {
                calls.entry(t.ids.get(id)).or_default().push(number);
            }
        }
        KnownIds { t, calls }
    }

    /// Adds the IDs that findings name for calls that are not ours: those of a server's own tools.
    pub(super) fn with_findings(mut self, findings: &[Finding]) -> KnownIds<'a> {
        for id in findings.iter().flat_map(|finding| &finding.calls) {
            self.calls.entry(self.t.ids.get(*id)).or_default();
        }
        self
    }

    /// The call or record that an ID in a text refers to. `is_dense`: white space was removed from
    /// the text, so words may follow the ID directly.
    pub(super) fn find(&self, asked: &str, is_dense: bool) -> Option<Hit> {
        self.exact(asked)
            .or_else(|| self.shortened(asked))
            .or_else(|| self.rewritten(asked.trim_end_matches(['.', ':', ','])))
            .or_else(|| self.underscored(asked))
            .or_else(|| self.with_sentence(asked).filter(|_| is_dense))
    }

    /// The call with exactly this ID.
    pub(super) fn call(&self, id: &str) -> Option<Hit> {
        self.calls.get(id).map(|parts| hit(id, MatchKind::Same, parts.clone()))
    }

    fn exact(&self, asked: &str) -> Option<Hit> {
        let mut id = asked;
        loop {
            if let Some(hit) = self.call(id).or_else(|| self.record(id)) {
                return Some(hit);
            }
            id = id.strip_suffix(['.', ':', ','])?;
        }
    }

    fn record(&self, id: &str) -> Option<Hit> {
        let known = self.t.ids.find(id).filter(|_| !id.is_empty())?;
        let record = self.t.records().find(|event| self.t.event(*event).id == Some(known))?;
        Some(Hit {
            id: id.to_owned(),
            kind: MatchKind::Same,
            parts: Vec::new(),
            record: Some(record),
        })
    }

    /// Matches a shortened ID: the only call that fits, or all that do. Without an end, the start
    /// must be long enough.
    fn shortened(&self, asked: &str) -> Option<Hit> {
        if !asked.contains('…') && !asked.contains("...") {
            return None;
        }
        let TypedId { head, tail } = TypedId::read(asked);
        let tails = [tail, tail.trim_end_matches(['.', ':', ','])];
        if tails[1].is_empty() && head.len() < SHORTEST_PREFIX {
            return None;
        }
        let mut fitting: Vec<(&&str, &Vec<PartId>)> = self.calls.iter().collect();
        fitting.retain(|(id, _)| {
            let is_longer = id.len() > head.len().saturating_add(tails[1].len());
            is_longer && tails.iter().any(|tail| TypedId { head, tail }.fits(id))
        });
        match fitting.as_slice() {
            [] => None,
            [(id, parts)] => Some(hit(id, MatchKind::Shortened, parts.to_vec())),
            several => {
                let parts = several.iter().flat_map(|(_, parts)| parts.iter().copied());
                Some(hit(asked, MatchKind::Unclear, parts.collect()))
            }
        }
    }

    /// Matches an ID that a library rewrote because the provider would reject it:
    /// langchain-anthropic sends a hash, OpenClaw only the letters and digits.
    fn rewritten(&self, asked: &str) -> Option<Hit> {
        let hashes = asked.len() == 30 && asked.starts_with("toolu_");
        let mut fitting = self.calls.keys().filter(|id| {
            let is_hashed = hashes && !id.chars().all(is_plain) && asked == hashed(id);
            is_hashed || is_stripped(asked, id)
        });
        let id = fitting.next()?;
        fitting.next().is_none().then(|| hit(id, MatchKind::Rewritten, self.calls[id].clone()))
    }

    /// The only recorded ID that differs just in characters that proxies replace with `_`.
    fn underscored(&self, asked: &str) -> Option<Hit> {
        let ends = std::iter::successors(Some(asked), |id| id.strip_suffix(['.', ':', ',']));
        ends.filter(|id| !id.is_empty()).find_map(|asked| {
            let mut fitting = self
                .calls
                .keys()
                .filter(|id| id.chars().map(underscore).eq(asked.chars().map(underscore)));
            let id = fitting.next()?;
            fitting.next().is_none().then(|| hit(id, MatchKind::Rewritten, self.calls[id].clone()))
        })
    }

    /// The longest recorded ID that starts this token, if a new sentence follows it.
    fn with_sentence(&self, asked: &str) -> Option<Hit> {
        let ends = asked.match_indices('.').map(|(at, _)| asked.split_at(at));
        let mut ends: Vec<&str> = ends
            .filter(|(_, rest)| rest.chars().nth(1).is_some_and(|c| c.is_ascii_uppercase()))
            .map(|(id, _)| id)
            .collect();
        ends.reverse();
        ends.into_iter()
            .find_map(|id| self.exact(id))
            .map(|hit| Hit { kind: MatchKind::Joined, ..hit })
    }
}

/// The ID that langchain-anthropic sends in place of one that Anthropic would reject.
fn hashed(id: &str) -> String {
    let hash = Sha256::digest(id.as_bytes());
    let hex: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("toolu_{hex}")
}

/// Whether this is what OpenClaw leaves of an ID.
fn is_stripped(asked: &str, id: &str) -> bool {
    let bare = id.chars().filter(char::is_ascii_alphanumeric).take(40);
    asked.len() >= 8 && bare.eq(asked.chars())
}
/// Whether every provider accepts this character in an ID.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The character that a proxy writes for this one in an ID.
fn underscore(c: char) -> char {
    if is_plain(c) { c } else { '_' }
}

fn hit(id: &str, kind: MatchKind, parts: Vec<PartId>) -> Hit {
    Hit { id: id.to_owned(), kind, parts, record: None }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Span};
    use crate::transcript::{Origin, Part, Place, State};

    /// A transcript of calls with these IDs.
    pub(in super::super) fn recording(ids: &[&str]) -> Transcript {
        let mut t = Transcript::default();
        let at = Span { entry: EntryId(0), start: 0, end: 1 };
        for (line, id) in (1..).zip(ids) {
            let event = t.begin(at, Place::Line(line), State::Whole);
            let id = Some(t.ids.intern(id));
            let (kind, origin) = (PartKind::Call, Origin::Real);
            t.add_part(Part {
                kind,
                event,
                id,
                sent_id: id,
                tool: None,
                origin,
                blank: false,
                bad_input: false,
                runnable: true,
                reports_error: false,
                digest: 0,
            });
        }
        t
    }

    fn found(t: &Transcript, asked: &str, is_dense: bool) -> Option<(String, MatchKind)> {
        KnownIds::of(t).find(asked, is_dense).map(|hit| (hit.id, hit.kind))
    }

    #[test]
    fn ids_are_equal_or_not_found() {
        let t = recording(&["tooluse_ab", "tooluse_ab.c:1-2", "call_1"]);
        let same = |id: &str| Some((id.to_owned(), MatchKind::Same));
        assert_eq!(found(&t, "tooluse_ab.c:1-2", false), same("tooluse_ab.c:1-2"));
        assert_eq!(found(&t, "tooluse_ab.", false), same("tooluse_ab"));
        assert_eq!(found(&t, "call_1.:,", false), same("call_1"));
        for other in [
            "tooluse_a",
            "tooluse_abc",
            "tooluse_ab.c",
            "tooluse_ab.c:1-",
            "call_",
            "call_12",
            "",
            ".",
        ] {
            assert_eq!(found(&t, other, false), None, "{other}");
        }
    }

    #[test]
    fn words_may_hang_on_an_id_only_where_blanks_are_gone() {
        let t = recording(&["tooluse_ab", "tooluse_ab.c"]);
        let joined = |id: &str| Some((id.to_owned(), MatchKind::Joined));
        assert_eq!(found(&t, "tooluse_ab.c.Each", true), joined("tooluse_ab.c"));
        assert_eq!(found(&t, "tooluse_ab.Eachtool_use.Found", true), joined("tooluse_ab"));
        assert_eq!(found(&t, "tooluse_ab.Each", false), None);
        for other in ["tooluse_abEach", "tooluse_ab.d", "tooluse_ab.d.Each", "tooluse_ab:Each"] {
            assert_eq!(found(&t, other, true), None, "{other}");
        }
    }

    #[test]
    fn shortened_ids_must_fit_one_only() {
        let t = recording(&["tooluse_y6Ma8ihoB4T7p", "tooluse_y6Ma8xxxB4T7p"]);
        let short = Some(("tooluse_y6Ma8ihoB4T7p".to_owned(), MatchKind::Shortened));
        assert_eq!(found(&t, "tooluse_y6Ma8i…T7p", false), short);
        assert_eq!(found(&t, "tooluse_y6Ma8i...T7p.", false), short);
        let begun = Some(("tooluse_y6Ma8ihoB4T7p".to_owned(), MatchKind::Shortened));
        assert_eq!(
            (found(&t, "tooluse_y6Ma8i…", false), found(&t, "tooluse_y6Ma8i...", false)),
            (begun.clone(), begun)
        );
        for several in ["tooluse_y6Ma8…T7p", "tooluse_y6…"] {
            assert_eq!(found(&t, several, false), Some((several.to_owned(), MatchKind::Unclear)));
        }
        for other in ["tooluse_…", "…T7p", "tooluse_y6Ma8ihoB4…ihoB4T7p", "tooluse_y6Ma8i"] {
            assert_eq!(found(&t, other, false), None, "{other}");
        }
    }

    #[test]
    fn rewritten_ids_lead_back() {
        let t = recording(&["functions.read:0", "call_abcdefgh|fc_1"]);
        let hash = Sha256::digest(b"functions.read:0");
        let hex: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        let rewritten = |id: &str| Some((id.to_owned(), MatchKind::Rewritten));
        assert_eq!(found(&t, &format!("toolu_{hex}."), false), rewritten("functions.read:0"));
        assert_eq!(found(&t, "callabcdefghfc1", false), rewritten("call_abcdefgh|fc_1"));
    }

    #[test]
    fn characters_that_a_proxy_took_for_underscores() {
        let rewritten = |id: &str| Some((id.to_owned(), MatchKind::Rewritten));
        let t = recording(&["functions.read:0", "functions.read:1", "call_a|fc_1"]);
        assert_eq!(found(&t, "functions_read_0", false), rewritten("functions.read:0"));
        assert_eq!(found(&t, "functions_read_1.", false), rewritten("functions.read:1"));
        assert_eq!(found(&t, "call_a_fc_1", false), rewritten("call_a|fc_1"));
        for other in ["functions_read_2", "functions-read-0", "functions_read_", "_"] {
            assert_eq!(found(&t, other, false), None, "{other}");
        }
        // An equal ID comes first; if two others fit, neither is meant.
        let t = recording(&["read_0", "read:0", "bash.0", "bash:0"]);
        assert_eq!(found(&t, "read_0", false), Some(("read_0".to_owned(), MatchKind::Same)));
        assert_eq!(found(&t, "bash_0", false), None);
    }
}
