//! The real world.

use super::{Process, Unseen, World, Writers};
use crate::bytes::disk;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Leases are small; what is larger is none.
const LARGEST: u64 = 64 << 10;

/// This computer, now.
#[derive(Copy, Clone, Debug)]
pub struct System;

impl World for System {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    #[cfg(unix)]
    fn host(&self) -> Option<String> {
        rustix::system::uname().nodename().to_str().ok().map(str::to_string)
    }

    #[cfg(not(unix))]
    fn host(&self) -> Option<String> {
        std::env::var("COMPUTERNAME").ok()
    }

    #[cfg(unix)]
    fn process(&self, pid: u32) -> Process {
        let id = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        let Some(id) = id else { return Process::Gone };
        match rustix::process::test_kill_process(id) {
            Err(rustix::io::Errno::SRCH) => Process::Gone,
            // Not allowed to send it a signal: it lives all the same.
            _ => stat(pid),
        }
    }

    #[cfg(not(unix))]
    fn process(&self, _: u32) -> Process {
        Process::Alive { started: None }
    }

    #[cfg(target_os = "linux")]
    fn writers(&self, files: &[PathBuf]) -> Writers {
        proc::writers(files)
    }

    #[cfg(not(target_os = "linux"))]
    fn writers(&self, _: &[PathBuf]) -> Writers {
        Writers { pid: None, unseen: Unseen::All }
    }

    fn is_locked(&self, path: &Path) -> bool {
        disk::open_regular(path).is_ok_and(|(file, _)| !disk::lock_now(&file, true))
    }

    fn look(&self, path: &Path) -> Option<(u64, SystemTime)> {
        let meta = fs::metadata(path).ok()?;
        Some((meta.len(), meta.modified().ok()?))
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let (file, stamp) = disk::open_regular(path).ok()?;
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
        (stamp.len <= LARGEST).then_some(bytes)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort_unstable();
        files
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// What `/proc` says of a process that answers.
#[cfg(unix)]
fn stat(pid: u32) -> Process {
    let Ok(text) = fs::read(format!("/proc/{pid}/stat")) else { return Process::Alive { started: None } };
    // The name in parentheses may have anything in it; the state is the third field, the start the 22nd.
    let behind = text.iter().rposition(|&byte| byte == b')').and_then(|at| text.get(at.saturating_add(1)..));
    let fields = behind.map(|behind| String::from_utf8_lossy(behind).into_owned()).unwrap_or_default();
    let mut fields = fields.split_ascii_whitespace();
    match fields.next() {
        Some("Z" | "X" | "x") => Process::Gone,
        _ => Process::Alive { started: fields.nth(18).and_then(|field| field.parse().ok()) },
    }
}

#[cfg(target_os = "linux")]
mod proc {
    use super::{Unseen, Writers};
    use std::collections::{HashMap, HashSet};
    use std::fs;
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    /// The number of the first PID namespace, which no container has (`PROC_PID_INIT_INO` of Linux).
    const FIRST: &str = "pid:[4026531836]";

    /// What is looked for: files that somebody may write, folders that somebody may have open.
    struct Wanted {
        places: HashMap<(u64, u64), bool>,
        /// The users who own them.
        owners: HashSet<u32>,
        /// Anybody may write one of them.
        is_public: bool,
    }

    impl Wanted {
        fn new(paths: &[PathBuf]) -> Self {
            let mut wanted = Self { places: HashMap::new(), owners: HashSet::new(), is_public: false };
            for meta in paths.iter().filter_map(|path| fs::metadata(path).ok()) {
                wanted.places.insert((meta.dev(), meta.ino()), meta.is_dir());
                wanted.owners.insert(meta.uid());
                wanted.is_public |= meta.mode() & 0o002 != 0;
            }
            wanted
        }

        /// Has the process this number open in such a way?
        fn has(&self, process: &Path, fd: &Path) -> bool {
            let place = fs::metadata(fd).ok().map(|meta| (meta.dev(), meta.ino()));
            match place.and_then(|place| self.places.get(&place)) {
                None => false,
                Some(true) => true,
                Some(false) => {
                    let info = process.join("fdinfo").join(fd.file_name().unwrap_or_default());
                    fs::read_to_string(info).is_ok_and(|info| is_for_writing(&info))
                }
            }
        }

        /// May a process whose open files cannot be seen have one of them open? The system's own run as root beside us; in a
        /// container anything does.
        fn may_be_open_in(&self, process: &Path) -> bool {
            let Ok(meta) = fs::metadata(process) else { return false };
            if meta.uid() == 0 {
                return is_contained(process);
            }
            self.is_public || self.owners.contains(&meta.uid())
        }
    }

    /// Looks at the open files of all other processes.
    pub(super) fn writers(paths: &[PathBuf]) -> Writers {
        let wanted = Wanted::new(paths);
        let Ok(processes) = fs::read_dir("/proc") else { return Writers { pid: None, unseen: Unseen::All } };
        let me = std::process::id();
        let mut unseen = whole();
        for process in processes.flatten() {
            let Some(pid) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            let process = process.path();
            match fs::read_dir(process.join("fd")) {
                _ if pid == me => {}
                Ok(open) => {
                    if open.flatten().any(|fd| wanted.has(&process, &fd.path())) {
                        return Writers { pid: Some(pid), unseen };
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    if wanted.may_be_open_in(&process) {
                        unseen = Unseen::Some;
                    }
                }
                // It is gone.
                Err(_) => {}
            }
        }
        Writers { pid: None, unseen }
    }

    /// Are all processes of the system listed?
    fn whole() -> Unseen {
        let own = fs::read_link("/proc/self/ns/pid").ok();
        match own.as_ref().and_then(|own| own.to_str()) {
            // With `hidepid` even the first process is hidden.
            _ if !Path::new("/proc/1").exists() => Unseen::Some,
            Some(FIRST) | None => Unseen::Nobody,
            Some(_) => Unseen::Outside,
        }
    }

    /// A process in a container has a number there, too.
    fn is_contained(process: &Path) -> bool {
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        numbers.is_some_and(|numbers| numbers.split_ascii_whitespace().count() > 1)
    }

    /// The line `flags:` has the open mode in octal; its last two bits are the direction, 0 = reading only.
    fn is_for_writing(info: &str) -> bool {
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).is_some_and(|flags| flags & 3 != 0)
    }
}
