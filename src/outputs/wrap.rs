//! Sentences in lines.

use crate::report::text::width;

/// The words of a text in lines of at most `columns`, the first one after `used` columns. A word that is wider is broken after a
/// `/`, where it has some.
pub(crate) fn wrap(text: &str, columns: usize, used: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut taken = used;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let breaks = if width(word) > columns { "/" } else { "\n" };
        for (at, part) in word.split_inclusive(breaks).enumerate() {
            let wide = width(part);
            let empty = lines.last().is_none_or(String::is_empty);
            let gap = usize::from(at == 0 && !empty);
            if !empty && taken.saturating_add(gap).saturating_add(wide) > columns {
                lines.push(String::new());
                taken = 0;
            }
            if let Some(line) = lines.last_mut() {
                if gap > 0 && !line.is_empty() {
                    line.push(' ');
                    taken = taken.saturating_add(1);
                }
                line.push_str(part);
                taken = taken.saturating_add(wide);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("one two  three", 7, 0), ["one two", "three"]);
        assert_eq!(wrap("one two three", 9, 4), ["one", "two three"]);
        assert_eq!(wrap("abcdefghij k", 4, 0), ["abcdefghij", "k"]);
        assert_eq!(wrap("日本 日本", 6, 0), ["日本", "日本"]);
        assert_eq!(wrap("", 6, 0), [""]);
        assert_eq!(wrap("a/b c", 4, 0), ["a/b", "c"]);
    }

    #[test]
    fn wide_paths_break_between_their_folders() {
        assert_eq!(wrap("in ab/cd/ef, x", 6, 0), ["in ab/", "cd/ef,", "x"]);
        assert_eq!(wrap("abcdefgh/i j", 4, 0), ["abcdefgh/", "i j"]);
    }
}
