//! Which story is told of every shipped damage, in one file that a reviewer can read, and that healthy recordings tell
//! none.
//!
//! `fixtures/stories.txt` has a line for each fixture of `fixtures/rules/` and `fixtures/stories/`: the stories with how
//! sure they are, and the findings above a note that none of them explains. `UPDATE_FIXTURES=1` writes it anew: read the
//! diff as a support engineer would.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use transcript_doctor::engine::{Ask, Judged, judge};
use transcript_doctor::find::find;
use transcript_doctor::report::build::name_of;
use transcript_doctor::stories::{Told, tell};
use transcript_doctor::transcript::{Confidence, Severity};

/// Words behind the first point of a name by which files tell what is wanted of a fixture.
const WANTED: &[&str] = &["report", "repaired", "unsafe", "answered"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    paths.retain(|path| !WANTED.contains(&name_of(path).split('.').nth(1).unwrap_or_default()));
    paths.sort();
    paths
}

/// What is judged and told of a recording; `None`: it is of no format, or cannot be judged.
fn told<T>(path: &Path, look: impl FnOnce(&Judged, &[Told]) -> T) -> Option<T> {
    let found = find(&[path.to_owned()], None).found.pop()?.open().ok()?;
    let name = name_of(&found.path);
    let judged = judge(&found.source, &name, &found.claim, &Ask::default()).ok()?;
    let told = tell(&judged.scene(0, &found.source, &name, false), &judged, &found.path);
    Some(look(&judged, &told))
}

/// `S9 given-up likely; not explained: TD301`.
fn line(judged: &Judged, told: &[Told]) -> String {
    let stories: Vec<String> = told
        .iter()
        .map(|told| {
            let sure = match told.variant.certainty {
                Confidence::Certain => "certain",
                Confidence::Likely => "likely",
                Confidence::Guess => "guess",
            };
            format!("{} {} {sure}", told.story.code, told.story.name)
        })
        .collect();
    let mut rest: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, finding) in judged.findings.iter().enumerate() {
        if finding.severity > Severity::Note && !told.iter().any(|told| told.explained.contains(&at)) {
            *rest.entry(finding.rule.code).or_default() += 1;
        }
    }
    let rest: Vec<&str> = rest.into_keys().collect();
    let mut line = if stories.is_empty() { "-".to_owned() } else { stories.join(", ") };
    if !rest.is_empty() {
        write!(line, "; not explained: {}", rest.join(" ")).unwrap();
    }
    line
}

#[test]
fn every_damage_tells_the_story_that_is_wanted() {
    let mut text = String::new();
    for folder in below(&root().join("rules")).into_iter().chain([root().join("stories")]) {
        for fixture in below(&folder) {
            let said = told(&fixture, line).unwrap_or_else(|| "not examined".to_owned());
            writeln!(text, "{}/{}: {said}", name_of(&folder), name_of(&fixture)).unwrap();
        }
    }
    let path = root().join("stories.txt");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(&path, &text).unwrap();
    }
    // A fixture that is new is compared from the next update on: whoever adds one need not know of stories.
    let told: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once(": ")).collect();
    let wanted = fs::read_to_string(&path).unwrap();
    assert!(wanted.lines().count() > 700, "the snapshot is gone");
    for (fixture, wanted) in wanted.lines().filter_map(|line| line.split_once(": ")) {
        let told = told.get(fixture).copied();
        assert_eq!(told, Some(wanted), "{fixture}: UPDATE_FIXTURES=1 writes it anew");
    }
}

#[test]
fn healthy_recordings_tell_no_story_of_damage() {
    for folder in below(&root().join("healthy")) {
        for recording in below(&folder) {
            let told =
                told(&recording, |_, told| told.iter().map(|told| told.story.name).collect::<Vec<_>>());
            // What the host's own tree healed is told, because there is a question in it: why two results?
            let told = told.unwrap_or_default().into_iter().filter(|name| *name != "healed-itself");
            assert_eq!(told.collect::<Vec<_>>(), [""; 0], "{}", recording.display());
        }
    }
}
