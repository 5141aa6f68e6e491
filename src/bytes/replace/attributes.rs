//! Mode, owner, times and extended attributes, which survive a replacement.

use super::error::ReplaceError;
use crate::bytes::disk;
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Metadata of a file.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Permission bits (Unix only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// User and group ID (Unix only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<(u32, u32)>,
    /// Modification time, in nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtime_ns: Option<i64>,
}

impl Attributes {
    pub fn of(meta: &Metadata) -> Self {
        let (mode, owner) = unix(meta);
        Self { mode, owner, mtime_ns: meta.modified().ok().and_then(nanos_since_epoch) }
    }

    /// Drops the owner if `copy` is set: a copy belongs to the user who makes it.
    pub(super) fn for_copy(mut self, copy: bool) -> Self {
        self.owner = self.owner.filter(|_| !copy);
        self
    }

    /// Sets owner and mode of an open file or folder.
    ///
    /// # Errors
    /// `PermissionDenied` if this process may not set the owner; any other error of the system.
    #[cfg(unix)]
    pub fn set_on(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let now = Self::of(&file.metadata()?);
        if let Some((user, group)) = self.owner.filter(|_| now.owner != self.owner) {
            let (user, group) = (rustix::fs::Uid::from_raw(user), rustix::fs::Gid::from_raw(group));
            rustix::fs::fchown(file, Some(user), Some(group))?;
        }
        // After the owner, because changing the owner clears mode bits.
        self.mode.map_or(Ok(()), |mode| file.set_permissions(std::fs::Permissions::from_mode(mode)))
    }

    /// This system has no owner and mode.
    #[cfg(not(unix))]
    pub fn set_on(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    /// The error of setting them: a refusal means that the owner would change.
    pub(super) fn error(&self, error: io::Error, path: &Path) -> ReplaceError {
        match (error.kind(), self.owner) {
            (io::ErrorKind::PermissionDenied, Some((0, _))) => ReplaceError::Owner("root"),
            (io::ErrorKind::PermissionDenied, _) => ReplaceError::Owner("another user"),
            _ => ReplaceError::Io { path: path.to_path_buf(), source: error },
        }
    }

    /// Sets the modification time.
    ///
    /// # Errors
    /// The system refuses.
    pub fn set_time(&self, file: &File) -> io::Result<()> {
        self.mtime_ns.map_or(Ok(()), |at| file.set_modified(time_from_nanos(at)))
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

fn nanos_since_epoch(at: SystemTime) -> Option<i64> {
    match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(i64::wrapping_neg),
    }
}

fn time_from_nanos(at: i64) -> SystemTime {
    let away = Duration::from_nanos(at.unsigned_abs());
    let time_from_nanos = if at < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(away)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(away)
    };
    time_from_nanos.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Number of hard links of a file; 1 where the system does not say.
#[cfg(unix)]
pub(super) fn links(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

/// Number of hard links of a file; 1 where the system does not say.
#[cfg(not(unix))]
pub(super) fn links(_: &Metadata) -> u64 {
    1
}

/// An extended attribute of a file. Access control lists are stored as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExtendedAttribute {
    /// Any bytes but NUL.
    pub name: Vec<u8>,
    pub value: Vec<u8>,
}

/// Copies extended attributes, as far as the file system and the rights of this process allow.
pub(super) fn copy_extended(from: &File, to: &File) {
    system::extended(from).iter().for_each(|attribute| attribute.set_on(to));
}

impl ExtendedAttribute {
    /// The extended attributes of the file at `path` that this process may see.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(crate) fn of(path: &Path) -> io::Result<Vec<Self>> {
        disk::open_regular(path).map(|(file, _)| system::extended(&file))
    }

    /// Sets the attribute on a file, if the file system and the rights of this process allow it.
    pub(super) fn set_on(&self, file: &File) {
        system::set_on(file, &self.name, &self.value);
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod system {
    use super::{ExtendedAttribute, File};
    use rustix::fs::{
        XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr,
    };

    pub(super) fn extended(file: &File) -> Vec<ExtendedAttribute> {
        // Attributes may change between the two system calls. The second then fails, and the
        // attribute is left out.
        let names = || {
            let mut names = vec![0; flistxattr_query(file).ok()?];
            let size = flistxattr(file, &mut names[..]).ok()?;
            names.truncate(size);
            Some(names)
        };
        let names = names().unwrap_or_default();
        names
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty())
            .filter_map(|name| {
                let mut value = vec![0; fgetxattr_query(file, name).ok()?];
                let size = fgetxattr(file, name, &mut value[..]).ok()?;
                value.truncate(size);
                Some(ExtendedAttribute { name: name.to_vec(), value })
            })
            .collect()
    }

    pub(super) fn set_on(file: &File, name: &[u8], value: &[u8]) {
        let _ = fsetxattr(file, name, value, XattrFlags::empty());
    }
}

/// Extended attributes are not supported on this system.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod system {
    use super::{ExtendedAttribute, File};

    pub(super) fn extended(_: &File) -> Vec<ExtendedAttribute> {
        Vec::new()
    }

    pub(super) fn set_on(_: &File, _: &[u8], _: &[u8]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_whose_the_file_is() {
        for (owner, says) in [(0, "it belongs to root"), (1000, "it belongs to another user")] {
            let own = Attributes { owner: Some((owner, owner)), ..Attributes::default() };
            let why = own.error(io::ErrorKind::PermissionDenied.into(), Path::new(".x.tmp"));
            assert_eq!(why.to_string(), says);
        }
    }

    #[test]
    fn times_round_trip() {
        for at in [0, 1, -1, 1_753_000_000_123_456_789, i64::MAX, -2_000_000_000_000_000_001] {
            assert_eq!(nanos_since_epoch(time_from_nanos(at)), Some(at), "{at}");
        }
        assert!(
            nanos_since_epoch(SystemTime::UNIX_EPOCH + Duration::from_secs(u64::MAX / 4)).is_none()
        );
    }

    #[test]
    fn an_invalid_time_does_not_panic() {
        let _ = time_from_nanos(i64::MIN);
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    #[test]
    fn extended_attributes_are_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (
            File::create(dir.path().join("a")).unwrap(),
            File::create(dir.path().join("b")).unwrap(),
        );
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
