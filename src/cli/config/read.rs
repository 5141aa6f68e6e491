//! Values of the configuration, read. What is not understood is said in a few words.

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use toml_span::Value;
use toml_span::value::Table;

use crate::cli::suggest::{did_you_mean, meant};
use crate::cli::{FileReading, PerFileFormats, PerFileIgnores, values};

pub(super) fn text(value: &Value<'_>) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| "expected a string".to_owned())
}

pub(super) fn texts(value: &Value<'_>) -> Result<Vec<String>, String> {
    let all = value.as_array().ok_or_else(|| "expected an array of strings".to_owned())?;
    all.iter().map(text).collect()
}

pub(super) fn rules(value: &Value<'_>) -> Result<Vec<String>, String> {
    texts(value)?
        .into_iter()
        .map(|text| values::selector(&text).map_err(|bad| format!("{text}: {bad}")))
        .collect()
}

/// Globs as in ignore files.
pub(super) fn globs(value: &Value<'_>) -> Result<Vec<String>, String> {
    let texts = texts(value)?.into_iter();
    texts.map(|text| values::glob(&text).map_err(|bad| bad.to_string())).collect()
}

/// Globs, each with the rules that are not checked in the files that it matches.
pub(super) fn ignores(value: &Value<'_>) -> Result<PerFileIgnores, String> {
    let table = value.as_table().ok_or("expected a table: \"old/**\" = [\"TD205\"]")?;
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(glob, _)| glob.span.start);
    entries
        .into_iter()
        .map(|(glob, value)| {
            let glob = values::glob(&glob.name).map_err(|bad| bad.to_string())?;
            Ok((glob, rules(value)?))
        })
        .collect()
}

/// Globs, each with how the files are read that it matches.
pub(super) fn readings(value: &Value<'_>) -> Result<PerFileFormats, String> {
    const EXPECTED: &str = "expected a table: \"exports/**\" = { from = \"openai-chat\" }";
    let table = value.as_table().ok_or(EXPECTED)?;
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(glob, _)| glob.span.start);
    entries
        .into_iter()
        .map(|(glob, value)| {
            let glob = values::glob(&glob.name).map_err(|bad| bad.to_string())?;
            let mut reading = FileReading::default();
            for (key, value) in value.as_table().ok_or(EXPECTED)?.iter() {
                match &*key.name {
                    "from" => reading.from = Some(format(value)?),
                    "target" => reading.target = Some(target(value)?),
                    other => return Err(format!("{other} is not from or target")),
                }
            }
            Ok((glob, reading))
        })
        .collect()
}

/// The name of a format.
fn format(value: &Value<'_>) -> Result<String, String> {
    let text = text(value)?;
    if crate::hosts::by_name(&text).is_some() {
        return Ok(text);
    }
    let known: Vec<&str> = crate::hosts::ALL.iter().map(|format| format.name).collect();
    let hint = did_you_mean(&meant(&text, &known));
    Err(format!("{text} is not a format{hint}"))
}

/// A table of rules with their severities.
pub(super) fn levels(value: &Value<'_>) -> Result<Vec<(String, values::LevelArg)>, String> {
    let table: &Table<'_> = value
        .as_table()
        .ok_or_else(|| "expected a table of rules: level = { TD104 = \"warning\" }".to_owned())?;
    table
        .iter()
        .map(|(key, value)| {
            let rule = values::selector(&key.name).map_err(|bad| format!("{}: {bad}", key.name))?;
            Ok((rule, word(value)?))
        })
        .collect()
}

/// One of the words of an option.
pub(super) fn word<T: ValueEnum>(value: &Value<'_>) -> Result<T, String> {
    let text = text(value)?;
    T::from_str(&text, false).map_err(|_| {
        let all = T::value_variants().iter().filter_map(T::to_possible_value);
        let all: Vec<String> = all.map(|word| word.get_name().to_owned()).collect();
        let known: Vec<&str> = all.iter().map(String::as_str).collect();
        let hint = did_you_mean(&meant(&text, &known));
        format!("{text} is not one of {}{hint}", all.join(", "))
    })
}

pub(super) fn target(value: &Value<'_>) -> Result<String, String> {
    let text = text(value)?;
    let command = clap::Command::new("");
    values::target().parse_ref(&command, None, text.as_ref()).map_err(|_| {
        let known: Vec<&str> = crate::targets::ALL.iter().map(|target| target.name).collect();
        let hint = did_you_mean(&meant(&text, &known));
        format!("{text} is not a provider{hint}")
    })
}
