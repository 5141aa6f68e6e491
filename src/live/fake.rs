//! A world for tests, in which nothing changes by itself.

use super::{Process, Unseen, World, Writers};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A world with only what a test puts into it.
pub(crate) struct Fake {
    /// The time; a pause advances it.
    pub now: Cell<SystemTime>,
    /// Running processes, with their start times.
    pub processes: BTreeMap<u32, Option<u64>>,
    /// The process that has a file open for writing.
    pub writer: Option<(PathBuf, u32)>,
    /// Locked files.
    pub locked: Vec<PathBuf>,
    /// Files: bytes and modification time.
    pub files: RefCell<BTreeMap<PathBuf, (Vec<u8>, SystemTime)>>,
    /// Files that grow by one byte with every pause.
    pub growing: Vec<PathBuf>,
    /// Processes whose open files cannot be read.
    pub unseen: Unseen,
}

/// Name of the computer.
pub(crate) const HOST: &str = "here";

impl Default for Fake {
    /// An empty world, a million seconds after 1970.
    fn default() -> Self {
        Self {
            now: Cell::new(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)),
            processes: BTreeMap::new(),
            writer: None,
            locked: Vec::new(),
            files: RefCell::default(),
            growing: Vec::new(),
            unseen: Unseen::None,
        }
    }
}

impl Fake {
    /// Adds a file that was modified `age` seconds ago.
    pub(crate) fn file(self, path: &str, bytes: &str, age: u64) -> Self {
        let changed = self.now.get() - Duration::from_secs(age);
        self.files.borrow_mut().insert(path.into(), (bytes.into(), changed));
        self
    }

    /// Adds a running process.
    pub(crate) fn alive(mut self, pid: u32, started: Option<u64>) -> Self {
        self.processes.insert(pid, started);
        self
    }
}

impl World for Fake {
    fn now(&self) -> SystemTime {
        self.now.get()
    }

    fn booted(&self) -> Option<SystemTime> {
        None
    }

    fn host(&self) -> Option<String> {
        Some(HOST.into())
    }

    fn process(&self, pid: u32) -> Process {
        self.processes.get(&pid).map_or(Process::Gone, |&started| Process::Alive { started })
    }

    fn writers(&self, files: &[PathBuf]) -> Writers {
        let pid =
            self.writer.as_ref().filter(|(path, _)| files.contains(path)).map(|(_, pid)| *pid);
        Writers { pid, unseen: self.unseen }
    }

    fn is_locked(&self, path: &Path) -> bool {
        self.locked.iter().any(|locked| locked == path)
    }

    fn stat(&self, path: &Path) -> Option<(u64, SystemTime)> {
        self.files.borrow().get(path).map(|(bytes, changed)| (bytes.len() as u64, *changed))
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.files.borrow().get(path).map(|(bytes, _)| bytes.clone())
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        self.files.borrow().keys().filter(|path| path.parent() == Some(folder)).cloned().collect()
    }

    fn pause(&self, time: Duration) {
        self.now.set(self.now.get() + time);
        for path in &self.growing {
            if let Some((bytes, _)) = self.files.borrow_mut().get_mut(path) {
                bytes.push(b'x');
            }
        }
    }
}
