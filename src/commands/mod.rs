//! The commands, one a file: its arguments, and what it does with them. How it is done is in `app`.

mod apply;
mod check;
mod completed;
mod completions;
mod diff;
mod explain;
mod formats;
mod help;
mod honored;
mod man;
mod meant;
mod redact;
mod repair;
mod rules;
mod schema;
mod sessions;
mod start;
mod undo;
mod verify;
mod version;

use std::ffi::OsString;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::app::{App, Options, Result, exit};
use crate::cli::{AskedOptions, COMMON, Config};
use crate::find::surroundings::Surroundings;
use crate::outputs::paint::Tone;
use check::CheckArgs;
use completions::CompletionsArgs;
use diff::DiffArgs;
use explain::ExplainArgs;
use formats::FormatsArgs;
use help::{CommandExample, examples};
use man::ManArgs;
use redact::RedactArgs;
use repair::RepairArgs;
use rules::RulesArgs;
use schema::SchemaArgs;
use sessions::SessionsArgs;
pub use start::{main, report_panics, status_of};
use undo::UndoArgs;
use verify::VerifyArgs;

const EXAMPLES: &[CommandExample] = &[
    ("check @claude-code", "Check all sessions of Claude Code"),
    ("explain session.jsonl", "See what happened in a transcript"),
    ("diff session.jsonl", "Preview a repair"),
    ("repair session.jsonl", "Repair it; `undo` restores the original"),
];

/// Find, explain, and losslessly repair damage in transcripts of LLM agents
///
/// `check`, `explain`, and `diff` never write. `repair` changes only the bytes that it must, keeps the original, and
/// checks the result; `undo` restores the original. A file without a command is checked.
/// `completions SHELL` and `man` print what packages need, `schema` what readers of its JSON need.
#[derive(Debug, Parser)]
#[command(
    name = "transcript-doctor",
    version = version::SHORT,
    long_version = version::long(),
    max_term_width = 100,
    disable_help_flag = true,
    disable_help_subcommand = true,
    disable_version_flag = true,
    after_long_help = examples(EXAMPLES)
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Print the version; --version also prints the formats and providers
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = COMMON, hide_short_help = true)]
    pub version: Option<bool>,
    /// Print help; -h prints the most common options only
    #[arg(short, long, global = true, action = ArgAction::Help, help_heading = COMMON)]
    pub help: Option<bool>,
    /// What was run instead of what was typed.
    #[arg(skip)]
    pub note: Option<String>,
}

impl Cli {
    /// Parses the command line. Transcripts without a command are checked.
    ///
    /// # Errors
    /// It cannot be parsed, or has an option that its command does not use; and where help or the version was requested.
    pub fn read(
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Cli, clap::Error> {
        let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
        Cli::parsed(words.clone()).map_err(|error| meant::harmless(words, error))
    }

    fn parsed(words: Vec<OsString>) -> Result<Cli, clap::Error> {
        // It is large, and a run of a small transcript should not wait for it twice.
        let mut grammar = Cli::command();
        let words = meant::in_order(words, &grammar);
        let (typed, note) = match grammar.try_get_matches_from_mut(&words) {
            Ok(typed) => (typed, None),
            Err(error) => match meant::check_of(&words, &error) {
                Some((words, note)) => {
                    let typed = grammar.try_get_matches_from_mut(words);
                    (typed.map_err(meant::corrected)?, Some(note))
                }
                None => return Err(meant::corrected(error)),
            },
        };
        let cli = Cli::from_arg_matches(&typed)?;
        if let Some(command) = &cli.command {
            honored::check(command, &typed, &mut grammar)?;
        }
        Ok(Cli { note, ..cli })
    }

    /// What it asks for, whatever its command.
    fn asked(&self) -> AskedOptions {
        self.command.as_ref().map(Command::asked).unwrap_or_default()
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Check(CheckArgs),
    Sessions(SessionsArgs),
    Explain(ExplainArgs),
    Diff(DiffArgs),
    Repair(RepairArgs),
    Undo(UndoArgs),
    Verify(VerifyArgs),
    Redact(RedactArgs),
    Rules(RulesArgs),
    Formats(FormatsArgs),
    #[command(hide = true)]
    Schema(SchemaArgs),
    #[command(hide = true)]
    Completions(CompletionsArgs),
    #[command(hide = true)]
    Man(ManArgs),
}

impl Command {
    fn asked(&self) -> AskedOptions {
        match self {
            Command::Check(args) => args.asked(),
            Command::Sessions(args) => args.asked(),
            Command::Explain(args) => args.asked(),
            Command::Diff(args) => args.asked(),
            Command::Repair(args) => args.asked(),
            Command::Undo(args) => args.asked(),
            Command::Verify(args) => args.asked(),
            Command::Redact(args) => args.asked(),
            Command::Rules(args) => args.asked(),
            Command::Formats(args) => args.asked(),
            Command::Schema(_) | Command::Completions(_) | Command::Man(_) => {
                AskedOptions::default()
            }
        }
    }

    /// Whether the configuration of the project decides what it reports.
    fn has_policy(&self) -> bool {
        match self {
            Command::Check(_) | Command::Repair(_) => true,
            Command::Diff(args) => !args.compares(),
            _ => false,
        }
    }

    fn run(&self, app: &App<'_>) -> Result<u8> {
        match self {
            Command::Check(args) => check::run(app, args),
            Command::Explain(args) => explain::run(app, args),
            Command::Diff(args) => diff::run(app, args),
            Command::Repair(args) => repair::run(app, args),
            Command::Undo(args) => undo::run(app, args),
            Command::Verify(args) => verify::run(app, args),
            Command::Sessions(args) => sessions::run(app, args),
            Command::Redact(args) => redact::run(app, args),
            Command::Rules(_) => rules::run(app),
            Command::Formats(_) => formats::run(app),
            Command::Schema(args) => schema::run(app, args),
            Command::Completions(args) => completions::run(app, args),
            Command::Man(args) => man::run(app, args),
        }
    }
}

/// Runs a command line with what it asks for. The answer is the exit status.
fn run(cli: &Cli, mut asked: AskedOptions) -> u8 {
    let mut failed = None;
    if cli.command.as_ref().is_some_and(Command::has_policy) {
        let here = Surroundings::system();
        failed = Config::apply(&mut asked, here.here()).err().map(|error| error.to_string());
    }
    // The options of a plan replace those that were typed, so they must be known before the app reads any.
    let mut planned = None;
    if let Some(Command::Repair(args)) = &cli.command {
        match apply::expand(args, &mut asked) {
            Ok(expanded) => planned = expanded.map(Command::Repair),
            Err(error) => failed = failed.or(Some(error.to_string())),
        }
    }
    let options = Options::new(&asked);
    let app = App::new(&options);
    // Said only here, because what prints it is made from the options.
    if let Some(error) = failed {
        app.say(Tone::Bad, &format!("error: {error}"));
        return exit::USAGE;
    }
    if let Some(note) = &cli.note {
        app.say(Tone::Dim, note);
    }
    let done = app.check_reports().and_then(|()| match planned.as_ref().or(cli.command.as_ref()) {
        Some(command) => command.run(&app),
        None => sessions::of_no_command(&app),
    });
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
            "repair -o copy",
            "check --format yaml x",
            "check --target nobody x",
            "check -q -v x",
            "repair -n -o x y",
            "repair --force x",
            "repair --only TD999 x",
            "explain --call toolu_1",
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
