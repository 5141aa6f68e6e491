//! Puts conversations after those that started them.

use std::collections::HashMap;
use std::path::PathBuf;

use super::{Finds, Located, RealPaths};

/// Sets the parent of each conversation that names its starter, and puts it after its parent; the
/// others keep their order.
pub(super) fn order_by_starter(finds: &mut Finds) {
    let starters = std::mem::take(&mut finds.starters);
    if starters.is_empty() {
        return;
    }
    let mut real = RealPaths::default();
    let found = finds.found.iter().enumerate();
    let places: HashMap<PathBuf, usize> =
        found.map(|(at, found)| (real.of(&found.path), at)).collect();
    let started: HashMap<usize, PathBuf> = starters.into_iter().collect();
    for (at, path) in &started {
        // A starter that was itself started by another would need a further lookup, and might lead
        // in a circle.
        let starter =
            places.get(&real.of(path)).copied().filter(|starter| !started.contains_key(starter));
        if let Some(found) = finds.found.get_mut(*at) {
            found.parent = found.parent.or(starter);
        }
    }
    let mut order: Vec<usize> = (0..finds.found.len()).collect();
    order.sort_by_key(|at| {
        let first = first(&finds.found, *at);
        (first, first != *at, *at)
    });
    let mut new = vec![0; order.len()];
    for (to, from) in order.iter().enumerate() {
        new[*from] = to;
    }
    let mut found: Vec<(usize, Located)> = std::mem::take(&mut finds.found)
        .into_iter()
        .enumerate()
        .map(|(at, found)| {
            (new[at], Located { parent: found.parent.map(|parent| new[parent]), ..found })
        })
        .collect();
    found.sort_by_key(|(at, _)| *at);
    finds.found = found.into_iter().map(|(_, found)| found).collect();
}

/// The root of the chain of starters that leads to a conversation.
fn first(found: &[Located], at: usize) -> usize {
    let mut at = at;
    // This ends: a starter named by path is always a root.
    while let Some(parent) = found.get(at).and_then(|found| found.parent) {
        at = parent;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};
    use crate::containers::Layout;
    use crate::format::Detection;
    use crate::hosts;

    /// Transcripts with these names, each with the name of its starter.
    fn arranged(names: &[(&str, &str)]) -> Vec<(String, Option<usize>)> {
        let mut finds = Finds::default();
        for (at, (name, starter)) in names.iter().enumerate() {
            let source = Source::memory(name, Vec::new());
            let detection = Detection::new(hosts::ALL[0], Layout::Lines(EntryId(0)));
            finds.found.push(Located::new(name.into(), source, detection, None));
            if !starter.is_empty() {
                finds.starters.push((at, starter.into()));
            }
        }
        order_by_starter(&mut finds);
        finds.found.iter().map(|found| (found.path.display().to_string(), found.parent)).collect()
    }

    #[test]
    fn conversations_follow_their_starter() {
        let pairs =
            arranged(&[("x2", "y"), ("x1", "x"), ("w", ""), ("x", ""), ("y", ""), ("x3", "x")]);
        let wanted = [
            ("w", None),
            ("x", None),
            ("x1", Some(1)),
            ("x3", Some(1)),
            ("y", None),
            ("x2", Some(4)),
        ];
        assert_eq!(pairs, wanted.map(|(name, parent)| (name.to_owned(), parent)));
    }

    #[test]
    fn circles_and_unknown_starters_are_ignored() {
        let pairs = arranged(&[("a", "b"), ("b", "a"), ("c", "c"), ("d", "nowhere"), ("e", "a")]);
        assert!(pairs.iter().all(|(_, parent)| parent.is_none()), "{pairs:?}");
    }
}
