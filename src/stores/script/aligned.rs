//! Which line of a repaired list is which line of the list before.

use crate::bytes::patch::ByteEdit;

/// A line of the repaired list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AlignedLine {
    /// The line that it was, counted from 0.
    pub old: Option<usize>,
    pub bytes: Vec<u8>,
}

/// The lines that edits make of `old`: a line is the one of which it has a byte. One that was written anew is the line that it
/// replaces, or the one with its bytes that went elsewhere.
pub(super) fn lines(old: &[u8], edits: &[ByteEdit]) -> Vec<AlignedLine> {
    let mut out =
        Alignment { lines: Vec::new(), now: AlignedLine { old: None, bytes: Vec::new() } };
    let (mut at, mut line) = (0, 0);
    let end = old.len() as u64;
    for edit in edits.iter().map(Some).chain([None]) {
        let (start, resume) = edit.map_or((end, end), |edit| (edit.start, edit.end));
        for byte in part(old, at, start) {
            out.push(*byte, Some(line));
            line += usize::from(*byte == b'\n');
        }
        for byte in edit.iter().flat_map(|edit| &edit.with) {
            out.push(*byte, None);
        }
        line += part(old, start, resume).iter().filter(|byte| **byte == b'\n').count();
        at = resume;
    }
    out.end_line();
    let before: Vec<&[u8]> =
        old.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty()).collect();
    find_moved(&before, &mut out.lines);
    find_replaced(before.len(), &mut out.lines);
    out.lines
}

fn part(bytes: &[u8], start: u64, end: u64) -> &[u8] {
    bytes.get(start as usize..end as usize).unwrap_or_default()
}

struct Alignment {
    lines: Vec<AlignedLine>,
    now: AlignedLine,
}

impl Alignment {
    fn push(&mut self, byte: u8, from: Option<usize>) {
        if byte == b'\n' {
            return self.end_line();
        }
        self.now.bytes.push(byte);
        let is_taken = |line| self.lines.last().is_some_and(|last| last.old == Some(line));
        if self.now.old.is_none() && from.is_some_and(|line| !is_taken(line)) {
            self.now.old = from;
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::replace(&mut self.now, AlignedLine { old: None, bytes: Vec::new() });
        if !line.bytes.trim_ascii().is_empty() {
            self.lines.push(line);
        }
    }
}

/// Lines that were cut out and inserted elsewhere.
fn find_moved(before: &[&[u8]], lines: &mut [AlignedLine]) {
    for at in 0..lines.len() {
        if lines[at].old.is_some() {
            continue;
        }
        let is_free = |old: &usize| !lines.iter().any(|line| line.old == Some(*old));
        let mut same = (0..before.len()).filter(|old| before[*old] == lines[at].bytes);
        lines[at].old = same.find(is_free);
    }
}

/// A line that is between the same two as exactly one line before.
fn find_replaced(before: usize, lines: &mut [AlignedLine]) {
    for at in 0..lines.len() {
        let around = |line: Option<&AlignedLine>| line.is_none_or(|line| line.old.is_some());
        let above = at.checked_sub(1).and_then(|above| lines.get(above));
        if lines[at].old.is_some() || !around(above) || !around(lines.get(at + 1)) {
            continue;
        }
        let start = above.and_then(|line| line.old).map_or(0, |old| old + 1);
        let end = lines.get(at + 1).and_then(|line| line.old).unwrap_or(before);
        if end.checked_sub(start) == Some(1) && !lines.iter().any(|line| line.old == Some(start)) {
            lines[at].old = Some(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(edits: &[(u64, u64, &str)]) -> Vec<(Option<usize>, String)> {
        let edits: Vec<ByteEdit> = edits
            .iter()
            .map(|(start, end, with)| ByteEdit {
                start: *start,
                end: *end,
                with: with.as_bytes().to_vec(),
            })
            .collect();
        let lines = lines(b"one\ntwo\nthree\n", &edits);
        lines.into_iter().map(|own| (own.old, String::from_utf8(own.bytes).unwrap())).collect()
    }

    #[test]
    fn each_line_is_found_again() {
        let line = |old: Option<usize>, text: &str| (old, text.to_owned());
        let (one, two, three) =
            (line(Some(0), "one"), line(Some(1), "two"), line(Some(2), "three"));
        for (edits, expected) in [
            (&[][..], vec![one.clone(), two.clone(), three.clone()]),
            (&[(4, 8, "")], vec![one.clone(), three.clone()]),
            (&[(4, 4, "new\n")], vec![one.clone(), line(None, "new"), two.clone(), three.clone()]),
            (&[(7, 7, "\nnew")], vec![one.clone(), two.clone(), line(None, "new"), three.clone()]),
            (&[(5, 6, "W")], vec![one.clone(), line(Some(1), "tWo"), three.clone()]),
            (&[(4, 7, "2")], vec![one.clone(), line(Some(1), "2"), three.clone()]),
            (&[(0, 4, ""), (14, 14, "one\n")], vec![two.clone(), three.clone(), one.clone()]),
            (&[(3, 4, "")], vec![line(Some(0), "onetwo"), three.clone()]),
            (&[(1, 1, "\n")], vec![line(Some(0), "o"), line(None, "ne"), two, three]),
        ] {
            assert_eq!(aligned(edits), expected, "{edits:?}");
        }
    }
}
