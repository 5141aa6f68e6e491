//! The commands, one a file: its arguments, and what it does with them. How it is done is in `app`.

mod check;
mod diff;
mod explain;
mod honored;
mod redact;
mod repair;
mod start;
mod undo;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::app::{App, Asked, Options, Result};
use crate::cli::Global;
use crate::outputs::paint::Tone;
use check::CheckArgs;
use diff::DiffArgs;
use explain::ExplainArgs;
use redact::RedactArgs;
use repair::RepairArgs;
pub use start::{main, report_panics};
use undo::UndoArgs;

/// Find, explain and losslessly repair damage in recorded LLM agent conversations.
///
/// `check` and `diff` never write. `repair` keeps every byte that it does not have to change, backs up what it replaces
/// and proves the result; `undo` takes it back. An option that a command has no use for is refused.
#[derive(Debug, Parser)]
#[command(
    name = "transcript-doctor",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What every command understands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line.
    ///
    /// # Errors
    /// It cannot be understood, or asks for what the command does not do; and where help or the version is asked for.
    pub fn read(
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Cli, clap::Error> {
        let typed = Cli::command().try_get_matches_from(words)?;
        let cli = Cli::from_arg_matches(&typed)?;
        honored::check(&cli, &typed)?;
        Ok(cli)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Check(CheckArgs),
    Repair(RepairArgs),
    Diff(DiffArgs),
    Explain(ExplainArgs),
    Redact(RedactArgs),
    Undo(UndoArgs),
}

impl Command {
    /// What its arguments say about the options that all commands share.
    fn asked(&self) -> Asked<'_> {
        match self {
            Command::Check(args) => args.asked(),
            Command::Repair(args) => args.asked(),
            Command::Diff(args) => args.asked(),
            Command::Explain(args) => args.asked(),
            Command::Redact(args) => args.asked(),
            Command::Undo(_) => Asked::default(),
        }
    }

    fn run(&self, app: &App<'_>) -> Result<u8> {
        match self {
            Command::Check(args) => check::run(app, args),
            Command::Repair(args) => repair::run(app, args),
            Command::Diff(args) => diff::run(app, args),
            Command::Explain(args) => explain::run(app, args),
            Command::Redact(args) => redact::run(app, args),
            Command::Undo(args) => undo::run(app, args),
        }
    }
}

/// Does what was asked. The answer is the exit status.
fn run(cli: &Cli) -> u8 {
    let options = Options::new(&cli.global, &cli.command.asked());
    let app = App::new(&options);
    let done = app.check_reports().and_then(|()| cli.command.run(&app));
    done.unwrap_or_else(|error| {
        app.say(Tone::Bad, &format!("error: {error}"));
        error.status()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn odd_lines_are_usage_errors() {
        for line in [
            "repair",
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
            "diff x y -f json",
            "undo --list --report json=x",
            "redact x -o y --select TD1",
            "explain TD104 --target anthropic",
        ] {
            let words = ["transcript-doctor"].into_iter().chain(line.split(' '));
            let error = Cli::read(words).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}: {error}");
        }
    }
}
