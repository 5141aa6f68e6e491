//! The configuration of a project, `transcript-doctor.toml` or a table of `pyproject.toml`: what is checked, and what makes a
//! run fail.
//!
//! It is looked for in the working directory and the folders above it, never next to a transcript: who records a
//! conversation does not decide how it is checked. What is typed wins. A key that is unknown is an error, because who wrote it
//! believes that it does something.

mod file;
mod read;
mod schema;
mod settings;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml_span::Value;

use super::suggest::{did_you_mean, meant};
use super::{AskedOptions, FailOn, MinConfidence, PerFileFormats, PerFileIgnores, values};
use file::ConfigFile;
pub(crate) use schema::schema;
pub(crate) use settings::{Setting, SettingSource};

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
    /// The keys that it has, each with its line.
    lines: Vec<(&'static str, usize)>,
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error("{}: {why}", path.display())]
    Read { path: PathBuf, why: io::Error },
    #[error("{}: it has no [{}]", path.display(), file::TABLE)]
    NoTable { path: PathBuf },
    #[error("{}:{line}: {why}", path.display())]
    Line { path: PathBuf, line: usize, why: String },
}

/// A key of the configuration. A new one is a row.
struct ConfigKey {
    /// Its name.
    name: &'static str,
    /// What it does, for who writes it.
    about: &'static str,
    /// What its value is.
    kind: ValueKind,
    /// Takes over its value.
    read: fn(&mut Config, &Value<'_>) -> Result<(), String>,
    /// Whether it was typed, too.
    typed: fn(&AskedOptions) -> bool,
    /// What is typed is added to it, and does not replace it.
    adds: bool,
    /// What applies in the end, as TOML. `None`: nothing does.
    shown: fn(&AskedOptions) -> Option<String>,
}

/// What a value is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ValueKind {
    /// Rules: codes, beginnings of codes, or names.
    Rules,
    /// A table of rules with their severities.
    Levels,
    FailOn,
    MinConfidence,
    Target,
    Globs,
    /// A table of globs with rules.
    PerFileIgnores,
    /// A table of globs with formats and providers.
    PerFileFormats,
    Path,
}

const KEYS: &[ConfigKey] = &[
    ConfigKey {
        name: "select",
        about: "Check only these rules: codes, beginnings of codes, or names. Without it, all rules are checked.",
        kind: ValueKind::Rules,
        read: |config, value| {
            config.select = read::rules(value)?;
            Ok(())
        },
        typed: |asked| !asked.judge.select.is_empty(),
        adds: false,
        shown: |asked| settings::list(&asked.judge.select),
    },
    ConfigKey {
        name: "extend-select",
        about: "Also check these rules, in addition to those of select.",
        kind: ValueKind::Rules,
        read: |config, value| {
            config.extend_select = read::rules(value)?;
            Ok(())
        },
        typed: |asked| !asked.judge.extend_select.is_empty(),
        adds: true,
        shown: |asked| settings::list(&asked.judge.extend_select),
    },
    ConfigKey {
        name: "ignore",
        about: "Do not check these rules. Of two selectors for a rule, the longer one decides.",
        kind: ValueKind::Rules,
        read: |config, value| {
            config.ignore = read::rules(value)?;
            Ok(())
        },
        typed: |asked| !asked.judge.ignore.is_empty(),
        adds: false,
        shown: |asked| settings::list(&asked.judge.ignore),
    },
    ConfigKey {
        name: "level",
        about: "Report rules with another severity; off: do not check them. The verdict does not change.",
        kind: ValueKind::Levels,
        read: |config, value| {
            config.level = read::levels(value)?;
            Ok(())
        },
        typed: |asked| !asked.severity.level.is_empty(),
        adds: true,
        shown: settings::levels,
    },
    ConfigKey {
        name: "fail-on",
        about: "Exit with status 1 if a finding of this severity or a higher one is left.",
        kind: ValueKind::FailOn,
        read: |config, value| {
            config.fail_on = Some(read::word(value)?);
            Ok(())
        },
        typed: |asked| asked.severity.fail_on.is_some(),
        adds: false,
        shown: |asked| settings::word(asked.severity.fail_on.unwrap_or(FailOn::Error)),
    },
    ConfigKey {
        name: "min-confidence",
        about: "Leave out findings that are less certain.",
        kind: ValueKind::MinConfidence,
        read: |config, value| {
            config.min_confidence = Some(read::word(value)?);
            Ok(())
        },
        typed: |asked| asked.judge.min_confidence.is_some(),
        adds: false,
        shown: |asked| settings::word(asked.judge.min_confidence.unwrap_or(MinConfidence::Guess)),
    },
    ConfigKey {
        name: "target",
        about: "The provider to check against; auto: the one that the transcript names.",
        kind: ValueKind::Target,
        read: |config, value| {
            config.target = Some(read::target(value)?);
            Ok(())
        },
        typed: |asked| asked.read.target.is_some(),
        adds: false,
        shown: |asked| settings::text(asked.read.target.as_deref().unwrap_or("auto")),
    },
    ConfigKey {
        name: "exclude",
        about: "Skip files and folders that a walk finds; globs as in .gitignore, relative to this file.",
        kind: ValueKind::Globs,
        read: |config, value| {
            config.exclude = read::globs(value)?;
            Ok(())
        },
        typed: |asked| !asked.read.exclude.is_empty(),
        adds: true,
        shown: settings::exclude,
    },
    ConfigKey {
        name: "per-file-ignores",
        about: "Rules that are not checked in some files; globs as for exclude.",
        kind: ValueKind::PerFileIgnores,
        read: |config, value| {
            config.per_file_ignores = read::ignores(value)?;
            Ok(())
        },
        typed: |_| false,
        adds: false,
        shown: settings::per_file_ignores,
    },
    ConfigKey {
        name: "per-file-formats",
        about: "The format and the provider of some files; globs as for exclude.",
        kind: ValueKind::PerFileFormats,
        read: |config, value| {
            config.per_file_formats = read::readings(value)?;
            Ok(())
        },
        typed: |_| false,
        adds: false,
        shown: settings::per_file_formats,
    },
    ConfigKey {
        name: "baseline",
        about: "A file with known findings, which are not reported; relative to this file.",
        kind: ValueKind::Path,
        read: |config, value| {
            config.baseline = Some(read::text(value)?.into());
            Ok(())
        },
        typed: |asked| asked.known.is_some(),
        adds: false,
        shown: |asked| settings::text(&asked.known.as_ref()?.to_string_lossy()),
    },
];

impl Config {
    /// Adds what the configuration says to what was typed: `--config`, or the file that is found from `here` upwards.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is not understood.
    pub(crate) fn apply(asked: &mut AskedOptions, here: Option<&Path>) -> Result<(), ConfigError> {
        let file = match (&asked.config.config, here) {
            (Some(path), _) => Some(ConfigFile::read(path)?),
            (None, Some(here)) if !asked.config.isolated => ConfigFile::find(here)?,
            _ => None,
        };
        let typed: Vec<bool> = KEYS.iter().map(|key| (key.typed)(asked)).collect();
        let mut lines = Vec::new();
        if let Some(file) = &file {
            let config = Config::parse(file)?;
            lines.clone_from(&config.lines);
            config.fill(asked, file.path.parent().unwrap_or(Path::new("")));
        }
        if asked.shows_settings {
            let path = file.as_ref().map(|file| file.path.as_path());
            asked.settings = settings::of(asked, &typed, &lines, path);
        }
        Ok(())
    }

    fn parse(file: &ConfigFile) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        let document = file.document()?;
        // A table keeps its keys by name; the first mistake of the file is reported.
        let mut entries: Vec<_> = file.table(&document)?.iter().collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        for (key, value) in entries {
            let Some(known) = KEYS.iter().find(|known| known.name == key.name) else {
                let names: Vec<&str> = KEYS.iter().map(|known| known.name).collect();
                let hint = did_you_mean(&meant(&key.name, &names));
                return Err(file.error(key.span, format!("unknown key {}{hint}", key.name)));
            };
            (known.read)(&mut config, value)
                .map_err(|why| file.error(value.span, format!("{}: {why}", known.name)))?;
            config.lines.push((known.name, file.line(key.span)));
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
        asked.known = asked.known.take().or(self.baseline.map(|path| folder.join(path)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Config, String> {
        let file = ConfigFile { path: "x.toml".into(), text: text.to_owned() };
        Config::parse(&file).map_err(|error| error.to_string())
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
        for key in KEYS {
            assert!(text.contains(key.name), "{}", key.name);
        }
        assert_eq!(config.lines.len(), KEYS.len());
        assert_eq!(config.lines[0], ("select", 1));
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
