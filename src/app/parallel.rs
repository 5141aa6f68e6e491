//! The same work for many sources, on several threads, with the results in the order of the sources.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `work` for every item on up to `jobs` threads, the heaviest first. A panic in one is passed on to the caller.
pub(crate) fn each<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    weight: impl Fn(&T) -> u64,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads = jobs.min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_cached_key(|n| std::cmp::Reverse(weight(&items[*n])));
    let next = AtomicUsize::new(0);
    let all = || {
        let mut done = Vec::new();
        while let Some(n) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*n, work(&items[*n])));
        }
        done
    };
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(all)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    all.sort_by_key(|(n, _)| *n);
    all.into_iter().map(|(_, result)| result).collect()
}

/// One thread per processor.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        for jobs in [0, 1, 3, 500] {
            assert_eq!(
                each(jobs, &items, |n| n * 7 % 13, |n| n + 1),
                (1..=100).collect::<Vec<u64>>()
            );
        }
        assert!(each(4, &[] as &[u64], |_| 0, |n| *n).is_empty());
    }

    #[test]
    #[should_panic(expected = "seven")]
    fn a_panic_is_not_lost() {
        each(
            3,
            &(0..20).collect::<Vec<u64>>(),
            |_| 0,
            |n| if *n == 7 { panic!("seven") } else { *n },
        );
    }
}
