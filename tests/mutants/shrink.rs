//! Makes a failing mutant small: the fewest damages, then the smallest input.

use crate::mutant::{Fixture, Mutant};
use crate::spots::Shape;
use crate::support::Files;

/// At most so many inputs are tried.
const MOST_TRIES: usize = 120;

/// The mutant without the damages that it fails without.
pub(crate) fn damages(mutant: &Mutant, fails: &dyn Fn(&Mutant) -> bool) -> Mutant {
    let mut least = mutant.clone();
    let mut at = 0;
    while at < least.damages.len() {
        let mut fewer = least.clone();
        fewer.damages.remove(at);
        if fails(&fewer) { least = fewer } else { at += 1 }
    }
    least
}

/// The files without the files, lines, and values that it fails without.
pub(crate) fn input(fixture: &Fixture, files: &Files, fails: &dyn Fn(&Files) -> bool) -> Files {
    let mut least = files.clone();
    let mut tries = 0;
    let names: Vec<String> = least.keys().cloned().collect();
    for name in names.iter().filter(|_| files.len() > 1 || fixture.is_archive) {
        let mut fewer = least.clone();
        fewer.remove(name);
        tries += 1;
        if tries < MOST_TRIES && !fewer.is_empty() && fails(&fewer) {
            least = fewer;
        }
    }
    for name in names {
        // From large pieces to small ones; each success changes the places of the others.
        while let Some(bytes) = least.get(&name) {
            let mut cuts = cuts(bytes);
            cuts.sort_by_key(|cut| std::cmp::Reverse(cut.len()));
            let shorter = cuts.into_iter().find_map(|cut| {
                tries += 1;
                let mut bytes = bytes.clone();
                bytes.drain(cut);
                let fewer = Files::from_iter([(name.clone(), bytes)]);
                let fewer = least.clone().into_iter().chain(fewer).collect();
                (tries < MOST_TRIES && fails(&fewer)).then_some(fewer)
            });
            match shorter {
                Some(shorter) => least = shorter,
                None => break,
            }
        }
    }
    least
}

/// What can be removed from a file: lines, and values with their commas.
fn cuts(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let shape = Shape::of(bytes);
    let mut cuts = shape.lines.clone();
    if shape.spots.is_empty() {
        let mut start = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            cuts.push(start..start + line.len());
            start += line.len();
        }
    }
    for spot in shape.spots.iter().filter(|spot| spot.parent.is_some()) {
        let start = spot.key.clone().map_or(spot.at.start, |key| key.start);
        let behind = bytes.get(spot.at.end) == Some(&b',');
        let before = start > 0 && bytes[start - 1] == b',';
        cuts.push(match (behind, before) {
            (true, _) => start..spot.at.end + 1,
            (false, true) => start - 1..spot.at.end,
            (false, false) => start..spot.at.end,
        });
    }
    cuts
}
