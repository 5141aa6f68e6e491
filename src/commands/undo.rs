//! `undo`: repairs taken back.

use std::path::{Path, PathBuf};

use clap::Args;

use super::help::{CommandExample, examples};
use crate::app::repair::finish;
use crate::app::undo::{self, MeantOperations, agreed, list, meant, several};
use crate::app::{App, Error, Result, exit, late};
use crate::cli::{AskedOptions, DrawArgs, ShownArgs, TalkArgs};
use crate::journal::Journal;

const EXAMPLES: &[CommandExample] = &[
    ("undo", "Undo the last repair, with all that its run repaired"),
    ("undo session.jsonl", "Undo the last repair of a file"),
    ("undo --list", "List the repairs"),
];

/// Undo a repair
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct UndoArgs {
    /// Operation number, batch-N, last, file, or session ID
    ///
    /// batch-N is everything that one run repaired. For a file, folder, or session, its last repair is undone; without an
    /// argument, or with last, the last one of all, with everything that its run repaired.
    #[arg(value_name = "OP|BATCH|last|FILE|ID")]
    pub what: Option<PathBuf>,
    /// List the repairs
    #[arg(long, conflicts_with_all = ["what", "dry_run", "output", "yes", "force_live"])]
    pub list: bool,
    /// Show what would change and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Write the original here, and change nothing else
    #[arg(short, long, value_name = "PATH", conflicts_with = "dry_run")]
    pub output: Option<PathBuf>,
    /// Replace what exists at the path of --output
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Do not ask about files outside this folder
    #[arg(short, long)]
    pub yes: bool,
    /// Write even if another process may be writing
    #[arg(long, conflicts_with_all = ["dry_run", "output"])]
    pub force_live: bool,
    #[command(flatten)]
    talk: TalkArgs,
    #[command(flatten)]
    shown: ShownArgs,
}

impl UndoArgs {
    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            talk: self.talk.clone(),
            draw: DrawArgs { shown: self.shown.clone(), ..DrawArgs::default() },
            ..AskedOptions::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The journal cannot be read, or nothing can be printed.
pub(crate) fn run(app: &App<'_>, args: &UndoArgs) -> Result<u8> {
    let Some(journal) = Journal::standard() else {
        return Err(Error::usage("no folder for the journal: set XDG_STATE_HOME"));
    };
    if args.list {
        list(app, &journal)?;
        late::report(app, None);
        return Ok(exit::DONE);
    }
    if !args.dry_run {
        finish(app)?;
    }
    let what = args.what.as_deref().filter(|what| !is_last(what));
    let operations = match meant(app, &journal, what)? {
        MeantOperations::These(operations) => operations,
        MeantOperations::Nothing(status) => return Ok(status),
    };
    if args.output.is_some() && operations.len() > 1 {
        let why = format!(
            "--output takes one operation, not {}; name it by its number",
            operations.len()
        );
        return Err(Error::usage(why));
    }
    // Nobody named what to undo, so somebody is shown what it would be.
    if what.is_none()
        && args.output.is_none()
        && !args.dry_run
        && !agreed(app, args.yes, &operations)?
    {
        return Ok(exit::LEFT);
    }
    let options = undo::UndoOptions {
        dry_run: args.dry_run,
        output: args.output.clone(),
        force: args.force,
        force_live: args.force_live,
    };
    several(app, &options, &journal, &operations)
}

/// Whether the word is not a file but means what is undone without a word, as in `diff --op last`.
pub(super) fn is_last(what: &Path) -> bool {
    what.as_os_str() == "last" && !what.exists()
}
