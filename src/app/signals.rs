//! SIGINT, SIGTERM, and SIGHUP: the run ends with 130, 143, or 129, but never while a transcript is being replaced.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(unix)]
use super::streams::pager;

/// Held while files are prepared and put in place.
static WRITING: Mutex<()> = Mutex::new(());
/// The signal that arrived, 0 for none.
static ARRIVED: AtomicI32 = AtomicI32::new(0);

/// While the answer lives, a signal waits: what was begun is finished or taken back first.
pub(crate) fn writing() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Folders in which copies are being made. A signal ends the run at once, and removes them.
static STAGING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder that is removed when this is dropped, or when a signal ends the run.
#[derive(Debug)]
pub(crate) struct StagingFolder(tempfile::TempDir);

impl StagingFolder {
    pub(crate) fn new(folder: tempfile::TempDir) -> Self {
        staging().push(folder.path().to_owned());
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        staging().retain(|path| path != self.0.path());
    }
}

fn staging() -> MutexGuard<'static, Vec<PathBuf>> {
    STAGING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a signal is waiting, so that what is prepared but not yet in place is better taken back.
pub(crate) fn arrived() -> bool {
    ARRIVED.load(Ordering::Relaxed) != 0
}

/// Watches for the signals from now on.
///
/// # Errors
/// The system does not allow it.
#[cfg(unix)]
pub fn watch() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            ARRIVED.store(signal, Ordering::Relaxed);
            let _done = writing();
            // It gets the signal, too, and continues: to its user it means "stop reading".
            if signal == SIGINT {
                pager::wait();
            }
            // The other threads still write there, so a folder may not be empty at once.
            for folder in staging().iter() {
                let _ = (0..9).find(|_| std::fs::remove_dir_all(folder).is_ok());
            }
            std::process::exit(128_i32.saturating_add(signal));
        }
    })?;
    Ok(())
}

/// The system ends the process by itself.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn watch() -> std::io::Result<()> {
    Ok(())
}
