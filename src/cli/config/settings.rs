//! What applies in the end, key by key: for `check --show-settings`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::KEYS;
use crate::cli::AskedOptions;

/// A key of the configuration with the value that applies.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The key.
    pub name: &'static str,
    /// The value as TOML. `None`: there is none.
    pub value: Option<String>,
    /// Who said it; nobody: it is the default.
    pub sources: Vec<SettingSource>,
}

/// Who said how something is set.
#[derive(Clone, Debug)]
pub(crate) enum SettingSource {
    /// The configuration, in this line.
    File(PathBuf, usize),
    /// The command line.
    Typed,
}

/// The settings of a run. `typed`: which keys were typed. `lines`: those of the configuration at this path.
pub(super) fn of(
    asked: &AskedOptions,
    typed: &[bool],
    lines: &[(&'static str, usize)],
    path: Option<&Path>,
) -> Vec<Setting> {
    let rows = KEYS.iter().zip(typed);
    rows.map(|(key, typed)| {
        let mut sources = Vec::new();
        let line = lines.iter().find(|(name, _)| *name == key.name);
        if let (Some((_, line)), Some(path)) = (line, path)
            && (key.adds || !typed)
        {
            sources.push(SettingSource::File(path.to_owned(), *line));
        }
        sources.extend(typed.then_some(SettingSource::Typed));
        Setting { name: key.name, value: (key.shown)(asked), sources }
    })
    .collect()
}

/// A string. JSON and TOML write it in the same way.
pub(super) fn text(text: &str) -> Option<String> {
    Some(quoted(text))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Strings; nothing, if there are none.
pub(super) fn list(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| array(texts))
}

fn array(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// A word of an option.
pub(super) fn word(value: impl ValueEnum) -> Option<String> {
    text(value.to_possible_value()?.get_name())
}

/// A table; nothing, if it has no entries.
fn table(entries: Vec<String>) -> Option<String> {
    (!entries.is_empty()).then(|| format!("{{ {} }}", entries.join(", ")))
}

pub(super) fn levels(asked: &AskedOptions) -> Option<String> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for (rule, level) in &asked.severity.level {
        // The last one that names a rule counts.
        entries.retain(|(other, _)| other != rule);
        entries.push((rule.clone(), word(*level)?));
    }
    table(entries.into_iter().map(|(rule, level)| format!("{rule} = {level}")).collect())
}

pub(super) fn exclude(asked: &AskedOptions) -> Option<String> {
    let of_file = asked.excluded.iter().flat_map(|(_, globs)| globs.clone());
    list(&of_file.chain(asked.read.exclude.clone()).collect::<Vec<_>>())
}

pub(super) fn per_file_ignores(asked: &AskedOptions) -> Option<String> {
    let entries = asked.per_file_ignores.iter().flat_map(|(_, entries)| entries);
    table(entries.map(|(glob, rules)| format!("{} = {}", quoted(glob), array(rules))).collect())
}

pub(super) fn per_file_formats(asked: &AskedOptions) -> Option<String> {
    let entries = asked.per_file_formats.iter().flat_map(|(_, entries)| entries);
    let entries = entries.filter_map(|(glob, reading)| {
        let named = [("from", &reading.from), ("target", &reading.target)];
        let said = named
            .iter()
            .filter_map(|(key, value)| Some(format!("{key} = {}", quoted(value.as_deref()?))));
        Some(format!("{} = {}", quoted(glob), table(said.collect())?))
    });
    table(entries.collect())
}
