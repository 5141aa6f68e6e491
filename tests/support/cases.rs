//! The cases in `fixtures/`. A case is a transcript, a file or a folder. Its expected files have
//! the same name with another word after the first dot.

use std::fs;
use std::path::{Path, PathBuf};

use transcript_doctor::testing::find::name_of;

use super::{Files, on_disk, show};

/// Words after the first dot that mark expected files.
const WANTED: &[&str] = &["report", "repaired", "unsafe", "answered"];

/// `<pattern>: <origin>`, one per line; the first match counts.
const ORIGINS: &str = include_str!("../../fixtures/origins.txt");

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Whether to rewrite the expected files (`UPDATE_FIXTURES=1`), to be read as a diff.
pub(crate) fn is_update() -> bool {
    std::env::var_os("UPDATE_FIXTURES").is_some()
}

/// The cases in a folder by name, without their expected files.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    paths.retain(|path| !WANTED.contains(&name_of(path).split('.').nth(1).unwrap_or_default()));
    paths.sort();
    paths
}

/// The cases in the folders of a folder.
pub(crate) fn two_below(folder: &str) -> Vec<PathBuf> {
    below(&root().join(folder)).iter().flat_map(|inner| below(inner)).collect()
}

/// `rules/two-results/openhands.jsonl`.
pub(crate) fn name(case: &Path) -> String {
    let path = case.strip_prefix(root()).unwrap().components();
    path.map(|part| part.as_os_str().to_str().unwrap()).collect::<Vec<_>>().join("/")
}

/// `dir/openhands.jsonl` and `repaired` give `dir/openhands.repaired.jsonl`. The entries of an
/// archive are in a folder.
pub(crate) fn beside(case: &Path, word: &str) -> PathBuf {
    let name = name_of(case);
    let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
    let is_file = !extension.is_empty() && extension != "zip";
    case.with_file_name(if is_file {
        format!("{stem}.{word}.{extension}")
    } else {
        format!("{stem}.{word}")
    })
}

/// The expected report of a case.
pub(crate) fn report(case: &Path) -> PathBuf {
    beside(&case.with_extension(""), "report.txt")
}

/// All patterns of `origins.txt`, with their origins.
pub(crate) fn origins() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = ORIGINS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(": ").expect("a pattern and an origin"))
}

/// The origin of a case, and the pattern that matches it.
pub(crate) fn origin(case: &Path) -> (&'static str, &'static str) {
    let name = name(case);
    origins()
        .find(|(pattern, _)| matches(pattern, &name))
        .expect("the last pattern matches everything")
}

/// A `*` matches any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let mut ends = name.strip_prefix(first).into_iter().flat_map(|name| {
        (0..=name.len()).filter(|at| name.is_char_boundary(*at)).map(|at| &name[at..])
    });
    ends.any(|name| matches(rest, name))
}

/// Compares a file or folder with the expected one (`None` for nothing), or writes it. Returns the
/// difference.
pub(crate) fn expect(path: &Path, made: Option<Files>) -> Option<String> {
    let kept = on_disk(path).filter(|files| !files.is_empty());
    if kept == made {
        return None;
    }
    if !is_update() {
        return Some(show::difference(
            &name(path),
            &kept.unwrap_or_default(),
            &made.unwrap_or_default(),
        ));
    }
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    for (name, bytes) in made.unwrap_or_default() {
        let file = if name_of(path) == name { path.to_owned() } else { path.join(name) };
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    None
}
