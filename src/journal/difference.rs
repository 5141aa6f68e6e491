//! How files differ from what an operation wrote.

use super::record::Operation;
use crate::bytes::checksum::Checksum;
use crate::bytes::disk;
use crate::bytes::replace::{FileListing, Fingerprint};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

/// A file or folder that differs from what an operation wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoDifference {
    pub path: PathBuf,
    pub how: DifferenceKind,
}

/// How a file or folder differs from what was written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It starts with what was written, and `bytes` were appended.
    Longer {
        bytes: u64,
        /// Number of line feeds among them.
        lines: u64,
    },
    /// Its content changed.
    Other {
        /// Size in bytes as written.
        was: u64,
        /// Size in bytes now.
        now: u64,
    },
    /// It does not exist or cannot be read.
    Gone,
    /// Files were added to or removed from a folder.
    Files {
        /// Number of files as written.
        was: u64,
        /// Number of files now.
        now: u64,
    },
}

pub(super) fn differences(operation: &Operation) -> Vec<UndoDifference> {
    let mut list = Vec::new();
    for unit in &operation.units {
        let path = unit.path(&operation.head.place);
        if let Some(was) = unit.listing {
            let how = match FileListing::of(&path) {
                Ok(now) if now == was => continue,
                Ok(now) => DifferenceKind::Files { was: was.count, now: now.count },
                Err(_) => DifferenceKind::Gone,
            };
            list.push(UndoDifference { path, how });
        }
    }
    for state in operation.files.iter().map(|file| &file.state) {
        let Some((name, after)) = state.to.as_deref().zip(state.after) else {
            continue;
        };
        let path = operation.head.place.file(name);
        if let Some(how) = compare(&path, &after).unwrap_or(Some(DifferenceKind::Gone)) {
            list.push(UndoDifference { path, how });
        }
    }
    list
}

/// How a file differs from what was written.
pub(super) fn compare(path: &Path, after: &Fingerprint) -> io::Result<Option<DifferenceKind>> {
    let (file, stamp) = disk::open_regular(path)?;
    let mut reader = io::BufReader::with_capacity(1 << 16, file);
    let (sum, size) = Checksum::of(&mut reader.by_ref().take(after.size))?;
    if (sum, size) != (after.sha256, after.size) {
        return Ok(Some(DifferenceKind::Other { was: after.size, now: stamp.len }));
    }
    let (mut bytes, mut lines) = (0u64, 0u64);
    loop {
        let more = reader.fill_buf()?;
        if more.is_empty() {
            break;
        }
        let count = more.len();
        bytes = bytes.saturating_add(count as u64);
        lines = lines.saturating_add(memchr::memchr_iter(b'\n', more).count() as u64);
        reader.consume(count);
    }
    Ok((bytes > 0).then_some(DifferenceKind::Longer { bytes, lines }))
}
