//! Permission to unpack large files. A small file can expand to gigabytes, and each worker may open
//! one, so only one thread at a time unpacks large files. That bounds the total.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// Bytes that any source may unpack without permission: 32 MiB.
pub(super) const FREE_BYTES: u64 = 32 << 20;

/// The thread that has permission, and how many of its sources use it.
static HOLDER: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);
static GIVEN_BACK: Condvar = Condvar::new();

/// Permission to unpack more than [`FREE_BYTES`]; dropping it returns it.
#[derive(Debug)]
pub(super) struct UnpackPermit(());

impl UnpackPermit {
    /// Waits until no other thread has permission. One thread may have it for several sources: it
    /// would wait for itself otherwise.
    pub(super) fn take() -> UnpackPermit {
        let me = thread::current().id();
        let mut holder = holder();
        while holder.is_some_and(|(other, _)| other != me) {
            holder = GIVEN_BACK.wait(holder).unwrap_or_else(PoisonError::into_inner);
        }
        let sources = holder.map_or(0, |(_, sources)| sources);
        *holder = Some((me, sources.saturating_add(1)));
        UnpackPermit(())
    }
}

impl Drop for UnpackPermit {
    fn drop(&mut self) {
        let mut holder = holder();
        *holder = holder.and_then(|(thread, sources)| Some((thread, sources.checked_sub(1)?)));
        if holder.is_none_or(|(_, sources)| sources == 0) {
            *holder = None;
            GIVEN_BACK.notify_all();
        }
    }
}

fn holder() -> MutexGuard<'static, Option<(ThreadId, usize)>> {
    HOLDER.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn one_thread_at_a_time_has_permission_any_number_of_times() {
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let (first, second) = (UnpackPermit::take(), UnpackPermit::take());
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        drop(first);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(second);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }
}
