//! `verify`: repairs, compared with the checksums in the journal.

use std::path::PathBuf;

use clap::Args;

use super::help::{CommandExample, examples};
use super::undo::is_last;
use crate::app::{App, Error, Result, verify};
use crate::cli::{AskedOptions, DrawArgs, ShownArgs, TalkArgs};
use crate::journal::Journal;

const EXAMPLES: &[CommandExample] = &[
    ("verify", "Verify the last repair, with all that its run repaired"),
    ("verify session.jsonl", "Verify the last repair of a file"),
];

/// Compare a repair with the checksums in the journal (read-only)
///
/// Says whether the file is what the repair wrote, whether the journal restores what was there before, and whether the
/// recorded edits turn the one into the other. The checksums are SHA-256, so anybody with a copy of one of the files can
/// compare it, too. Nothing is written but in a temporary folder.
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct VerifyArgs {
    /// Operation number, batch-N, last, file, or session ID, as for undo
    #[arg(value_name = "OP|BATCH|last|FILE|ID")]
    pub what: Option<PathBuf>,
    #[command(flatten)]
    talk: TalkArgs,
    #[command(flatten)]
    shown: ShownArgs,
}

impl VerifyArgs {
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
pub(crate) fn run(app: &App<'_>, args: &VerifyArgs) -> Result<u8> {
    let Some(journal) = Journal::standard() else {
        return Err(Error::usage("no folder for the journal: set XDG_STATE_HOME"));
    };
    verify::run(app, &journal, args.what.as_deref().filter(|what| !is_last(what)))
}
