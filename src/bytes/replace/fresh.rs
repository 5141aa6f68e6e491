//! New files that appear only when they are complete.

use std::fs::File;
use std::io;
use std::path::Path;

use super::FILE_SUFFIX;
use super::beside::without_temp_name;

/// What happens if there is a file already where a new one is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Replaced,
    /// Nothing is written.
    Refused,
}

impl Existing {
    /// Replaced if the user asked for it (`--force`).
    pub(crate) fn replaced_if(force: bool) -> Existing {
        if force { Existing::Replaced } else { Existing::Refused }
    }
}

/// Who may read a new file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Only the owner: transcripts hold secrets.
    Owner,
    /// Everyone whom the user's mask allows.
    Others,
}

/// Writes a file under a hidden name next to `out`, and renames it when it is complete.
///
/// # Errors
/// The file cannot be written. `out` is then unchanged.
pub(crate) fn write_new_file(
    out: &Path,
    existing: Existing,
    readers: Readers,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let around =
        out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(FILE_SUFFIX);
    #[cfg(unix)]
    if readers == Readers::Others {
        // The system applies the user's mask to this.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = readers;
    let mut temp = builder.tempfile_in(around).map_err(without_temp_name)?;
    fill(temp.as_file_mut())?;
    temp.as_file().sync_all()?;
    let done = match existing {
        Existing::Replaced => temp.persist(out),
        Existing::Refused => temp.persist_noclobber(out),
    };
    done.map(|_| ()).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_new_file_is_complete_or_absent() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("report");
        let failed = write_new_file(&out, Existing::Replaced, Readers::Others, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err() && std::fs::read_dir(folder.path()).unwrap().next().is_none());
        write_new_file(&out, Existing::Refused, Readers::Others, |file| file.write_all(b"one"))
            .unwrap();
        let again =
            write_new_file(&out, Existing::Refused, Readers::Others, |file| file.write_all(b"two"));
        assert_eq!(again.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        write_new_file(&out, Existing::Replaced, Readers::Others, |file| file.write_all(b"three"))
            .unwrap();
        assert_eq!(std::fs::read(&out).unwrap(), b"three");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
