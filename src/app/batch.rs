//! Batches: many conversations in, a record for each out, in their order. Only a few are in memory at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use super::error::NotChecked;
use super::streams::Screen;
use super::{App, Result, exit, judge, owner, parallel};
use crate::find::{Finds, Found};
use crate::outputs::jsonl;
use crate::report::model::{Conversation, RowAt};

/// Bytes that are read ahead: rows that are there already are checked together.
const AHEAD: usize = 1 << 20;
/// Rows that are checked together, at most.
const ROWS: usize = 256;
/// Paths that are checked together.
const PATHS: usize = 512;
/// Longest path.
const LONGEST_PATH: u64 = 1 << 16;

/// Checks each line of standard input as a conversation of its own, and prints a record for each. Findings do not change the
/// status; a row that cannot be checked does, unless `errors_are_data`.
///
/// # Errors
/// Standard input cannot be read, or standard output cannot be written.
pub(crate) fn rows(app: &App<'_>, errors_are_data: bool) -> Result<u8> {
    let mut input = BufReader::with_capacity(AHEAD, io::stdin().lock());
    let mut out = app.stream(Screen::Out);
    let world = owner::Once::look();
    let (mut line, mut missed) = (0u64, false);
    loop {
        let rows: Vec<(u64, Vec<u8>)> = (line.saturating_add(1)..)
            .zip(available(&mut input)?)
            .collect();
        let Some((last, _)) = rows.last() else { break };
        line = *last;
        let size = |(_, bytes): &(u64, Vec<u8>)| bytes.len() as u64;
        let check = |(line, bytes): &(u64, Vec<u8>)| row(app, &world, *line, bytes);
        for (at, checked) in parallel::each(app.options.jobs, &rows, size, check)
            .into_iter()
            .enumerate()
        {
            let written = match checked {
                Ok(conversation) => jsonl::row(&conversation, &mut out),
                Err(why) => {
                    missed = true;
                    let line = rows.get(at).map_or(0, |(line, _)| *line);
                    jsonl::missed_row(line, &why, &mut out)
                }
            };
            match written {
                // Nobody reads the others.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(exit::DONE),
                written => written?,
            }
        }
        // Whoever waits for these records may send more only then.
        super::streams::quiet(out.flush())?;
    }
    Ok(match missed && !errors_are_data {
        true => exit::NOT_EXAMINED,
        false => exit::DONE,
    })
}

/// The next line, and those after it that need not be waited for.
fn available(input: &mut BufReader<impl Read>) -> io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    while lines.is_empty() || (lines.len() < ROWS && input.buffer().contains(&b'\n')) {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        // The end of the input is not the end of a file.
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        lines.push(line);
    }
    Ok(lines)
}

/// The conversation of a row; or why it cannot be checked.
fn row(
    app: &App<'_>,
    world: &owner::Once,
    line: u64,
    bytes: &[u8],
) -> Result<Conversation, String> {
    let found = app.found_row(bytes.to_vec()).map_err(|missed| missed.why)?;
    let told = judged(app, &found, world).map_err(|why| why.to_string())?;
    if let Some(why) = told.missed.into_iter().next() {
        return Err(why);
    }
    let all = judge::report(app, told.conversations, &Finds::default()).conversations;
    let conversation = one_of(all).ok_or("no conversation in this row")?;
    Ok(app.read(placed(conversation, line)))
}

fn judged(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
) -> Result<crate::report::rows::Told, NotChecked> {
    Ok(judge::one(app, found, world, 1)?)
}

/// The entry of the row. Of several that were in it, glued together, the worst with the findings of all.
fn one_of(all: Vec<Conversation>) -> Option<Conversation> {
    let is_own = |c: &Conversation| c.row.is_some() || c.rows.is_none();
    let (own, of_file): (Vec<Conversation>, Vec<Conversation>) = all.into_iter().partition(is_own);
    let mut own = own.into_iter();
    let mut worst = own.next()?;
    for other in own {
        let (mut kept, given) = match other.verdict > worst.verdict {
            true => (other, worst),
            false => (worst, other),
        };
        kept.findings.extend(given.findings);
        worst = kept;
    }
    let of_file = of_file.into_iter().flat_map(|file| file.findings);
    worst.findings.extend(of_file);
    Some(worst)
}

/// A conversation with the line that it is in. Bytes count from the beginning of the line.
fn placed(mut conversation: Conversation, line: u64) -> Conversation {
    for finding in &mut conversation.findings {
        for record in &mut finding.records {
            record.line = Some(line);
            record.range = None;
        }
        for action in &mut finding.fix.actions {
            action.line = Some(line);
        }
    }
    let row = conversation.row.take();
    conversation.row = Some(RowAt {
        line: Some(line),
        index: None,
        key: row.and_then(|row| row.key),
    });
    conversation
}

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
        let input: Box<dyn BufRead> = match list.as_os_str() == "-" {
            true => Box::new(BufReader::new(io::stdin())),
            false => Box::new(BufReader::new(File::open(list)?)),
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
            let read = self
                .input
                .by_ref()
                .take(LONGEST_PATH)
                .read_until(end, &mut path)?;
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

    #[test]
    fn lines_that_are_there_are_read_together() {
        let mut input = BufReader::new(&b"a\n\nb"[..]);
        let first = available(&mut input).unwrap();
        assert_eq!(first, [b"a\n".to_vec(), b"\n".to_vec()]);
        assert_eq!(available(&mut input).unwrap(), [b"b\n".to_vec()]);
        assert!(available(&mut input).unwrap().is_empty());
    }
}
