//! Shortens IDs so that they are readable but still distinct.

use std::collections::HashMap;

use super::{Shown, escape};

/// IDs up to this length are not shortened.
const WHOLE: usize = 22;
/// Characters kept before and after the `…`, at first and at most.
const FIRST: (usize, usize) = (11, 4);
const LAST: (usize, usize) = (31, 24);

/// Shortens IDs in the middle, `toolu_01EvR…c8ir`. Equal IDs become equal texts, different IDs
/// different texts.
pub(crate) fn shorten_ids(ids: &[&str]) -> Vec<String> {
    let mut order: Vec<&str> = ids.to_vec();
    order.sort_unstable();
    order.dedup();
    let escaped: Vec<String> = order.iter().map(|id| escape(id)).collect();
    let mut short: Vec<String> = escaped.iter().map(|id| shorten(id, FIRST)).collect();
    let (mut head, mut tail) = FIRST;
    while head < LAST.0 {
        let duplicates = duplicates(&short);
        if duplicates.is_empty() {
            break;
        }
        (head, tail) = (head + 4, tail + 4);
        for n in duplicates {
            short[n] = shorten(&escaped[n], (head, tail));
        }
    }
    // Number those that still have the same start and end.
    for (count, n) in duplicates(&short).into_iter().enumerate() {
        short[n].push_str(&format!("#{}", count + 1));
    }
    ids.iter()
        .map(|id| order.binary_search(id).map_or_else(|_| escape(id), |n| short[n].clone()))
        .collect()
}

/// Indices of texts that several IDs have.
fn duplicates(short: &[String]) -> Vec<usize> {
    let mut seen: HashMap<&str, u32> = HashMap::with_capacity(short.len());
    for s in short {
        *seen.entry(s).or_default() += 1;
    }
    (0..short.len())
        .filter(|n| seen.get(short[*n].as_str()).is_some_and(|count| *count > 1))
        .collect()
}

fn shorten(id: &str, (head, tail): (usize, usize)) -> String {
    let count = id.chars().count();
    if count <= WHOLE.max(head + tail + 1) {
        return id.to_owned();
    }
    let front: String = id.chars().take(head).collect();
    let back: String = id.chars().skip(count - tail).collect();
    format!("{front}…{back}")
}

/// The shortened IDs of one report.
#[derive(Debug, Default)]
pub(crate) struct ReportIds {
    short: HashMap<String, String>,
}

impl ReportIds {
    /// Shortens these IDs.
    pub(crate) fn short(ids: &[&str]) -> ReportIds {
        let texts = shorten_ids(ids);
        ReportIds { short: ids.iter().map(|id| (*id).to_owned()).zip(texts).collect() }
    }

    /// The text for an ID. An ID that was not passed to [`ReportIds::short`] is shown in full, and one
    /// that is hidden from the reader as rendered for them.
    pub(crate) fn text(&self, id: &Shown) -> String {
        match self.short_of(id).filter(|_| id.is_whole()) {
            Some(short) => short.to_owned(),
            None => id.to_string(),
        }
    }

    /// The shortened form of an ID that was passed to [`ReportIds::short`].
    pub(super) fn short_of(&self, id: &Shown) -> Option<&str> {
        self.short.get(id.exact()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::redact::at_hand;

    #[test]
    fn long_ids_lose_their_middle() {
        let ids = ["toolu_01EvREYhc5WD2xswPAvEc8ir", "call_1", "toolu_01EvREYhc5WD2xswPAvEc8ir"];
        assert_eq!(shorten_ids(&ids), ["toolu_01EvR…c8ir", "call_1", "toolu_01EvR…c8ir"]);
    }

    #[test]
    fn different_ids_stay_different() {
        let a = format!("toolu_01EvR{}X{}c8ir", "y".repeat(40), "z".repeat(4));
        let b = format!("toolu_01EvR{}W{}c8ir", "y".repeat(40), "z".repeat(4));
        let short = shorten_ids(&[&a, &b]);
        assert_ne!(short[0], short[1]);
        assert!(short[0].contains('…'));

        let a = format!("{}A{}", "x".repeat(100), "x".repeat(100));
        let b = format!("{}B{}", "x".repeat(100), "x".repeat(100));
        let short = shorten_ids(&[&a, &b, &a]);
        assert_ne!(short[0], short[1]);
        assert_eq!(short[0], short[2]);
        assert!(short[0].chars().count() < 70);
    }

    #[test]
    fn an_id_cannot_steer_the_terminal() {
        let ids = ReportIds::short(&["call_\u{1b}[2J"]);
        let text = |id: &str| ids.text(&at_hand(Shown::from(id)));
        assert_eq!(text("call_\u{1b}[2J"), "call_\\u{1b}[2J");
        assert_eq!(text("other\u{7}"), "other\\u{7}");
    }
}
