//! The pager that output of several screens goes through, as in git: it starts with the first line of output, and `less`
//! ends by itself if one screen holds everything.
//!
//! A process has one terminal, so there is one pager for all of it. The thread that watches signals has to know it, too.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstream::StripStream;

/// What the pager reads from us, while it reads.
static INPUT: Mutex<Option<ChildStdin>> = Mutex::new(None);
/// The pager, until it ended.
static RUNNING: Mutex<Option<Child>> = Mutex::new(None);
/// It could not be started, and the user was told.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Variables that name a pager; the first that is set counts.
const VARIABLES: [&str; 2] = ["TRANSCRIPT_DOCTOR_PAGER", "PAGER"];
/// The pager if none is named: it ends if one screen is enough, shows colors, and leaves the text on the screen.
const DEFAULT: &str = "less -FRX";
/// The same options for a `less` that was named without any, unless the user has some of their own.
const LESS: (&str, &str) = ("LESS", "FRX");
/// Characters that a shell understands.
const SHELL: &str = "|&;<>()$`\\\"'*?[#~=%\n";

/// A pager that is to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pager {
    command: String,
    /// The user chose it, so that they hear of it if it does not exist.
    is_named: bool,
}

impl Pager {
    /// The pager for standard output, if that is a terminal which can show one.
    pub(crate) fn of_stdout() -> Option<Pager> {
        io::stdout()
            .is_terminal()
            .then(|| {
                Pager::named_by(|name| {
                    std::env::var_os(name).and_then(|value| value.into_string().ok())
                })
            })
            .flatten()
    }

    /// The pager that the environment names, `less` if it names none. `None`: there is to be none.
    fn named_by(env: impl Fn(&str) -> Option<String>) -> Option<Pager> {
        if env("TERM").is_some_and(|term| term == "dumb") {
            return None;
        }
        let named = VARIABLES.iter().find_map(|name| env(name));
        let is_named = named.is_some();
        let command = named.unwrap_or_else(|| DEFAULT.to_owned());
        let command = command.trim().to_owned();
        (!matches!(command.as_str(), "" | "cat")).then_some(Pager { command, is_named })
    }

    /// The program and its arguments. A shell reads what only a shell can.
    fn words(&self) -> Vec<OsString> {
        if cfg!(unix) && self.command.contains(|c| SHELL.contains(c)) {
            return ["sh", "-c", &self.command].map(OsString::from).into();
        }
        self.command.split_whitespace().map(OsString::from).collect()
    }

    /// Standard output through the pager. `None`: it cannot be started; the error says why if the user named it.
    ///
    /// # Errors
    /// The program that the user named cannot be started.
    pub(super) fn stdout(&self, color: bool) -> Result<Option<Box<dyn Write>>, String> {
        if !is_running() && !self.start()? {
            return Ok(None);
        }
        Ok(Some(if color {
            Box::new(PagerInput)
        } else {
            Box::new(StripStream::new(Box::new(PagerInput) as Box<dyn Write>))
        }))
    }

    fn start(&self) -> Result<bool, String> {
        if FAILED.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let words = self.words();
        let Some((program, arguments)) = words.split_first() else {
            return Ok(false);
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if std::env::var_os(LESS.0).is_none() {
            command.env(LESS.0, LESS.1);
        }
        match command.spawn() {
            Ok(mut child) => {
                *locked(&INPUT) = child.stdin.take();
                *locked(&RUNNING) = Some(child);
                Ok(true)
            }
            Err(why) => {
                FAILED.store(true, Ordering::Relaxed);
                if self.is_named {
                    Err(format!("cannot start the pager {}: {why}", self.command))
                } else {
                    Ok(false)
                }
            }
        }
    }
}

/// What goes to the pager.
struct PagerInput;

impl Write for PagerInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match locked(&INPUT).as_mut() {
            Some(input) => input.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        locked(&INPUT).as_mut().map_or(Ok(()), Write::flush)
    }
}

fn locked<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the pager has the terminal.
pub(crate) fn is_running() -> bool {
    locked(&INPUT).is_some()
}

/// Writes a message where the pager shows it: on its screen nobody would see it. Returns whether it took it.
pub(super) fn say(line: &str) -> bool {
    io::stderr().is_terminal() && is_running() && PagerInput.write_all(line.as_bytes()).is_ok()
}

/// Tells the pager that this was all, and waits until the user is done with it.
pub(crate) fn finish() {
    drop(locked(&INPUT).take());
    wait();
}

/// Waits until the user is done with the pager. If a program ended while its pager has the terminal, both the pager and the
/// shell would read what is typed.
pub(crate) fn wait() {
    if let Some(pager) = locked(&RUNNING).as_mut() {
        // Whatever became of it, there is nothing more to show.
        let _ = pager.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(vars: &[(&str, &str)]) -> Option<String> {
        Pager::named_by(|name| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
        .map(|pager| pager.command)
    }

    #[test]
    fn the_environment_chooses() {
        assert_eq!(chosen(&[]).as_deref(), Some("less -FRX"));
        assert_eq!(chosen(&[("PAGER", "most")]).as_deref(), Some("most"));
        let both = [("PAGER", "most"), ("TRANSCRIPT_DOCTOR_PAGER", "bat -p")];
        assert_eq!(chosen(&both).as_deref(), Some("bat -p"));
        for none in [("PAGER", ""), ("PAGER", "cat"), ("TERM", "dumb")] {
            assert_eq!(chosen(&[none]), None, "{none:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_shell_reads_what_only_a_shell_can() {
        let words = |command: &str| {
            let command = command.to_owned();
            Pager { command, is_named: true }.words()
        };
        assert_eq!(words("less  -S"), ["less", "-S"]);
        assert_eq!(words("less | cat"), ["sh", "-c", "less | cat"]);
    }
}
