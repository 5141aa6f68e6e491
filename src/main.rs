//! The command line of transcript-doctor.

use std::process::ExitCode;

use anyhow::Context;

fn main() -> ExitCode {
    transcript_doctor::report_panics();
    let watched = transcript_doctor::watch_signals().context("signals cannot be watched");
    if let Err(error) = watched {
        // A run that cannot be interrupted between two files is still a run.
        eprintln!("transcript-doctor: {error:#}");
    }
    transcript_doctor::main()
}
