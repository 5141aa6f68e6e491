//! How far a long run is: one line on standard error, if that is a terminal. It appears after half a second and is gone
//! before the result.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::App;
use crate::outputs::{Detail, grouped, many};
use crate::report::text::{fit, size};

/// How long a run may take before its user wonders.
const QUIET: Duration = Duration::from_millis(500);
/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(100);
/// The share of the bytes, in percent, after which the rest of the time is estimated.
const KNOWN: u64 = 3;
/// Goes to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[K";

/// What a run has to do, and how much of it is done.
#[derive(Debug)]
struct ProgressTotal {
    /// What is done with each file: `Checked`.
    verb: &'static str,
    files: u64,
    bytes: u64,
    files_done: AtomicU64,
    bytes_done: AtomicU64,
    begun: Instant,
    line: Mutex<ProgressLine>,
}

/// The state of the line.
#[derive(Debug)]
struct ProgressLine {
    /// It may be shown: nobody is being asked anything.
    is_wanted: bool,
    is_shown: bool,
    /// When something else was printed last.
    quiet_since: Instant,
}

/// The line of a run. It is removed when this is dropped.
pub(crate) struct Progress {
    work: Arc<ProgressTotal>,
    /// The thread that writes it, which ends when the sender is gone. `None`: nobody sees it.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts on files of these sizes.
    pub(super) fn start(
        app: &App<'_>,
        verb: &'static str,
        sizes: impl Iterator<Item = u64>,
    ) -> Progress {
        let mut work = ProgressTotal::new(verb);
        for size in sizes {
            work.files = work.files.saturating_add(1);
            work.bytes = work.bytes.saturating_add(size);
        }
        let work = Arc::new(work);
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = app.options.progress && app.style.detail >= Detail::Normal;
        let thread = (wanted && !dumb && io::stderr().is_terminal()).then(|| {
            let (sender, ended) = mpsc::channel();
            let work = Arc::clone(&work);
            (
                sender,
                thread::spawn(move || {
                    while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                        work.draw();
                    }
                    work.hide();
                }),
            )
        });
        Progress { work, thread }
    }

    /// Removes the line, because something else is printed, until the work continues.
    pub(super) fn pause(&self) {
        self.work.hide();
    }

    /// The work continues.
    pub(super) fn resume(&self) {
        self.work.line().is_wanted = true;
    }

    /// One more file is done.
    pub(super) fn add(&self, bytes: u64) {
        self.work.files_done.fetch_add(1, Ordering::Relaxed);
        self.work.bytes_done.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // It cannot fail, and nothing depends on it.
            let _ = thread.join();
        }
    }
}

fn write(text: &str) {
    let mut err = io::stderr();
    // Nothing depends on it.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

impl ProgressTotal {
    fn new(verb: &'static str) -> ProgressTotal {
        let now = Instant::now();
        ProgressTotal {
            verb,
            files: 0,
            bytes: 0,
            files_done: AtomicU64::new(0),
            bytes_done: AtomicU64::new(0),
            begun: now,
            line: Mutex::new(ProgressLine { is_wanted: true, is_shown: false, quiet_since: now }),
        }
    }

    fn line(&self) -> MutexGuard<'_, ProgressLine> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the line anew, unless something else was printed just now.
    fn draw(&self) {
        let mut line = self.line();
        if !line.is_wanted || line.quiet_since.elapsed() < QUIET {
            return;
        }
        let columns = terminal_size::terminal_size_of(io::stderr());
        let columns = columns.map_or(80, |(columns, _)| usize::from(columns.0));
        let text = self.text(self.begun.elapsed());
        write(&format!("{CLEAR}{}", fit(&text, columns.saturating_sub(1))));
        line.is_shown = true;
    }

    fn hide(&self) {
        let mut line = self.line();
        if std::mem::replace(&mut line.is_shown, false) {
            write(CLEAR);
        }
        line.is_wanted = false;
        line.quiet_since = Instant::now();
    }

    /// `Checked 120 of 2,300 files, 1.2 GB of 4.1 GB, 12 s left`
    fn text(&self, elapsed: Duration) -> String {
        let files = self.files_done.load(Ordering::Relaxed);
        let bytes = self.bytes_done.load(Ordering::Relaxed);
        let all = match self.files {
            1 => "1 file".to_owned(),
            files => format!("{} files", grouped(files)),
        };
        let done = grouped(files);
        let line =
            format!("{} {done} of {all}, {} of {}", self.verb, size(bytes), size(self.bytes));
        match self.left(bytes, elapsed) {
            Some(left) => format!("{line}, {left} left"),
            None => line,
        }
    }

    /// How long the rest will take, if that is known.
    fn left(&self, done: u64, elapsed: Duration) -> Option<String> {
        if done.saturating_mul(100) < self.bytes.saturating_mul(KNOWN) || done == 0 {
            return None;
        }
        let rest = self.bytes.saturating_sub(done);
        let millis = u128::from(rest) * elapsed.as_millis() / u128::from(done);
        let seconds = u64::try_from(millis / 1000).ok()?.saturating_add(1);
        Some(match seconds {
            0..120 => format!("{seconds} s"),
            _ => many(seconds / 60, "minute"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_done_and_left() {
        let work =
            ProgressTotal { files: 12_300, bytes: 4_100_000_000, ..ProgressTotal::new("Checked") };
        let after = |seconds| work.text(Duration::from_secs(seconds));
        assert_eq!(after(1), "Checked 0 of 12,300 files, 0 B of 4.1 GB");
        work.files_done.store(1000, Ordering::Relaxed);
        work.bytes_done.store(1_025_000_000, Ordering::Relaxed);
        assert_eq!(after(4), "Checked 1000 of 12,300 files, 1.0 GB of 4.1 GB, 13 s left");
        assert_eq!(after(60), "Checked 1000 of 12,300 files, 1.0 GB of 4.1 GB, 3 minutes left");
    }
}
