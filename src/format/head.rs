//! A sample of a transcript, from which formats detect their own.

mod lines;

use lines::{RECORDS, RestOfLines, SAMPLE, SampleRecord, long_line, split_lines};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::io;
use std::rc::Rc;

use super::foreign::ForeignLines;
use super::plain::sampled;
use super::vocabulary::WordSet;
use crate::bytes::source::{Entries, EntryId, Source, SourceShape, Span};
use crate::containers::Layout;
use crate::json::node::{Node, Owned, TapeText};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Kind, RecordEnd, Tape};

/// The size limit of the sample if that has few lines, or few records of a document.
const LONGEST: u64 = 16 << 20;
/// This many bytes from the start of a line file are kept.
const START: usize = 4096;
/// An object with more members than this is not one record, but a map of them.
const MEMBERS: usize = 64;
/// The number of readable records in the beginning of a sample: a header, settings, and a first exchange. Reading ten cost
/// small files 4 instructions a byte more.
pub(crate) const BEGINNING: usize = 4;
/// This many lines after the first one are examined for elements of a list.
const NEXT: usize = 8;
/// The first keys of a line are looked for in this many bytes.
const FIRST_KEYS: usize = 160;

/// A sample of a transcript.
pub struct Sample<'a> {
    pub entries: &'a dyn Entries,
    /// The name of the folder or file.
    pub name: &'a str,
    /// The only entry, if it is a single file.
    pub single: Option<EntryId>,
    /// The first readable records of a line file. Empty for documents and folders.
    pub(crate) records: Vec<SampleRecord<'a>>,
    /// The first bytes of a line file.
    pub start: Vec<u8>,
    /// Whether a line file has more than one line that is not blank.
    pub several: bool,
    /// The first bytes of a document, which may be cut off. `None` for line files and folders.
    pub document: Option<(Owned, Tape)>,
    /// The lines of a line file between these records that are none.
    pub(crate) foreign: ForeignLines,
    /// The words of its records; all, if they were not looked for.
    pub(crate) words: WordSet,
    /// The first records, each as if it were alone in a file. Filled when rows are searched for.
    pub rows: OnceCell<Vec<Sample<'static>>>,
    /// What is left of a sample of which this is the beginning.
    pub(crate) rest: Option<RestOfLines>,
}

impl<'a> Sample<'a> {
    /// The sample of a folder or an archive: its names.
    pub fn of_names(entries: &'a dyn Entries, name: &'a str) -> Sample<'a> {
        Sample {
            entries,
            name,
            single: None,
            records: Vec::new(),
            start: Vec::new(),
            several: false,
            document: None,
            foreign: ForeignLines::default(),
            words: WordSet::ALL,
            rows: OnceCell::new(),
            rest: None,
        }
    }

    /// The sample of a source: names, or its first records if it is a single file.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn of_source(source: &'a Source, name: &'a str) -> io::Result<Sample<'a>> {
        match source.shape() {
            SourceShape::Folder | SourceShape::Archive => Ok(Sample::of_names(source, name)),
            _ => Sample::of_file(source, EntryId(0), name),
        }
    }

    /// The sample of a single file: its first records.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of_file(
        entries: &'a dyn Entries,
        entry: EntryId,
        name: &'a str,
    ) -> io::Result<Sample<'a>> {
        let head = Sample::of_bytes(entries, entry, name, RECORDS)?;
        Ok(head.with_words())
    }

    /// The beginning of the sample of a single file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn beginning(
        entries: &'a dyn Entries,
        entry: EntryId,
        name: &'a str,
    ) -> io::Result<Sample<'a>> {
        let head = Sample::of_bytes(entries, entry, name, BEGINNING)?;
        Ok(head.with_words())
    }

    /// Whether the sample has more records.
    pub(crate) fn has_rest(&self) -> bool {
        self.rest.is_some()
    }

    /// Whether each line of the rest begins with the same three keys as a record before it, as those of one program do.
    pub(crate) fn rest_begins_alike(&self) -> bool {
        let Some(rest) = &self.rest else {
            return true;
        };
        let records = self.records.iter().filter_map(|(text, _)| text.near());
        let known: Vec<_> = records.map(first_keys).collect();
        let lines = split_lines(rest.bytes.get(rest.next..).unwrap_or_default());
        let held = lines.filter(|line| !line.trim_ascii().is_empty());
        let mut read = held.take(RECORDS - BEGINNING);
        read.all(|line| known.contains(&first_keys(line)))
    }

    /// The whole sample of which this is the beginning.
    pub(crate) fn complete(mut self) -> Sample<'a> {
        let Some(mut rest) = self.rest.take() else {
            return self;
        };
        self.records.extend(rest.take(RECORDS - BEGINNING));
        self.foreign = rest.foreign;
        self.rows = OnceCell::new();
        self.with_words()
    }

    fn of_bytes(
        entries: &'a dyn Entries,
        entry: EntryId,
        name: &'a str,
        count: usize,
    ) -> io::Result<Sample<'a>> {
        let length = entries.len(entry);
        let mut bytes = entries.fetch(Span::new(entry, 0, length.min(SAMPLE)))?;
        while memchr::memchr(b'\n', &bytes).is_none() && read_more(entries, entry, &mut bytes)? {}
        let mut head = Sample { single: Some(entry), ..Sample::of_names(entries, name) };
        let blank = bytes.iter().take_while(|byte| {
            byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF | 0)
        });
        let start = blank.count();
        // An array, or an object that continues after its first line, is a document.
        let continues = goes_on(&bytes[start..]);
        if bytes.get(start) == Some(&b'[') || continues {
            let mut tape = scan(&bytes[start..], ScanMode::Document);
            while lacks_records(&tape, &bytes[start..]) && read_more(entries, entry, &mut bytes)? {
                tape = scan(&bytes[start..], ScanMode::Document);
            }
            // Another object after it: a line file whose first record is indented.
            let next = match tape.end {
                RecordEnd::Trailing { at } => bytes.get(start.saturating_add(at as usize)),
                _ => None,
            };
            if !(continues && next == Some(&b'{')) {
                head.document = Some((Owned(bytes.split_off(start)), tape));
                return Ok(head);
            }
        }
        if bytes.len() as u64 == LONGEST && memchr::memchr(b'\n', &bytes).is_none() {
            let long = long_line(entries, entry)?;
            head.records.extend(long.map(|(text, tape)| (text, Cow::Owned(tape))));
            return Ok(head);
        }
        head.start = bytes[..bytes.len().min(START)].to_vec();
        head.several =
            split_lines(&bytes).filter(|line| !line.trim_ascii().is_empty()).nth(1).is_some();
        let mut lines = RestOfLines::of(bytes);
        head.records = lines.take(count);
        // The record that shows whose they are may be a long one.
        while lines.chooser.knows_nothing() && head.records.len() < BEGINNING {
            head.records.clear();
            let mut bytes = Rc::unwrap_or_clone(lines.bytes);
            let is_more = read_more(entries, entry, &mut bytes)?;
            lines = RestOfLines::of(bytes);
            head.records = lines.take(count);
            if !is_more {
                break;
            }
        }
        if let Some(document) = enclosing_document(&head.records, &lines.bytes[start..]) {
            return Ok(Sample {
                single: Some(entry),
                document: Some(document),
                ..Sample::of_names(entries, name)
            });
        }
        head.foreign = lines.foreign;
        let has_rest = count < RECORDS && lines.next < lines.bytes.len();
        head.rest = Some(lines).filter(|_| has_rest);
        Ok(head)
    }

    /// The sample of one value, as if it were alone in a file. `entries`: what its offsets refer to. Its words are not looked
    /// for.
    pub(crate) fn of_node(entries: &'a dyn Entries, value: Node<'_>) -> Sample<'a> {
        let text = Owned(value.raw().into_owned());
        let mut tape = Tape::default();
        value.tape().cut(value.index(), &mut tape);
        tape.index_keys(&text);
        Sample::of_scanned(entries, text, Cow::Owned(tape))
    }

    /// The same of bytes that were scanned already.
    pub(crate) fn of_scanned(
        entries: &'a dyn Entries,
        text: impl TapeText + 'a,
        tape: Cow<'a, Tape>,
    ) -> Sample<'a> {
        let mut head = Sample { single: Some(EntryId(0)), ..Sample::of_names(entries, "") };
        if *text.get(0, 1) == *b"[" {
            let bytes = text.get(0, u32::MAX).into_owned();
            head.document = Some((Owned(bytes), tape.into_owned()));
        } else if Node::root(&tape, &text).is_some_and(|root| root.members().next().is_some()) {
            head.records.push((Box::new(text), tape));
        }
        head
    }

    /// The same of the only line of a file, which is an object.
    pub(crate) fn of_line(
        entries: &'a dyn Entries,
        name: &'a str,
        line: &'a [u8],
        mut tape: Tape,
    ) -> Sample<'a> {
        tape.index_keys(&line);
        let head = Sample {
            name,
            start: line[..line.len().min(START)].to_vec(),
            ..Sample::of_scanned(entries, line, Cow::Owned(tape))
        };
        head.with_words()
    }

    /// The same for many formats, which are only asked if the words of the records are theirs.
    pub(crate) fn with_words(self) -> Sample<'a> {
        let roots = self.nodes().chain(self.root());
        let words = WordSet::of_records(roots);
        Sample { words, ..self }
    }

    /// Whether it may have one of these words. `None`: any transcript may.
    pub(crate) fn may_have(&self, words: Option<&WordSet>) -> bool {
        words.is_none_or(|words| self.words.meets(words))
    }

    /// The list of records in a document, which may be the only line of a file; otherwise the lines, if they are records.
    pub(crate) fn list(
        &self,
        document: impl Fn(EntryId, Node<'_>) -> Option<Layout>,
        is_lines: impl FnOnce() -> bool,
    ) -> Option<Layout> {
        let entry = self.single?;
        if self.document.is_some() {
            return document(entry, self.root()?);
        }
        let mut nodes = self.nodes();
        let only = nodes.next().filter(|_| nodes.next().is_none());
        only.and_then(|only| document(entry, only))
            .or_else(|| is_lines().then_some(Layout::Lines(entry)))
    }

    /// The lines of a file, if one of the first records is a sign of a format.
    pub(crate) fn lines(&self, is_sign: impl Fn(Node<'_>) -> bool) -> Option<Layout> {
        let entry = self.line_file()?;
        self.nodes().any(is_sign).then_some(Layout::Lines(entry))
    }

    /// The only entry, if it is a file of lines.
    pub(crate) fn line_file(&self) -> Option<EntryId> {
        self.single.filter(|_| self.document.is_none())
    }

    /// The readable records, as nodes.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.records.iter().filter_map(|(text, tape)| Node::root(tape, &**text))
    }

    /// The document, as a node.
    pub fn root(&self) -> Option<Node<'_>> {
        let (bytes, tape) = self.document.as_ref()?;
        Node::root(tape, bytes)
    }

    /// The only value: the document, or the record of a file with a single line.
    pub fn only(&self) -> Option<Node<'_>> {
        self.root().or_else(|| self.nodes().next().filter(|_| !self.several))
    }

    /// The names of all entries, in order.
    pub fn names(&self) -> impl Iterator<Item = (EntryId, &str)> {
        self.entries.ids().into_iter().map(|id| (id, self.entries.name(id)))
    }
}

/// Reads on, up to four times as far. Returns whether there was more that a sample may have.
fn read_more(entries: &dyn Entries, entry: EntryId, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let read = bytes.len() as u64;
    let end = entries.len(entry).min(LONGEST).min(read.saturating_mul(4));
    if read < end {
        entries.append(Span::new(entry, read, end), bytes)?;
    }
    Ok(read < end)
}

/// Whether a document is cut off inside one of its first records: its outermost open list has few items.
fn lacks_records(tape: &Tape, text: &[u8]) -> bool {
    let mut open = Node::root(tape, &text).filter(|_| matches!(tape.end, RecordEnd::Torn));
    let mut is_map = false;
    while let Some(node) = open {
        if node.kind() == Kind::Array {
            return !is_map && sampled(node).count() < RECORDS;
        }
        is_map |= node.members().nth(MEMBERS).is_some();
        let last = node.members().last().map(|(_, value)| value);
        open = last.filter(Node::is_open);
    }
    !is_map && matches!(tape.end, RecordEnd::Torn)
}

/// The first keys of a record, and of objects in it, as far as quotes show them.
fn first_keys(line: &[u8]) -> [Option<&[u8]>; 3] {
    let start = line.get(..FIRST_KEYS).unwrap_or(line);
    let mut words = start.split(|byte| *byte == b'"').skip(1);
    std::array::from_fn(|_| {
        let key = words.next();
        // The next key is after a string and a comma.
        if words.next().is_some_and(|colon| colon.trim_ascii() == b":") {
            words.nth(1);
        }
        key
    })
}

/// Whether the object that begins in the first line continues in the next ones.
fn goes_on(text: &[u8]) -> bool {
    let mut lines = split_lines(text);
    let first = lines.next().unwrap_or_default();
    if !first.starts_with(b"{") {
        return false;
    }
    let held = lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let mut next = held.take(NEXT).peekable();
    let is_layout = is_layout(first);
    let second = next.peek().copied().unwrap_or_default();
    // A record has no comma after it, an element of a list has.
    let element = next.find(|line| line.starts_with(b"{") && line.ends_with(b"},"));
    if element.is_none() && !is_layout {
        return false;
    }
    let end_of = |line: &[u8]| scan(line, ScanMode::Line).end;
    match end_of(first) {
        RecordEnd::Torn | RecordEnd::Bad { .. } if element.is_some_and(|line| matches!(end_of(line), RecordEnd::Trailing { at } if at as usize == line.len() - 1)) => true,
        RecordEnd::Torn if is_layout => {
            !(second.starts_with(b"{") && matches!(end_of(second), RecordEnd::Whole))
        }
        _ => false,
    }
}

/// The document that these records are elements of: a comma or a closing bracket follows one of them on its line, and all lines
/// together can be read as one value, or as its beginning.
fn enclosing_document(records: &[SampleRecord<'_>], text: &[u8]) -> Option<(Owned, Tape)> {
    if !records.iter().any(is_element) {
        return None;
    }
    let tape = scan(text, ScanMode::Document);
    let is_one = matches!(tape.end, RecordEnd::Whole | RecordEnd::Torn);
    is_one.then(|| (Owned(text.to_vec()), tape))
}

/// Whether a comma or a closing bracket follows a record on its line.
fn is_element((text, tape): &SampleRecord<'_>) -> bool {
    let RecordEnd::Trailing { at } = tape.end else {
        return false;
    };
    matches!(*text.get(at, at.saturating_add(1)), [b',' | b']' | b'}'])
}

/// Whether a first line has only an opening bracket, or one with a key. Indented documents start like this; a cut-off record
/// has more.
fn is_layout(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line == b"{" || (line.len() < 200 && matches!(line.last(), Some(b'{' | b'[' | b',')))
}

#[cfg(test)]
mod tests;
