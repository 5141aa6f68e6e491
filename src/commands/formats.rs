//! `formats`: the transcript formats, one line each.

use clap::Args;

use super::explain::print;
use super::help::{CommandExample, examples};
use crate::app::{App, Result};
use crate::cli::{AskedOptions, PrintArgs, TalkArgs};
use crate::explain::Explained;
use crate::explain::format::ListedFormat;
use crate::hosts;

const EXAMPLES: &[CommandExample] = &[
    ("formats", "List all formats, with the names of their hosts"),
    ("formats -q", "List the names that --from takes"),
    ("formats --format json", "List them for scripts"),
];

/// List the transcript formats and the names of hosts
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct FormatsArgs {
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    talk: TalkArgs,
}

impl FormatsArgs {
    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            print: self.print.clone(),
            talk: self.talk.clone(),
            ..AskedOptions::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The list cannot be printed.
pub(crate) fn run(app: &App<'_>) -> Result<u8> {
    let listed = hosts::ALL.iter().map(|format| ListedFormat::of(format));
    print(app, Explained::Formats(listed.collect()))
}
