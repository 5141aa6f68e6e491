//! The patterns of error texts, compiled once for each form in which a text may be pasted.

use super::normalize::DENSE;
use crate::targets::errors::ErrorTable;
use regex::Regex;
use std::sync::OnceLock;

/// An ID in a text; `…` replaces what was left out.
pub(super) const TOKEN: &str = "[A-Za-z0-9_.:|/@+=…-]+";

/// Shortest pattern without its place, in bytes: it must still be a distinctive sentence.
const SENTENCE: usize = 24;

/// How much of a known text must match.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    Whole,
    /// A part is enough, and the place before it may be missing: users copy from where the words
    /// start, and hosts match in that way.
    WithoutPlace,
}

/// Patterns by table and row.
type Patterns = Vec<Vec<Option<Regex>>>;

/// All patterns for one form, by table and row.
pub(super) fn patterns(
    tables: &[ErrorTable],
    form: usize,
    coverage: Coverage,
) -> &'static [Vec<Option<Regex>>] {
    static FORMS: [[OnceLock<Patterns>; 3]; 2] = [const { [const { OnceLock::new() }; 3] }; 2];
    FORMS[usize::from(coverage == Coverage::WithoutPlace)][form].get_or_init(|| {
        tables
            .iter()
            .map(|table| {
                table
                    .texts
                    .iter()
                    .map(|text| match coverage {
                        Coverage::Whole if text.piece => None,
                        Coverage::WithoutPlace if text.piece => compiled(text.pattern, form),
                        Coverage::Whole => compiled(text.pattern, form),
                        Coverage::WithoutPlace => {
                            without_place(text.pattern).and_then(|pattern| compiled(&pattern, form))
                        }
                    })
                    .collect()
            })
            .collect()
    })
}

/// A pattern without the place before it; `None` if it has no place, or if the rest is too short to
/// be distinctive.
fn without_place(pattern: &str) -> Option<String> {
    const PLACES: [&str; 3] = ["{L}", r"messages\.{n}\.content\.{m}", r"messages\.{n}"];
    let pattern = PLACES.iter().find_map(|place| pattern.strip_prefix(place))?;
    let rest = pattern.strip_prefix(": ").or_else(|| pattern.strip_prefix(r"\."))?;
    // After a bar at the top level, another text with its own place follows.
    let mut depth = 0_usize;
    let bar = rest.bytes().any(|byte| {
        depth = match byte {
            b'(' => depth + 1,
            b')' => depth.saturating_sub(1),
            _ => depth,
        };
        byte == b'|' && depth == 0
    });
    (rest.len() >= SENTENCE && !bar).then(|| rest.to_owned())
}

/// Compiles a pattern for one form. `None` only for an invalid pattern, which a test excludes.
pub(super) fn compiled(pattern: &str, form: usize) -> Option<Regex> {
    let place =
        r"messages\.{n}(?:\.content\.(?<m>[0-9]+)(?:\.tool_result\.content\.(?<k>[0-9]+))?)?";
    let blank = if form == DENSE { "" } else { " ?" };
    // A quote that closes nothing ends the list: in `call_1.","type":` it ends the text, and a key
    // follows.
    let quoted = ["'", "`", "\""].map(|quote| format!(r"\\*{quote}{TOKEN}\\*{quote}")).join("|");
    let list = |one: &str| format!("(?:{one})(?:{{s}},{{s}}(?:{one}))*");
    let ids = format!("(?<ids>{}|{{q}}{})", list(&quoted), list(TOKEN));
    // Without spaces, `ids` ends where the known text continues only if that cannot be part of an
    // ID. The lookup of IDs takes this into account.
    let mut out = pattern
        .replace("{L}", place)
        .replace("{n}", "(?<n>[0-9]+)")
        .replace("{m}", "(?:[0-9]+)")
        .replace("{ids}", &ids)
        .replace("{id}", &format!("(?<id>{TOKEN})"))
        .replace("{q}", r#"\\*['"`]?"#);
    if form == DENSE {
        out.retain(|c| c != ' ');
    }
    Regex::new(&out.replace("{s}", blank)).ok()
}
