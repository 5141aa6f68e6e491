//! Tools that a test needs, and that not every machine has.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether a program can be started. If not, the test that needs it is reported as skipped, past the captured output, and fails
/// where `REQUIRE_TOOLS` is set.
pub(crate) fn has(tool: &str, test: &str) -> bool {
    let started =
        Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if started.is_ok() {
        return true;
    }
    assert!(std::env::var_os("REQUIRE_TOOLS").is_none(), "{test} needs {tool}");
    // A message that is printed would only be shown if the test failed.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {tool} is not installed");
    false
}
