//! What all documents for people need: who reads them, how wide sentences are, how much is shown, how IDs look.

use super::{Detail, OutputStyle};
use crate::report::text::{ReportIds, Shown};

/// Columns of sentences, at most: longer lines are hard to read.
const WIDEST: usize = 100;

/// Where a document is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// In a terminal, among other output.
    Terminal,
    /// On a page of its own, by somebody who may not know this program.
    Page,
}

/// How a document says things.
pub(crate) struct TextLayout<'a> {
    pub style: &'a OutputStyle,
    /// Columns of its sentences.
    pub columns: usize,
    /// Its IDs, short and unlike each other; whole where everything is asked for.
    pub ids: ReportIds,
    medium: Medium,
}

impl<'a> TextLayout<'a> {
    /// One that will name these IDs.
    pub(crate) fn new<'i>(
        style: &'a OutputStyle,
        medium: Medium,
        ids: impl Iterator<Item = &'i Shown>,
    ) -> TextLayout<'a> {
        let ids = match style.detail {
            Detail::All => ReportIds::default(),
            _ => ReportIds::short(&ids.map(Shown::exact).collect::<Vec<_>>()),
        };
        TextLayout { style, columns: style.width.min(WIDEST), ids, medium }
    }

    pub(crate) fn is_page(&self) -> bool {
        self.medium == Medium::Page
    }

    /// Whether only the first facts are asked for.
    pub(crate) fn is_brief(&self) -> bool {
        !self.is_page() && self.style.detail == Detail::Verdicts
    }

    /// A path after `used` columns; whole on a page.
    pub(crate) fn path(&self, path: &str, used: usize) -> String {
        match self.medium {
            Medium::Terminal => self.style.path(path, used),
            Medium::Page => path.to_owned(),
        }
    }

    /// Whether everything is asked for.
    pub(crate) fn shows_all(&self) -> bool {
        self.style.detail == Detail::All
    }

    /// `few`, unless everything is asked for.
    pub(crate) fn most(&self, few: usize) -> usize {
        if self.style.detail == Detail::All { usize::MAX } else { few }
    }

    /// How many of `count` are left out where at most `few` are told; `None`: none.
    pub(crate) fn left_out(&self, count: usize, few: usize) -> Option<usize> {
        count.checked_sub(self.most(few)).filter(|more| *more > 0)
    }

    /// `lines 4 and 5`: at most `few` records, unless everything is asked for.
    pub(crate) fn numbered(&self, unit: &str, numbers: &[u64], few: usize) -> String {
        numbered(unit, numbers, self.most(few))
    }

    /// At most `few` words with commas between them, `…` for the others, unless everything is asked for.
    pub(crate) fn list(&self, words: impl Iterator<Item = impl ToString>, few: usize) -> String {
        list(words, self.most(few))
    }
}

/// `line 4`, `lines 4 and 5`, `lines 4, 5, …`: the records with these numbers, at most `most` of them.
pub(crate) fn numbered(unit: &str, numbers: &[u64], most: usize) -> String {
    let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => format!("{unit} {only}"),
        [before @ .., last] if words.len() <= most => {
            format!("{unit}s {} and {last}", before.join(", "))
        }
        _ => format!("{unit}s {}", list(words.iter(), most)),
    }
}

/// At most `most` words with commas between them, `…` for the others.
pub(super) fn list(words: impl Iterator<Item = impl ToString>, most: usize) -> String {
    let mut words: Vec<String> =
        words.take(most.saturating_add(1)).map(|word| word.to_string()).collect();
    if words.len() > most {
        words.truncate(most);
        words.push("…".to_owned());
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_named_in_words() {
        assert_eq!(numbered("line", &[4], 3), "line 4");
        assert_eq!(numbered("line", &[4, 5], 3), "lines 4 and 5");
        assert_eq!(numbered("event", &[4, 5, 6], 3), "events 4, 5 and 6");
        assert_eq!(numbered("line", &[4, 5, 6, 7], 3), "lines 4, 5, 6, …");
    }

    #[test]
    fn a_list_tells_that_it_is_longer() {
        assert_eq!(list([1, 2].iter(), 2), "1, 2");
        assert_eq!(list([1, 2, 3].iter(), 2), "1, 2, …");
        assert_eq!(list([1, 2, 3].iter(), usize::MAX), "1, 2, 3");
    }
}
