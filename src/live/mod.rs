//! Finds out whether a process is writing a transcript. Only this module reads the clock, processes
//! and locks.
//!
//! A format says as data where its host leaves signs of life ([`Signals`]). [`judge`] checks them
//! through a [`World`] and returns plain data. A transcript that is being written must not be
//! replaced: the writer would keep writing to the old file, and its writes would be lost.

mod lease;
mod system;

#[cfg(test)]
pub(crate) mod fake;

pub(crate) use lease::{Lease, LeaseKind};
pub(crate) use system::{OpenFiles, System};

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file changed less than this long ago counts as recent.
pub(crate) const RECENT: Duration = Duration::from_secs(10);
/// Pause between two readings of the files' sizes and times.
const PAUSE: Duration = Duration::from_millis(200);
/// Pause between two judgments while waiting.
const WAIT: Duration = Duration::from_millis(800);
/// A tool call whose host wrote nothing for longer than this is not running anymore.
const LONGEST_CALL: Duration = Duration::from_secs(3600);

/// Where a host leaves signs of life.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Files in which an owner registers itself.
    pub leases: Vec<Lease>,
    /// Files that an owner locks as long as it has the transcript loaded. Not lock files that are
    /// locked only during a write and stay forever.
    pub locks: Vec<PathBuf>,
    /// The files of the transcript.
    pub files: Vec<PathBuf>,
    /// The host's own state says that it is running. Killed hosts leave that behind, so it proves
    /// nothing alone.
    pub running: bool,
    /// The transcript is where this host stores its transcripts.
    pub at_home: bool,
    /// The transcript is, byte for byte, what our last operation wrote: only we changed it
    /// recently.
    pub ours: bool,
}

/// How often to read the sizes and times of the files.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Readings {
    /// Once, because nothing will be written.
    Once,
    /// Twice, 200 ms apart.
    Twice,
}

/// Whether a process is writing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    /// A host has the transcript open.
    Owner(Owner),
    /// A file changed between two readings.
    Growing,
    /// A file changed a moment ago, and there are signs of a host.
    Young,
    /// No process is writing.
    Idle,
    /// There are no signs of a writer, but some processes' open files cannot be read.
    Unknown(Unseen),
}

impl Live {
    /// Whether the transcript must not be replaced now.
    pub(crate) fn is_live(self) -> bool {
        matches!(self, Self::Owner(_) | Self::Growing | Self::Young)
    }

    /// Whether the sign may be gone in a moment: a process that opens the file for each line was seen.
    pub(crate) fn may_pass(self) -> bool {
        matches!(self, Self::Growing | Self::Owner(Owner { how: OwnerEvidence::Writer, .. }))
    }
}

/// The process that has a transcript open.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// How it was found.
    pub how: OwnerEvidence,
    /// Its process ID, if known; on another host, a process ID there.
    pub pid: Option<u32>,
    /// When its lease ends, unless it is renewed.
    pub until: Option<SystemTime>,
    /// It is, or may be, on another host.
    pub elsewhere: bool,
}

/// How an owner was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum OwnerEvidence {
    /// It registered itself in a file.
    Lease,
    /// It holds a lock.
    Lock,
    /// It has a file of the transcript open for writing.
    Writer,
}

/// Whether a process is running.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    /// There is no such process, or only a zombie.
    Gone,
    /// It is running.
    Alive {
        /// Its start time in clock ticks since boot, on Linux.
        started: Option<u64>,
    },
}

/// The processes that have files open for writing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writers {
    /// Process ID of one of them.
    pub pid: Option<u32>,
    /// Processes whose open files could not be read.
    pub unseen: Unseen,
}

/// Processes whose open files cannot be read, so it is unknown whether they write.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// No such processes.
    None,
    /// Processes outside this container, which has its own process IDs.
    #[cfg_attr(
        not(any(target_os = "linux", test)),
        expect(dead_code, reason = "only Linux says so")
    )]
    OutsideContainer,
    /// Some that may write the files: processes of the files' owner, of a container, or hidden
    /// entirely.
    PossibleWriters,
    /// All processes: this system does not report it.
    All,
}

/// The world outside the transcripts.
pub(crate) trait World {
    fn now(&self) -> SystemTime;
    /// When the computer started. `None`: unknown.
    fn booted(&self) -> Option<SystemTime>;
    /// Name of this computer.
    fn host(&self) -> Option<String>;
    fn process(&self, pid: u32) -> Process;
    /// Other processes that have one of these files open for writing, or one of these folders open
    /// at all.
    fn writers(&self, files: &[PathBuf]) -> Writers;
    /// Whether another process holds a lock on a file; false if the file does not exist.
    fn is_locked(&self, path: &Path) -> bool;
    /// Size in bytes and modification time.
    fn stat(&self, path: &Path) -> Option<(u64, SystemTime)>;
    /// The bytes of a file; `None` if it is missing or larger than 64 KiB.
    fn read(&self, path: &Path) -> Option<Vec<u8>>;
    /// The paths in a folder, sorted.
    fn list(&self, folder: &Path) -> Vec<PathBuf>;
    fn pause(&self, time: Duration);
}

/// Checks the signs of life, strongest first.
pub(crate) fn judge(world: &dyn World, signals: &Signals, readings: Readings) -> Live {
    if let Some(owner) = signals.leases.iter().find_map(|lease| lease.owner(world)) {
        return Live::Owner(owner);
    }
    if signals.locks.iter().any(|path| world.is_locked(path)) {
        return Live::Owner(Owner {
            how: OwnerEvidence::Lock,
            pid: None,
            until: None,
            elsewhere: false,
        });
    }
    let look = || signals.files.iter().map(|path| world.stat(path)).collect::<Vec<_>>();
    let first = look();
    let writers = world.writers(&signals.files);
    if let Some(pid) = writers.pid {
        return Live::Owner(Owner {
            how: OwnerEvidence::Writer,
            pid: Some(pid),
            until: None,
            elsewhere: false,
        });
    }
    if readings == Readings::Twice {
        world.pause(PAUSE);
        if look() != first {
            return Live::Growing;
        }
    }
    // A process that cannot be examined may have written a moment ago, and may do so again.
    let may_be_written =
        writers.unseen == Unseen::PossibleWriters || has_host_signs(world, signals);
    if !signals.ours && may_be_written {
        let youngest = first.into_iter().flatten().map(|(_, changed)| changed).max();
        if youngest.is_some_and(|changed| is_recent(world.now(), changed)) {
            return Live::Young;
        }
    }
    if writers.unseen == Unseen::None { Live::Idle } else { Live::Unknown(writers.unseen) }
}

/// Who wrote a record before this time, in microseconds since 1970, has ended: before the computer started, or so long ago
/// that no tool call may still be running.
pub(crate) fn ended_before(world: &dyn World) -> Option<i64> {
    let micros = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_micros()).ok()
    };
    let long_ago = world.now().checked_sub(LONGEST_CALL).and_then(micros);
    long_ago.max(world.booted().and_then(micros))
}

/// Waits until no process is writing, for at most `limit`, and returns the last judgment.
pub(crate) fn wait(world: &dyn World, signals: &Signals, limit: Duration) -> Live {
    let end = world.now().checked_add(limit);
    loop {
        let live = judge(world, signals, Readings::Twice);
        if !live.is_live() || end.is_none_or(|end| world.now() >= end) {
            return live;
        }
        world.pause(WAIT);
    }
}

/// Whether there is more than a recent change, which is common: tests write files, and people copy
/// them.
fn has_host_signs(world: &dyn World, signals: &Signals) -> bool {
    let left = signals.leases.iter().map(|lease| &lease.path).chain(&signals.locks);
    signals.running || signals.at_home || left.into_iter().any(|path| world.stat(path).is_some())
}

/// Whether a change is recent. A time in the near future comes from another clock, and is recent,
/// too.
fn is_recent(now: SystemTime, changed: SystemTime) -> bool {
    let away = now.duration_since(changed).unwrap_or_else(|ahead| ahead.duration());
    away < RECENT
}

#[cfg(test)]
mod tests;
