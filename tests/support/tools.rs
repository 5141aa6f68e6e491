//! Tools that a test needs, and that not every machine has.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether a program can be started. If not, the test that needs it is reported as skipped.
pub(crate) fn has(tool: &str, test: &str) -> bool {
    let mut command = Command::new(tool);
    let quiet = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = quiet.status().is_ok();
    if !is_there {
        skip(tool, test);
    }
    is_there
}

/// Reports a test as skipped, past the captured output: what a test prints would only be shown if it failed. Where `REQUIRE_TOOLS` is
/// set, it fails.
pub(crate) fn skip(tool: &str, test: &str) {
    assert!(std::env::var_os("REQUIRE_TOOLS").is_none(), "{test} needs {tool}");
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {tool} is not installed");
}
