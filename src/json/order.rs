//! Which items of a list stay where they are when it is brought into a new order.

/// Marks a longest run of old records whose order is kept; all others move. Of several such runs the one that keeps
/// earlier records, so that results move and not their calls.
pub(crate) fn longest_run<T: Ord + Copy>(order: &[Option<T>]) -> Vec<bool> {
    // From the right, the longest falling run; `tails[n]` is where the best run of n + 1 records begins.
    let mut tails: Vec<usize> = Vec::new();
    let mut behind: Vec<Option<usize>> = vec![None; order.len()];
    for (at, record) in order.iter().enumerate().rev() {
        let Some(record) = record else { continue };
        let place = tails.partition_point(|tail| order[*tail] > Some(*record));
        behind[at] = place.checked_sub(1).map(|below| tails[below]);
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut stays = vec![false; order.len()];
    let mut next = tails.last().copied();
    while let Some(at) = next {
        stays[at] = true;
        next = behind[at];
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
    fn as_few_records_move_as_possible_and_rather_the_later_ones() {
        assert!(moved(&[0, 1, 2]).is_empty());
        assert_eq!(
            moved(&[4, 3]),
            [3],
            "a result that stood before its call moves, not the call"
        );
        assert_eq!(moved(&[3, 4, 6, 5, 7, 8]), [5]);
        assert_eq!(moved(&[2, 7, 3, 4, 5, 6]), [7]);
    }
}
