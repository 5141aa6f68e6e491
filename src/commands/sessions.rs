//! `sessions`: the sessions of hosts, newest first. And what is shown where nothing was named: recent ones, to choose from.

use std::io;
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use super::Cli;
use super::explain::print;
use super::help::{CommandExample, examples};
use crate::app::sessions::newest;
use crate::app::{App, Error, Result, exit, prompt, streams};
use crate::cli::{AskedOptions, DrawArgs, JobArgs, JudgeArgs, PrintArgs, ReadArgs, TalkArgs};
use crate::explain::Explained;
use crate::outputs::paint::Tone;
use crate::report::model::Verdict;

/// Why a command without a name has nothing to do.
pub(super) const NO_PROJECT: &str = "no agent session was started in this folder; \
    name a file, a session, `.` (the files here), or @all";
/// Sessions that are listed, unless all are.
const LISTED: usize = 20;

const EXAMPLES: &[CommandExample] = &[
    ("sessions", "List the newest sessions of all hosts"),
    ("sessions @claude-code --all", "List all sessions of Claude Code"),
    ("sessions ./", "List the transcripts in a folder"),
    ("sessions --format json", "List the newest sessions, for a script"),
];

/// List sessions, newest first, with their verdicts (read-only)
///
/// Only the sessions that are listed are read.
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct SessionsArgs {
    /// @HOST, folders, or files [default: the sessions of all hosts]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Maximum number of sessions
    #[arg(short = 'n', long, value_name = "N", default_value_t = LISTED)]
    pub max_results: usize,
    /// List all sessions
    #[arg(long, conflicts_with = "max_results")]
    pub all: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    jobs: JobArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    talk: TalkArgs,
    #[command(flatten)]
    draw: DrawArgs,
}

impl SessionsArgs {
    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            read: self.read.clone(),
            judge: self.judge.clone(),
            jobs: self.jobs.jobs,
            print: self.print.clone(),
            talk: self.talk.clone(),
            draw: self.draw.clone(),
            ..AskedOptions::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// A target names nothing, or the list cannot be printed.
pub(crate) fn run(app: &App<'_>, args: &SessionsArgs) -> Result<u8> {
    let limit = if args.all { usize::MAX } else { args.max_results };
    let (sessions, missed) = newest(app, &args.targets, limit)?;
    let is_empty = sessions.sessions.is_empty();
    if is_empty && !missed {
        app.say(Tone::Warn, "no session was found");
    }
    print(app, Explained::Sessions(sessions))?;
    Ok(match (missed, is_empty && !app.options.allow_empty) {
        (true, _) => exit::NOT_EXAMINED,
        (false, true) => exit::NOTHING,
        (false, false) => exit::DONE,
    })
}

/// What a run without a command does.
///
/// # Errors
/// As [`choose`].
pub(super) fn of_no_command(app: &App<'_>) -> Result<u8> {
    if let Some(status) = choose(app, &AskedOptions::default())? {
        return Ok(status);
    }
    app.say(Tone::Dim, Cli::command().render_help().to_string().trim_end());
    app.say(
        Tone::Warn,
        "\nno agent session was found on this machine: name a file or a folder, for example \
         `transcript-doctor check .`",
    );
    Ok(exit::USAGE)
}

/// Shows recent sessions, damaged ones first. On a terminal the user may choose one, which is explained, and
/// repaired if the user agrees. `None`: no sessions were found.
///
/// # Errors
/// The list cannot be printed.
pub(super) fn choose(app: &App<'_>, typed: &AskedOptions) -> Result<Option<u8>> {
    let (mut sessions, _) = newest(app, &[], LISTED)?;
    if sessions.sessions.is_empty() {
        return Ok(None);
    }
    sessions.sessions.sort_by_key(|session| session.verdict <= Verdict::Pending);
    let screen = streams::screen(false).filter(|_| app.options.output.interactive);
    sessions.is_numbered = screen.is_some();
    app.say(Tone::Strong, "Recent sessions, damaged ones first:");
    let names: Vec<_> =
        sessions.sessions.iter().map(|own| (own.name.clone(), own.safe_fixes > 0)).collect();
    print(app, Explained::Sessions(sessions))?;
    let Some(screen) = screen else {
        return Ok(Some(exit::DONE));
    };
    let mut out = app.stream(screen);
    let number = prompt::number("Which one?", names.len(), &mut io::stdin().lock(), &mut out)?;
    let Some((name, is_fixable)) = number.and_then(|number| names.get(number - 1)) else {
        return Ok(Some(exit::DONE));
    };
    let explained = run_command("explain", name.exact(), typed)?;
    if !is_fixable {
        return Ok(Some(explained));
    }
    run_command("repair", name.exact(), typed).map(Some)
}

/// Runs a command for a session, with the options that were typed.
fn run_command(command: &str, session: &str, typed: &AskedOptions) -> Result<u8> {
    let words = [env!("CARGO_PKG_NAME"), command, "--", session];
    let cli = Cli::read(words).map_err(|error| Error::usage(error.to_string()))?;
    let own = cli.asked();
    let asked = AskedOptions { fixes: own.fixes, paged: own.paged, rows: false, ..typed.clone() };
    Ok(super::run(&cli, asked))
}
