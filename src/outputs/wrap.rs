//! Sentences in lines.

use crate::report::text::width;

/// The words of a text in lines of at most `columns`, the first one after `used` columns. A word that is wider stands alone.
pub(crate) fn wrap(text: &str, columns: usize, used: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut taken = used;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = width(word);
        let empty = lines.last().is_none_or(String::is_empty);
        if !empty && taken.saturating_add(1).saturating_add(wide) > columns {
            lines.push(String::new());
            taken = 0;
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
                taken = taken.saturating_add(1);
            }
            line.push_str(word);
            taken = taken.saturating_add(wide);
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
    }
}
