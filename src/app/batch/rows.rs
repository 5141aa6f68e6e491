//! Rows in, a record for each out, in their order: how engines that split the work use this program.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Once;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use crate::app::plan::{self, Planning};
use crate::app::streams::{self, quiet};
use crate::app::{App, Result, exit, judge, owner, repair};
use crate::bytes::overlay::Overlay;
use crate::bytes::source::Entries;
use crate::containers::pool::{self, NextTask};
use crate::find::{Finds, Found, FoundRow};
use crate::outputs::jsonl;
use crate::outputs::paint::Tone;
use crate::repair::Refused;
use crate::report::model::{Applied, AppliedFix, Conversation, RowAt};
use crate::report::repaired::{MissedRow, RepairedRow, WasRow, text_of};

/// Bytes that are read at once. Rows that are there already are done together.
const READ: usize = 256 << 10;
/// Rows that are done together, at most.
const ROWS: usize = 256;
/// Chunks that wait for each thread.
const WAITING: usize = 2;

/// What to say where rows are not read.
pub(crate) const NO_ROWS: &str = "--rows-errors needs --rows --format jsonl -";

/// What the program that wrote the rows writes in all of them cannot be known from one.
const NO_HABITS: &str = "each row of standard input is checked alone, so habits of the program that wrote them count as \
    problems; `check FILE` compares all rows";

/// What is done with each row.
pub(crate) enum BatchWork<'a> {
    Check,
    Repair(&'a Planning),
}

/// Rows that are done together.
struct Chunk {
    /// The line of the first one.
    first: u64,
    rows: Vec<Vec<u8>>,
}

/// Their records, as they are printed.
struct PrintedRecords {
    text: Vec<u8>,
    /// At least one row could not be checked.
    missed: bool,
}

/// Checks or repairs each line of standard input as a conversation of its own, and prints a record for each. Findings do not
/// change the status; a row that cannot be checked does, unless `errors_are_data`.
///
/// # Errors
/// Standard input cannot be read, or standard output cannot be written.
pub(crate) fn rows(app: &App<'_>, work: &BatchWork<'_>, errors_are_data: bool) -> Result<u8> {
    let jobs = app.options.jobs;
    let chunks = read_ahead(BufReader::with_capacity(READ, io::stdin()), jobs);
    let out = RefCell::new(streams::data());
    let batch = RowsContext { app, work, world: owner::Once::default(), habits: Once::new() };
    let mut missed = false;
    let mut next = |waits| {
        if waits {
            // Whoever waits for these records may send more only then.
            out.borrow_mut().flush()?;
            chunks.recv().ok().transpose().map(NextTask::from)
        } else {
            match chunks.try_recv() {
                Ok(chunk) => chunk.map(NextTask::Item),
                Err(TryRecvError::Empty) => Ok(NextTask::Later),
                Err(TryRecvError::Disconnected) => Ok(NextTask::End),
            }
        }
    };
    let mut print = |records: io::Result<PrintedRecords>| {
        let records = records?;
        missed |= records.missed;
        out.borrow_mut().write_all(&records.text)
    };
    let done = pool::in_order(jobs, &mut next, &|chunk| batch.records(chunk), &mut print);
    // A closed pipe: nobody reads the others.
    quiet(done.and_then(|()| out.borrow_mut().flush()))?;
    Ok(if missed && !errors_are_data { exit::NOT_EXAMINED } else { exit::DONE })
}

/// Reads rows on a thread of its own, which nobody waits for: who has seen enough records may leave it waiting for input.
fn read_ahead(
    mut input: BufReader<impl Read + Send + 'static>,
    jobs: usize,
) -> Receiver<io::Result<Chunk>> {
    let (send, chunks) = mpsc::sync_channel(WAITING * jobs);
    thread::spawn(move || {
        let mut first = 1;
        loop {
            let rows = match available(&mut input) {
                Ok(rows) if rows.is_empty() => return,
                rows => rows,
            };
            let count = rows.as_ref().map_or(0, Vec::len) as u64;
            let is_end = rows.is_err();
            let sent = send.send(rows.map(|rows| Chunk { first, rows }));
            if is_end || sent.is_err() {
                return;
            }
            first = first.saturating_add(count);
        }
    });
    chunks
}

/// The next line, and those after it that need not be waited for.
fn available(input: &mut BufReader<impl Read>) -> io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    while lines.len() < ROWS {
        if let Some(end) = memchr::memchr(b'\n', input.buffer()) {
            lines.extend(input.buffer().get(..=end).map(<[u8]>::to_vec));
            input.consume(end + 1);
            continue;
        }
        if !lines.is_empty() {
            break;
        }
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

/// What all rows have in common.
struct RowsContext<'a> {
    app: &'a App<'a>,
    work: &'a BatchWork<'a>,
    world: owner::Once,
    /// Set once it was said that nothing is a habit here.
    habits: Once,
}

impl RowsContext<'_> {
    fn records(&self, chunk: Chunk) -> io::Result<PrintedRecords> {
        let mut records = PrintedRecords { text: Vec::new(), missed: false };
        for (line, row) in (chunk.first..).zip(chunk.rows) {
            let out = &mut records.text;
            let missed = match self.work {
                BatchWork::Check => match self.checked(row, line) {
                    Ok(conversation) => {
                        jsonl::record(&conversation, out)?;
                        continue;
                    }
                    Err(why) => MissedRow::new(line, why, None),
                },
                BatchWork::Repair(planning) => match self.repaired(row.clone(), line, planning) {
                    Ok(repaired) => {
                        jsonl::record(&repaired, out)?;
                        continue;
                    }
                    Err(why) => MissedRow::new(line, why, Some(text_of(row))),
                },
            };
            jsonl::record(&missed, out)?;
            records.missed = true;
        }
        Ok(records)
    }

    /// The conversation of a row; or why it cannot be checked.
    fn checked(&self, row: Vec<u8>, line: u64) -> Result<Conversation, String> {
        let row = self.found(row, line)?;
        let entries = match row.scanned() {
            Some(scanned) => {
                let check = self.app.options.check_at(&row.found.path);
                judge::scanned(self.app, &row.found, scanned, &check)
            }
            None => {
                judge::check_source(self.app, &row.found, &self.world, 1, self.app.introduces())
            }
        };
        let entries = entries.map_err(|why| why.to_string())?;
        self.say_no_habits(&entries.conversations);
        match entries.missed.into_iter().next() {
            Some(why) => Err(why),
            None => Ok(self.app.read(self.conversation(entries.conversations, line)?)),
        }
    }

    /// Says once that rows of standard input are judged alone, if that may matter.
    fn say_no_habits(&self, conversations: &[Conversation]) {
        if conversations.iter().any(|own| own.may_be_habits) {
            self.habits.call_once(|| self.app.say(Tone::Dim, NO_HABITS));
        }
    }

    fn found(&self, row: Vec<u8>, line: u64) -> Result<FoundRow, String> {
        let found = self.app.found_row(row, line);
        found.map_err(|missed| missed.why)
    }

    /// A row about which there is nothing to report, so that there is nothing to repair.
    fn without_findings(
        &self,
        row: &FoundRow,
        line: u64,
        planning: &Planning,
    ) -> Result<Option<RepairedRow>, String> {
        let Some(scanned) = row.scanned() else {
            return Ok(None);
        };
        let entries = judge::scanned(self.app, &row.found, scanned, &planning.check);
        let entries = entries.map_err(|why| why.to_string())?;
        self.say_no_habits(&entries.conversations);
        if !entries.missed.is_empty()
            || !entries.conversations.iter().all(|c| c.findings.is_empty())
        {
            return Ok(None);
        }
        let same = self.conversation(entries.conversations, line)?;
        let applied = Some(Applied { kept: same.records, ..Applied::default() });
        let text = text_of(bytes_of(&row.found.source)?);
        let same = RepairedRow::unchanged(Conversation { applied, ..same }, text);
        Ok(Some(self.app.read(same)))
    }

    /// The same, repaired.
    fn repaired(
        &self,
        row: Vec<u8>,
        line: u64,
        planning: &Planning,
    ) -> Result<RepairedRow, String> {
        let row = self.found(row, line)?;
        if let Some(healthy) = self.without_findings(&row, line, planning)? {
            return Ok(healthy);
        }
        let found = row.found;
        let work = match plan::make(&found, planning.clone(), &self.app.options.reader) {
            Ok(work) => work,
            Err(Refused::Read(why)) => return Err(why.to_string()),
            Err(refused) => return self.refused(&found, line, planning, refused.to_string()),
        };
        if let Some(why) = work.missed.first() {
            return Err(why.clone());
        }
        let text = bytes_of(&Overlay::new(&found.source, &work.patch))?;
        let before = self.conversation(work.before.clone(), line)?;
        if work.patch.is_empty() {
            let applied = Some(work.counts.clone());
            let refused = before.no_safe_fix.clone();
            let same = Conversation { applied, ..before };
            return Ok(self
                .app
                .read(RepairedRow { refused, ..RepairedRow::unchanged(same, text_of(text)) }));
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            let why = "nothing of the row would be left";
            return self.refused(&found, line, planning, why.to_owned());
        }
        if let Err(why) = repair::prove(&work, text.clone()) {
            return self.refused(&found, line, planning, why);
        }
        let overlay = Overlay::new(&found.source, &work.patch);
        let after = plan::entries_of(&found, &overlay, &found.detection, planning)
            .map_err(|why| why.to_string())?;
        let after =
            Conversation { applied: Some(work.counts.clone()), ..self.conversation(after, line)? };
        let taken = work.parts.into_iter().flat_map(|part| part.taken);
        let changes = taken.map(|taken| AppliedFix::of(taken, None).in_row(line)).collect();
        Ok(self.app.read(RepairedRow {
            conversation: after,
            text: text_of(text),
            changed: true,
            before: Some(WasRow::of(before)),
            changes,
            refused: None,
        }))
    }

    /// A row that stays as it is.
    fn refused(
        &self,
        found: &Found,
        line: u64,
        planning: &Planning,
        why: String,
    ) -> Result<RepairedRow, String> {
        let entries = plan::entries_of(found, &found.source, &found.detection, planning);
        let entries = entries.map_err(|why| why.to_string())?;
        let same = self.conversation(entries, line)?;
        let text = text_of(bytes_of(&found.source)?);
        Ok(self.app.read(RepairedRow { refused: Some(why), ..RepairedRow::unchanged(same, text) }))
    }

    /// The conversation of a row, of all entries that are reported about it.
    fn conversation(&self, mut all: Vec<Conversation>, line: u64) -> Result<Conversation, String> {
        match &mut all[..] {
            [_] => judge::set_levels(self.app, &mut all),
            _ => all = judge::report(self.app, all, &Finds::default()).conversations,
        }
        let conversation = one_of(all).ok_or("no conversation in this row")?;
        Ok(placed(conversation, line))
    }
}

fn bytes_of(entries: &dyn Entries) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = entries.ids().into_iter().try_for_each(|id| {
        entries.open(id)?.read_to_end(&mut bytes)?;
        Ok::<(), io::Error>(())
    });
    read.map_err(|why| why.to_string())?;
    Ok(bytes)
}

/// The entry of the row. Of several that were in it, glued together, the worst with the findings of all.
fn one_of(all: Vec<Conversation>) -> Option<Conversation> {
    let (mut worst, mut of_file) = (None::<Conversation>, Vec::new());
    for next in all {
        if next.row.is_none() && next.rows.is_some() {
            of_file.extend(next.findings);
            continue;
        }
        worst = Some(match worst {
            None => next,
            Some(worst) => {
                let (mut kept, given) =
                    if next.verdict > worst.verdict { (next, worst) } else { (worst, next) };
                kept.findings.extend(given.findings);
                kept
            }
        });
    }
    let mut worst = worst?;
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
        for action in &mut finding.resolution.fix.actions {
            action.step.line = Some(line);
        }
    }
    let row = conversation.row.take();
    conversation.row =
        Some(RowAt { line: Some(line), key: row.and_then(|row| row.key), ..RowAt::default() });
    conversation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_there_are_read_together() {
        let mut input = BufReader::new(&b"a\n\nb"[..]);
        let first = available(&mut input).unwrap();
        assert_eq!(first, [b"a\n".to_vec(), b"\n".to_vec()]);
        assert_eq!(available(&mut input).unwrap(), [b"b\n".to_vec()]);
        assert!(available(&mut input).unwrap().is_empty());
    }
}
