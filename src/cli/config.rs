//! The configuration of a project, `transcript-doctor.toml`: what is checked, and what makes a run fail.
//!
//! It is looked for in the working directory and the folders above it, never beside a transcript: who records a
//! conversation does not decide how it is checked. What is typed wins. A key that is unknown is an error, because who wrote it
//! believes that it does something.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use thiserror::Error;
use toml_span::value::Table;
use toml_span::{Span, Value};

use super::suggest::{did_you_mean, meant};
use super::{
    AskedOptions, FailOn, FileReading, MinConfidence, PerFileFormats, PerFileIgnores, values,
};

/// The name of the file.
const FILE: &str = "transcript-doctor.toml";

/// What a file says.
#[derive(Debug, Default)]
pub(crate) struct Config {
    select: Vec<String>,
    extend_select: Vec<String>,
    ignore: Vec<String>,
    level: Vec<(String, values::LevelArg)>,
    fail_on: Option<FailOn>,
    min_confidence: Option<MinConfidence>,
    target: Option<String>,
    exclude: Vec<String>,
    per_file_ignores: PerFileIgnores,
    per_file_formats: PerFileFormats,
    baseline: Option<PathBuf>,
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error("{}: {why}", path.display())]
    Read { path: PathBuf, why: io::Error },
    #[error("{}:{line}: {why}", path.display())]
    Line { path: PathBuf, line: usize, why: String },
}

type ReadOption = fn(&mut Config, &Value<'_>) -> Result<(), String>;

/// The keys, each with what reads its value.
const KEYS: &[(&str, ReadOption)] = &[
    ("select", |config, value| {
        config.select = rules(value)?;
        Ok(())
    }),
    ("extend-select", |config, value| {
        config.extend_select = rules(value)?;
        Ok(())
    }),
    ("ignore", |config, value| {
        config.ignore = rules(value)?;
        Ok(())
    }),
    ("level", |config, value| {
        config.level = levels(value)?;
        Ok(())
    }),
    ("fail-on", |config, value| {
        config.fail_on = Some(word(value)?);
        Ok(())
    }),
    ("min-confidence", |config, value| {
        config.min_confidence = Some(word(value)?);
        Ok(())
    }),
    ("target", |config, value| {
        config.target = Some(target(value)?);
        Ok(())
    }),
    ("exclude", |config, value| {
        let globs = texts(value)?.into_iter();
        config.exclude = globs
            .map(|text| values::glob(&text).map_err(|bad| bad.to_string()))
            .collect::<Result<_, _>>()?;
        Ok(())
    }),
    ("per-file-ignores", |config, value| {
        config.per_file_ignores = ignores(value)?;
        Ok(())
    }),
    ("per-file-formats", |config, value| {
        config.per_file_formats = readings(value)?;
        Ok(())
    }),
    ("baseline", |config, value| {
        config.baseline = Some(text(value)?.into());
        Ok(())
    }),
];

impl Config {
    /// Adds what the configuration says to what was typed: `--config`, or the file that is found from `here` upwards.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is not understood.
    pub(crate) fn apply(asked: &mut AskedOptions, here: Option<&Path>) -> Result<(), ConfigError> {
        let path = match &asked.config.config {
            Some(path) => Some(path.clone()),
            None if asked.config.isolated => None,
            None => here.and_then(find),
        };
        let Some(path) = path else {
            return Ok(());
        };
        let text = std::fs::read_to_string(&path)
            .map_err(|why| ConfigError::Read { path: path.clone(), why })?;
        let config = Config::parse(&text, &path)?;
        config.fill(asked, path.parent().unwrap_or(Path::new("")));
        Ok(())
    }

    fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
        let error = |span: Span, why: String| {
            let before = text.get(..span.start).unwrap_or(text);
            ConfigError::Line { path: path.to_owned(), line: before.matches('\n').count() + 1, why }
        };
        let value = toml_span::parse(text).map_err(|bad| error(bad.span, bad.to_string()))?;
        let mut config = Config::default();
        let table = value.as_table().into_iter().flatten();
        // A table keeps its keys by name; the first mistake of the file is reported.
        let mut entries: Vec<_> = table.collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        for (key, value) in entries {
            let known = KEYS.iter().find(|(name, _)| *name == key.name);
            let Some((name, read)) = known else {
                let names: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
                let hint = did_you_mean(&meant(&key.name, &names));
                return Err(error(key.span, format!("unknown key {}{hint}", key.name)));
            };
            read(&mut config, value).map_err(|why| error(value.span, format!("{name}: {why}")))?;
        }
        Ok(config)
    }

    /// Takes over what was not typed. Paths are relative to the file's `folder`.
    fn fill(self, asked: &mut AskedOptions, folder: &Path) {
        let (read, judge) = (&mut asked.read, &mut asked.judge);
        if judge.select.is_empty() {
            judge.select = self.select;
        }
        if judge.ignore.is_empty() {
            judge.ignore = self.ignore;
        }
        judge.extend_select.extend(self.extend_select);
        judge.min_confidence = judge.min_confidence.or(self.min_confidence);
        // What is typed comes last, and wins.
        asked.severity.level.splice(0..0, self.level);
        asked.severity.fail_on = asked.severity.fail_on.or(self.fail_on);
        let mut readings = self.per_file_formats;
        if read.target.is_some() {
            readings.iter_mut().for_each(|(_, reading)| reading.target = None);
        }
        read.target = read.target.take().or(self.target);
        asked.per_file_formats = Some((folder.to_owned(), readings));
        asked.excluded = Some((folder.to_owned(), self.exclude));
        asked.per_file_ignores = Some((folder.to_owned(), self.per_file_ignores));
        asked.known = self.baseline.map(|path| folder.join(path));
    }
}

/// The file in this folder, or in the nearest one above it that has one.
fn find(here: &Path) -> Option<PathBuf> {
    here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file())
}

fn text(value: &Value<'_>) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| "expected a string".to_owned())
}

fn texts(value: &Value<'_>) -> Result<Vec<String>, String> {
    let all = value.as_array().ok_or_else(|| "expected an array of strings".to_owned())?;
    all.iter().map(text).collect()
}

fn rules(value: &Value<'_>) -> Result<Vec<String>, String> {
    texts(value)?
        .into_iter()
        .map(|text| values::selector(&text).map_err(|bad| format!("{text}: {bad}")))
        .collect()
}

/// Globs, each with the rules that are not checked in the files that it matches.
fn ignores(value: &Value<'_>) -> Result<PerFileIgnores, String> {
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
fn readings(value: &Value<'_>) -> Result<PerFileFormats, String> {
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
fn levels(value: &Value<'_>) -> Result<Vec<(String, values::LevelArg)>, String> {
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
fn word<T: ValueEnum>(value: &Value<'_>) -> Result<T, String> {
    let text = text(value)?;
    T::from_str(&text, false).map_err(|_| {
        let all = T::value_variants().iter().filter_map(T::to_possible_value);
        let all: Vec<String> = all.map(|word| word.get_name().to_owned()).collect();
        let known: Vec<&str> = all.iter().map(String::as_str).collect();
        let hint = did_you_mean(&meant(&text, &known));
        format!("{text} is not one of {}{hint}", all.join(", "))
    })
}

fn target(value: &Value<'_>) -> Result<String, String> {
    let text = text(value)?;
    let command = clap::Command::new("");
    values::target().parse_ref(&command, None, text.as_ref()).map_err(|_| {
        let known: Vec<&str> = crate::targets::ALL.iter().map(|target| target.name).collect();
        let hint = did_you_mean(&meant(&text, &known));
        format!("{text} is not a provider{hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("x.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_is_read() {
        let text = "select = [\"TD1\", \"broken-parent\"]\nextend-select = [\"TD2\"]\nignore = [\"TD104\"]\n\
            fail-on = \"never\"\nmin-confidence = \"likely\"\ntarget = \"bedrock\"\nexclude = [\"old/**\"]\n\
            baseline = \"known.json\"\n[per-file-ignores]\n\"a/**\" = [\"TD205\"]\n[per-file-formats]\n\"b/**\" = { from = \"openai-chat\", target = \"mistral\" }\n[level]\nTD101 = \"warning\"\ntwo-results = \"off\"\n";
        let config = parsed(text).unwrap();
        assert_eq!(config.select, ["TD1", "TD301"]);
        assert_eq!(config.fail_on, Some(FailOn::Never));
        assert_eq!(config.target.as_deref(), Some("bedrock"));
        assert_eq!(config.level.len(), 2);
        let [(_, reading)] = &config.per_file_formats[..] else {
            panic!("one glob");
        };
        assert_eq!(reading.from.as_deref(), Some("openai-chat"));
        assert_eq!(reading.target.as_deref(), Some("mistral"));
        for (key, _) in KEYS {
            assert!(text.contains(key), "{key}");
        }
    }

    #[test]
    fn mistakes_name_file_and_line() {
        for (text, wanted) in [
            ("\nselects = []", "x.toml:2: unknown key selects; did you mean select?"),
            ("select = [\n\"TD999\"]", "x.toml:1: select: TD999: no rule has this code or name"),
            ("fail-on = \"warnings\"", "did you mean warning?"),
            ("target = \"bedrok\"", "did you mean bedrock?"),
            ("a = = 1", "x.toml:1: "),
            ("level = 3", "expected a table of rules"),
            ("per-file-formats = 3", "expected a table"),
            (
                "[per-file-formats]\n\"a\" = { from = \"openai-chart\" }",
                "did you mean openai-chat?",
            ),
            (
                "[per-file-formats]\n\"a\" = { form = \"openai-chat\" }",
                "form is not from or target",
            ),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
