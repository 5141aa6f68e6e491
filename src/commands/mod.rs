//! The commands, one a file: what each does with its arguments. How it is done is in `app`.

mod check;
mod diff;
mod explain;
mod redact;
mod repair;
mod start;
mod undo;

use crate::app::{Run, Usage, exit};
use crate::cli::{Cli, Command};
use crate::outputs::paint::Tone;

pub use start::main;

/// Does what was asked. The answer is the exit status.
pub(crate) fn run(cli: &Cli) -> u8 {
    let run = &mut Run::new(&cli.global);
    let done = run.choose_reports().and_then(|()| match &cli.command {
        Command::Check(args) => check::run(run, args),
        Command::Repair(args) => repair::run(run, args),
        Command::Diff(args) => diff::run(run, args),
        Command::Redact(args) => redact::run(run, args),
        Command::Undo(args) => undo::run(run, args),
        Command::Explain(args) => explain::run(run, args),
    });
    done.unwrap_or_else(|error| {
        run.say(Tone::Bad, &format!("error: {error:#}"));
        if error.is::<Usage>() {
            exit::USAGE
        } else {
            exit::NOT_EXAMINED
        }
    })
}
