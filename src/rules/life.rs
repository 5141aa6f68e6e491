//! How far a rule can be relied on, and since when: `released.txt`, a line for each rule. The line of a rule that is gone stays, as
//! `removed`, so that nothing else gets its code or its name.

use serde::Serialize;

use crate::transcript::Code;

/// Code, name, version, and stage of each rule.
const RELEASED: &str = include_str!("released.txt");

/// How far a rule can be relied on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It is being tried: what it finds may change in any version.
    Preview,
    /// What it means stays.
    Stable,
    /// It will be removed; its page says what to use instead.
    Deprecated,
}

impl Stage {
    /// The stage as a word.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Preview => "preview",
            Stage::Stable => "stable",
            Stage::Deprecated => "deprecated",
        }
    }
}

/// The stage of a rule, and the version that has it since then. A rule without a line is new.
pub(crate) fn life(code: Code) -> (Stage, &'static str) {
    let row = RELEASED.lines().find_map(|line| line.strip_prefix(code.as_str()));
    let mut words = row.into_iter().flat_map(str::split_whitespace).skip(1);
    let since = words.next().unwrap_or(env!("CARGO_PKG_VERSION"));
    let all = [Stage::Preview, Stage::Stable, Stage::Deprecated];
    let stage = words.next().and_then(|word| all.into_iter().find(|own| own.word() == word));
    (stage.unwrap_or(Stage::Preview), since)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rules;

    #[test]
    fn no_code_and_no_name_is_used_again() {
        let rows: Vec<Vec<&str>> = RELEASED.lines().map(|line| line.split(' ').collect()).collect();
        let codes: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        assert!(codes.is_sorted(), "{codes:?}");
        for column in [0, 1] {
            let different: BTreeSet<&str> = rows.iter().map(|row| row[column]).collect();
            assert_eq!(different.len(), rows.len());
        }
        let standing = rows.iter().filter(|row| row[3] != "removed");
        let standing: Vec<(&str, &str)> = standing.map(|row| (row[0], row[1])).collect();
        let real: Vec<(&str, &str)> =
            rules::ALL.iter().map(|rule| (rule.code.as_str(), rule.name)).collect();
        assert_eq!(standing, real, "a line for each rule in src/rules/released.txt");
    }

    #[test]
    fn each_rule_has_a_stage() {
        for rule in rules::ALL {
            let (stage, since) = life(rule.code);
            assert!(since.split('.').count() == 3, "{since}");
            let line = format!("{} {} {since} {}", rule.code, rule.name, stage.word());
            assert!(RELEASED.lines().any(|own| own == line), "{line}");
        }
    }
}
