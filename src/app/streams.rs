//! Standard output and error: each decides for itself whether it wants colors.

mod links;
pub(crate) mod pager;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice, StripStream};

use crate::cli::ColorWhen;
use crate::outputs::link::Links;
use links::WithoutColors;
pub(crate) use links::wants_links;
pub(crate) use pager::Pager;

/// Variables that turn colors on wherever the output goes, unless their value is 0.
const FORCING: [&str; 2] = ["CLICOLOR_FORCE", "FORCE_COLOR"];

/// Whether a stream gets colors: `--color`, then `NO_COLOR`, then what [`FORCING`] names, then a terminal that is not dumb.
pub(crate) fn wants_color(
    when: ColorWhen,
    env: impl Fn(&str) -> Option<OsString>,
    terminal: bool,
) -> bool {
    let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let forces = |name: &str| env(name).is_some_and(|value| !value.is_empty() && value != "0");
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if set("NO_COLOR") => false,
        ColorWhen::Auto if FORCING.iter().any(|name| forces(name)) => true,
        ColorWhen::Auto => terminal && env("TERM").is_none_or(|value| value != "dumb"),
    }
}

/// Whether standard output gets colors.
pub(crate) fn stdout_color(when: ColorWhen) -> bool {
    wants_color(when, |name| std::env::var_os(name), io::stdout().is_terminal())
}

/// Standard output, for data. What is written with colors loses them where they are not wanted. `links`: what is written
/// may hold hyperlinks.
pub(crate) fn stdout(when: ColorWhen, links: bool) -> Box<dyn Write> {
    match (stdout_color(when), links) {
        (false, true) => Box::new(BufWriter::new(WithoutColors::new(io::stdout()))),
        (color, _) => Box::new(BufWriter::new(AutoStream::new(io::stdout(), choice(color)))),
    }
}

/// Standard output, for data in which nothing can be a color.
pub(crate) fn data() -> impl Write {
    BufWriter::new(io::stdout())
}

/// Standard output through a pager; the error says why that is not possible, if it was asked for.
///
/// # Errors
/// The pager that the user named cannot be started.
pub(crate) fn paged(when: ColorWhen, pager: &Pager) -> Result<Option<Box<dyn Write>>, String> {
    pager.stdout(stdout_color(when))
}

/// Writes a line of talk: to the pager while it has the terminal, else to standard error.
pub(crate) fn say(when: ColorWhen, line: &str) {
    let paged = format!("{line}\n");
    if !pager::say(&paged) {
        // Nothing is left to be told where this fails.
        let _ = stderr(when).write_all(paged.as_bytes());
    }
}

/// How hyperlinks on standard output begin, where it gets any.
pub(crate) fn stdout_links(when: ColorWhen) -> Option<Links> {
    let wanted = wants_links(when, |name| std::env::var_os(name), io::stdout().is_terminal());
    let folder = std::env::current_dir().ok().filter(|_| wanted)?;
    Some(Links { host: host(), folder })
}

/// The name of this machine; "" if it has none that is valid in a URL.
fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = String::new();
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    if plain { name } else { String::new() }
}

/// Standard error, for talk.
pub(crate) fn stderr(when: ColorWhen) -> impl Write {
    let wanted = wants_color(when, |name| std::env::var_os(name), io::stderr().is_terminal());
    AutoStream::new(io::stderr(), choice(wanted))
}

/// A stream that somebody reads who can answer on standard input.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Where a question is asked, and what it is about is shown: standard output where that is a terminal and carries no data,
/// else standard error. `None`: nobody would answer.
pub(crate) fn screen(data_on_stdout: bool) -> Option<Screen> {
    if !io::stdin().is_terminal() {
        return None;
    }
    let out = !data_on_stdout && io::stdout().is_terminal();
    if out { Some(Screen::Out) } else { io::stderr().is_terminal().then_some(Screen::Err) }
}

/// A file: what is written with colors loses them.
pub(crate) fn plain(file: &mut File) -> impl Write {
    BufWriter::new(StripStream::new(file))
}

fn choice(wanted: bool) -> ColorChoice {
    if wanted { ColorChoice::Always } else { ColorChoice::Never }
}

/// Treats a closed pipe as success: the reader has seen enough.
///
/// # Errors
/// Any other.
pub(crate) fn quiet(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Columns of the terminal that standard output is.
pub(crate) fn columns() -> Option<usize> {
    let (wide, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(wide.0).max(40))
}

/// Columns of the terminal that standard error is.
pub(crate) fn stderr_columns() -> Option<usize> {
    let (wide, _) = terminal_size::terminal_size_of(io::stderr())?;
    Some(usize::from(wide.0).max(40))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_who_decides() {
        let env = |vars: &'static [(&str, &str)]| {
            move |name: &str| {
                vars.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            }
        };
        let all = &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"), ("TERM", "dumb")];
        assert!(wants_color(ColorWhen::Always, env(all), false));
        assert!(!wants_color(ColorWhen::Never, env(&[]), true));
        assert!(!wants_color(ColorWhen::Auto, env(all), true));
        assert!(wants_color(
            ColorWhen::Auto,
            env(&[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]),
            false
        ));
        for name in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
            let forced = |value| move |asked: &str| (asked == name).then(|| OsString::from(value));
            assert!(wants_color(ColorWhen::Auto, forced("1"), false), "{name}");
            assert!(!wants_color(ColorWhen::Auto, forced("0"), false), "{name}");
            assert!(!wants_color(ColorWhen::Auto, forced(""), false), "{name}");
        }
        assert!(!wants_color(ColorWhen::Auto, env(&[("TERM", "dumb")]), true));
        assert!(wants_color(ColorWhen::Auto, env(&[("TERM", "xterm")]), true));
        assert!(!wants_color(ColorWhen::Auto, env(&[("TERM", "xterm")]), false));
    }

    #[test]
    fn a_closed_pipe_is_quiet() {
        assert!(quiet(Err(io::ErrorKind::BrokenPipe.into())).is_ok());
        assert!(quiet(Err(io::ErrorKind::StorageFull.into())).is_err());
    }
}
