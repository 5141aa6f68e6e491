//! Runs the same work for a sequence of items on several threads, with the results in the order of
//! the items.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Items per thread that wait for work, are being worked on, or wait for the items before them.
const AHEAD: usize = 3;

/// What comes next.
pub(crate) enum NextTask<I> {
    Item(I),
    /// Nothing yet.
    Later,
    End,
}

impl<I> From<Option<I>> for NextTask<I> {
    fn from(item: Option<I>) -> NextTask<I> {
        item.map_or(NextTask::End, NextTask::Item)
    }
}

/// Runs `work` on every item of `next`, on up to `jobs` threads, and passes the results to `each`
/// on this thread, in the order of the items. A panic in a thread continues in the caller.
///
/// The argument of `next` says whether it must wait for an item, which is so once all results were passed on. Before that, it
/// may return [`NextTask::Later`].
///
/// # Errors
/// The first error of `next` or `each`; no more items are taken after it.
pub(crate) fn in_order<I: Send, R: Send, E>(
    jobs: usize,
    next: &mut dyn FnMut(bool) -> Result<NextTask<I>, E>,
    work: &(dyn Fn(I) -> R + Sync),
    each: &mut dyn FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // An item that comes alone needs no thread.
    let mut first = loop {
        let NextTask::Item(item) = next(true)? else {
            return Ok(());
        };
        match if jobs > 1 {
            next(false)?
        } else {
            NextTask::Later
        } {
            NextTask::Item(second) => break VecDeque::from([item, second]),
            NextTask::Later => each(work(item))?,
            NextTask::End => return each(work(item)),
        }
    };
    let mut next = |waits| match first.pop_front() {
        Some(item) => Ok(NextTask::Item(item)),
        None => next(waits),
    };
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
                match next(sent == taken)? {
                    NextTask::Item(item) => {
                        sent += usize::from(todo.send((sent, item)).is_ok());
                    }
                    NextTask::Later => break,
                    NextTask::End => is_more = false,
                }
            }
            let Some(result) = early.remove(&taken) else {
                if taken == sent && !is_more {
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
    use std::cell::Cell;

    use super::*;

    fn run(jobs: usize, count: u64, last: u64) -> Result<Vec<u64>, u64> {
        let mut items = 0..count;
        let mut all = Vec::new();
        in_order(
            jobs,
            &mut |_| Ok(items.next().into()),
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
    fn what_is_done_is_passed_on_before_anything_is_waited_for() {
        for jobs in [1, 3] {
            let (asked, passed) = (Cell::new(0), Cell::new(0));
            let mut next = |waits: bool| {
                if waits {
                    assert_eq!(passed.get(), asked.get());
                } else if asked.get() % 3 == 0 {
                    return Ok(NextTask::Later);
                }
                asked.set(asked.get() + 1);
                Ok::<_, ()>(Some(asked.get()).filter(|n| *n <= 50).into())
            };
            let mut each = |n: usize| {
                passed.set(n);
                Ok(())
            };
            in_order(jobs, &mut next, &|n| n, &mut each).unwrap();
            assert_eq!(passed.get(), 50);
        }
    }

    #[test]
    #[should_panic(expected = "seven")]
    fn a_panic_is_not_lost() {
        let mut items = 0..50;
        let _ = in_order::<u64, u64, ()>(
            3,
            &mut |_| Ok(items.next().into()),
            &|n| if n == 7 { panic!("seven") } else { n },
            &mut |_| Ok(()),
        );
    }
}
