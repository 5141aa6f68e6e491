//! Reads a large line file on several threads.
//!
//! Each thread reads the clean lines of a batch into a transcript of its own, and their records are
//! moved to the transcript of the file in order. How other lines are read may depend on the lines
//! around them, so they are read in order on the main thread.

use std::ops::Range;

use super::batches::{Batches, LineBatch};
use super::lines::{self, Line, Sink};
use super::{ReadError, RecordReader, Scan, pool};
use crate::bytes::source::{Entries, EntryId, Span};
use crate::bytes::window::{ENTRY, Window};
use crate::json::tape::{RecordEnd, Tape};
use crate::transcript::Transcript;
use crate::transcript::copy::{Copier, RecordGap, Shift};

/// What a thread makes of a batch.
struct Shard {
    transcript: Transcript,
    runs: Vec<LineRun>,
}

/// Lines that follow one another.
enum LineRun {
    /// Their records were read.
    Clean(Range<RecordGap>),
    /// They have to be read in order.
    Others { at: Span, first_line: u64 },
}

/// Reads all lines of an entry.
pub(super) fn read(entry: EntryId, jobs: usize, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let batches = Batches::of(sink.entries, entry);
    read_batches(batches, jobs, sink)
}

fn read_batches(
    mut batches: Batches<'_>,
    jobs: usize,
    sink: &mut Sink<'_>,
) -> Result<(), ReadError> {
    let (entries, reading) = (sink.entries, sink.reading);
    let empty = Transcript::with_hasher_of(sink.t);
    pool::read_in_order(
        jobs,
        &mut || Ok(batches.next()?),
        &|batch| {
            let shard = Shard::read(entries, &batch, reading, &empty);
            (batch, shard)
        },
        &mut |(batch, shard)| shard?.join(&batch, sink),
    )
}

impl Shard {
    fn read(
        entries: &dyn Entries,
        batch: &LineBatch,
        reading: &RecordReader,
        empty: &Transcript,
    ) -> Result<Shard, ReadError> {
        let mut transcript = Transcript::with_hasher_of(empty);
        let mut runs = Vec::new();
        let Some(bytes) = batch.bytes.as_deref() else {
            runs.push(LineRun::Others { at: batch.at, first_line: batch.first_line });
            return Ok(Shard { transcript, runs });
        };
        transcript.reserve(lines::usual_records(bytes.len() as u64));
        let window = Window::new(entries, batch.at, Some(bytes));
        let mut sink = Sink::new(entries, reading, &mut transcript);
        each(&window, batch.first_line, &mut |line, tape| {
            let before = sink.t.mark();
            match (line.bytes.filter(|_| is_clean(&line, tape)), runs.last_mut()) {
                (Some(bytes), last) => {
                    sink.record(&line, tape, &bytes);
                    match last {
                        Some(LineRun::Clean(marks)) => marks.end = sink.t.mark(),
                        _ => runs.push(LineRun::Clean(before..sink.t.mark())),
                    }
                }
                (None, Some(LineRun::Others { at, .. })) => at.end = line.at.end,
                (None, _) => runs.push(LineRun::Others { at: line.at, first_line: line.number }),
            }
            Ok(())
        })?;
        Ok(Shard { transcript, runs })
    }

    /// Adds what was read, and reads the other lines.
    fn join(&self, batch: &LineBatch, sink: &mut Sink<'_>) -> Result<(), ReadError> {
        let mut copier = Copier::new(&self.transcript);
        for run in &self.runs {
            match run {
                LineRun::Clean(marks) => {
                    sink.flush();
                    copier.copy(sink.t, marks, Shift::default());
                }
                LineRun::Others { at, first_line } => {
                    let window = Window::new(sink.entries, *at, batch.slice(*at));
                    each(&window, *first_line, &mut |line, tape| sink.line(line, tape))?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a line is a record whatever the lines around it are.
fn is_clean(line: &Line<'_>, tape: &Tape) -> bool {
    matches!(tape.end, RecordEnd::Whole)
        && tape.flaws.is_empty()
        && !line.unended
        && line.bytes.is_some()
}

/// Calls `each` with the lines of a part of a file, placed in the file.
pub(super) fn each(
    window: &Window<'_>,
    first_line: u64,
    each: &mut dyn FnMut(Line<'_>, &Tape) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    lines::each(window, ENTRY, &mut Scan::of_lines(), &mut |line, tape| {
        let placed =
            Line { number: first_line + line.number - 1, at: window.shifted(line.at), ..line };
        each(placed, tape)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::Source;
    use crate::hosts;
    use crate::transcript::copy::same_facts;

    /// Files of fixtures, and what else a cut may fall into.
    fn samples() -> Vec<Vec<u8>> {
        let fixtures = ignore::Walk::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
        let files = fixtures.flatten().map(ignore::DirEntry::into_path);
        let lines = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        let mut samples: Vec<Vec<u8>> = lines.map(|path| std::fs::read(path).unwrap()).collect();
        samples.sort();
        samples.dedup();
        samples.retain(|bytes| bytes.len() < 20_000);
        assert!(samples.len() > 100, "{}", samples.len());
        samples.extend([
            Vec::new(),
            b"\n".to_vec(),
            b"{\"id\":\"a\"}\r\n\r\n{\"id\":\"b\"}\r\n{\"id\":".to_vec(),
            b"{\"type\":\"message\",\"x\":\"\n\",\"id\":\"1\"}\n{}\n\0\0\n{\"id\":\"2\"}{\"id\":\"3\"}".to_vec(),
        ]);
        samples
    }

    #[test]
    fn facts_do_not_depend_on_threads_and_cuts() {
        let readers: Vec<&RecordReader> =
            ["claude-code", "pi", "codex", "openhands", "openai-chat"]
                .iter()
                .map(|name| &hosts::by_name(name).unwrap().records)
                .collect();
        for (number, bytes) in samples().into_iter().enumerate() {
            let source = Source::memory("x", vec![("x".to_owned(), bytes.clone())]);
            // Two readers a file: also one that does not expect it.
            for reading in [readers[number % 5], readers[(number + 1) % 5]] {
                let mut one = Transcript::default();
                lines::read(&source, EntryId(0), reading, 1, &mut one).unwrap();
                for (jobs, chunk) in [(1, 64), (2, 1000), (3, 5000)] {
                    let mut several = Transcript::with_hasher_of(&one);
                    let mut sink = Sink::new(&source, reading, &mut several);
                    let batches = Batches::of(&source, EntryId(0));
                    read_batches(batches.of_bytes(chunk), jobs, &mut sink).unwrap();
                    sink.flush();
                    let text = String::from_utf8_lossy(&bytes);
                    assert!(same_facts(&one, &several), "{jobs} {chunk}: {text}");
                }
            }
        }
    }
}
