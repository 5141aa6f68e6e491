//! Batches: lists of paths, and rows, of any length. Only a few are in memory at a time.

mod rows;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

pub(crate) use rows::{BatchWork, NO_ROWS, rows};

/// Paths that are checked together.
const PATHS: usize = 512;
/// Longest path.
const LONGEST_PATH: u64 = 1 << 16;

/// Paths of a list, some at a time.
pub(crate) struct Paths {
    input: Box<dyn BufRead>,
    end: Option<u8>,
}

impl Paths {
    /// Opens a list, `-` for standard input: a path per line, or each path with a NUL byte after it.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) fn open(list: &Path) -> io::Result<Paths> {
        let input: Box<dyn BufRead> = if list.as_os_str() == "-" {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(list)?))
        };
        Ok(Paths { input, end: None })
    }

    /// The next paths; none at the end.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        while paths.len() < PATHS {
            let end = match self.end {
                Some(end) => end,
                None => separator(&mut *self.input)?,
            };
            self.end = Some(end);
            let mut path = Vec::new();
            let read = self.input.by_ref().take(LONGEST_PATH).read_until(end, &mut path)?;
            if read == 0 {
                break;
            }
            path.pop_if(|last| *last == end);
            if end == b'\n' {
                path.pop_if(|last| *last == b'\r');
            }
            if !path.is_empty() {
                paths.push(path_of(path)?);
            }
        }
        Ok(paths)
    }

    /// All of them.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn all(mut self) -> io::Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        loop {
            let next = self.next()?;
            if next.is_empty() {
                return Ok(all);
            }
            all.extend(next);
        }
    }
}

/// What is after each path: NUL where the beginning has one, else a line feed.
fn separator(input: &mut dyn BufRead) -> io::Result<u8> {
    let has_nul = input.fill_buf()?.contains(&0);
    Ok(if has_nul { 0 } else { b'\n' })
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> io::Result<PathBuf> {
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_lines_or_nul_bytes() {
        let paths = |bytes: &'static [u8]| {
            let input: Box<dyn BufRead> = Box::new(bytes);
            Paths { input, end: None }.all().unwrap()
        };
        let wanted = [PathBuf::from("a b"), PathBuf::from("c")];
        assert_eq!(paths(b"a b\nc"), wanted);
        assert_eq!(paths(b"a b\r\n\nc\n"), wanted);
        assert_eq!(paths(b"a b\0c\0"), wanted);
        assert_eq!(paths(b"a\nb\0"), [PathBuf::from("a\nb")]);
        assert_eq!(paths(b""), [] as [PathBuf; 0]);
    }
}
