//! The options that several commands have, in groups: a command takes the groups that do something in it.

mod config;
mod fixes;
mod suggest;
mod values;

pub(crate) use config::{Config, Setting, SettingSource, schema as config_schema};
pub(crate) use fixes::FixArgs;
pub(crate) use suggest::{did_you_mean, meant};
pub(crate) use values::{ColorWhen, LevelArg, Since, Wanted, rule};

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use crate::report::redact::RedactMode;
use crate::transcript::{Confidence, Severity};

/// Heading of the options that most runs need; `-h` shows only these.
pub(crate) const COMMON: &str = "Common options";
/// Heading of the options that decide what is read, and how it is checked.
const CHECKS: &str = "What is checked, and how";
/// Heading of the options that decide what a run prints.
const DISPLAY: &str = "Display";

/// Globs, each with the rules that are ignored in the files that it matches.
type PerFileIgnores = Vec<(String, Vec<String>)>;

/// Globs of files, each with what is said of them.
type PerFileFormats = Vec<(String, FileReading)>;

/// How the configuration says that a file is read and checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileReading {
    /// The recorded format.
    pub from: Option<String>,
    /// The provider to check against.
    pub target: Option<String>,
}

/// What decides which transcripts are read, and as what.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ReadArgs {
    /// Transcript format; `formats` lists them
    #[arg(long, value_name = "NAME", help_heading = COMMON, value_parser = values::from(), hide_possible_values = true,
          long_help = values::FROM_HELP.as_str())]
    pub from: Option<String>,
    /// Provider to check against [default: from the file]
    #[arg(long, value_name = "NAME", help_heading = COMMON, value_parser = values::target(), hide_possible_values = true,
          long_help = values::TARGET_HELP.as_str())]
    pub target: Option<String>,
    /// Skip files and folders that a walk finds: --exclude 'old/**'; as in .gitignore
    #[arg(long, value_name = "GLOB", value_parser = values::glob, help_heading = CHECKS, hide_short_help = true)]
    pub exclude: Vec<String>,
    /// Skip transcripts whose files have not changed since: 36h, 7d, 2w, or a date such as 2026-01-31 (UTC)
    ///
    /// What counts is when the file, or the newest file of a folder, was modified, not the times in its records.
    #[arg(long, value_name = "WHEN", value_parser = values::since, help_heading = CHECKS, hide_short_help = true)]
    pub since: Option<Since>,
    /// Also enter hidden folders that were not named, and .git
    #[arg(long, help_heading = CHECKS, hide_short_help = true)]
    pub hidden: bool,
    /// Also enter ignored folders that were not named, and node_modules
    #[arg(long, help_heading = CHECKS, hide_short_help = true)]
    pub no_ignore: bool,
    /// Exit with status 0 instead of 5 if no transcript is found
    #[arg(long, help_heading = CHECKS, hide_short_help = true)]
    pub allow_empty: bool,
    /// Do not show how far a long run is
    #[arg(long, help_heading = DISPLAY, hide_short_help = true)]
    pub no_progress: bool,
}

/// What decides how transcripts are checked.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct JudgeArgs {
    /// Check for this kind of client, where versions of a host read the same transcript differently [default: auto]
    ///
    /// `current` means its newest versions, `strict` older ones, which correct less of what they send. `auto` means the version
    /// that wrote the transcript and newer ones, or all of them if that version is not known.
    #[arg(long, value_name = "NAME", value_parser = values::client(), help_heading = CHECKS, hide_short_help = true)]
    pub client: Option<String>,
    /// Check only these rules: codes, names, or prefixes of codes, separated by commas
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = values::selector, help_heading = CHECKS,
          hide_short_help = true)]
    pub select: Vec<String>,
    /// Do not check these rules
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = values::selector, help_heading = CHECKS,
          hide_short_help = true)]
    pub ignore: Vec<String>,
    /// Also check these rules, in addition to those of --select and of the configuration
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = values::selector, help_heading = CHECKS,
          hide_short_help = true)]
    pub extend_select: Vec<String>,
    /// Leave out findings that are less certain [default: guess]
    #[arg(long, value_name = "HOW", help_heading = CHECKS, hide_short_help = true)]
    pub min_confidence: Option<MinConfidence>,
}

/// What decides how bad a finding is.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SeverityArgs {
    /// Report a rule with another severity: --level TD101=warning,TD3=off
    ///
    /// The last one that names a rule counts. The verdict does not change; `off` is --ignore.
    #[arg(long, value_name = "RULE=LEVEL", value_delimiter = ',', value_parser = values::level, help_heading = CHECKS,
          hide_short_help = true)]
    pub level: Vec<(String, LevelArg)>,
    /// Exit with status 1 if a finding of this severity or a higher one is left [default: error]
    #[arg(long, value_name = "LEVEL", help_heading = CHECKS, hide_short_help = true)]
    pub fail_on: Option<FailOn>,
}

/// Which configuration counts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConfigArgs {
    /// Configuration to use [default: transcript-doctor.toml or pyproject.toml here or in a folder above]
    #[arg(long, value_name = "FILE", help_heading = CHECKS, hide_short_help = true, conflicts_with = "isolated")]
    pub config: Option<PathBuf>,
    /// Use no configuration
    #[arg(long, help_heading = CHECKS, hide_short_help = true)]
    pub isolated: bool,
}

/// How much is read at once.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct JobArgs {
    /// Number of files read at once [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = CHECKS,
          hide_short_help = true)]
    pub jobs: Option<u16>,
}

/// What is printed, in which shape.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PrintArgs {
    /// Output format
    #[arg(short, long, value_name = "FMT", default_value = "human", help_heading = COMMON, value_parser = values::formats(),
          hide_possible_values = true, long_help = values::FORMATS_HELP.as_str())]
    pub format: String,
    /// Also write a report to a file; repeatable
    ///
    /// The path - is standard output, in place of --format.
    #[arg(long, value_name = "FMT=PATH", help_heading = COMMON, value_parser = values::report())]
    pub report: Vec<Wanted>,
    /// Columns to use [default: those of the terminal, else 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..), help_heading = DISPLAY,
          hide_short_help = true)]
    pub width: Option<u16>,
}

/// How much is said on the streams.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TalkArgs {
    /// Show verdicts only; -qq: nothing
    #[arg(short, long, action = ArgAction::Count, help_heading = COMMON)]
    pub quiet: u8,
    /// When to use colors; auto follows NO_COLOR, then CLICOLOR_FORCE and FORCE_COLOR
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = DISPLAY, hide_short_help = true)]
    pub color: ColorWhen,
}

/// How findings are printed.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DetailArgs {
    /// Also show notes, complete IDs, and every conversation
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet", help_heading = COMMON)]
    pub verbose: u8,
    /// When to print places as links; auto: on terminals that are known to support them
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = DISPLAY, hide_short_help = true)]
    pub hyperlink: ColorWhen,
}

/// How what is in transcripts is printed.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DrawArgs {
    /// Use ASCII characters only, without box drawing
    #[arg(long, help_heading = DISPLAY, hide_short_help = true)]
    pub ascii: bool,
    /// How much of it is shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// How much of transcripts is shown.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ShownArgs {
    /// How much of a transcript's texts, names, and paths to show
    #[arg(long, value_name = "MODE", default_value = "auto", help_heading = DISPLAY, hide_short_help = true)]
    pub redact: RedactArg,
}

/// Where long output goes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PagerArgs {
    /// Do not show long output in a pager (TRANSCRIPT_DOCTOR_PAGER, PAGER, else less)
    #[arg(long, help_heading = DISPLAY, hide_short_help = true)]
    pub no_pager: bool,
}

/// What a command line asks for, whatever its command. An option that a command does not have was not typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedOptions {
    pub read: ReadArgs,
    pub judge: JudgeArgs,
    pub severity: SeverityArgs,
    pub config: ConfigArgs,
    pub jobs: Option<u16>,
    pub print: PrintArgs,
    pub talk: TalkArgs,
    pub detail: DetailArgs,
    pub draw: DrawArgs,
    pub fixes: Option<FixArgs>,
    /// Each row of a file is a conversation.
    pub rows: bool,
    /// Standard output carries a transcript.
    pub data_on_stdout: bool,
    /// It prints what people read from the beginning to the end.
    pub paged: bool,
    /// The globs of the configuration, and the folder that they are relative to.
    pub excluded: Option<(PathBuf, Vec<String>)>,
    /// The rules that the configuration ignores in some files, by glob, and the folder that the globs are relative to.
    pub per_file_ignores: Option<(PathBuf, PerFileIgnores)>,
    /// The formats and providers of some files by the configuration, by glob, and the folder that the globs are relative to.
    pub per_file_formats: Option<(PathBuf, PerFileFormats)>,
    /// The baseline that was typed, or that of the configuration.
    pub known: Option<PathBuf>,
    /// What applies is shown, and nothing is checked.
    pub shows_settings: bool,
    /// What applies, where that is shown.
    pub settings: Vec<Setting>,
}

/// How much is shown.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RedactArg {
    /// The first words of texts as they are
    Off,
    /// At most 40 characters of a text, with secrets masked; `content` in files, and if CI is set
    #[default]
    Auto,
    /// No text; home folders as ~, the user's name as `user`
    Content,
    /// As `content`, with other IDs and paths
    Strict,
}

impl From<RedactArg> for RedactMode {
    fn from(asked: RedactArg) -> RedactMode {
        match asked {
            RedactArg::Off => RedactMode::Off,
            RedactArg::Auto => RedactMode::Auto,
            RedactArg::Content => RedactMode::Content,
            RedactArg::Strict => RedactMode::Strict,
        }
    }
}

/// How certain a finding must be.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MinConfidence {
    /// All findings
    Guess,
    /// No guesses
    Likely,
    /// Only what is certain
    Certain,
}

impl From<MinConfidence> for Confidence {
    fn from(least: MinConfidence) -> Confidence {
        match least {
            MinConfidence::Guess => Confidence::Guess,
            MinConfidence::Likely => Confidence::Likely,
            MinConfidence::Certain => Confidence::Certain,
        }
    }
}

/// The severity from which on a run fails.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// The provider rejects the next request
    Fatal,
    /// The host cannot open the session, or silently loses part of it
    Error,
    /// Accepted today, but fragile
    Warning,
    /// Any finding
    Note,
    /// No finding: report only
    Never,
}

impl FailOn {
    /// The severity; `None`: no finding fails the run.
    pub(crate) fn level(self) -> Option<Severity> {
        match self {
            FailOn::Fatal => Some(Severity::Fatal),
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Note => Some(Severity::Note),
            FailOn::Never => None,
        }
    }
}
