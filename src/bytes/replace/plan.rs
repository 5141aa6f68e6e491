//! Which files and folders some changes need to replace.

use super::change::{Change, Place};
use super::error::ReplaceError;
use super::units::Kind;

/// A unit to prepare: its kind, its name as in [`Unit`](super::Unit), and its changes.
pub(super) struct Planned<'c, 'a> {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) changes: Vec<&'c Change<'a>>,
}

/// The units that these changes need, in the order of replacement: first the folder, then files
/// outside it, by name.
pub(super) fn plan<'c, 'a>(
    place: &Place,
    changes: &'c [Change<'a>],
) -> Result<Vec<Planned<'c, 'a>>, ReplaceError> {
    let alone = |change: &'c Change<'a>| {
        let name = change.to.clone().unwrap_or_default();
        Planned {
            kind: Kind::File,
            name,
            changes: vec![change],
        }
    };
    if !place.folder {
        return match changes {
            [] => Ok(Vec::new()),
            [only] if only.is_plain() => Ok(vec![alone(only)]),
            _ => Err(ReplaceError::Structure),
        };
    }
    let (deep, top): (Vec<_>, Vec<_>) = changes
        .iter()
        .partition(|change| change.names().any(|name| name.contains('/')));
    let apart =
        !deep.is_empty() && top.iter().all(|change| change.is_plain()) && !common(&deep).is_empty();
    let (core, mut outside) = if apart {
        (deep, top)
    } else {
        (changes.iter().collect(), Vec::new())
    };
    let mut units = match core[..] {
        [] => Vec::new(),
        [only] if only.is_plain() => vec![alone(only)],
        _ => vec![Planned {
            kind: Kind::Folder,
            name: common(&core),
            changes: core,
        }],
    };
    outside.sort_by(|a, b| a.to.cmp(&b.to));
    units.extend(outside.into_iter().map(alone));
    Ok(units)
}

/// The deepest folder that contains all these names.
fn common(changes: &[&Change<'_>]) -> String {
    let mut folders = changes
        .iter()
        .flat_map(|change| change.names())
        .map(|name| name.rsplit_once('/').map_or("", |at| at.0));
    let mut shared: Vec<&str> = folders
        .next()
        .map_or(Vec::new(), |first| first.split('/').collect());
    for folder in folders {
        let same = shared
            .iter()
            .zip(folder.split('/'))
            .take_while(|(a, b)| **a == *b)
            .count();
        shared.truncate(same);
    }
    shared.join("/")
}
