//! The command line, as types.

mod values;

pub use values::rule;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::commands::streams::When;
use crate::report::model::Level;
use crate::rules::Rule;

/// Find, explain and losslessly repair damage in recorded LLM agent conversations.
///
/// `check` and `diff` never write. `repair` keeps every byte that it does not have to change, backs up what it replaces
/// and proves the result; `undo` takes it back.
#[derive(Debug, Parser)]
#[command(name = "transcript-doctor", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// What every command understands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options for all commands")]
pub struct Global {
    /// Shape of the report on standard output
    #[arg(short, long, global = true, value_name = "FMT", default_value = "human", value_parser = values::formats())]
    pub format: String,
    /// The recorded format; auto asks every known one
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", value_parser = values::from())]
    pub from: String,
    /// Judge for this provider; auto takes what the recording names
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", value_parser = values::target())]
    pub target: String,
    /// Look only for these rules: codes, names or beginnings of codes, separated by commas
    #[arg(long, global = true, value_name = "RULES", value_delimiter = ',', value_parser = values::selector)]
    pub select: Vec<String>,
    /// Do not look for these rules
    #[arg(long, global = true, value_name = "RULES", value_delimiter = ',', value_parser = values::selector)]
    pub ignore: Vec<String>,
    /// Exit with 1 if a finding of this severity or a worse one is left
    #[arg(long, global = true, value_name = "LEVEL", default_value = "error")]
    pub fail_on: FailOn,
    /// Exit with 0 instead of 5 where no transcript matches
    #[arg(long, global = true)]
    pub allow_empty: bool,
    /// How many files are read at once [default: one per processor]
    #[arg(short, long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// When to use colours; auto also follows NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: When,
    /// Columns to use [default: those of the terminal, else 80]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(40..))]
    pub width: Option<u16>,
    /// No box drawing
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Verdicts only; twice: nothing
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
    /// Notes, whole ids and every conversation
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
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

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is wrong with recordings; reads only
    Check(Check),
    /// Repair recordings in place, or as a copy
    Repair(Repair),
    /// Show what repair would change, or how two recordings differ; reads only
    Diff(Diff),
    /// The manual page of a rule
    Explain(Explain),
    /// Take a repair back
    Undo(Undo),
}

/// `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Files, conversation folders, trees of them, or - for standard input
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Exit with 0 whatever is found
    #[arg(long)]
    pub exit_zero: bool,
}

/// Which treatments are taken.
#[derive(Clone, Debug, Default, Args)]
pub struct Treat {
    /// Also take treatments that need a guess or give up content
    #[arg(long = "unsafe")]
    pub with_unsafe: bool,
    /// Take only treatments of these rules: codes or names, separated by commas
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = values::rule)]
    pub only: Vec<&'static Rule>,
    /// Answer calls that still wait at the end, too
    #[arg(long)]
    pub answer_pending: bool,
    /// Which of several results of a call is kept
    #[arg(long, value_name = "WHICH", default_value = "rank")]
    pub prefer: PreferArg,
}

/// Which of several results of a call is kept.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PreferArg {
    /// The best: real, then rejected, then the host's error, then a placeholder; then the first
    #[default]
    Rank,
    /// The first
    First,
    /// The last
    Last,
}

/// `repair`.
#[derive(Debug, Args)]
pub struct Repair {
    /// Files, conversation folders, trees of them, or - to filter standard input to standard output
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Show what would change and write nothing
    #[arg(short = 'n', long, conflicts_with = "output")]
    pub dry_run: bool,
    /// Write a repaired copy here (- for standard output) and leave the source alone
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Replace what is at the path of --output
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Apply without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Which treatments are taken.
    #[command(flatten)]
    pub treat: Treat,
    /// Do not print the difference
    #[arg(long)]
    pub no_diff: bool,
    /// Exit with 1 if anything was written
    #[arg(long)]
    pub error_on_change: bool,
    /// Keep the time stamps of the files
    #[arg(long)]
    pub keep_mtime: bool,
    /// Keep the originals in this folder instead of the journal's own
    #[arg(long, value_name = "DIR", conflicts_with = "no_backup")]
    pub backup_dir: Option<PathBuf>,
    /// Keep no originals, only what is needed to undo
    #[arg(long)]
    pub no_backup: bool,
    /// Where another process is writing, wait so many seconds for its end
    #[arg(long, value_name = "SECS", default_value_t = 0, hide_default_value = true)]
    pub wait: u64,
    /// Write even where another process may be writing
    #[arg(long, conflicts_with = "wait")]
    pub force_live: bool,
}

/// `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// What repair would change
    #[arg(value_name = "TARGET")]
    pub a: PathBuf,
    /// Compare TARGET with this recording instead
    #[arg(value_name = "OTHER")]
    pub b: Option<PathBuf>,
    /// What is compared
    #[arg(long = "as", value_name = "VIEW", default_value = "records")]
    pub view: ViewArg,
    /// Counts only
    #[arg(long)]
    pub stat: bool,
    /// Exit with 1 if there are differences
    #[arg(long)]
    pub exit_code: bool,
    /// Which treatments are taken.
    #[command(flatten)]
    pub treat: Treat,
}

/// What `diff` compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// Bytes: a unified diff for patch and git apply
    Raw,
    /// Records by id, their members by JSON pointer
    Records,
    /// The messages that the provider would receive
    Messages,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A rule: its code or its name
    #[arg(value_name = "RULE", required_unless_present = "list")]
    pub what: Option<String>,
    /// List all rules
    #[arg(long)]
    pub list: bool,
}

/// `undo`.
#[derive(Debug, Args)]
pub struct Undo {
    /// An operation's number, or a file or folder whose last repair is meant [default: the last repair]
    #[arg(value_name = "OP|FILE")]
    pub what: Option<PathBuf>,
    /// List the operations
    #[arg(long, conflicts_with_all = ["what", "dry_run", "output"])]
    pub list: bool,
    /// Show what would change and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Write the original here and leave everything else alone
    #[arg(short, long, value_name = "PATH", conflicts_with = "dry_run")]
    pub output: Option<PathBuf>,
    /// Replace what is at the path of --output
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Write even where another process may be writing
    #[arg(long)]
    pub force_live: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn odd_lines_are_usage_errors() {
        for line in [
            "check",
            "check --format yaml x",
            "check --target nobody x",
            "check -q -v x",
            "repair -n -o x y",
            "repair --force x",
            "repair --only TD999 x",
            "explain",
            "undo --list -n",
            "undo --force 3",
            "check --jobs 0 x",
        ] {
            let words = ["transcript-doctor"].into_iter().chain(line.split(' '));
            let error = Cli::try_parse_from(words).unwrap_err();
            assert_eq!(error.exit_code(), i32::from(crate::commands::exit::USAGE), "{line}: {error}");
        }
    }
}
