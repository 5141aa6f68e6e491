//! `man`: the manual pages.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::Man;

use super::Cli;
use super::help::{CommandExample, examples};
use crate::app::{App, Error, Result, exit};

const EXAMPLES: &[CommandExample] = &[
    ("man | man -l -", "Read the manual page"),
    ("man ~/.local/share/man/man1", "Write the pages of all commands to a folder"),
];

/// Print the manual page, or write all pages to a folder
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct ManArgs {
    /// Folder to write the pages to
    pub dir: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// The pages cannot be written.
pub(crate) fn run(app: &App<'_>, args: &ManArgs) -> Result<u8> {
    match &args.dir {
        Some(dir) => clap_mangen::generate_to(Cli::command(), dir)
            .map_err(Error::at(format!("cannot write to {}", app.options.reader.path(dir))))?,
        None => {
            let mut page = Vec::new();
            Man::new(Cli::command()).render(&mut page)?;
            app.write(|out| out.write_all(&page))?;
        }
    }
    Ok(exit::DONE)
}
