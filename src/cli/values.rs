//! The values that options take, from the lists of what is built.

use std::ffi::OsStr;
use std::iter;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use ignore::gitignore::GitignoreBuilder;
use thiserror::Error;

use super::suggest::{did_you_mean, meant};
use crate::outputs::{self, OUTPUTS, Output};
use crate::rules::{self, Prefer, Rule};
use crate::transcript::Severity;

/// When a stream gets colors.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless the environment says otherwise
    #[default]
    Auto,
    Always,
    Never,
}

/// A report that is asked for: its shape, and where it goes; `-` is standard output.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The shape.
    pub output: &'static Output,
    /// The file.
    pub path: PathBuf,
}

impl Wanted {
    /// Whether it goes to standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

/// Outputs.
pub(super) fn formats() -> PossibleValuesParser {
    one_of(OUTPUTS.iter().map(|output| output.name).collect())
}

/// The help of `--format`: each output with what it is for.
pub(super) static FORMATS_HELP: LazyLock<String> = LazyLock::new(|| {
    let outputs = OUTPUTS.iter().map(|output| (output.name, output.summary));
    listed("Output format", outputs)
});

/// The help of `--from`.
pub(super) static FROM_HELP: LazyLock<String> = LazyLock::new(|| {
    let auto = ("auto", "the format of most of the first records (default)");
    let formats = crate::hosts::ALL.iter().map(|format| (format.name, format.title));
    listed("Transcript format", iter::once(auto).chain(formats))
});

/// The help of `--target`.
pub(super) static TARGET_HELP: LazyLock<String> = LazyLock::new(|| {
    let auto = ("auto", "the provider that the transcript names (default)");
    let targets = crate::targets::ALL.iter().map(|target| (target.name, target.title));
    let all = (crate::targets::STRICTEST_NAME, "all of them");
    let rows = iter::once(auto).chain(targets).chain([all]);
    listed("Provider to check against", rows)
});

/// A sentence, then the values of an option with their meanings.
fn listed(about: &str, rows: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let rows: Vec<_> = rows.collect();
    let wide = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut out = format!("{about}:");
    for (name, means) in rows {
        out.push_str(&format!("\n  {name:wide$}  {means}"));
    }
    out
}

/// The severity that a rule is reported with.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    Fatal,
    Error,
    Warning,
    Note,
    /// It is not checked.
    Off,
}

impl LevelArg {
    /// The severity; `None`: the rule is not checked.
    pub(crate) fn level(self) -> Option<Severity> {
        match self {
            LevelArg::Fatal => Some(Severity::Fatal),
            LevelArg::Error => Some(Severity::Error),
            LevelArg::Warning => Some(Severity::Warning),
            LevelArg::Note => Some(Severity::Note),
            LevelArg::Off => None,
        }
    }
}

/// A glob as in ignore files.
///
/// # Errors
/// It is none.
pub(super) fn glob(text: &str) -> Result<String, ignore::Error> {
    GitignoreBuilder::new("").add_line(None, text)?;
    Ok(text.to_owned())
}

/// Rules, and their severity.
///
/// # Errors
/// No rule has that name, or the level is not a severity.
pub(super) fn level(text: &str) -> Result<(String, LevelArg), UnknownWord> {
    let (rule, level) = text.split_once('=').ok_or(UnknownWord::Level)?;
    let level = LevelArg::from_str(level, true).map_err(|_| UnknownWord::Level)?;
    Ok((selector(rule)?, level))
}

/// A shape and a file.
pub(super) fn report() -> impl TypedValueParser<Value = Wanted> {
    OsStringValueParser::new().try_map(|text| {
        let (name, path) = at_equals(&text).ok_or("expected FMT=PATH")?;
        let output = outputs::by_name(&name).ok_or_else(|| {
            let known: Vec<&str> = OUTPUTS.iter().map(|output| output.name).collect();
            format!("the formats are {}", known.join(", "))
        })?;
        if path.as_os_str().is_empty() {
            Err(String::from("expected FMT=PATH"))
        } else {
            Ok(Wanted { output, path })
        }
    })
}

/// What is before the first `=`, and the path after it, which may be of any bytes.
fn at_equals(text: &OsStr) -> Option<(String, PathBuf)> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let at = text.as_bytes().iter().position(|byte| *byte == b'=')?;
        let (name, rest) = text.as_bytes().split_at(at);
        let path = OsStr::from_bytes(rest.get(1..).unwrap_or_default());
        Some((String::from_utf8_lossy(name).into_owned(), path.into()))
    }
    #[cfg(not(unix))]
    {
        let (name, path) = text.to_str()?.split_once('=')?;
        Some((name.to_owned(), path.into()))
    }
}

/// Recorded formats.
pub(super) fn from() -> PossibleValuesParser {
    one_of(["auto"].into_iter().chain(crate::hosts::ALL.iter().map(|format| format.name)).collect())
}

/// Providers.
pub(super) fn target() -> PossibleValuesParser {
    let names = crate::targets::ALL.iter().map(|target| target.name);
    one_of(["auto"].into_iter().chain(names).chain([crate::targets::STRICTEST_NAME]).collect())
}

/// Kinds of clients.
pub(super) fn client() -> PossibleValuesParser {
    one_of(
        ["auto"]
            .into_iter()
            .chain(crate::format::Client::ALL.iter().map(|client| client.name()))
            .collect(),
    )
}

fn one_of(names: Vec<&'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// A word that an option does not take.
#[derive(Debug, Error)]
pub(crate) enum UnknownWord {
    #[error("expected RULE=LEVEL, where LEVEL is fatal, error, warning, note, or off")]
    Level,
    #[error(
        "expected a duration (36h, 7d, 2w), a date (2026-01-31), or a time (2026-01-31T12:00:00Z)"
    )]
    Since,
    #[error("expected rank, first, last, or the number of a choice")]
    Prefer,
    #[error("no rule has this code or name{0} (`rules` lists them)")]
    Rule(String),
}

/// A moment, from which on something changed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// So long before now.
    Ago(Duration),
    At(SystemTime),
}

impl Since {
    /// The moment.
    pub(crate) fn moment(self, now: SystemTime) -> SystemTime {
        match self {
            Since::Ago(time) => now.checked_sub(time).unwrap_or(SystemTime::UNIX_EPOCH),
            Since::At(moment) => moment,
        }
    }
}

/// Units of time, and their seconds.
const UNITS: [(char, u64); 5] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];

/// A duration, a date or a time.
///
/// # Errors
/// It is none of them.
pub(super) fn since(text: &str) -> Result<Since, UnknownWord> {
    if let Some(duration) = duration(text) {
        return Ok(Since::Ago(duration));
    }
    let time = text.parse().ok().or_else(|| start_of_day(text));
    let time = time.and_then(|time| SystemTime::try_from(time).ok());
    time.map(Since::At).ok_or(UnknownWord::Since)
}

/// `30m`, `7d` and the like.
fn duration(text: &str) -> Option<Duration> {
    UNITS.into_iter().find_map(|(unit, seconds)| {
        let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(Duration::from_secs(count.checked_mul(seconds)?))
    })
}

/// The first moment of a date, in UTC.
fn start_of_day(text: &str) -> Option<jiff::Timestamp> {
    let date: jiff::civil::Date = text.parse().ok()?;
    jiff::tz::Offset::UTC.to_timestamp(date.into()).ok()
}

/// Which of several results is kept.
///
/// # Errors
/// It is neither a word for that nor a number.
pub(super) fn prefer(text: &str) -> Result<Prefer, UnknownWord> {
    match text {
        "rank" => Ok(Prefer::Rank),
        "first" => Ok(Prefer::First),
        "last" => Ok(Prefer::Last),
        number => match number.parse() {
            Ok(number) if number > 0 => Ok(Prefer::Choice(number)),
            _ => Err(UnknownWord::Prefer),
        },
    }
}

/// A rule by its code or its name.
///
/// # Errors
/// There is none.
pub(crate) fn rule(text: &str) -> Result<&'static Rule, UnknownWord> {
    rules::ALL
        .iter()
        .find(|rule| {
            rule.code.as_str().eq_ignore_ascii_case(text) || rule.name.eq_ignore_ascii_case(text)
        })
        .copied()
        .ok_or_else(|| UnknownWord::Rule(similar_rules(text)))
}

fn similar_rules(text: &str) -> String {
    let names: Vec<&str> = rules::ALL.iter().map(|rule| rule.name).collect();
    did_you_mean(&meant(text, &names))
}

/// Rules by code, name or the beginning of codes.
///
/// # Errors
/// There is none.
pub(super) fn selector(text: &str) -> Result<String, UnknownWord> {
    let code = text.to_ascii_uppercase();
    let known =
        !text.is_empty() && rules::ALL.iter().any(|rule| rule.code.as_str().starts_with(&code));
    if known { Ok(code) } else { rule(text).map(|rule| rule.code.to_string()) }
}
