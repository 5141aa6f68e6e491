use super::*;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Edit;
use crate::bytes::source::Source;
use proptest::prelude::*;
use std::path::Path;
use std::process::{Command, Stdio};

fn bytes(entry: u32, start: u64, end: u64, with: &str) -> Edit {
    Edit::Bytes { at: Span { entry: EntryId(entry), start, end }, with: with.as_bytes().to_vec() }
}

fn diff(base: &Source, edits: Vec<Edit>) -> String {
    let mut out = Vec::new();
    let patch = Patch::new(edits).unwrap();
    write(base, &patch, &Folder::default(), DiffReader::Program, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn file(text: &str) -> Source {
    Source::memory("f", vec![("f".into(), text.as_bytes().to_vec())])
}

#[test]
fn a_changed_line_stands_between_its_neighbors() {
    let base = file("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let wanted = "\
diff --git a/f b/f
--- a/f
+++ b/f
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
";
    assert_eq!(diff(&base, vec![bytes(0, 8, 9, "five")]), wanted);
}

#[test]
fn inserted_and_removed_lines_are_only_that() {
    let base = file("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let shown = diff(&base, vec![bytes(0, 2, 2, "new\n"), bytes(0, 16, 18, "")]);
    let wanted = "\
@@ -1,4 +1,5 @@
 1
+new
 2
 3
 4
@@ -6,4 +7,3 @@
 6
 7
 8
-9
";
    assert!(shown.ends_with(wanted), "{shown}");
}

#[test]
fn a_missing_last_line_feed_is_told() {
    let shown = diff(&file("1\n2"), vec![bytes(0, 3, 3, "\n")]);
    assert!(
        shown.ends_with("@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n"),
        "{shown}"
    );
    let shown = diff(&file("1\n2\n"), vec![bytes(0, 3, 4, "")]);
    assert!(shown.ends_with(" 1\n-2\n+2\n\\ No newline at end of file\n"), "{shown}");
    assert!(diff(&file(""), vec![bytes(0, 0, 0, "x\n")]).ends_with("@@ -0,0 +1,1 @@\n+x\n"));
}

#[test]
fn a_person_sees_no_control_characters() {
    let base = file("a\u{1b}[2J\n");
    let patch = Patch::new(vec![bytes(0, 0, 1, "\u{202e}")]).unwrap();
    let mut out = Vec::new();
    write(&base, &patch, &Folder::default(), DiffReader::Person, &mut out).unwrap();
    let shown = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
    assert!(shown.contains("-a\\u{1b}[2J\n+\\u{202e}\\u{1b}[2J\n"), "{shown}");
}

#[test]
fn odd_names_are_quoted() {
    assert_eq!(name::quote(b"a/", b"x y"), b"a/x y");
    assert_eq!(name::quote(b"a/", "\u{e9}\"\n".as_bytes()), b"\"a/\\303\\251\\\"\\012\"");
    assert_eq!(Folder::new(Path::new("/x/./y")).name("z"), b"x/y/z");
    assert_eq!(Folder::of_file(Path::new("a.jsonl")).name("a.jsonl"), b"a.jsonl");
}

/// Base and result of a whole-folder patch: edits, a chain of renames, files that come and go, empty ones too.
fn folder() -> (Source, Patch) {
    let names =
        ["a b.json", "c.json", "d.json", "e.json", "empty.json", "sub/f.json", "sub/\u{e9}.json"];
    let text = |n: usize| {
        (0..20)
            .map(|line| format!("{{\"n\":{n},\"line\":{line}}}\n"))
            .collect::<String>()
            .into_bytes()
    };
    let mut entries: Vec<(String, Vec<u8>)> =
        names.iter().enumerate().map(|(n, name)| ((*name).into(), text(n))).collect();
    entries[4].1.clear();
    let base = Source::memory("base", entries);
    let patch = Patch::new(vec![
        bytes(0, 3, 6, "xyz"),
        Edit::Rename(EntryId(1), "d.json".into()),
        Edit::Rename(EntryId(2), "e.json".into()),
        bytes(2, 0, 0, "first\n"),
        Edit::Remove(EntryId(3)),
        Edit::Remove(EntryId(4)),
        Edit::Create { name: "c.json".into(), bytes: b"{\"new\":1}".to_vec() },
        Edit::Create { name: "sub/none.json".into(), bytes: Vec::new() },
        bytes(6, 1, 2, "\u{e9}"),
    ])
    .unwrap();
    (base, patch)
}

fn store(entries: &dyn Entries, at: &Path) {
    for id in entries.ids() {
        let path = at.join(entries.name(id));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let whole = Span { entry: id, start: 0, end: entries.len(id) };
        std::fs::write(path, entries.fetch(whole).unwrap()).unwrap();
    }
}

fn files(at: &Path) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    let mut todo = vec![at.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for item in std::fs::read_dir(dir).unwrap() {
            let path = item.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path.strip_prefix(at).unwrap().to_str().unwrap().to_string();
                out.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    out.sort();
    out
}

/// Applies the diff with a program; `None` where it is not installed.
fn applied(base: &Source, patch: &Patch, program: &[&str]) -> Option<Vec<(String, Vec<u8>)>> {
    let dir = tempfile::tempdir().unwrap();
    store(base, dir.path());
    let mut text = Vec::new();
    write(base, patch, &Folder::default(), DiffReader::Program, &mut text).unwrap();
    let mut child = Command::new(program[0])
        .args(&program[1..])
        .current_dir(dir.path())
        .env("GIT_CEILING_DIRECTORIES", dir.path().parent().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let done = child.wait_with_output().unwrap();
    let said =
        String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{program:?}: {said}\n{}", String::from_utf8_lossy(&text));
    Some(files(dir.path()))
}

fn wanted(base: &Source, patch: &Patch) -> Vec<(String, Vec<u8>)> {
    let new = Overlay::new(base, patch);
    new.ids()
        .into_iter()
        .map(|id| {
            (
                new.name(id).to_string(),
                new.fetch(Span { entry: id, start: 0, end: new.len(id) }).unwrap(),
            )
        })
        .collect()
}

const GIT: &[&str] = &["git", "apply", "-p1", "--whitespace=nowarn"];
const PATCH: &[&str] = &["patch", "-p1", "-s", "--binary", "--no-backup-if-mismatch"];

#[test]
fn git_applies_a_folder() {
    let (base, patch) = folder();
    if let Some(got) = applied(&base, &patch, GIT) {
        assert_eq!(got, wanted(&base, &patch));
    }
}

#[test]
fn patch_applies_a_folder() {
    let (base, patch) = folder();
    if let Some(got) = applied(&base, &patch, PATCH) {
        assert_eq!(got, wanted(&base, &patch));
    }
}

proptest! {
    /// Any edits of any lines: what git and patch make of the diff is what the patch makes.
    #[test]
    fn any_edit_is_applied(
        text in "([ab]{0,2}\n){0,30}[ab]{0,2}",
        cuts in proptest::collection::vec((0u64..80, 0u64..6, "[ab\n]{0,5}"), 1..6),
    ) {
        let base = file(&text);
        let len = text.len() as u64;
        let mut edits = Vec::new();
        for (at, size, with) in cuts {
            let start = at.min(len);
            let mut more = edits.clone();
            more.push(bytes(0, start, (start + size).min(len), &with));
            if Patch::new(more.clone()).is_ok() {
                edits = more;
            }
        }
        let patch = Patch::new(edits).unwrap();
        let want = wanted(&base, &patch);
        // Without a difference there is nothing that git would accept; patch removes a file that becomes empty.
        prop_assume!(text.as_bytes() != want[0].1 && !want[0].1.is_empty() && !text.is_empty());
        for program in [GIT, PATCH] {
            if let Some(got) = applied(&base, &patch, program) {
                prop_assert_eq!(&got, &want);
            }
        }
    }
}
