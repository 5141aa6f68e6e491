//! Where the program starts and ends.

use std::ffi::OsString;
use std::process::ExitCode;

use super::{Cli, run};
use crate::app::streams::pager;
use crate::app::{exit, limits};
use crate::outputs::paint;

/// Runs the command line; the answer is its exit status.
pub fn main() -> ExitCode {
    paint::force();
    limits::raise_open_files();
    let status = status_of(std::env::args_os().collect());
    pager::finish();
    ExitCode::from(status)
}

/// Runs a command line, the name of the program included, and gives its exit status, also that of a panic.
pub fn status_of(words: Vec<OsString>) -> u8 {
    let status = std::panic::catch_unwind(|| match Cli::read(words) {
        Ok(cli) => run(&cli, cli.asked()),
        Err(error) => {
            // Help and version are no errors: clap knows both status and stream.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(exit::USAGE)
        }
    });
    status.unwrap_or(exit::BUG)
}

/// Reports a panic by its place alone: its message may hold words of a transcript.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place =
            panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        eprintln!(
            "transcript-doctor {}: a bug in this program, at {place}. Please report it with this line; it contains nothing from your transcripts.",
            env!("CARGO_PKG_VERSION")
        );
    }));
}
