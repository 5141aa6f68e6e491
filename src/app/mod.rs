//! What all commands do with recordings: find, judge, plan, write, and print what comes of it.
//!
//! This room knows no command and no option of one.

pub(crate) mod ask;
pub(crate) mod diff;
mod difference;
pub(crate) mod exit;
pub(crate) mod explain;
pub(crate) mod judge;
pub(crate) mod late;
pub(crate) mod limits;
mod names;
mod owner;
mod parallel;
pub(crate) mod place;
mod plan;
pub(crate) mod redact;
pub(crate) mod repair;
pub(crate) mod reports;
pub(crate) mod signals;
mod streams;
pub(crate) mod treat;
pub(crate) mod undo;

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;

use crate::cli::{Global, RedactArg, Wanted};
use crate::engine::{CheckOptions, Selection, TargetChoice};
use crate::find::surroundings::Surroundings;
use crate::find::{self, Finds, Missed, in_words};
use crate::formats::Client;
use crate::outputs::next::Next;
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{self, Detail, Output, Style};
use crate::report::model::{Level, NotExamined, Skipped};
use crate::report::redact::{Mode, People, Redact, Redactor, redact as redacted};
use crate::report::text::{Shown, escape, path_hex};
use streams::Screen;

/// What all commands need to know of the command line.
pub(crate) struct Run<'a> {
    /// The options as typed.
    pub global: &'a Global,
    /// What is asked of the engine.
    pub ask: CheckOptions,
    /// The shape of reports.
    pub output: &'static Output,
    /// Reports beside it, in files.
    pub reports: Vec<Wanted>,
    /// How they are printed.
    pub style: Style,
    /// Findings of this severity or a worse one fail the run.
    pub fail_on: Level,
    /// Threads.
    pub jobs: usize,
    /// Each row of a file is a conversation, whatever it looks like.
    pub rows: bool,
    /// Who reads the streams, and what they may see.
    pub reader: Redactor,
    /// Who reads the files of reports, all of them: hidden strings have the same names in each.
    pub files_reader: Redactor,
    /// Standard output carries a recording, so all talk goes to standard error.
    pub data_on_stdout: bool,
}

/// A command line that clap accepts and that yet cannot be done.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub String);

impl<'a> Run<'a> {
    pub(crate) fn new(global: &'a Global) -> Run<'a> {
        let detail = match (global.quiet, global.verbose) {
            (0, 0) => Detail::Normal,
            (0, _) => Detail::All,
            (1, _) => Detail::Verdicts,
            _ => Detail::Nothing,
        };
        let reader = reader(global.redact.into());
        // A link tells where the file lies.
        let links =
            streams::stdout_links(global.hyperlink).filter(|_| reader.mode() < Mode::Content);
        let style = Style {
            width: global.width.map_or_else(streams::columns, usize::from),
            ascii: global.ascii,
            detail,
            next: Next {
                options: typed(global),
                ..Next::default()
            },
            links,
        };
        Run {
            global,
            ask: CheckOptions {
                target: TargetChoice::by_name(&global.target),
                client: Client::by_name(&global.client),
                selection: Selection {
                    select: global.select.clone(),
                    ignore: global.ignore.clone(),
                },
                ..CheckOptions::default()
            },
            output: outputs::by_name(&global.format).unwrap_or(&outputs::OUTPUTS[0]),
            reports: Vec::new(),
            style,
            fail_on: global.fail_on.into(),
            jobs: global.jobs.map_or_else(parallel::processors, usize::from),
            rows: false,
            files_reader: reader.file(global.redact.into()),
            reader,
            data_on_stdout: false,
        }
    }

    /// Takes each row of a file for a conversation, and repeats that in the commands that are proposed.
    pub(crate) fn by_rows(&mut self, rows: bool) {
        if rows {
            self.rows = true;
            self.style.next.options.push("--rows".into());
        }
    }

    /// What goes to the streams, for who reads them.
    pub(crate) fn read<T: Redact>(&self, report: T) -> T {
        redacted(report, &self.reader)
    }

    /// How it is printed there.
    pub(crate) fn shown_style(&self) -> Style {
        self.read(self.style.clone())
    }

    /// Refuses to hide anything in what is written byte for byte.
    ///
    /// # Errors
    /// It was asked for.
    pub(crate) fn is_data(&self, what: &str) -> Result<()> {
        match self.global.redact {
            RedactArg::Content | RedactArg::Strict => {
                Err(Usage(format!("{what} is data and never redacted")).into())
            }
            RedactArg::Auto | RedactArg::Off => Ok(()),
        }
    }

    /// Writes to standard output, or beside it where that carries a recording. A reader that went away is no failure.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let screen = if self.data_on_stdout {
            Screen::Err
        } else {
            Screen::Out
        };
        self.write_to(screen, write)
    }

    /// The same to a stream that was chosen.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(crate) fn write_to(
        &self,
        screen: Screen,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let mut out = self.stream(screen);
        let done = write(&mut out).and_then(|()| out.flush());
        Ok(streams::quiet(done)?)
    }

    /// A stream, with colors where it wants some.
    pub(crate) fn stream(&self, screen: Screen) -> Box<dyn Write> {
        match screen {
            Screen::Out => streams::stdout(self.global.color, self.style.links.is_some()),
            Screen::Err => Box::new(streams::stderr(self.global.color)),
        }
    }

    /// Says that the new bytes are in place and something failed after that. `op`: what undoes it.
    pub(crate) fn say_unconfirmed(&self, path: &Path, op: Option<u64>, why: &str) {
        self.say(
            Tone::Bad,
            &format!(
                "written, but not confirmed: {}: {why}",
                self.reader.path(path)
            ),
        );
        if let Some(op) = op {
            self.say(
                Tone::Dim,
                &format!("  undo it:  {} undo {op}", env!("CARGO_PKG_NAME")),
            );
        }
    }

    /// Says something on standard error, but not with `-qq`. Foreign strings in it have their line feeds escaped already.
    pub(crate) fn say(&self, tone: Tone, text: &str) {
        if self.style.detail > Detail::Nothing {
            let mut err = streams::stderr(self.global.color);
            for line in self.reader.net(text).split('\n') {
                // Nothing is left to be told where this fails.
                let _ = writeln!(err, "{}", paint(tone, &escape(line)));
            }
        }
    }
}

impl Run<'_> {
    /// Says that one transcript could not be looked at.
    pub(crate) fn say_not_checked(&self, path: &Path, why: &str) {
        self.say(
            Tone::Warn,
            &format!(
                "not examined: {}: {}",
                self.reader.path(path),
                in_words(why)
            ),
        );
    }

    /// Says what could not be looked at, where no report does.
    pub(crate) fn say_missed(&self, finds: &Finds) {
        for missed in &finds.missed {
            self.say_not_checked(&missed.path, &missed.why);
        }
        if finds.found.is_empty() && finds.missed.is_empty() && finds.unmatched.is_empty() {
            self.say(Tone::Warn, "no transcript was found");
        }
    }
}

/// A recording that could not be looked at, for the report.
fn not_examined(missed: &Missed) -> NotExamined {
    NotExamined {
        path: Shown::path(&missed.path),
        path_hex: path_hex(&missed.path),
        why: missed.why.clone(),
        candidates: missed.candidates.clone(),
    }
}

/// What was met on a walk and not checked, for the report.
fn skipped(skipped: &find::SkippedPath) -> Skipped {
    Skipped {
        path: Shown::path(&skipped.path),
        path_hex: path_hex(&skipped.path),
        why: skipped.why.clone(),
    }
}

/// Who reads the streams of this run.
fn reader(asked: Mode) -> Redactor {
    Redactor::for_stream(asked, Surroundings::system().is_logged(), people())
}

/// The names that must not be seen.
fn people() -> People {
    let around = Surroundings::system();
    let home = around
        .home()
        .and_then(|home| home.into_os_string().into_string().ok());
    People::new(home, around.users())
}

/// The options that decide what is read and how it is judged, so that a proposed command repeats them.
fn typed(global: &Global) -> Vec<Shown> {
    let mut out = Vec::new();
    let mut option = |name: &str, value: &str| out.extend([name.into(), value.into()]);
    if global.from != "auto" {
        option("--from", &global.from);
    }
    if global.target != "auto" {
        option("--target", &global.target);
    }
    if global.client != "auto" {
        option("--client", &global.client);
    }
    out
}
