//! Which files and folders some changes need to replace.

use super::change::{FileChange, Location};
use super::error::ReplaceError;
use super::units::UnitKind;

/// A unit to prepare: its kind, its name as in [`ReplaceUnit`](super::ReplaceUnit), and its changes.
pub(super) struct PlannedUnit<'c, 'a> {
    pub(super) kind: UnitKind,
    pub(super) name: String,
    pub(super) changes: Vec<&'c FileChange<'a>>,
}

/// The units that these changes need, in the order of replacement: first the folder, then files
/// outside it, by name.
pub(super) fn plan<'c, 'a>(
    location: &Location,
    changes: &'c [FileChange<'a>],
) -> Result<Vec<PlannedUnit<'c, 'a>>, ReplaceError> {
    let single = |change: &'c FileChange<'a>| {
        let name = change.to.clone().unwrap_or_default();
        PlannedUnit { kind: UnitKind::File, name, changes: vec![change] }
    };
    if !location.folder {
        return match changes {
            [] => Ok(Vec::new()),
            [only] if only.is_plain() => Ok(vec![single(only)]),
            _ => Err(ReplaceError::Structure),
        };
    }
    let (deep, top): (Vec<_>, Vec<_>) =
        changes.iter().partition(|change| change.names().any(|name| name.contains('/')));
    let is_split = !deep.is_empty()
        && top.iter().all(|change| change.is_plain())
        && !common_folder(&deep).is_empty();
    let (core, mut outside) =
        if is_split { (deep, top) } else { (changes.iter().collect(), Vec::new()) };
    let mut units = match core[..] {
        [] => Vec::new(),
        [only] if only.is_plain() => vec![single(only)],
        _ => {
            vec![PlannedUnit { kind: UnitKind::Folder, name: common_folder(&core), changes: core }]
        }
    };
    outside.sort_by(|a, b| a.to.cmp(&b.to));
    units.extend(outside.into_iter().map(single));
    Ok(units)
}

/// The deepest folder that contains all these names.
fn common_folder(changes: &[&FileChange<'_>]) -> String {
    let mut folders = changes
        .iter()
        .flat_map(|change| change.names())
        .map(|name| name.rsplit_once('/').map_or("", |at| at.0));
    let mut shared: Vec<&str> =
        folders.next().map_or(Vec::new(), |first| first.split('/').collect());
    for folder in folders {
        let same = shared.iter().zip(folder.split('/')).take_while(|(a, b)| **a == *b).count();
        shared.truncate(same);
    }
    shared.join("/")
}
