//! Whether somebody is writing a transcript.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use crate::bytes::checksum::Checksum;
use crate::bytes::source::{Entries, EntryId, SourceShape};
use crate::find::Found;
use crate::journal::Journal;
use crate::live::{
    self, Live, OpenFiles, OwnerEvidence, Process, RECENT, Readings, Signals, System, Unseen,
    World, Writers,
};
use crate::outputs::many;
use crate::transcript::Transcript;

/// How often to look for those who have a replaced file open, and the pause between two looks.
const LOOKS: u32 = 3;
const LOOK: Duration = Duration::from_millis(50);

/// The coarsest step of the times of files, that of FAT.
const TICK: Duration = Duration::from_secs(2);

/// Looks at a transcript that was found. Copies, streams and archives belong to nobody.
pub(crate) fn of(world: &dyn World, found: &Found, facts: &Transcript, looks: Readings) -> Live {
    let Some(mut signals) = signals(found, facts) else {
        return Live::Idle;
    };
    match live::judge(world, &signals, looks) {
        Live::Young => {
            signals.ours = is_ours(world, found);
            live::judge(world, &signals, looks)
        }
        other => other,
    }
}

/// Waits until nobody writes, at most so long.
pub(crate) fn wait(world: &dyn World, found: &Found, facts: &Transcript, limit: Duration) -> Live {
    signals(found, facts).map_or(Live::Idle, |signals| live::wait(world, &signals, limit))
}

fn signals(found: &Found, facts: &Transcript) -> Option<Signals> {
    if !matches!(found.source.shape(), SourceShape::File | SourceShape::Folder) {
        return None;
    }
    let mut signals = (found.detection.format.traits.signs)(&found.path, facts);
    signals.files = files(found).into_iter().map(|(_, path)| path).collect();
    Some(signals)
}

/// The entries of a transcript and their paths.
fn files(found: &Found) -> Vec<(EntryId, PathBuf)> {
    let ids = found.source.ids().into_iter();
    if found.source.shape() != SourceShape::Folder {
        return ids.map(|id| (id, found.path.clone())).collect();
    }
    ids.map(|id| (id, found.source.path().join(found.source.name(id)))).collect()
}

/// Whether every young file is, byte for byte, what our last operation wrote.
fn is_ours(world: &dyn World, found: &Found) -> bool {
    let Some(journal) = Journal::standard() else {
        return false;
    };
    let now = world.now();
    files(found)
        .into_iter()
        .filter(|(_, path)| {
            world.stat(path).is_some_and(|(_, changed)| {
                now.duration_since(changed).map_or(true, |age| age < RECENT)
            })
        })
        .all(|(id, path)| {
            let wrote = journal.last_written_checksum(&path).ok().flatten();
            wrote.is_some() && found.source.checksum(id).ok() == wrote
        })
}

/// The checksums of files whose time says too little: of one that changed just now, it stays the same when it changes again.
pub(crate) fn sums_of_fresh(world: &dyn World, found: &Found) -> Vec<(EntryId, Checksum)> {
    let is_fresh = |path: &PathBuf| {
        let changed = world.stat(path).map(|(_, changed)| world.now().duration_since(changed));
        changed.is_none_or(|age| age.map_or(true, |age| age < TICK))
    };
    let fresh = files(found).into_iter().filter(|(_, path)| is_fresh(path));
    fresh.filter_map(|(id, _)| Some((id, found.source.checksum(id).ok()?))).collect()
}

/// The process that has one of these files open for writing, or one of these folders at all, in words.
pub(crate) fn holder(paths: &[PathBuf]) -> Option<String> {
    let paths = with_contents(paths);
    // Who only reads a folder, or appends a line, is gone again soon.
    let seen: Option<Vec<u32>> = (0..LOOKS)
        .map(|n| {
            if n > 0 {
                System.pause(LOOK);
            }
            System.writers(&paths).pid
        })
        .collect();
    Some(format!("it is open in another process (pid {})", seen?.last()?))
}

/// Whether it is certain that nobody has one of these files or folders open; `None`: some cannot be seen.
pub(crate) fn is_free(paths: &[PathBuf]) -> Option<bool> {
    match System.writers(&with_contents(paths)) {
        Writers { pid: Some(_), .. } => Some(false),
        Writers { unseen: Unseen::None, .. } => Some(true),
        _ => None,
    }
}

/// The paths, and everything in those that are folders.
fn with_contents(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = paths.to_vec();
    let mut at = 0;
    while let Some(path) = all.get(at) {
        // Of a link only what it says is there.
        if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            let inside = std::fs::read_dir(path).into_iter().flatten().flatten();
            let inside: Vec<PathBuf> = inside.map(|entry| entry.path()).collect();
            all.extend(inside);
        }
        at = at.saturating_add(1);
    }
    all
}

/// What to know where some processes cannot be seen.
pub(crate) fn unseen(live: Live) -> Option<String> {
    let who = match live {
        Live::Unknown(Unseen::OutsideContainer) => {
            "Processes outside this container are not visible."
        }
        Live::Unknown(Unseen::PossibleWriters) => "Some processes of other users are not visible.",
        Live::Unknown(Unseen::All) => {
            "This system does not show which files other processes have open."
        }
        _ => return None,
    };
    let then = "If one of them still has the file open, what it writes from now on is kept: see \
        undo --list.";
    Some(format!("{who} {then}"))
}

/// Who it is, as the end of `PATH belongs to …`.
pub(crate) fn name(live: Live, host: &str) -> String {
    match live {
        Live::Owner(owner) => {
            let pid = owner.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
            let place = if owner.elsewhere { " on another machine" } else { "" };
            match owner.how {
                OwnerEvidence::Lease => format!("is leased by a running {host}{place}{pid}"),
                OwnerEvidence::Lock => format!("is locked by a running {host}{place}{pid}"),
                OwnerEvidence::Writer => format!("is open for writing in another process{pid}"),
            }
        }
        Live::Growing => "is growing right now".to_owned(),
        Live::Young => format!("changed less than {} ago", many(RECENT.as_secs(), "second")),
        Live::Idle | Live::Unknown(_) => "is not being written".to_owned(),
    }
}

/// The world for a run that only reads: open files of other processes are looked for once for all transcripts, when the
/// first one is judged that another process could write.
#[derive(Default, Debug)]
pub(crate) struct Once {
    open: OnceLock<OpenFiles>,
}

impl World for Once {
    fn now(&self) -> SystemTime {
        System.now()
    }
    fn booted(&self) -> Option<SystemTime> {
        System.booted()
    }
    fn host(&self) -> Option<String> {
        System.host()
    }
    fn process(&self, pid: u32) -> Process {
        System.process(pid)
    }
    fn writers(&self, files: &[PathBuf]) -> Writers {
        self.open.get_or_init(OpenFiles::scan).writers(files)
    }
    fn is_locked(&self, path: &std::path::Path) -> bool {
        System.is_locked(path)
    }
    fn stat(&self, path: &std::path::Path) -> Option<(u64, SystemTime)> {
        System.stat(path)
    }
    fn read(&self, path: &std::path::Path) -> Option<Vec<u8>> {
        System.read(path)
    }
    fn list(&self, folder: &std::path::Path) -> Vec<PathBuf> {
        System.list(folder)
    }
    fn pause(&self, time: Duration) {
        System.pause(time);
    }
}
