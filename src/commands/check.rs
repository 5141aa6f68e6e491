//! `check`: what is wrong; reads only.

use std::path::PathBuf;

use clap::Args;

use super::help::{Example, examples_and_statuses};
use super::sessions::{NO_PROJECT, choose};
use crate::app::judge::{all, outcome, report};
use crate::app::{App, Asked, Error, Result, exit, late};
use crate::journal::Journal;
use crate::outputs::paint::Tone;
use crate::report::model::Report;
use crate::report::text::Shown;

const EXAMPLES: &[Example] = &[
    ("check", "Check the sessions of the project in this folder"),
    ("check session.jsonl", "Check a file"),
    ("check 5f1c", "Check the session whose ID starts with 5f1c"),
    (
        "check @all --format json",
        "Check the sessions of all hosts, for a script",
    ),
];

/// Find problems (read-only)
///
/// `check` says what a provider will reject, what a host hides or cannot open, and what `repair` can do about it.
#[derive(Debug, Args)]
#[command(after_long_help = examples_and_statuses(EXAMPLES))]
pub struct CheckArgs {
    /// Files, folders, -, @HOST, @all, @latest or session IDs
    ///
    /// A folder is searched for transcripts; - is standard input. Without a target, the sessions of the project in the
    /// current folder are checked.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Exit with status 0 whatever is found
    #[arg(long)]
    pub exit_zero: bool,
    /// Treat each row of JSONL or of an array as a conversation
    #[arg(long)]
    pub rows: bool,
}

impl CheckArgs {
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked {
            rows: self.rows,
            ..Asked::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The report cannot be written.
pub(crate) fn run(app: &App<'_>, args: &CheckArgs) -> Result<u8> {
    let found = match args.targets.as_slice() {
        [] => app.find_project(),
        targets => Some(app.find(targets)?),
    };
    let Some((app, mut finds)) = found else {
        return of_no_project(app);
    };
    app.spare(&finds)?;
    unfinished(&app, &finds.targets);
    late::tell(&app, Some(&finds.targets));
    let conversations = all(&app, &mut finds);
    let mut report = report(&app, conversations, &finds);
    let status = if args.exit_zero {
        exit::DONE
    } else {
        outcome(&app, &report).status()
    };
    report.exit_code = status;
    app.print_check(report)?;
    Ok(status)
}

/// Nothing was named, and no session belongs to this folder: shows recent sessions.
fn of_no_project(app: &App<'_>) -> Result<u8> {
    if app.options.allow_empty {
        app.print(Report::new(Vec::new(), Vec::new(), Vec::new()))?;
        return Ok(exit::DONE);
    }
    if app.options.output.interactive {
        choose(app)?;
    }
    Err(Error::usage(NO_PROJECT))
}

/// Tells of repairs of these recordings that were interrupted. They are settled by the next one.
fn unfinished(app: &App<'_>, targets: &[PathBuf]) {
    let open = Journal::standard()
        .and_then(|journal| journal.unfinished().ok())
        .unwrap_or_default();
    for operation in open {
        let path = &operation.place.path;
        if late::concerns(targets, path) {
            let (op, shown) = (operation.op, app.read(Shown::path(path)));
            let next = app
                .shown_style()
                .next
                .for_path("repair", &[], &shown)
                .unwrap_or_default();
            app.say(
                Tone::Warn,
                &format!(
                    "{}: operation {op} was interrupted; settle it with  {next}",
                    shown.whole()
                ),
            );
        }
    }
}
