//! SIGINT and SIGTERM: the run ends with 130 or 143, but never while a recording is being replaced.

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
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            ARRIVED.store(signal, Ordering::Relaxed);
            let _done = writing();
            // It gets the signal, too, and goes on: to its user it means "stop reading".
            if signal == SIGINT {
                pager::wait();
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
