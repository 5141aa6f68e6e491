//! The lines of a sample: the first ones, and the rest that is examined only if it is needed.

use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId};
use crate::format::foreign::ForeignLines;
use crate::format::plain::RecordChooser;
use crate::json::node::{Node, TapeText};
use crate::json::scan::{ScanMode, Scanner};
use crate::json::tape::Tape;
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::rc::Rc;

/// The size of the sample of a single file, in bytes.
pub(super) const SAMPLE: u64 = 1 << 20;

/// The number of readable records in a sample.
pub(super) const RECORDS: usize = 20;

/// The lines of these bytes, without their endings.
pub(super) fn split_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let end = memchr::memchr(b'\n', bytes);
        rest = end.map(|end| &bytes[end + 1..]);
        Some(&bytes[..end.unwrap_or(bytes.len())])
    })
}

/// Some bytes of a sample, which all its records share.
struct SharedBytes {
    sample: Rc<Vec<u8>>,
    at: Range<usize>,
}

impl SharedBytes {
    fn bytes(&self) -> &[u8] {
        self.sample.get(self.at.clone()).unwrap_or_default()
    }
}

impl TapeText for SharedBytes {
    fn get(&self, start: u32, end: u32) -> Cow<'_, [u8]> {
        TapeText::get(self.bytes(), start, end)
    }

    fn near(&self) -> Option<&[u8]> {
        Some(self.bytes())
    }
}

/// A record of a sample, and its tokens.
pub(super) type SampleRecord<'a> = (Box<dyn TapeText + 'a>, Cow<'a, Tape>);

/// The lines of a sample that were not read yet.
pub(crate) struct RestOfLines {
    pub(super) bytes: Rc<Vec<u8>>,
    pub(super) next: usize,
    pub(super) foreign: ForeignLines,
    pub(super) chooser: RecordChooser,
}

impl RestOfLines {
    pub(super) fn of(bytes: Vec<u8>) -> RestOfLines {
        RestOfLines {
            bytes: Rc::new(bytes),
            next: 0,
            foreign: ForeignLines::default(),
            chooser: RecordChooser::default(),
        }
    }

    /// The next lines that can be read and hold something.
    pub(super) fn take<'a>(&mut self, count: usize) -> Vec<SampleRecord<'a>> {
        // Every tape is a copy of this one, which has grown to the longest, so that none grows again.
        let bytes = Rc::clone(&self.bytes);
        let (mut scanner, mut tape) = (Scanner::of_lines(), Tape::for_bytes(bytes.len()));
        let mut records = Vec::new();
        for whole in split_lines(bytes.get(self.next..).unwrap_or_default()) {
            let end = self.next + whole.trim_ascii_end().len();
            self.next += whole.len() + 1;
            let line = whole.trim_ascii();
            let line = &line
                [line.iter().take_while(|byte| matches!(byte, 0xEF | 0xBB | 0xBF | 0)).count()..];
            if line.is_empty() {
                continue;
            }
            scanner.start(&mut tape);
            if scanner.feed(line, &mut tape).is_none() {
                scanner.finish(&mut tape);
            }
            self.foreign.add(line, &tape);
            // However many records follow, they are quoted in a text.
            if self.foreign.least_records() > RECORDS as u32 {
                self.next = bytes.len();
                break;
            }
            let root = Node::root(&tape, &line).filter(|root| root.members().next().is_some());
            if root.is_none_or(|root| !self.chooser.takes(root)) {
                continue;
            }
            // Every format asks for its keys.
            tape.index_keys(&line);
            let part = SharedBytes { sample: Rc::clone(&bytes), at: end - line.len()..end };
            let text = Box::new(part) as Box<dyn TapeText>;
            records.push((text, Cow::Owned(tape.clone())));
            if records.len() == count {
                break;
            }
        }
        records
    }
}

/// A first line that is too long to keep: its tokens, and a text that reads values again.
pub(super) fn long_line<'a>(
    entries: &'a dyn Entries,
    entry: EntryId,
) -> io::Result<Option<(Box<dyn TapeText + 'a>, Tape)>> {
    let (mut scanner, mut tape) = (Scanner::new(ScanMode::Line), Tape::default());
    scanner.start(&mut tape);
    let mut input = entries.open(entry)?;
    let mut chunk = vec![0; SAMPLE as usize];
    loop {
        let read = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if read == 0 {
            scanner.finish(&mut tape);
        }
        if read == 0 || scanner.feed(&chunk[..read], &mut tape).is_some() {
            let far: Box<dyn TapeText + 'a> = Box::new(LongRecord::new(entries, entry, 0));
            let known =
                Node::root(&tape, &*far).is_some_and(|root| root.members().next().is_some());
            return Ok(known.then_some((far, tape)));
        }
    }
}
