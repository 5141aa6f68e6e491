//! Who is writing this? The only place that looks at the clock, at processes and at locks.
//!
//! A format says as data where its host leaves signs ([`Signals`]); [`judge`] looks at them through a [`World`] and
//! answers with plain data. A recording that is being written must not be replaced: the writer would go on in the old file,
//! and what it writes would be gone.

mod lease;
mod system;

#[cfg(test)]
pub(crate) mod fake;

pub(crate) use lease::{Lease, LeaseKind};
pub(crate) use system::{OpenFiles, System};

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that was changed this recently is young.
pub(crate) const YOUTH: Duration = Duration::from_secs(10);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(200);
/// The pause between two judgments while waiting.
const WAIT: Duration = Duration::from_millis(800);

/// Where a host leaves signs of life.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Where an owner registers itself.
    pub leases: Vec<Lease>,
    /// Files that an owner keeps locked as long as it has the recording loaded. One that is only locked for the moment of
    /// a write, and stays for ever, does not belong here.
    pub locks: Vec<PathBuf>,
    /// The files of the recording.
    pub files: Vec<PathBuf>,
    /// The host's own state says that it is running. Killed hosts leave that behind, so alone it says nothing.
    pub running: bool,
    /// It lies where this host keeps its recordings.
    pub at_home: bool,
    /// It is, byte for byte, what our last operation wrote: its youth is ours.
    pub ours: bool,
}

/// How often to look at size and time of the files.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Once: nothing is going to be written.
    Once,
    /// Twice, 200 ms apart.
    Twice,
}

/// Whether somebody is writing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    /// A host has it.
    Owner(Owner),
    /// It changed between two looks.
    Growing,
    /// It changed a moment ago, and something speaks for a host.
    Young,
    Nobody,
    /// Nothing speaks for anybody, but there are processes whose open files cannot be seen.
    Unknown(Unseen),
}

impl Live {
    /// Must it not be replaced now?
    pub(crate) fn is_live(self) -> bool {
        matches!(self, Self::Owner(_) | Self::Growing | Self::Young)
    }
}

/// Who has a recording.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// How we know.
    pub how: How,
    /// Its process, if that is known. Of a lease of another host, a process there.
    pub pid: Option<u32>,
    /// How long its lease lasts, if it is not renewed.
    pub until: Option<SystemTime>,
    /// It is, or may be, on another host.
    pub elsewhere: bool,
}

/// How we know of an owner.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It registered itself in a file.
    Lease,
    /// It holds a lock.
    Lock,
    /// It has a file of the recording open for writing.
    Writer,
}

/// Whether a process lives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    /// There is none of this number, or only what is left of a dead one.
    Gone,
    /// It lives. On Linux with the time of its start, in clock ticks since the system's.
    Alive {
        /// The time of its start, where the system tells.
        started: Option<u64>,
    },
}

/// Processes that have files open for writing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writers {
    /// One of them.
    pub pid: Option<u32>,
    /// Those that could not be looked at.
    pub unseen: Unseen,
}

/// Processes whose open files cannot be seen. They are unknown, which is not nobody.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// There are none.
    Nobody,
    /// Those outside of this container: it has process numbers of its own.
    Outside,
    /// Some that may write the files: of their owner, of a container, or hidden altogether.
    Some,
    /// All: this system does not tell.
    All,
}

/// The world outside of the recordings.
pub(crate) trait World {
    /// The time.
    fn now(&self) -> SystemTime;
    /// The name of this host.
    fn host(&self) -> Option<String>;
    /// Whether a process lives on this host.
    fn process(&self, pid: u32) -> Process;
    /// Other processes that have one of these files open for writing, or one of these folders at all.
    fn writers(&self, files: &[PathBuf]) -> Writers;
    /// Whether another process holds a lock on a file; false if there is no such file.
    fn is_locked(&self, path: &Path) -> bool;
    /// Size and time of the last change.
    fn look(&self, path: &Path) -> Option<(u64, SystemTime)>;
    /// The bytes of a small file: nothing if it is missing or larger than 64 KiB.
    fn read(&self, path: &Path) -> Option<Vec<u8>>;
    /// The files in a folder, sorted.
    fn list(&self, folder: &Path) -> Vec<PathBuf>;
    /// Waits.
    fn pause(&self, time: Duration);
}

/// Looks at the signs, the strongest first.
pub(crate) fn judge(world: &dyn World, signals: &Signals, looks: Looks) -> Live {
    if let Some(owner) = signals.leases.iter().find_map(|lease| lease.owner(world)) {
        return Live::Owner(owner);
    }
    if signals.locks.iter().any(|path| world.is_locked(path)) {
        return Live::Owner(Owner {
            how: How::Lock,
            pid: None,
            until: None,
            elsewhere: false,
        });
    }
    let look = || {
        signals
            .files
            .iter()
            .map(|path| world.look(path))
            .collect::<Vec<_>>()
    };
    let first = look();
    let writers = world.writers(&signals.files);
    if let Some(pid) = writers.pid {
        return Live::Owner(Owner {
            how: How::Writer,
            pid: Some(pid),
            until: None,
            elsewhere: false,
        });
    }
    if looks == Looks::Twice {
        world.pause(PAUSE);
        if look() != first {
            return Live::Growing;
        }
    }
    // Who cannot be seen may have written a moment ago, and may go on.
    let may_be_written = writers.unseen == Unseen::Some || speaks_for_a_host(world, signals);
    if !signals.ours && may_be_written {
        let youngest = first
            .into_iter()
            .flatten()
            .map(|(_, changed)| changed)
            .max();
        if youngest.is_some_and(|changed| is_young(world.now(), changed)) {
            return Live::Young;
        }
    }
    if writers.unseen == Unseen::Nobody {
        Live::Nobody
    } else {
        Live::Unknown(writers.unseen)
    }
}

/// Waits until nobody writes, at most so long, and says what was judged last.
pub(crate) fn wait(world: &dyn World, signals: &Signals, limit: Duration) -> Live {
    let end = world.now().checked_add(limit);
    loop {
        let live = judge(world, signals, Looks::Twice);
        if !live.is_live() || end.is_none_or(|end| world.now() >= end) {
            return live;
        }
        world.pause(WAIT);
    }
}

/// Is there more than a young file: young files are everywhere, in tests and while things are copied.
fn speaks_for_a_host(world: &dyn World, signals: &Signals) -> bool {
    let left = signals
        .leases
        .iter()
        .map(|lease| &lease.path)
        .chain(&signals.locks);
    signals.running || signals.at_home || left.into_iter().any(|path| world.look(path).is_some())
}

/// A time in the near future is that of another clock, and as young.
fn is_young(now: SystemTime, changed: SystemTime) -> bool {
    let away = now
        .duration_since(changed)
        .unwrap_or_else(|ahead| ahead.duration());
    away < YOUTH
}

#[cfg(test)]
mod tests;
