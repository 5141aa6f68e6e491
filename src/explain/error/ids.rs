//! From an id as it stands in a text to the calls and records of a recording: equality, never a part of an id.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::find::typed::TypedId;
use crate::rules::Finding;
use crate::transcript::{EventId, PartId, PartKind, Transcript};

/// How an id of a text was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    Same,
    /// It begins and ends so, and no other does.
    Shortened,
    /// The host or a library sends it in another spelling.
    Rewritten,
    /// White space had to be taken out of the text to find it.
    Joined,
    /// It was shortened, and several fit.
    Unclear,
}

/// Bytes of a beginning of an id, at least.
const BEGINNING: usize = 10;

/// What an id stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The id as it is recorded.
    pub id: String,
    /// How it was found.
    pub how: How,
    /// The calls and results with this id; empty: it is that of a record, or of what only findings name.
    pub parts: Vec<PartId>,
    /// The record with this id, where it is no call's.
    pub record: Option<EventId>,
}

/// The ids of a recording.
pub(super) struct Known<'a> {
    t: &'a Transcript,
    calls: BTreeMap<&'a str, Vec<PartId>>,
}

impl<'a> Known<'a> {
    pub(super) fn of(t: &'a Transcript) -> Known<'a> {
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
        Known { t, calls }
    }

    /// Also the ids that findings name of what is no call of ours: those of a server's own tools.
    pub(super) fn and(mut self, findings: &[Finding]) -> Known<'a> {
        for id in findings.iter().flat_map(|finding| &finding.calls) {
            self.calls.entry(self.t.ids.get(*id)).or_default();
        }
        self
    }

    /// The call or record that an id of a text means. `dense`: white space was taken out of the text, so that words may
    /// hang on the id.
    pub(super) fn find(&self, asked: &str, dense: bool) -> Option<Hit> {
        self.exact(asked)
            .or_else(|| self.shortened(asked))
            .or_else(|| self.rewritten(asked.trim_end_matches(['.', ':', ','])))
            .or_else(|| self.underscored(asked))
            .or_else(|| self.begins(asked).filter(|_| dense))
    }

    /// The call with exactly this id.
    pub(super) fn call(&self, id: &str) -> Option<Hit> {
        self.calls
            .get(id)
            .map(|parts| hit(id, How::Same, parts.clone()))
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
        let record = self
            .t
            .records()
            .find(|event| self.t.event(*event).id == Some(known))?;
        Some(Hit {
            id: id.to_owned(),
            how: How::Same,
            parts: Vec::new(),
            record: Some(record),
        })
    }

    /// What somebody shortened: the only call that fits, or all that do. Without an end it has to say enough.
    fn shortened(&self, asked: &str) -> Option<Hit> {
        if !asked.contains('…') && !asked.contains("...") {
            return None;
        }
        let TypedId { head, tail } = TypedId::read(asked);
        let tails = [tail, tail.trim_end_matches(['.', ':', ','])];
        if tails[1].is_empty() && head.len() < BEGINNING {
            return None;
        }
        let fits = |id: &str| {
            let longer = id.len() > head.len().saturating_add(tails[1].len());
            longer && tails.iter().any(|tail| TypedId { head, tail }.fits(id))
        };
        let fitting: Vec<(&&str, &Vec<PartId>)> =
            self.calls.iter().filter(|(id, _)| fits(id)).collect();
        match fitting.as_slice() {
            [] => None,
            [(id, parts)] => Some(hit(id, How::Shortened, parts.to_vec())),
            several => {
                let parts = several.iter().flat_map(|(_, parts)| parts.iter().copied());
                Some(hit(asked, How::Unclear, parts.collect()))
            }
        }
    }

    /// What a library makes of an id that its provider would refuse: langchain-anthropic a hash, OpenClaw the letters and
    /// digits.
    fn rewritten(&self, asked: &str) -> Option<Hit> {
        let hashed = |id: &str| {
            let hash = Sha256::digest(id.as_bytes());
            let hex: String = hash
                .iter()
                .take(12)
                .map(|byte| format!("{byte:02x}"))
                .collect();
            asked == format!("toolu_{hex}")
        };
        let stripped = |id: &str| {
            let bare = id.chars().filter(char::is_ascii_alphanumeric).take(40);
            asked.len() >= 8 && bare.eq(asked.chars())
        };
        let hashes = asked.len() == 30 && asked.starts_with("toolu_");
        let same = |id: &&&str| (hashes && !id.chars().all(is_plain) && hashed(id)) || stripped(id);
        let mut fitting = self.calls.keys().filter(same);
        let id = fitting.next()?;
        fitting
            .next()
            .is_none()
            .then(|| hit(id, How::Rewritten, self.calls[id].clone()))
    }

    /// The one recorded id that differs only in characters for which proxies write `_`.
    fn underscored(&self, asked: &str) -> Option<Hit> {
        let ends = std::iter::successors(Some(asked), |id| id.strip_suffix(['.', ':', ',']));
        ends.filter(|id| !id.is_empty()).find_map(|asked| {
            let same = |id: &&&str| id.chars().map(underscore).eq(asked.chars().map(underscore));
            let mut fitting = self.calls.keys().filter(same);
            let id = fitting.next()?;
            fitting
                .next()
                .is_none()
                .then(|| hit(id, How::Rewritten, self.calls[id].clone()))
        })
    }

    /// The longest recorded id with which a token begins, where a new sentence follows it.
    fn begins(&self, asked: &str) -> Option<Hit> {
        let ends = asked.match_indices('.').map(|(at, _)| asked.split_at(at));
        let sentence = |rest: &str| rest.chars().nth(1).is_some_and(|c| c.is_ascii_uppercase());
        let mut ends: Vec<&str> = ends
            .filter(|(_, rest)| sentence(rest))
            .map(|(id, _)| id)
            .collect();
        ends.reverse();
        ends.into_iter()
            .find_map(|id| self.exact(id))
            .map(|hit| Hit {
                how: How::Joined,
                ..hit
            })
    }
}

/// Whether every provider takes a character in an id.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// What a proxy writes for a character of an id.
fn underscore(c: char) -> char {
    if is_plain(c) { c } else { '_' }
}

fn hit(id: &str, how: How, parts: Vec<PartId>) -> Hit {
    Hit {
        id: id.to_owned(),
        how,
        parts,
        record: None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Span};
    use crate::transcript::{Origin, Part, Place, State};

    /// A recording of calls with these ids.
    pub(in super::super) fn recording(ids: &[&str]) -> Transcript {
        let mut t = Transcript::default();
        let at = Span {
            entry: EntryId(0),
            start: 0,
            end: 1,
        };
        for (line, id) in (1..).zip(ids) {
            let event = t.begin(at, Place::Line(line), State::Whole);
            let id = Some(t.ids.intern(id));
            let (kind, origin) = (PartKind::Call, Origin::Real);
            t.part(Part {
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

    fn found(t: &Transcript, asked: &str, dense: bool) -> Option<(String, How)> {
        Known::of(t).find(asked, dense).map(|hit| (hit.id, hit.how))
    }

    #[test]
    fn ids_are_equal_or_not_found() {
        let t = recording(&["tooluse_ab", "tooluse_ab.c:1-2", "call_1"]);
        let same = |id: &str| Some((id.to_owned(), How::Same));
        assert_eq!(
            found(&t, "tooluse_ab.c:1-2", false),
            same("tooluse_ab.c:1-2")
        );
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
        let joined = |id: &str| Some((id.to_owned(), How::Joined));
        assert_eq!(found(&t, "tooluse_ab.c.Each", true), joined("tooluse_ab.c"));
        assert_eq!(
            found(&t, "tooluse_ab.Eachtool_use.Found", true),
            joined("tooluse_ab")
        );
        assert_eq!(found(&t, "tooluse_ab.Each", false), None);
        for other in [
            "tooluse_abEach",
            "tooluse_ab.d",
            "tooluse_ab.d.Each",
            "tooluse_ab:Each",
        ] {
            assert_eq!(found(&t, other, true), None, "{other}");
        }
    }

    #[test]
    fn shortened_ids_must_fit_one_only() {
        let t = recording(&["tooluse_y6Ma8ihoB4T7p", "tooluse_y6Ma8xxxB4T7p"]);
        let short = Some(("tooluse_y6Ma8ihoB4T7p".to_owned(), How::Shortened));
        assert_eq!(found(&t, "tooluse_y6Ma8i…T7p", false), short);
        assert_eq!(found(&t, "tooluse_y6Ma8i...T7p.", false), short);
        let begun = Some(("tooluse_y6Ma8ihoB4T7p".to_owned(), How::Shortened));
        assert_eq!(
            (
                found(&t, "tooluse_y6Ma8i…", false),
                found(&t, "tooluse_y6Ma8i...", false)
            ),
            (begun.clone(), begun)
        );
        for several in ["tooluse_y6Ma8…T7p", "tooluse_y6…"] {
            assert_eq!(
                found(&t, several, false),
                Some((several.to_owned(), How::Unclear))
            );
        }
        for other in [
            "tooluse_…",
            "…T7p",
            "tooluse_y6Ma8ihoB4…ihoB4T7p",
            "tooluse_y6Ma8i",
        ] {
            assert_eq!(found(&t, other, false), None, "{other}");
        }
    }

    #[test]
    fn rewritten_ids_lead_back() {
        let t = recording(&["functions.read:0", "call_abcdefgh|fc_1"]);
        let hash = Sha256::digest(b"functions.read:0");
        let hex: String = hash
            .iter()
            .take(12)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let rewritten = |id: &str| Some((id.to_owned(), How::Rewritten));
        assert_eq!(
            found(&t, &format!("toolu_{hex}."), false),
            rewritten("functions.read:0")
        );
        assert_eq!(
            found(&t, "callabcdefghfc1", false),
            rewritten("call_abcdefgh|fc_1")
        );
    }

    #[test]
    fn characters_that_a_proxy_took_for_underscores() {
        let rewritten = |id: &str| Some((id.to_owned(), How::Rewritten));
        let t = recording(&["functions.read:0", "functions.read:1", "call_a|fc_1"]);
        assert_eq!(
            found(&t, "functions_read_0", false),
            rewritten("functions.read:0")
        );
        assert_eq!(
            found(&t, "functions_read_1.", false),
            rewritten("functions.read:1")
        );
        assert_eq!(found(&t, "call_a_fc_1", false), rewritten("call_a|fc_1"));
        for other in [
            "functions_read_2",
            "functions-read-0",
            "functions_read_",
            "_",
        ] {
            assert_eq!(found(&t, other, false), None, "{other}");
        }
        // The same comes first, and of two that fit neither is meant.
        let t = recording(&["read_0", "read:0", "bash.0", "bash:0"]);
        assert_eq!(
            found(&t, "read_0", false),
            Some(("read_0".to_owned(), How::Same))
        );
        assert_eq!(found(&t, "bash_0", false), None);
    }
}
