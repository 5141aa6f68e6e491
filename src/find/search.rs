//! Finds transcripts that contain one of several words, by their bytes and without parsing.

use std::io::{self, Read};

use regex::bytes::Regex;

use super::homes::StoredSession;
use crate::bytes::source::{Entries, Source};
use crate::format::home::Holds;

/// Bytes read at once.
const CHUNK: usize = 1 << 20;

/// Words to search for together.
#[derive(Debug)]
pub(crate) struct WordSearch {
    any: Regex,
    longest: usize,
}

impl WordSearch {
    /// `None` if there are no words, or too many.
    pub(crate) fn new(words: &[String]) -> Option<WordSearch> {
        WordSearch::of(words, regex::escape)
    }

    /// As [`new`](Self::new), but a `_` also matches a character that a proxy may have replaced.
    pub(crate) fn with_wildcards(words: &[String]) -> Option<WordSearch> {
        WordSearch::of(words, |word| regex::escape(word).replace('_', r#"[^A-Za-z0-9\s"\\-]"#))
    }

    fn of(words: &[String], pattern: fn(&str) -> String) -> Option<WordSearch> {
        let longest = words.iter().map(String::len).max().filter(|longest| *longest > 0)?;
        let any: Vec<String> = words.iter().map(|word| pattern(word)).collect();
        Some(WordSearch { any: Regex::new(&any.join("|")).ok()?, longest })
    }

    /// Whether a source contains one of the words.
    ///
    /// # Errors
    /// The source cannot be read.
    pub(crate) fn matches_source(&self, source: &Source) -> io::Result<bool> {
        for entry in source.ids() {
            if self.matches_reader(&mut *source.open(entry)?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a stored transcript contains one of the words.
    ///
    /// # Errors
    /// As [`WordSearch::matches_source`].
    pub(crate) fn matches_session(&self, session: &StoredSession) -> io::Result<bool> {
        self.matches_source(&match session.place.holds {
            Holds::Files | Holds::FilesIn(_) => Source::file(&session.path)?,
            Holds::Folders => super::open_folder(&session.path)?,
            Holds::Sessions => {
                let known = session.database.as_deref();
                super::store::open_session(&session.path, known)?.0
            }
        })
    }

    fn matches_reader(&self, input: &mut dyn Read) -> io::Result<bool> {
        let mut bytes = Vec::new();
        loop {
            if (&mut *input).take(CHUNK as u64).read_to_end(&mut bytes)? == 0 {
                return Ok(false);
            }
            if self.any.is_match(&bytes) {
                return Ok(true);
            }
            // A word may continue in the next chunk.
            let rest = bytes.len().min(self.longest.saturating_sub(1));
            bytes.drain(..bytes.len() - rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_across_chunks() {
        let words = WordSearch::new(&["toolu_01A".to_owned(), "a.b".to_owned()]).unwrap();
        for at in [0, 10, CHUNK - 9, CHUNK - 5, CHUNK - 1, CHUNK, 2 * CHUNK - 3] {
            let mut text = vec![b'x'; at];
            text.extend(b"toolu_01A");
            text.extend(vec![b'y'; 100]);
            assert!(words.matches_reader(&mut &text[..]).unwrap(), "{at}");
            text[at] = b'T';
            assert!(!words.matches_reader(&mut &text[..]).unwrap(), "{at}");
        }
        assert!(!words.matches_reader(&mut &b"a-b"[..]).unwrap());
        assert!(WordSearch::new(&[]).is_none() && WordSearch::new(&[String::new()]).is_none());
    }

    #[test]
    fn an_underscore_may_match_another_character() {
        let holds = |words: Option<WordSearch>, text: &str| {
            words.unwrap().matches_reader(&mut text.as_bytes()).unwrap()
        };
        let word = ["functions_read_0".to_owned()];
        for text in ["functions.read:0", "functions_read_0", "functions.read_0"] {
            assert!(holds(WordSearch::with_wildcards(&word), text), "{text}");
            assert_eq!(holds(WordSearch::new(&word), text), text == word[0], "{text}");
        }
        for text in
            ["functions-read:0", "functions read 0", "functions\"read\"0", "functionsXreadX0"]
        {
            assert!(!holds(WordSearch::with_wildcards(&word), text), "{text}");
        }
    }
}
