//! The command line of transcript-doctor.

use std::process::ExitCode;

fn main() -> ExitCode {
    transcript_doctor::main()
}
