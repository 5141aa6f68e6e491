//! The options that all commands, or several, understand, as types.

mod fixes;
mod values;

pub(crate) use fixes::FixArgs;
pub(crate) use values::{Wanted, When, rule};

use clap::{ArgAction, Args, ValueEnum};

use crate::report::model::Level;
use crate::report::redact::Mode;

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options for all commands")]
pub struct Global {
    /// Shape of the report on standard output
    #[arg(short, long, global = true, value_name = "FMT", default_value = "human", value_parser = values::formats())]
    pub format: String,
    /// Write a report of this shape to this file, too (- once: to standard output); may be given several times
    #[arg(long, global = true, value_name = "FMT=PATH", value_parser = values::report())]
    pub report: Vec<Wanted>,
    /// The recorded format; auto asks every known one
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", value_parser = values::from())]
    pub from: String,
    /// Judge for this provider; auto takes what the recording names
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", value_parser = values::target())]
    pub target: String,
    /// Judge for this kind of client, where a host has several that read one recording differently; auto: for all
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", value_parser = values::client())]
    pub client: String,
    /// Look only for these rules: codes, names or beginnings of codes, separated by commas
    #[arg(long, global = true, value_name = "RULES", value_delimiter = ',', value_parser = values::selector)]
    pub select: Vec<String>,
    /// Do not look for these rules
    #[arg(long, global = true, value_name = "RULES", value_delimiter = ',', value_parser = values::selector)]
    pub ignore: Vec<String>,
    /// Exit with 1 if a finding of this severity or a worse one is left
    #[arg(long, global = true, value_name = "LEVEL", default_value = "error")]
    pub fail_on: FailOn,
    /// Look into hidden folders on every walk, not only below folders that are named; .git too
    #[arg(long, global = true)]
    pub hidden: bool,
    /// Do not heed ignore files on any walk, not only below folders that are named; look into node_modules, too
    #[arg(long, global = true)]
    pub no_ignore: bool,
    /// Exit with 0 instead of 5 where no transcript matches
    #[arg(long, global = true)]
    pub allow_empty: bool,
    /// How many files are read at once [default: one per processor]
    #[arg(short, long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// When to use colors; auto also follows NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: When,
    /// When places are links that a terminal opens; auto: on a terminal that is known to show them
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub hyperlink: When,
    /// Columns to use [default: those of the terminal, else 80]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(40..))]
    pub width: Option<u16>,
    /// No box drawing
    #[arg(long, global = true)]
    pub ascii: bool,
    /// How much of a recording's texts, names and paths is shown
    #[arg(long, global = true, value_name = "MODE", default_value = "auto")]
    pub redact: RedactArg,
    /// Verdicts only; twice: nothing
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
    /// Notes, whole ids and every conversation
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
}

/// How much is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum RedactArg {
    /// Beginnings of texts as they are
    Off,
    /// At most 40 characters of a text, secrets masked; content where CI is set, and in files
    Auto,
    /// No free text; homes as ~, the user's name as user
    Content,
    /// As content; ids and paths have other names
    Strict,
}

impl From<RedactArg> for Mode {
    fn from(asked: RedactArg) -> Mode {
        match asked {
            RedactArg::Off => Mode::Off,
            RedactArg::Auto => Mode::Auto,
            RedactArg::Content => Mode::Content,
            RedactArg::Strict => Mode::Strict,
        }
    }
}

/// The severity from which on a run fails.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// The next request will be refused
    Fatal,
    /// The host cannot load the log, or silently loses part of it
    Error,
    /// Accepted today, but fragile
    Warning,
}

impl From<FailOn> for Level {
    fn from(level: FailOn) -> Level {
        match level {
            FailOn::Fatal => Level::Fatal,
            FailOn::Error => Level::Error,
            FailOn::Warning => Level::Warning,
        }
    }
}
