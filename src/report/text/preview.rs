//! Previews of recorded text, with apparent secrets masked. A second safety net: outputs that leave
//! the machine print no text at all.

use super::{escape, fit, width};
use crate::report::redact::shape;

/// Most columns of a preview.
pub(crate) const PREVIEW: usize = 40;

/// Most columns of a quote.
const QUOTE: usize = 240;

/// Bytes of a text that are read: enough to see a whole key where the preview ends.
const LOOKED_AT: usize = 512;

/// The start of a text in at most [`PREVIEW`] columns: one line, escaped, secrets as `[secret]`.
pub(crate) fn preview(text: &str) -> String {
    masked(text, PREVIEW)
}

/// As [`preview`], with more room, for known words of a provider or host.
pub(crate) fn quote(text: &str) -> String {
    masked(text, QUOTE)
}

fn masked(text: &str, columns: usize) -> String {
    let end =
        (0..=LOOKED_AT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut out = String::new();
    let mut bearer = false;
    for word in text.get(..end).unwrap_or("").split_whitespace() {
        // What follows is not shown.
        if out.len() > columns && width(&escape(&out)) > columns {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&if bearer { "[secret]".to_owned() } else { mask(word) });
        bearer =
            word.eq_ignore_ascii_case("bearer") || word.to_ascii_lowercase().ends_with(":bearer");
    }
    fitted(&out, end < text.len(), columns)
}

/// The same with its secrets.
pub(crate) fn excerpt(text: &str) -> String {
    let end =
        (0..=LOOKED_AT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let words: Vec<&str> = text.get(..end).unwrap_or("").split_whitespace().collect();
    fitted(&words.join(" "), end < text.len(), PREVIEW)
}

fn fitted(words: &str, more: bool, columns: usize) -> String {
    let shown = fit(&escape(words), columns).into_owned();
    if more && !shown.ends_with('…') {
        fit(&format!("{shown} …"), columns).into_owned()
    } else {
        shown
    }
}

/// Masks the parts of a word that look like a key; what is around them stays.
fn mask(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !is_of_keys(c)).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        out.push_str(&mask_run(run));
        let next = tail.find(is_of_keys).unwrap_or(tail.len());
        let (between, after) = tail.split_at(next);
        out.push_str(between);
        rest = after;
    }
    out
}

/// Base64, base64url and hex, without `=`, which parts `KEY=value`, and without `/`, which parts
/// paths.
fn is_of_keys(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+')
}

fn mask_run(run: &str) -> String {
    if shape::is_key(run) { "[secret]".to_owned() } else { run.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked() {
        for secret in [
            "sk-ant-api03-abcdefgh",
            "ghp_0123456789abcdef",
            "AKIAIOSFODNN7EXAMPLE",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ] {
            let shown = preview(&format!("K={secret} ok"));
            assert_eq!(shown, "K=[secret] ok");
        }
        assert_eq!(preview("Authorization: Bearer abc"), "Authorization: Bearer [secret]");
    }

    #[test]
    fn plain_text_stays_short_and_on_one_line() {
        assert_eq!(preview("ls -la\n\tsrc"), "ls -la src");
        assert_eq!(preview("sk-ip the task-force"), "sk-ip the task-force");
        assert_eq!(preview("\u{1b}[2J"), "\\u{1b}[2J");
        let long = preview(&"word ".repeat(1000));
        assert!(crate::report::text::width(&long) <= PREVIEW && long.ends_with('…'));
    }
}
