//! Runs the same work for a sequence of items on several threads, with the results in the order of
//! the items.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Items per thread that wait for work, are being worked on, or wait for the items before them.
const AHEAD: usize = 3;

/// Runs `work` on every item of `next`, on up to `jobs` threads, and passes the results to `each`
/// on this thread, in the order of the items. A panic in a thread continues in the caller.
///
/// # Errors
/// The first error of `next` or `each`; no more items are taken after it.
pub(crate) fn in_order<I: Send, R: Send, E>(
    jobs: usize,
    next: &mut dyn FnMut() -> Result<Option<I>, E>,
    work: &(dyn Fn(I) -> R + Sync),
    each: &mut dyn FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut first = VecDeque::new();
    // One item needs no thread.
    while jobs > 1 && first.len() < 2 {
        let Some(item) = next()? else { break };
        first.push_back(item);
    }
    let is_parallel = first.len() > 1;
    let mut next = || match first.pop_front() {
        Some(item) => Ok(Some(item)),
        None => next(),
    };
    if !is_parallel {
        while let Some(item) = next()? {
            each(work(item))?;
        }
        return Ok(());
    }
    let (todo, items) = mpsc::channel();
    let (send, done) = mpsc::channel();
    let items = Mutex::new(items);
    let run = |send: mpsc::Sender<_>| {
        loop {
            let item = items.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((number, item)) = item else { return };
            let result = catch_unwind(AssertUnwindSafe(|| work(item)));
            if send.send((number, result)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        // Dropping them with this closure ends the threads.
        let (todo, done) = (todo, done);
        for _ in 0..jobs {
            let send = send.clone();
            scope.spawn(|| run(send));
        }
        drop(send);
        let (mut sent, mut taken) = (0_usize, 0_usize);
        let mut early = BTreeMap::new();
        let mut is_more = true;
        loop {
            while is_more && sent - taken < AHEAD * jobs {
                match next()? {
                    Some(item) => {
                        sent += usize::from(todo.send((sent, item)).is_ok());
                    }
                    None => is_more = false,
                }
            }
            let Some(result) = early.remove(&taken) else {
                if taken == sent {
                    return Ok(());
                }
                early.extend(done.recv());
                continue;
            };
            taken += 1;
            each(result.unwrap_or_else(|panic| resume_unwind(panic)))?;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(jobs: usize, count: u64, last: u64) -> Result<Vec<u64>, u64> {
        let mut items = 0..count;
        let mut all = Vec::new();
        in_order(
            jobs,
            &mut || Ok(items.next()),
            &|n| {
                // The first ones take longest.
                (0..count - n).for_each(|_| thread::yield_now());
                n * 2
            },
            &mut |n| {
                all.push(n);
                if n == last { Err(n) } else { Ok(()) }
            },
        )?;
        Ok(all)
    }

    #[test]
    fn results_keep_the_order_of_the_items_and_an_error_ends_them() {
        for jobs in [0, 1, 2, 5] {
            for count in [0, 1, 2, 100] {
                let wanted: Vec<u64> = (0..count).map(|n| n * 2).collect();
                assert_eq!(run(jobs, count, 1000), Ok(wanted));
            }
            assert_eq!(run(jobs, 100, 20), Err(20));
        }
    }

    #[test]
    #[should_panic(expected = "seven")]
    fn a_panic_is_not_lost() {
        let mut items = 0..50;
        let _ = in_order::<u64, u64, ()>(
            3,
            &mut || Ok(items.next()),
            &|n| if n == 7 { panic!("seven") } else { n },
            &mut |_| Ok(()),
        );
    }
}
