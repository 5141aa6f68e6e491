//! Mode, owner, times and extended attributes, which a replaced file keeps.

use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io;
use std::time::{Duration, SystemTime};

/// What is known of a file beside its bytes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Permission bits, on Unix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// User and group, on Unix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<(u32, u32)>,
    /// Time of the last change, nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtime_ns: Option<i64>,
}

impl Attributes {
    /// Those of `meta`.
    pub fn of(meta: &Metadata) -> Self {
        let (mode, owner) = unix(meta);
        Self { mode, owner, mtime_ns: meta.modified().ok().and_then(nanoseconds) }
    }

    /// Without the owner, if they are for a copy: it belongs to who makes it.
    pub(super) fn for_copy(mut self, copy: bool) -> Self {
        self.owner = self.owner.filter(|_| !copy);
        self
    }

    /// Gives an open file or folder this owner and mode.
    ///
    /// # Errors
    /// `PermissionDenied` when another user's file cannot be given to that user again; others of the system.
    #[cfg(unix)]
    pub fn give(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let now = Self::of(&file.metadata()?);
        if let Some((user, group)) = self.owner.filter(|_| now.owner != self.owner) {
            let (user, group) = (rustix::fs::Uid::from_raw(user), rustix::fs::Gid::from_raw(group));
            rustix::fs::fchown(file, Some(user), Some(group))?;
        }
        // Behind the owner: a change of owner clears mode bits.
        self.mode.map_or(Ok(()), |mode| file.set_permissions(std::fs::Permissions::from_mode(mode)))
    }

    /// There is nothing to give.
    #[cfg(not(unix))]
    pub fn give(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    /// Sets the time of the last change.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn set_time(&self, file: &File) -> io::Result<()> {
        self.mtime_ns.map_or(Ok(()), |at| file.set_modified(moment(at)))
    }
}

#[cfg(unix)]
fn unix(meta: &Metadata) -> (Option<u32>, Option<(u32, u32)>) {
    use std::os::unix::fs::MetadataExt;
    (Some(meta.mode() & 0o7777), Some((meta.uid(), meta.gid())))
}

#[cfg(not(unix))]
fn unix(_: &Metadata) -> (Option<u32>, Option<(u32, u32)>) {
    (None, None)
}

fn nanoseconds(at: SystemTime) -> Option<i64> {
    match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(i64::wrapping_neg),
    }
}

fn moment(at: i64) -> SystemTime {
    let away = Duration::from_nanos(at.unsigned_abs());
    let moment = if at < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(away)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(away)
    };
    moment.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// How many hard links a file has; 1 where the system does not say.
#[cfg(unix)]
pub(super) fn links(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

/// How many hard links a file has; 1 where the system does not say.
#[cfg(not(unix))]
pub(super) fn links(_: &Metadata) -> u64 {
    1
}

/// Copies the extended attributes as far as the file system and the rights of this process allow.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn copy_extended(from: &File, to: &File) {
    // Attributes come and go between the question for the size and the answer; then it fails, which is allowed.
    let Ok(size) = rustix::fs::flistxattr_query(from) else { return };
    let mut names = vec![0; size];
    let Ok(size) = rustix::fs::flistxattr(from, &mut names[..]) else { return };
    for name in names.get(..size).unwrap_or_default().split(|&byte| byte == 0).filter(|name| !name.is_empty())
    {
        let Ok(size) = rustix::fs::fgetxattr_query(from, name) else { continue };
        let mut value = vec![0; size];
        let Ok(size) = rustix::fs::fgetxattr(from, name, &mut value[..]) else { continue };
        let value = value.get(..size).unwrap_or_default();
        let _ = rustix::fs::fsetxattr(to, name, value, rustix::fs::XattrFlags::empty());
    }
}

/// This system has none that we can copy.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn copy_extended(_: &File, _: &File) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_the_way_there_and_back() {
        for at in [0, 1, -1, 1_753_000_000_123_456_789, i64::MAX, -2_000_000_000_000_000_001] {
            assert_eq!(nanoseconds(moment(at)), Some(at), "{at}");
        }
        assert!(nanoseconds(SystemTime::UNIX_EPOCH + Duration::from_secs(u64::MAX / 4)).is_none());
    }

    #[test]
    fn an_odd_time_from_a_damaged_record_is_no_panic() {
        let _ = moment(i64::MIN);
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    #[test]
    fn extended_attributes_are_copied_where_there_are_any() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) =
            (File::create(dir.path().join("a")).unwrap(), File::create(dir.path().join("b")).unwrap());
        let name = "user.transcript";
        if rustix::fs::fsetxattr(&from, name, b"value", rustix::fs::XattrFlags::empty()).is_err() {
            return; // This file system has none.
        }
        copy_extended(&from, &to);
        let mut value = [0; 16];
        assert_eq!(rustix::fs::fgetxattr(&to, name, &mut value[..]).unwrap(), 5);
        assert_eq!(&value[..5], b"value");
    }
}
