//! Which items of a list stay in place when the list is reordered.

/// Marks a longest run of old records that keep their order; all others move. Of several longest
/// runs it takes the one with the earliest records, so that results move rather than their calls.
pub(crate) fn longest_run<T: Ord + Copy>(order: &[Option<T>]) -> Vec<bool> {
    // From the right, find the longest decreasing run. `tails[n]` is the start of the best run of n
    // + 1 records, and `followers` links each record to the next one of its run.
    let mut tails: Vec<usize> = Vec::new();
    let mut followers: Vec<Option<usize>> = vec![None; order.len()];
    for (at, record) in order.iter().enumerate().rev() {
        let Some(record) = record else { continue };
        let rank = tails.partition_point(|tail| order[*tail] > Some(*record));
        followers[at] = rank.checked_sub(1).map(|below| tails[below]);
        if rank == tails.len() {
            tails.push(at);
        } else {
            tails[rank] = at;
        }
    }
    let mut stays = vec![false; order.len()];
    let mut next = tails.last().copied();
    while let Some(at) = next {
        stays[at] = true;
        next = followers[at];
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(order: &[u32]) -> Vec<u32> {
        let order: Vec<Option<u32>> = order.iter().copied().map(Some).collect();
        let stays = longest_run(&order);
        order
            .iter()
            .zip(stays)
            .filter(|(_, stays)| !stays)
            .filter_map(|(record, _)| *record)
            .collect()
    }

    #[test]
    fn the_fewest_records_move_and_later_ones_first() {
        assert!(moved(&[0, 1, 2]).is_empty());
        assert_eq!(moved(&[4, 3]), [3], "a result before its call moves, not the call");
        assert_eq!(moved(&[3, 4, 6, 5, 7, 8]), [5]);
        assert_eq!(moved(&[2, 7, 3, 4, 5, 6]), [7]);
    }
}
