//! The program, run in an environment of its own. What the program prints depends on variables (`CI` replaces text by
//! stand-ins, `HOME` shortens paths, the hosts' own name folders), so a test takes none from who runs it.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables without which processes do not start, or have no place for temporary files.
const KEPT: [&str; 6] = ["PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LLVM_PROFILE_FILE"];

/// The program with a home folder, where its journal is, too.
pub(crate) fn command(home: &Path) -> Command {
    within(env!("CARGO_BIN_EXE_transcript-doctor"), home)
}

/// Another program that runs ours, in the same environment.
pub(crate) fn within(program: impl AsRef<OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.env("HOME", home).env("XDG_STATE_HOME", home.join("state")).stdin(Stdio::null());
    command
}
