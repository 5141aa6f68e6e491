//! What all commands do with transcripts: find, judge, plan, write, and print what comes of it.
//!
//! This room knows no command and none of its arguments: what was typed comes as [`Options`], resolved once.

pub(crate) mod baseline;
pub(crate) mod batch;
mod copies;
pub(crate) mod diff;
pub(crate) mod difference;
mod error;
pub(crate) mod exit;
pub(crate) mod explain;
pub(crate) mod hook;
pub(crate) mod judge;
pub(crate) mod late;
pub(crate) mod library;
pub(crate) mod limits;
mod names;
mod near;
mod only_copy;
mod options;
mod owner;
mod parallel;
pub(crate) mod place;
pub(crate) mod plan;
mod progress;
pub(crate) mod prompt;
pub(crate) mod redact;
pub(crate) mod repair;
pub(crate) mod reports;
pub(crate) mod sessions;
pub(crate) mod settings;
mod short_ids;
pub(crate) mod signals;
pub(crate) mod streams;
pub(crate) mod undo;
pub(crate) mod verify;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

pub(crate) use error::{Error, Result};
pub(crate) use names::host_words;
pub(crate) use options::Options;

use crate::cli::RedactArg;
use crate::find::{self, Finds, Missed, in_words, store};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::wrap::wrap;
use crate::outputs::{Detail, OutputStyle};
use crate::report::model::{Skipped, Unchecked};
use crate::report::redact::{Redact, redact as redacted};
use crate::report::text::{Shown, escape, path_hex, width};
use progress::Progress;
use streams::Screen;

/// A run: its options, and how what comes of it is printed.
#[derive(Clone)]
pub(crate) struct App<'a> {
    pub options: &'a Options,
    /// That of the options, with the names that were typed, for the commands that are proposed.
    pub style: OutputStyle,
    /// The line that says how far the run is, while it talks.
    progress: Option<Arc<Progress>>,
}

impl<'a> App<'a> {
    pub(crate) fn new(options: &'a Options) -> App<'a> {
        App { options, style: options.style.clone(), progress: None }
    }

    /// The same, which removes this line where it prints something.
    fn during(&self, progress: &Arc<Progress>) -> App<'a> {
        App { progress: Some(Arc::clone(progress)), ..self.clone() }
    }

    /// What takes time follows: the line may be shown.
    fn resume_progress(&self) {
        self.progress.iter().for_each(|progress| progress.resume());
    }

    fn pause_progress(&self) {
        self.progress.iter().for_each(|progress| progress.pause());
    }

    /// The same, with more options in the commands that are proposed.
    pub(crate) fn proposing(&self, more: impl IntoIterator<Item = Shown>) -> App<'a> {
        let mut app = self.clone();
        app.style.next.options.extend(more);
        app
    }

    /// What goes to the streams, for who reads them.
    pub(crate) fn read<T: Redact>(&self, report: T) -> T {
        redacted(report, &self.options.reader)
    }

    /// How it is printed there.
    pub(crate) fn shown_style(&self) -> OutputStyle {
        self.read(self.style.clone())
    }

    /// Refuses to hide anything in what is written byte for byte.
    ///
    /// # Errors
    /// It was asked for.
    pub(crate) fn is_data(&self, what: &str) -> Result<()> {
        match self.options.redact {
            RedactArg::Content | RedactArg::Strict => {
                Err(Error::usage(format!("{what} is data and never redacted")))
            }
            RedactArg::Auto | RedactArg::Off => Ok(()),
        }
    }

    /// Writes to standard output, or to standard error if standard output carries a transcript. A closed pipe is not an error.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let screen = if self.options.data_on_stdout { Screen::Err } else { Screen::Out };
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
        self.pause_progress();
        match screen {
            Screen::Out => self
                .paged()
                .unwrap_or_else(|| streams::stdout(self.options.color, self.style.links.is_some())),
            Screen::Err => Box::new(streams::stderr(self.options.color)),
        }
    }

    /// Standard output through the pager. `None`: without one.
    fn paged(&self) -> Option<Box<dyn Write>> {
        let pager = self.options.pager.as_ref()?;
        let started = streams::paged(self.options.color, pager);
        started.unwrap_or_else(|why| {
            self.say(Tone::Warn, &why);
            None
        })
    }

    /// Says that the new bytes are in place and something failed after that. `op`: what undoes it.
    pub(crate) fn say_unconfirmed(&self, path: &Path, op: Option<u64>, why: impl Display) {
        self.say(
            Tone::Bad,
            &format!("written, but not confirmed: {}: {why}", self.options.reader.path(path)),
        );
        if let Some(op) = op {
            self.say(Tone::Dim, &format!("  undo it:  {} undo {op}", env!("CARGO_PKG_NAME")));
        }
    }

    /// Says something on standard error, but not with `-qq`. Foreign strings in it have their line feeds escaped already.
    pub(crate) fn say(&self, tone: Tone, text: &str) {
        if self.style.detail > Detail::Nothing {
            self.pause_progress();
            for line in self.options.reader.net(&in_words(text)).split('\n') {
                for line in in_lines(&escape(line), self.options.talk_width) {
                    streams::say(self.options.color, &paint(tone, &line).to_string());
                }
            }
        }
    }

    /// Says that one transcript could not be checked.
    pub(crate) fn say_not_checked(&self, path: &Path, why: impl Display) {
        self.say(Tone::Warn, &format!("not checked: {}: {why}", self.options.reader.path(path)));
    }

    /// Says what could not be checked, where no report does.
    pub(crate) fn say_missed(&self, finds: &Finds) {
        for missed in &finds.missed {
            self.say_not_checked(&missed.path, &missed.why);
        }
        if finds.found.is_empty() && finds.missed.is_empty() && finds.unmatched.is_empty() {
            self.say(Tone::Warn, "no transcript was found");
        }
    }
}

/// A line of talk in lines of at most `columns`. One that proposes a command stays whole, so that it can be copied.
fn in_lines(line: &str, columns: Option<usize>) -> Vec<String> {
    let proposes = line.contains(concat!(env!("CARGO_PKG_NAME"), " "));
    let Some(columns) = columns.filter(|columns| width(line) > *columns && !proposes) else {
        return vec![line.to_owned()];
    };
    let text = line.trim_start();
    let indent = line.strip_suffix(text).unwrap_or_default();
    let room = columns.saturating_sub(indent.len() + 2);
    let lines = wrap(text, room, 0).into_iter().enumerate();
    lines.map(|(at, line)| format!("{indent}{}{line}", if at == 0 { "" } else { "  " })).collect()
}

/// A transcript that could not be checked, for the report.
fn not_examined(missed: &Missed) -> Unchecked {
    Unchecked {
        path: Shown::path(&missed.path),
        path_hex: path_hex(&missed.path),
        why: missed.why.clone(),
        candidates: missed.candidates.clone(),
        container: store::of_member(&missed.path).map(|(database, _)| Shown::path(&database)),
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
