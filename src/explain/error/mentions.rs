//! Where words of a text are in a transcript, in whatever member: every record is searched, because a format does not read
//! all members, and an error may name any of them.

use memchr::memmem;

use super::places;
use crate::bytes::source::Entries;
use crate::engine::Judged;
use crate::explain::record::find_number;
use crate::transcript::{EventId, Role};

/// Longest record that is searched, in bytes.
const LONGEST: u64 = 64 << 20;
/// Words that are searched, at most.
const WORDS: usize = 40;
/// A word in more records than this says nothing.
const COMMON: usize = 20;
/// Names that come before the number of a message in a path.
const LISTS: [&str; 5] = ["messages", "input", "contents", "items", "history"];

/// The records that hold each of these words as a whole word.
pub(super) fn holding(
    words: &[String],
    entries: &dyn Entries,
    judged: &Judged,
) -> Vec<Vec<EventId>> {
    let t = &judged.transcript;
    let mut found = vec![Vec::new(); words.len().min(WORDS)];
    if found.is_empty() {
        return found;
    }
    for event in t.records().filter(|event| t.event(*event).role != Role::HostState) {
        let at = t.event(event).at();
        if at.end.saturating_sub(at.start) > LONGEST {
            continue;
        }
        let Ok(bytes) = entries.fetch(at) else {
            continue;
        };
        for (word, found) in words.iter().zip(&mut found) {
            if holds(&bytes, word.as_bytes()) {
                found.push(event);
            }
        }
    }
    found.iter_mut().filter(|found| found.len() > COMMON).for_each(Vec::clear);
    found
}

fn holds(bytes: &[u8], word: &[u8]) -> bool {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
    };
    memmem::find_iter(bytes, word).any(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let rest = &bytes[at + word.len()..];
        // In `toolu_1.f:2` the ID continues; the dot in `toolu_1. Then` ends a sentence.
        let goes_on = match rest.first() {
            Some(b'.' | b':') => rest.get(1).is_some_and(u8::is_ascii_alphanumeric),
            next => is_part(next),
        };
        // Which members a record has says nothing about it.
        let is_member =
            rest.strip_prefix(b"\"").is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"));
        !is_part(before) && !goes_on && !is_member
    })
}

/// The records at the places that a text names: `line 8`, `messages[6]`, `input[2].phase`.
pub(super) fn at_places(text: &str, judged: &Judged) -> Vec<EventId> {
    let mut found = Vec::new();
    if judged.detection.layout.is_lines() {
        for (number, rest) in numbers_after(text, "line ") {
            // Line 1 of the body of a request, which is one line.
            if number > 1 || !rest.trim_start_matches([',', ':', ' ']).starts_with("column") {
                found.extend(find_number(judged, number));
            }
        }
    }
    for list in LISTS {
        for (number, _) in numbers_after(text, list) {
            let index = u32::try_from(number).unwrap_or(u32::MAX);
            found.extend(places::records(judged, index));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The first message that a text names by its path.
pub(super) fn first_index(text: &str) -> Option<u32> {
    let mut numbers = LISTS.iter().flat_map(|list| numbers_after(text, list));
    numbers.find_map(|(number, _)| u32::try_from(number).ok())
}

/// The numbers after a word, directly or after a dot or a bracket, each with what comes after it.
fn numbers_after<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (u64, &'a str)> + 'a {
    text.match_indices(word).filter_map(move |(at, _)| {
        let starts_word = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let rest = text[at + word.len()..].trim_start_matches(['.', '[']);
        let (number, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        Some((number.parse().ok()?, rest)).filter(|_| starts_word)
    })
}

/// The words of a text that it puts between quotes or backticks.
pub(super) fn quoted(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for quote in ['`', '\''] {
        for word in text.split(quote).skip(1).step_by(2) {
            let is_word = (3..=64).contains(&word.len()) && !word.contains(char::is_whitespace);
            if is_word && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_in_many_ways() {
        let all = |text, word| -> Vec<u64> {
            numbers_after(text, word).map(|(number, _)| number).collect()
        };
        for text in
            ["messages[6]: missing", "messages.6.content", "messages.[6].role", "see messages[6]"]
        {
            assert_eq!(all(text, "messages"), [6], "{text}");
            assert_eq!(first_index(text), Some(6), "{text}");
        }
        assert_eq!(all("(line 8: data.summary)", "line "), [8]);
        assert_eq!(numbers_after("on-line 8, baseline 8", "line ").count(), 1);
        assert_eq!(numbers_after("all messages are", "messages").next(), None);
    }

    #[test]
    fn words_are_whole() {
        assert!(holds(br#"{"a":"rs_1"}"#, b"rs_1"));
        assert!(!holds(br#"{"a":"rs_12","b":"xrs_1"}"#, b"rs_1"));
        assert!(!holds(br#"{"rs_1" : 1,"b":2}"#, b"rs_1"));
        assert_eq!(quoted("Tool 'Pruner' and `advisor` it's not"), ["advisor", "Pruner"]);
    }
}
