//! Conversations below those that started them.

use std::collections::HashMap;
use std::path::PathBuf;

use super::{Finds, Found, real};

/// Names the starter of each conversation that says who it was, and puts each behind its own; the rest keeps its order.
pub(super) fn arrange(finds: &mut Finds) {
    let starters = std::mem::take(&mut finds.starters);
    if starters.is_empty() {
        return;
    }
    let places: HashMap<PathBuf, usize> =
        finds.found.iter().enumerate().map(|(at, found)| (real(&found.path), at)).collect();
    let started: HashMap<usize, PathBuf> = starters.into_iter().collect();
    for (at, path) in &started {
        // Who was itself started by another would need to be looked up again, and might go round in a circle.
        let starter = places.get(&real(path)).copied().filter(|starter| !started.contains_key(starter));
        if let Some(found) = finds.found.get_mut(*at) {
            found.parent = found.parent.or(starter);
        }
    }
    let mut order: Vec<usize> = (0..finds.found.len()).collect();
    order.sort_by_key(|at| (first(&finds.found, *at), *at));
    let mut new = vec![0; order.len()];
    for (to, from) in order.iter().enumerate() {
        new[*from] = to;
    }
    let mut found: Vec<(usize, Found)> = std::mem::take(&mut finds.found)
        .into_iter()
        .enumerate()
        .map(|(at, found)| (new[at], Found { parent: found.parent.map(|parent| new[parent]), ..found }))
        .collect();
    found.sort_by_key(|(at, _)| *at);
    finds.found = found.into_iter().map(|(_, found)| found).collect();
}

/// The first of the conversations that led to this one.
fn first(found: &[Found], at: usize) -> usize {
    let mut at = at;
    // It ends: nobody in a chain is named as the starter by its path, but at the chain's end.
    while let Some(parent) = found.get(at).and_then(|found| found.parent) {
        at = parent;
    }
    at
}
