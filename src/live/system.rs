//! The real world.

use super::{Process, World, Writers};
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
        Writers { pid: None, seen: false }
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
    use super::Writers;
    use std::collections::HashSet;
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    /// Looks at the open files of all other processes. Those of other users cannot be seen without rights: they are passed over.
    pub(super) fn writers(files: &[PathBuf]) -> Writers {
        let place = |path: &Path| fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
        let ours: HashSet<(u64, u64)> = files.iter().filter_map(|path| place(path)).collect();
        let Ok(processes) = fs::read_dir("/proc") else { return Writers { pid: None, seen: false } };
        let me = std::process::id();
        for process in processes.flatten() {
            let Some(pid) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            let Ok(open) = fs::read_dir(process.path().join("fd")) else { continue };
            let mut open = open.flatten().filter(|_| pid != me);
            let writes = |number: &Path| {
                let info = process.path().join("fdinfo").join(number);
                fs::read_to_string(info).is_ok_and(|info| is_for_writing(&info))
            };
            if open.any(|fd| {
                place(&fd.path()).is_some_and(|at| ours.contains(&at)) && writes(Path::new(&fd.file_name()))
            }) {
                return Writers { pid: Some(pid), seen: true };
            }
        }
        Writers { pid: None, seen: true }
    }

    /// The line `flags:` has the open mode in octal; its last two bits are the direction, 0 = reading only.
    fn is_for_writing(info: &str) -> bool {
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).is_some_and(|flags| flags & 3 != 0)
    }
}
