//! `completions`: what a shell completes.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use super::completed::complete;
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
    /// The words of a command line, as the printed script asks; their last one is completed
    #[arg(last = true, hide = true)]
    pub words: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn run(app: &App<'_>, args: &CompletionsArgs) -> Result<u8> {
    let text = if args.words.is_empty() {
        script(args.shell)
    } else {
        complete(&args.words).lines().into_bytes()
    };
    app.write(|out| out.write_all(&text))?;
    Ok(exit::DONE)
}

/// What a shell loads. Those that most people use ask this program, so they also know sessions and rules.
fn script(shell: Shell) -> Vec<u8> {
    match shell {
        Shell::Bash => include_bytes!("completions/complete.bash").to_vec(),
        Shell::Zsh => include_bytes!("completions/complete.zsh").to_vec(),
        Shell::Fish => include_bytes!("completions/complete.fish").to_vec(),
        other => {
            // In memory first: a closed pipe would make clap_complete panic.
            let mut script = Vec::new();
            clap_complete::generate(
                other,
                &mut Cli::command(),
                env!("CARGO_PKG_NAME"),
                &mut script,
            );
            script
        }
    }
}
