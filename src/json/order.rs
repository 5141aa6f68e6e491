//! Which items of a list stay in place when the list is reordered.

/// No record: there are fewer.
const NONE: u32 = u32::MAX;

/// Marks a longest run of old records that keep their order; all others move. Of several longest
/// runs it takes the one with the earliest records, so that results move rather than their calls.
pub(crate) fn longest_run<T: Ord + Copy>(order: &[Option<T>]) -> Vec<bool> {
    // From the right, find the longest decreasing run. `tails[n]` is the start of the best run of n
    // + 1 records, and `followers` links each record to the next one of its run.
    let mut tails: Vec<u32> = Vec::new();
    let mut followers: Vec<u32> = vec![NONE; order.len()];
    for (at, record) in order.iter().enumerate().rev() {
        let Some(record) = record else { continue };
        let rank = tails.partition_point(|tail| order[*tail as usize] > Some(*record));
        followers[at] = rank.checked_sub(1).map_or(NONE, |below| tails[below]);
        if rank == tails.len() {
            tails.push(at as u32);
        } else {
            tails[rank] = at as u32;
        }
    }
    let mut stays = vec![false; order.len()];
    let mut next = tails.last().copied().unwrap_or(NONE);
    while let Some(stays) = stays.get_mut(next as usize) {
        *stays = true;
        next = followers[next as usize];
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
