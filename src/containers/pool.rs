//! Runs the same work for a sequence of items on several threads, with the results in the order of
//! the items.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// Items per thread that wait for work, are being worked on, or wait for the items before them.
const AHEAD: usize = 3;

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
        match if jobs > 1 { next(false)? } else { NextTask::Later } {
            NextTask::Item(second) => break VecDeque::from([item, second]),
            NextTask::Later => each(work(item))?,
            NextTask::End => return each(work(item)),
        }
    };
    let (todo, items) = mpsc::channel();
    let (send, done) = mpsc::channel();
    let items = &Mutex::new(items);
    thread::scope(|scope| {
        // Dropping them with this closure ends the threads.
        let (todo, done) = (todo, done);
        for _ in 0..jobs {
            let send = send.clone();
            scope.spawn(move || work_through(&|| lock(items).recv().ok(), work, &send));
        }
        drop(send);
        let (mut sent, mut taken) = (0_usize, 0_usize);
        let mut early = BTreeMap::new();
        let mut is_more = true;
        loop {
            while is_more && sent - taken < AHEAD * jobs {
                let item = match first.pop_front() {
                    Some(item) => NextTask::Item(item),
                    None => next(sent == taken)?,
                };
                match item {
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

/// As [`in_order`], but the thread that works on an item also takes it from `next`, one thread at a
/// time, so that bytes that are read for it are in the cache of its core. This thread works, too,
/// while it has no result to pass on.
pub(crate) fn read_in_order<I: Send, R: Send, E: Send>(
    jobs: usize,
    next: &mut (dyn FnMut() -> Result<Option<I>, E> + Send),
    work: &(dyn Fn(I) -> R + Sync),
    each: &mut dyn FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut first = VecDeque::new();
    // An item that comes alone needs no thread.
    while first.len() < 2 {
        match next()? {
            Some(item) if jobs <= 1 => each(work(item))?,
            Some(item) => first.push_back(item),
            None => return first.into_iter().try_for_each(|item| each(work(item))),
        }
    }
    let tasks = &Mutex::new(NumberedTasks { first, next, number: 0 });
    let (allow, allowed) = mpsc::channel();
    let allowed = &Mutex::new(allowed);
    let (send, done) = mpsc::channel();
    thread::scope(|scope| {
        // Dropping them with this closure ends the threads.
        let (allow, done) = (allow, done);
        for _ in 1..jobs {
            let send = send.clone();
            scope.spawn(move || {
                work_through(
                    &|| lock(allowed).recv().ok().and_then(|()| lock(tasks).take()),
                    &|item: Result<I, E>| item.map(work),
                    &send,
                );
            });
        }
        drop(send);
        // More than the threads need to find the end.
        (0..AHEAD * jobs).try_for_each(|_| allow.send(())).ok();
        let mut early: BTreeMap<_, (Result<R, E>, bool)> = BTreeMap::new();
        let mut taken = 0_usize;
        loop {
            while let Some((result, is_own)) = early.remove(&taken) {
                taken += 1;
                if !is_own {
                    allow.send(()).ok();
                }
                each(result?)?;
            }
            let ready = done.try_recv().ok();
            if ready.is_none()
                && early.len() < AHEAD * jobs
                && let Some((number, item)) = lock(tasks).take()
            {
                early.insert(number, (item.map(work), true));
                continue;
            }
            let Some((number, result)) = ready.or_else(|| done.recv().ok()) else {
                return Ok(());
            };
            let result = result.unwrap_or_else(|panic| resume_unwind(panic));
            early.insert(number, (result, false));
        }
    })
}

/// The items that are not taken yet, with the numbers that they get.
struct NumberedTasks<'a, I, E> {
    /// Those that were taken from `next` before there were threads.
    first: VecDeque<I>,
    next: &'a mut (dyn FnMut() -> Result<Option<I>, E> + Send),
    number: usize,
}

impl<I, E> NumberedTasks<'_, I, E> {
    fn take(&mut self) -> Option<(usize, Result<I, E>)> {
        let item = match self.first.pop_front() {
            Some(item) => Ok(item),
            None => (self.next)().transpose()?,
        };
        let number = self.number;
        self.number += 1;
        Some((number, item))
    }
}

/// Takes items, works on them, and sends the results, until the items end or the receiver is gone.
fn work_through<I, R>(
    take: &dyn Fn() -> Option<(usize, I)>,
    work: &dyn Fn(I) -> R,
    send: &mpsc::Sender<(usize, thread::Result<R>)>,
) {
    while let Some((number, item)) = take() {
        let result = catch_unwind(AssertUnwindSafe(|| work(item)));
        if send.send((number, result)).is_err() {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    fn run(reads: bool, jobs: usize, count: u64, last: u64) -> Result<Vec<u64>, u64> {
        let mut items = 0..count;
        let mut all = Vec::new();
        let work = |n| {
            // The first ones take longest.
            (0..count - n).for_each(|_| thread::yield_now());
            n * 2
        };
        let mut each = |n| {
            all.push(n);
            if n == last { Err(n) } else { Ok(()) }
        };
        if reads {
            read_in_order(jobs, &mut || Ok(items.next()), &work, &mut each)
        } else {
            in_order(jobs, &mut |_| Ok(items.next().into()), &work, &mut each)
        }?;
        Ok(all)
    }

    #[test]
    fn results_keep_the_order_of_the_items_and_an_error_ends_them() {
        for (reads, jobs) in [0, 1, 2, 5].map(|jobs| [(false, jobs), (true, jobs)]).concat() {
            for count in [0, 1, 2, 100] {
                let wanted: Vec<u64> = (0..count).map(|n| n * 2).collect();
                assert_eq!(run(reads, jobs, count, 1000), Ok(wanted));
            }
            assert_eq!(run(reads, jobs, 100, 20), Err(20));
        }
    }

    #[test]
    fn an_error_of_reading_comes_after_the_results_before_it() {
        for jobs in [1, 2, 5] {
            let mut items = 0..;
            let mut next =
                || Ok(items.next()).and_then(|n| if n == Some(30) { Err("gone") } else { Ok(n) });
            let mut passed = 0;
            let mut each = |n| {
                passed = n;
                Ok(())
            };
            let done = read_in_order(jobs, &mut next, &|n| n, &mut each);
            assert_eq!((done, passed), (Err("gone"), 29));
        }
    }

    #[test]
    fn few_items_are_ahead_of_the_one_that_all_wait_for() {
        let (taken, most) = (AtomicUsize::new(0), Cell::new(0));
        let passed = AtomicUsize::new(0);
        let mut next = || Ok::<_, ()>(Some(taken.fetch_add(1, SeqCst)).filter(|n| *n < 500));
        let work = |n: usize| {
            let is_slow = n.is_multiple_of(50);
            (0..if is_slow { 2000 } else { 0 }).for_each(|_| thread::yield_now());
        };
        let mut each = |()| {
            most.set(most.get().max(taken.load(SeqCst) - passed.fetch_add(1, SeqCst)));
            Ok(())
        };
        read_in_order(3, &mut next, &work, &mut each).unwrap();
        assert_eq!(passed.into_inner(), 500);
        assert!(most.get() <= 4 * AHEAD * 3, "{}", most.get());
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

    #[test]
    #[should_panic(expected = "seven")]
    fn a_panic_of_a_reading_thread_is_not_lost() {
        let mut items = 0..50;
        let _ = read_in_order::<u64, u64, ()>(
            3,
            &mut || Ok(items.next()),
            &|n| if n == 7 { panic!("seven") } else { n },
            &mut |_| Ok(()),
        );
    }
}
