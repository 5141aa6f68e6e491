//! The real world.

use super::{Process, Unseen, World, Writers};
use crate::bytes::disk;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Leases are small; a larger file is not one.
const MAX_LEASE_BYTES: u64 = 64 << 10;

/// This computer.
#[derive(Copy, Clone, Debug)]
pub(crate) struct System;

impl World for System {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn booted(&self) -> Option<SystemTime> {
        // Linux: a line `btime SECONDS`. Other systems have no such file.
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
        let seconds = Duration::from_secs(line.trim().parse().ok()?);
        SystemTime::UNIX_EPOCH.checked_add(seconds)
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
            // Sending it a signal is not allowed, but it exists.
            _ => proc_state(pid),
        }
    }

    #[cfg(not(unix))]
    fn process(&self, _: u32) -> Process {
        Process::Alive { started: None }
    }

    fn writers(&self, files: &[PathBuf]) -> Writers {
        OpenFiles::scan().writers(files)
    }

    fn is_locked(&self, path: &Path) -> bool {
        disk::open_regular(path)
            .is_ok_and(|(file, _)| !disk::try_lock_briefly(&file, disk::Lock::Shared))
    }

    fn stat(&self, path: &Path) -> Option<(u64, SystemTime)> {
        let meta = fs::metadata(path).ok()?;
        Some((meta.len(), meta.modified().ok()?))
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let (file, stamp) = disk::open_regular(path).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_LEASE_BYTES).read_to_end(&mut bytes).ok()?;
        (stamp.len <= MAX_LEASE_BYTES).then_some(bytes)
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

/// The files and folders that other processes have open, from one pass over all processes.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux lists open files"))]
pub(crate) struct OpenFiles {
    /// Process IDs and the numbers of their handles, by device and inode.
    handles: HashMap<(u64, u64), Vec<(u32, u32)>>,
    /// User IDs of processes whose handles cannot be read.
    hidden: HashSet<u32>,
    /// Processes that are not even listed.
    unlisted: Unseen,
}

impl OpenFiles {
    pub(crate) fn scan() -> OpenFiles {
        #[cfg(target_os = "linux")]
        if let Some(open) = proc::scan() {
            return open;
        }
        OpenFiles { handles: HashMap::new(), hidden: HashSet::new(), unlisted: Unseen::All }
    }

    /// As [`World::writers`].
    #[cfg_attr(
        not(target_os = "linux"),
        expect(unused_variables, reason = "only Linux lists open files")
    )]
    pub(crate) fn writers(&self, paths: &[PathBuf]) -> Writers {
        #[cfg(target_os = "linux")]
        return proc::writers(self, paths);
        #[cfg(not(target_os = "linux"))]
        return Writers { pid: None, unseen: self.unlisted };
    }
}

/// The state of an existing process, from `/proc`.
#[cfg(unix)]
fn proc_state(pid: u32) -> Process {
    let Ok(text) = fs::read(format!("/proc/{pid}/stat")) else {
        return Process::Alive { started: None };
    };
    // The name in parentheses may contain any character. The state is the third field, the start
    // time the 22nd.
    let after =
        text.iter().rposition(|&byte| byte == b')').and_then(|at| text.get(at.saturating_add(1)..));
    let fields = after.map(|after| String::from_utf8_lossy(after).into_owned()).unwrap_or_default();
    let mut fields = fields.split_ascii_whitespace();
    match fields.next() {
        Some("Z" | "X" | "x") => Process::Gone,
        _ => Process::Alive { started: fields.nth(18).and_then(|field| field.parse().ok()) },
    }
}

#[cfg(target_os = "linux")]
mod proc {
    use super::{OpenFiles, Unseen, Writers};
    use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat};
    use rustix::io::{Errno, Result};
    use std::collections::{HashMap, HashSet};
    use std::ffi::CStr;
    use std::fs::{self, Metadata};
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    /// Bytes of names that are read at once.
    const NAMES: usize = 8 << 10;

    /// The first PID namespace, which is never that of a container (`PROC_PID_INIT_INO` in Linux).
    const FIRST_NAMESPACE: &str = "pid:[4026531836]";

    /// Reads the open files of all other processes. `None` if there is no `/proc`.
    ///
    /// This is most of what the check of a short transcript takes, so each name is resolved from the folder that it is in,
    /// not from the root.
    pub(super) fn scan() -> Option<OpenFiles> {
        let me = std::process::id();
        let mut open = OpenFiles {
            handles: HashMap::new(),
            hidden: HashSet::new(),
            unlisted: unlisted_processes(),
        };
        let proc = folder(CWD, "/proc").ok()?;
        let mut names = Vec::with_capacity(NAMES);
        let mut processes = RawDir::new(&proc, names.spare_capacity_mut());
        while let Some(process) = processes.next() {
            let pid = process.ok().and_then(|process| number(process.file_name()));
            let Some(pid) = pid.filter(|pid| *pid != me) else {
                continue;
            };
            match folder(proc.as_fd(), &format!("{pid}/fd")) {
                Ok(handles) => add_handles(&mut open, pid, &handles),
                Err(Errno::ACCESS | Errno::PERM) => {
                    open.hidden.extend(hidden_user(&Path::new("/proc").join(pid.to_string())));
                }
                // The process has ended.
                Err(_) => {}
            }
        }
        Some(open)
    }

    /// Adds the files and folders that a process has open.
    fn add_handles(open: &mut OpenFiles, pid: u32, folder: &OwnedFd) {
        let mut names = Vec::with_capacity(NAMES);
        let mut handles = RawDir::new(folder, names.spare_capacity_mut());
        while let Some(handle) = handles.next() {
            let Ok(handle) = handle else { return };
            let Some(fd) = number(handle.file_name()) else {
                continue;
            };
            let Ok(stat) = statat(folder, handle.file_name(), AtFlags::empty()) else {
                continue;
            };
            let kind = FileType::from_raw_mode(stat.st_mode);
            if matches!(kind, FileType::RegularFile | FileType::Directory) {
                let file = open.handles.entry((stat.st_dev, stat.st_ino));
                file.or_default().push((pid, fd));
            }
        }
    }

    /// Opens a folder to read its names.
    fn folder(from: BorrowedFd<'_>, path: &str) -> Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(from, path, flags, Mode::empty())
    }

    /// The number that a process or a handle has as its name.
    fn number(name: &CStr) -> Option<u32> {
        name.to_str().ok()?.parse().ok()
    }

    /// The user ID of a process whose open files cannot be read, if it may have a transcript open.
    /// Outside of containers, processes of root belong to the system.
    fn hidden_user(process: &Path) -> Option<u32> {
        let hidden_user = fs::metadata(process).ok()?.uid();
        (hidden_user != 0 || is_contained(process)).then_some(hidden_user)
    }

    /// The process that may write one of these files, or has one of these folders open.
    pub(super) fn writers(open: &OpenFiles, paths: &[PathBuf]) -> Writers {
        let mut unseen = open.unlisted;
        let mut found: Option<u32> = None;
        for meta in paths.iter().filter_map(|path| fs::metadata(path).ok()) {
            let handles = open.handles.get(&file_id(&meta)).into_iter().flatten();
            found = found
                .into_iter()
                .chain(
                    handles
                        .filter(|(pid, handle)| meta.is_dir() || writes(*pid, *handle))
                        .map(|(pid, _)| *pid),
                )
                .min();
            let is_public = meta.mode() & 0o002 != 0 && !open.hidden.is_empty();
            if is_public || open.hidden.contains(&meta.uid()) || open.hidden.contains(&0) {
                unseen = Unseen::PossibleWriters;
            }
        }
        Writers { pid: found, unseen }
    }

    fn file_id(meta: &Metadata) -> (u64, u64) {
        (meta.dev(), meta.ino())
    }

    /// Whether a process has a file open for writing.
    fn writes(pid: u32, handle: u32) -> bool {
        let info = format!("/proc/{pid}/fdinfo/{handle}");
        fs::read_to_string(info).is_ok_and(|info| is_for_writing(&info))
    }

    /// Which processes of the system are not listed.
    fn unlisted_processes() -> Unseen {
        let own = fs::read_link("/proc/self/ns/pid").ok();
        match own.as_ref().and_then(|own| own.to_str()) {
            // With `hidepid`, even the first process is hidden.
            _ if !Path::new("/proc/1").exists() => Unseen::PossibleWriters,
            Some(FIRST_NAMESPACE) | None => Unseen::None,
            Some(_) => Unseen::OutsideContainer,
        }
    }

    /// Whether a process is in a container: it then has a second process ID.
    fn is_contained(process: &Path) -> bool {
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        numbers.is_some_and(|numbers| numbers.split_ascii_whitespace().count() > 1)
    }

    /// The `flags:` line has the open mode in octal. Its last two bits are the direction, 0 for
    /// reading only.
    fn is_for_writing(info: &str) -> bool {
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        flags
            .and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok())
            .is_some_and(|flags| flags & 3 != 0)
    }
}
