//! From byte edits to hunks of lines.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;

use crate::bytes::patch::ByteEdit;

/// Unchanged lines before and after a change.
const CONTEXT: u64 = 3;

/// Whole lines that change together.
#[derive(Debug)]
struct Region<'a> {
    /// The old lines, as bytes of the entry; empty where lines are only inserted.
    old: Range<u64>,
    /// Position of the first old line, from 0.
    line: u64,
    /// How many old lines.
    lines: u64,
    /// The edits in them.
    edits: &'a [ByteEdit],
}

/// Regions that are close together, with the lines around them.
#[derive(Debug)]
pub(super) struct Hunk<'a> {
    /// The old lines, context too, as bytes of the entry.
    pub at: Range<u64>,
    /// Position of the first old line, from 0.
    pub line: u64,
    regions: Vec<Region<'a>>,
}

/// The hunks of an entry whose bytes these are, from the front. The edits are sorted and disjoint.
pub(super) fn hunks<'a>(from: &mut dyn Read, edits: &'a [ByteEdit]) -> io::Result<Vec<Hunk<'a>>> {
    let mut walk = HunkWalk { edits, ..HunkWalk::default() };
    let (mut start, mut at) = (0u64, 0u64);
    super::pieces(from, |piece| {
        for end in memchr::memchr_iter(b'\n', piece) {
            let end = at.saturating_add(end as u64).saturating_add(1);
            walk.line(start, end, true);
            start = end;
        }
        at = at.saturating_add(piece.len() as u64);
    })?;
    if start < at {
        walk.line(start, at, false);
    }
    Ok(walk.finish(at))
}

/// The state between two lines.
#[derive(Default)]
struct HunkWalk<'a> {
    edits: &'a [ByteEdit],
    /// Position of the first edit that no region has yet.
    next: usize,
    /// Position of the current line, from 0.
    no: u64,
    /// Starts of the lines before the current one, at most [`CONTEXT`].
    recent: VecDeque<u64>,
    /// The region that is not closed yet: its first edit, and whether its last edit starts at the start of a line.
    open: Option<(Region<'a>, usize, bool)>,
    hunks: Vec<Hunk<'a>>,
    /// Lines of context that the last hunk still gets.
    behind: u64,
}

impl<'a> HunkWalk<'a> {
    /// The line at bytes `start..end`.
    fn line(&mut self, start: u64, end: u64, ended: bool) {
        if self.open.is_none() {
            if let Some(edit) = self.peek().filter(|e| e.end == start && e.with.ends_with(b"\n")) {
                debug_assert_eq!(edit.start, start);
                self.next += 1;
                self.push(Region {
                    old: start..start,
                    line: self.no,
                    lines: 0,
                    edits: &self.edits[self.next - 1..self.next],
                });
            }
            if self.touches(end, ended) {
                self.open = Some((
                    Region { old: start..start, line: self.no, lines: 0, edits: &[] },
                    self.next,
                    false,
                ));
            } else if self.behind > 0 {
                self.behind -= 1;
                if let Some(hunk) = self.hunks.last_mut() {
                    hunk.at.end = end;
                }
            }
        }
        if let Some((mut region, first, mut fresh)) = self.open.take() {
            region.old.end = end;
            region.lines += 1;
            while self.touches(end, ended) {
                fresh = self.peek().is_some_and(|edit| edit.start == start);
                self.next += 1;
            }
            if self.is_whole(end, fresh) {
                region.edits = &self.edits[first..self.next];
                self.push(region);
            } else {
                self.open = Some((region, first, fresh));
            }
        }
        self.no += 1;
        self.recent.push_back(start);
        if self.recent.len() as u64 > CONTEXT {
            self.recent.pop_front();
        }
    }

    fn peek(&self) -> Option<&'a ByteEdit> {
        self.edits.get(self.next)
    }

    /// Whether the next edit changes a line that ends here.
    fn touches(&self, end: u64, ended: bool) -> bool {
        self.peek().is_some_and(|edit| edit.start < end || (edit.start == end && !ended))
    }

    /// Whether the new text of the open region ends with a line feed, or is empty, at the old line end `end`.
    fn is_whole(&self, end: u64, fresh: bool) -> bool {
        self.next.checked_sub(1).and_then(|n| self.edits.get(n)).is_none_or(|last| {
            match last.end.cmp(&end) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal if last.with.is_empty() => fresh,
                std::cmp::Ordering::Equal => last.with.ends_with(b"\n"),
                std::cmp::Ordering::Greater => false,
            }
        })
    }

    fn push(&mut self, region: Region<'a>) {
        let end = region.old.end;
        let near = self.hunks.last().and_then(|hunk| hunk.regions.last()).is_some_and(|last| {
            region.line.saturating_sub(last.line.saturating_add(last.lines)) <= 2 * CONTEXT
        });
        match self.hunks.last_mut().filter(|_| near) {
            Some(hunk) => {
                hunk.at.end = end;
                hunk.regions.push(region);
            }
            None => {
                // The lines of the region itself may be among the recent ones.
                let starts: Vec<u64> =
                    self.recent.iter().copied().filter(|at| *at < region.old.start).collect();
                let from = starts.first().copied().unwrap_or(region.old.start);
                let line = region.line.saturating_sub(starts.len() as u64);
                self.hunks.push(Hunk { at: from..end, line, regions: vec![region] });
            }
        }
        self.behind = CONTEXT;
    }

    fn finish(mut self, len: u64) -> Vec<Hunk<'a>> {
        let rest = self.next;
        match self.open.take() {
            Some((mut region, first, _)) => {
                region.edits = &self.edits[first..];
                self.push(region);
            }
            None if rest < self.edits.len() => {
                self.push(Region {
                    old: len..len,
                    line: self.no,
                    lines: 0,
                    edits: &self.edits[rest..],
                });
            }
            None => {}
        }
        self.hunks
    }
}

impl Hunk<'_> {
    /// The lines of the hunk, whose old bytes these are, each with its sign and its ending. `None`: an edit is not
    /// inside them.
    pub(super) fn body<'b>(&self, old: &'b [u8]) -> Option<Vec<(u8, std::borrow::Cow<'b, [u8]>)>> {
        let offset = |at: u64| usize::try_from(at.checked_sub(self.at.start)?).ok();
        let mut out = Vec::new();
        let mut at = 0;
        let push_lines = |sign: u8, part: &'b [u8], out: &mut Vec<_>| {
            out.extend(lines(part).map(|line| (sign, std::borrow::Cow::Borrowed(line))));
        };
        for region in &self.regions {
            let (start, end) = (offset(region.old.start)?, offset(region.old.end)?);
            push_lines(b' ', old.get(at..start)?, &mut out);
            push_lines(b'-', old.get(start..end)?, &mut out);
            let mut new = Vec::new();
            let mut from = start;
            for edit in region.edits {
                new.extend_from_slice(old.get(from..offset(edit.start)?)?);
                new.extend_from_slice(&edit.with);
                from = offset(edit.end)?;
            }
            new.extend_from_slice(old.get(from..end)?);
            out.extend(lines(&new).map(|line| (b'+', std::borrow::Cow::Owned(line.to_vec()))));
            at = end;
        }
        push_lines(b' ', old.get(at..)?, &mut out);
        Some(out)
    }
}

/// Lines with their endings.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|b| *b == b'\n')
}
