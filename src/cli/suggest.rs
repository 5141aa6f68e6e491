//! Which known words somebody may have meant.

use similar::get_close_matches;

/// How alike two words must be, from 0 to 1.
const ALIKE: f32 = 0.6;

/// The known words that start with what was typed, or else the most similar one. It is empty if none is similar.
pub(crate) fn meant<'a>(typed: &str, known: &[&'a str]) -> Vec<&'a str> {
    let typed = typed.to_ascii_lowercase();
    let longer = known.iter().filter(|word| word.starts_with(&typed));
    let longer: Vec<&str> = longer.copied().filter(|_| typed.len() > 1).collect();
    if longer.is_empty() { get_close_matches(&typed, known, 1, ALIKE) } else { longer }
}

/// `; did you mean a or b?`, or nothing.
pub(crate) fn did_you_mean(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        words => format!("; did you mean {}?", words.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_come_before_similar_words() {
        let known = ["claude-code", "codex", "openhands", "openclaw"];
        assert_eq!(meant("claude", &known), ["claude-code"]);
        assert_eq!(meant("open", &known), ["openhands", "openclaw"]);
        assert_eq!(meant("Open-Hands", &known), ["openhands"]);
        assert!(meant("xyz", &known).is_empty() && meant("", &known).is_empty());
        assert_eq!(did_you_mean(&meant("open", &known)), "; did you mean openhands or openclaw?");
    }
}
