//! The stories told about every shipped damage, in one file for reviewers, and none about healthy
//! transcripts: one test each.
//!
//! `fixtures/stories.txt` has a line for each case of `fixtures/rules/` and `fixtures/stories/`:
//! the stories with their certainty, and the findings above a note that none of them explains.
//! `UPDATE_FIXTURES=1` rewrites it: read the diff as a support engineer would.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use support::cases::{below, is_update, name, root, two_below};
use support::show;
use transcript_doctor::testing::engine::{CheckOptions, Judged, judge};
use transcript_doctor::testing::find::find;
use transcript_doctor::testing::find::name_of;
use transcript_doctor::testing::stories::{Occurrence, find as find_stories};
use transcript_doctor::testing::transcript::{Confidence, Severity};

/// Lines of `stories.txt` by case.
type Lines = BTreeMap<String, String>;

fn main() -> ExitCode {
    let wanted = kept();
    let made = Arc::new(Mutex::new(Lines::new()));
    let damaged: Vec<PathBuf> =
        two_below("rules").into_iter().chain(below(&root().join("stories"))).collect();
    let keys: Vec<String> = damaged.iter().map(|case| key(case)).collect();
    let mut trials = Vec::new();
    for case in damaged {
        let (key, made) = (key(&case), Arc::clone(&made));
        // A new case is compared from the next update on: its author need not know about stories.
        let wanted = wanted.get(&key).cloned();
        trials.push(Trial::test(name(&case), move || {
            let line = told(&case, line).unwrap_or_else(|| "not checked".to_owned());
            made.lock().unwrap().insert(key, line.clone());
            match wanted.filter(|wanted| !is_update() && *wanted != line) {
                Some(wanted) => Err(show::text("stories.txt", &wanted, &line).into()),
                None => Ok(()),
            }
        }));
    }
    for case in two_below("healthy") {
        trials.push(Trial::test(name(&case), move || healthy(&case)));
    }
    let gone: Vec<String> = wanted.keys().filter(|key| !keys.contains(key)).cloned().collect();
    let is_current = move || {
        if gone.is_empty() || is_update() { Ok(()) } else { Err(gone.join(", ").into()) }
    };
    trials.push(Trial::test("every line of stories.txt is one of a case", is_current));

    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    if is_update() {
        let made = made.lock().unwrap();
        let line = |key: &String| Some(format!("{key}: {}\n", made.get(key).or(wanted.get(key))?));
        fs::write(root().join("stories.txt"), keys.iter().filter_map(line).collect::<String>())
            .unwrap();
    }
    conclusion.exit_code()
}

fn kept() -> Lines {
    let text = fs::read_to_string(root().join("stories.txt")).unwrap();
    assert!(text.lines().count() > 700, "stories.txt is cut");
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    lines.map(|(case, told)| (case.to_owned(), told.to_owned())).collect()
}

/// `two-results/openhands.jsonl`
fn key(case: &Path) -> String {
    format!("{}/{}", name_of(case.parent().unwrap()), name_of(case))
}

/// Passes the judged transcript and its stories to `look`; `None` if it has no known format or
/// cannot be judged.
fn told<T>(path: &Path, look: impl FnOnce(&Judged, &[Occurrence]) -> T) -> Option<T> {
    let found = find(&[path.to_owned()], None).found.pop()?.open().ok()?;
    let name = name_of(&found.path);
    let judged = judge(&found.source, &name, &found.detection, &CheckOptions::default()).ok()?;
    let told = find_stories(&judged.context(0, &found.source, &name, false), &judged, &found.path);
    Some(look(&judged, &told))
}

/// `S9 given-up likely; not explained: TD301`.
fn line(judged: &Judged, told: &[Occurrence]) -> String {
    let story = |told: &Occurrence| {
        let sure = match told.variant.certainty {
            Confidence::Certain => "certain",
            Confidence::Likely => "likely",
            Confidence::Guess => "guess",
        };
        format!("{} {} {sure}", told.story.code, told.story.name)
    };
    let stories: Vec<String> = told.iter().map(story).collect();
    let is_explained = |at: &usize| told.iter().any(|told| told.explained.contains(at));
    let findings = judged.findings.iter().enumerate();
    let rest: BTreeSet<&str> = findings
        .filter(|(at, finding)| finding.severity > Severity::Note && !is_explained(at))
        .map(|(_, finding)| finding.rule.code.as_str())
        .collect();
    let stories = if stories.is_empty() { "-".to_owned() } else { stories.join(", ") };
    if rest.is_empty() {
        stories
    } else {
        format!("{stories}; not explained: {}", Vec::from_iter(rest).join(" "))
    }
}

/// A healthy transcript whose host healed its own tree has a story, because users ask about it: why
/// two results?
fn healthy(case: &Path) -> Result<(), Failed> {
    let told = told(case, |_, told| told.iter().map(|told| told.story.name).collect::<Vec<_>>());
    let told: Vec<&str> =
        told.unwrap_or_default().into_iter().filter(|name| *name != "healed-itself").collect();
    if told.is_empty() { Ok(()) } else { Err(told.join(", ").into()) }
}
