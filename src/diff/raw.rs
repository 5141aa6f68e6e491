//! The byte-exact unified diff, made from our own edits: `patch -p1` and `git apply` accept it.
//!
//! Nothing is compared, so a file of any size costs one pass over its line feeds. Whole files that come, go or get
//! another name are in git's extended headers.

mod hunks;
mod name;

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Write};

use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::outputs::paint::{Tone, paint};
use crate::report::text::{bytes_text, escape, fit};

pub(crate) use name::Folder;

/// Columns of a line on a terminal.
const SHOWN: usize = 400;

/// Who reads the diff.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum DiffReader {
    /// A program: every byte as it is, without color.
    Program,
    /// A program that was promised colors: every byte as it is, with colors around the lines.
    Colored,
    /// A person at a terminal: colored, escaped, long lines cut.
    Person,
}

/// Writes what `patch`, which is against `base`, changes, below `folder`.
///
/// # Errors
/// The base cannot be read, an edit is not inside its entry, or `out` does not take it.
pub(crate) fn write(
    base: &dyn Entries,
    patch: &Patch,
    folder: &Folder,
    reader: DiffReader,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = DiffPage { reader, out };
    // Removals first and new files last: programs that apply a diff from the front find every name free.
    for entry in patch.changed_entries().filter(|entry| patch.removes(*entry)) {
        let name = folder.name(base.name(entry));
        let whole = base.fetch(Span { entry, start: 0, end: base.len(entry) })?;
        page.head((&name, &name), &[b"deleted file mode 100644"])?;
        page.empty(&whole, "e69de29..0000000")?;
        page.whole(&whole, &name, b'-')?;
    }
    for entry in in_order(base, patch) {
        let old = folder.name(base.name(entry));
        let new = patch.new_name(entry).map_or_else(|| old.clone(), |name| folder.name(name));
        changed_entry(base, patch, entry, (&old, &new), &mut page)?;
    }
    for (name, bytes) in patch.created() {
        let name = folder.name(name);
        page.head((&name, &name), &[b"new file mode 100644"])?;
        page.empty(bytes, "0000000..e69de29")?;
        page.whole(bytes, &name, b'+')?;
    }
    Ok(())
}

/// The entries that stay, each after the one whose name it takes. Of a circle of names one has to be first.
fn in_order(base: &dyn Entries, patch: &Patch) -> Vec<EntryId> {
    let staying: Vec<EntryId> =
        patch.changed_entries().filter(|entry| !patch.removes(*entry)).collect();
    let owners: HashMap<&str, EntryId> =
        staying.iter().map(|entry| (base.name(*entry), *entry)).collect();
    let mut seen = HashSet::new();
    let mut out = Vec::with_capacity(staying.len());
    for entry in staying {
        let mut chain = Vec::new();
        let mut next = Some(entry);
        while let Some(entry) = next.filter(|entry| seen.insert(*entry)) {
            chain.push(entry);
            next = patch.new_name(entry).and_then(|name| owners.get(name)).copied();
        }
        out.extend(chain.into_iter().rev());
    }
    out
}

/// An entry that stays, edited or under another name.
fn changed_entry(
    base: &dyn Entries,
    patch: &Patch,
    entry: EntryId,
    (old, new): (&[u8], &[u8]),
    page: &mut DiffPage<'_>,
) -> io::Result<()> {
    let edits = patch.bytes_of(entry);
    let mut more: Vec<Vec<u8>> = Vec::new();
    if old != new {
        let percent = if edits.is_empty() { 100 } else { 90 };
        more.push(format!("similarity index {percent}%").into_bytes());
        more.push([b"rename from ", &*name::quote(b"", old)].concat());
        more.push([b"rename to ", &*name::quote(b"", new)].concat());
    }
    let more: Vec<&[u8]> = more.iter().map(Vec::as_slice).collect();
    page.head((old, new), &more)?;
    if edits.is_empty() {
        return Ok(());
    }
    page.files(Some(old), Some(new))?;
    let mut moved = 0i128;
    for hunk in hunks::hunks(&mut *base.open(entry)?, edits)? {
        let old = base.fetch(Span { entry, start: hunk.at.start, end: hunk.at.end })?;
        moved += page.hunk(&hunk, &old, moved)?;
    }
    Ok(())
}

/// The diff as it is written.
struct DiffPage<'a> {
    reader: DiffReader,
    out: &'a mut dyn Write,
}

impl DiffPage<'_> {
    fn head(&mut self, (old, new): (&[u8], &[u8]), more: &[&[u8]]) -> io::Result<()> {
        let line =
            [b"diff --git ", &*name::quote(b"a/", old), b" ", &name::quote(b"b/", new)].concat();
        self.line(&line, Some(Tone::Strong))?;
        more.iter().try_for_each(|line| self.line(line, Some(Tone::Strong)))
    }

    fn files(&mut self, old: Option<&[u8]>, new: Option<&[u8]>) -> io::Result<()> {
        for (sign, prefix, name) in [("--- ", b"a/", old), ("+++ ", b"b/", new)] {
            let name = name.map_or_else(|| b"/dev/null".to_vec(), |name| name::quote(prefix, name));
            // A name with a blank ends with a tab, as git and patch write it.
            let end: &[u8] =
                if name.contains(&b' ') && !name.starts_with(b"\"") { b"\t" } else { b"" };
            self.line(&[sign.as_bytes(), &name, end].concat(), Some(Tone::Strong))?;
        }
        Ok(())
    }

    /// The line that tells `patch` that an empty file comes or goes: git's names of nothing and of the empty file.
    fn empty(&mut self, bytes: &[u8], names: &str) -> io::Result<()> {
        if bytes.is_empty() {
            self.line(format!("index {names}").as_bytes(), Some(Tone::Strong))
        } else {
            Ok(())
        }
    }

    /// A file that comes or goes.
    fn whole(&mut self, bytes: &[u8], name: &[u8], sign: u8) -> io::Result<()> {
        let count = hunks::lines(bytes).count();
        if count == 0 {
            return Ok(());
        }
        if sign == b'+' {
            self.files(None, Some(name))?
        } else {
            self.files(Some(name), None)?
        }
        let range = if count == 1 { String::from("1") } else { format!("1,{count}") };
        let head = if sign == b'+' {
            format!("@@ -0,0 +{range} @@")
        } else {
            format!("@@ -{range} +0,0 @@")
        };
        self.line(head.as_bytes(), Some(Tone::Place))?;
        hunks::lines(bytes).try_for_each(|line| self.body(sign, line))
    }

    /// Writes a hunk, whose old bytes these are, where lines so far moved by `moved`. Returns by how many lines it
    /// moves those after it.
    fn hunk(&mut self, hunk: &hunks::Hunk<'_>, old: &[u8], moved: i128) -> io::Result<i128> {
        let body =
            hunk.body(old).ok_or_else(|| io::Error::other("an edit is not inside its entry"))?;
        let count =
            |sign: u8| body.iter().filter(|(s, _)| *s == sign || *s == b' ').count() as i128;
        let (before, after) = (count(b'-'), count(b'+'));
        let start = |line: i128, count: i128| if count == 0 { line } else { line + 1 };
        let line = i128::from(hunk.line);
        let head = format!(
            "@@ -{},{before} +{},{after} @@",
            start(line, before),
            start(line.saturating_add(moved), after)
        );
        self.line(head.as_bytes(), Some(Tone::Place))?;
        for (sign, line) in &body {
            self.body(*sign, line)?;
        }
        Ok(after - before)
    }

    fn body(&mut self, sign: u8, line: &[u8]) -> io::Result<()> {
        let tone = match sign {
            b'-' => Some(Tone::Bad),
            b'+' => Some(Tone::Good),
            _ => None,
        };
        let (text, ended) = line.strip_suffix(b"\n").map_or((line, false), |text| (text, true));
        self.line(&[&[sign], text].concat(), tone)?;
        if ended { Ok(()) } else { self.line(b"\\ No newline at end of file", None) }
    }

    fn line(&mut self, line: &[u8], tone: Option<Tone>) -> io::Result<()> {
        match (self.reader, tone) {
            (DiffReader::Person, tone) => {
                let text =
                    escape(&bytes_text(line.get(..line.len().min(SHOWN * 8)).unwrap_or(line)));
                let text = fit(&text, SHOWN);
                match tone {
                    Some(tone) => writeln!(self.out, "{}", paint(tone, &text)),
                    None => writeln!(self.out, "{text}"),
                }
            }
            (DiffReader::Colored, Some(tone)) => {
                // The codes around a mark that no line holds, so that the line itself stays bytes.
                let codes = paint(tone, "\n").to_string();
                let (on, off) = codes.split_once('\n').unwrap_or_default();
                self.out.write_all(&[on.as_bytes(), line, off.as_bytes(), b"\n"].concat())
            }
            _ => {
                self.out.write_all(line)?;
                self.out.write_all(b"\n")
            }
        }
    }
}

/// Reads all of a reader in large pieces.
fn pieces(from: &mut dyn Read, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => each(buffer.get(..n).unwrap_or(&[])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
#[path = "raw_tests.rs"]
mod tests;
