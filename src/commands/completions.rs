//! `completions`: what a shell completes.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use super::help::{CommandExample, examples};
use crate::app::{App, Result, exit};

const EXAMPLES: &[CommandExample] = &[
    (
        "completions bash > ~/.transcript-doctor.bash",
        "Write completions for bash, to be sourced by ~/.bashrc",
    ),
    (
        "completions zsh > ~/.zfunc/_transcript-doctor",
        "Install completions for zsh, if ~/.zfunc is in fpath",
    ),
    ("completions fish | source", "Load completions for fish; a line for config.fish"),
];

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct CompletionsArgs {
    /// Shell that reads them
    pub shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn run(app: &App<'_>, args: &CompletionsArgs) -> Result<u8> {
    // In memory first: a closed pipe would make clap_complete panic.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), env!("CARGO_PKG_NAME"), &mut script);
    if args.shell == Shell::Bash {
        script = with_one_name(&String::from_utf8_lossy(&script)).into_bytes();
    }
    app.write(|out| out.write_all(&script))?;
    Ok(exit::DONE)
}

/// A script for bash that answers after a command. clap_complete 4.6 spells the hyphen in the name of the program in two ways:
/// in one when it looks for the command, and in the other when it lists the options of the command.
fn with_one_name(script: &str) -> String {
    let name = env!("CARGO_PKG_NAME");
    script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"))
}
