//! What `--help` says after the options: examples and exit statuses.

/// A command line and what it does.
pub(super) type CommandExample = (&'static str, &'static str);

/// The exit statuses of all commands.
const STATUSES: &str = "\
Exit status:
  0    nothing at or above --fail-on is left
  1    problems are left, or a repair is only planned
  2    usage error
  3    not everything could be checked: missing, unreadable, or in an unknown format
  4    refused; nothing was written
  5    no transcript found
  6    written, but not confirmed; the message has the undo command
  70   a bug in transcript-doctor
  130  interrupted; no file is half-written (143 and 129: ended by SIGTERM or SIGHUP)";

/// Examples, each as a comment and a command line.
pub(super) fn examples(examples: &[CommandExample]) -> String {
    let mut out = String::from("Examples:");
    for (line, does) in examples {
        out.push_str(&format!("\n  # {does}\n  {} {line}", env!("CARGO_PKG_NAME")));
    }
    out
}

/// The same with the exit statuses.
pub(super) fn examples_and_statuses(list: &[CommandExample]) -> String {
    format!("{}\n\n{STATUSES}", examples(list))
}
