//! The values that options take, from the lists of what is built.

use clap::builder::PossibleValuesParser;

use crate::rules::{self, Rule};

/// Outputs.
pub fn formats() -> PossibleValuesParser {
    one_of(crate::outputs::OUTPUTS.iter().map(|output| output.name).collect())
}

/// Recorded formats.
pub fn from() -> PossibleValuesParser {
    one_of(["auto"].into_iter().chain(crate::formats::ALL.iter().map(|format| format.name)).collect())
}

/// Providers.
pub fn target() -> PossibleValuesParser {
    let names = crate::targets::ALL.iter().map(|target| target.name);
    one_of(["auto"].into_iter().chain(names).chain([crate::targets::STRICTEST_NAME]).collect())
}

/// Kinds of clients.
pub fn client() -> PossibleValuesParser {
    one_of(
        ["auto"].into_iter().chain(crate::formats::Client::ALL.iter().map(|client| client.name())).collect(),
    )
}

fn one_of(names: Vec<&'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// A rule by its code or its name.
///
/// # Errors
/// There is none, in words for the user.
pub fn rule(text: &str) -> Result<&'static Rule, String> {
    let same = |rule: &&&Rule| rule.code.eq_ignore_ascii_case(text) || rule.name.eq_ignore_ascii_case(text);
    rules::ALL
        .iter()
        .find(same)
        .copied()
        .ok_or_else(|| String::from("no rule has this code or name; `explain --list` lists them"))
}

/// Rules by code, name or the beginning of codes.
///
/// # Errors
/// There is none, in words for the user.
pub fn selector(text: &str) -> Result<String, String> {
    let code = text.to_ascii_uppercase();
    let known = !text.is_empty() && rules::ALL.iter().any(|rule| rule.code.starts_with(&code));
    if known { Ok(code) } else { rule(text).map(|rule| rule.code.to_owned()) }
}
