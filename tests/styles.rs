//! Promises of the repairs of all shipped damages, with other options than those of
//! `tests/fixtures.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use support::cases::{below, root, two_below};
use support::{Opened, keeps_its_promises};
use transcript_doctor::testing::engine::CheckOptions;
use transcript_doctor::testing::repair::{Policy, Refused, RepairPlan, WriteStyle};
use transcript_doctor::testing::rules::Strategy;
use transcript_doctor::testing::transcript::{Code, Severity, Subject};

/// With `remove-turn`, a response is removed with all of its calls and their results. Nothing of
/// them is left, and nothing becomes an orphan.
#[test]
fn a_turn_is_removed_with_its_results() {
    let ask = CheckOptions { strategy: Strategy::RemoveTurn, ..CheckOptions::default() };
    let policy = Policy { with_unsafe: true, ..Policy::default() };
    let folder = root().join("rules/unanswered-call");
    let mut removed = 0;
    for fixture in below(&folder) {
        let opened = Opened::at(&fixture).unwrap();
        // There a response is half of an interaction: it cannot be removed without its new
        // messages.
        if opened.detection.format.name == "trae-trajectory" {
            continue;
        }
        let judged = opened.judge(&ask).unwrap();
        let (t, pairs) = (&judged.transcript, &judged.request().pairs);
        let about = judged.at_least(Severity::Warning).flat_map(|finding| &finding.about);
        let open =
            about.filter_map(|s| if let Subject::Open(call) = s { Some(*call) } else { None });
        // A call that only another version of the host sends is in none of these batches.
        let calls =
            open.flat_map(|call| pairs.batch_of(call).map_or(vec![call], |own| own.calls.to_vec()));
        let ids: Vec<String> = calls.map(|call| t.text(t.part(call).id).to_owned()).collect();
        // Calls of chat templates have no IDs. Rows in that form are for training, and are left as they are.
        let is_chat = opened.detection.format.name == "openai-chat";
        if is_chat && !ids.is_empty() && ids.iter().all(String::is_empty) {
            let plan = opened.plan(&ask, &policy).unwrap();
            assert!(plan.patch.is_empty(), "{}", fixture.display());
            continue;
        }
        // An entry holds a prompt and its answer, so that a turn may not be alone in its records.
        let is_shared = opened.detection.format.name == "amazon-q";
        if is_shared && opened.plan(&ask, &policy).unwrap().patch.is_empty() {
            continue;
        }
        let safe = opened.plan(&ask, &Policy::default()).unwrap();
        // A denial that is recorded ends a call without a result: nothing is removed.
        if safe.taken.iter().any(|taken| taken.rule.code == Code::UnansweredCall) {
            let left = safe.after().transcript.events.len();
            assert_eq!(left, t.events.len(), "{}", fixture.display());
            continue;
        }
        let done = opened.plan(&ask, &policy).unwrap();
        let files = keeps_its_promises(&opened, &ask, &policy, &done);
        // Nothing of a short request may be left by which its format is recognized: then the fix is refused, and nothing changes.
        let is_refused = done.withheld.iter().any(|why| why.contains("would not be recognized"));
        if is_refused && done.patch.is_empty() {
            continue;
        }
        let worse: Vec<_> = done.after().at_least(Severity::Warning).map(|f| f.rule.code).collect();
        assert!(
            worse.is_empty() || ids.is_empty(),
            "{}: {}",
            fixture.display(),
            Code::list(worse.iter().copied())
        );
        // Its journal repeats messages in records that the host never sends.
        let is_repeated = opened.detection.format.name == "kimi-code";
        for id in ids.iter().filter(|_| !is_repeated) {
            let quoted = format!("\"{id}\"");
            let left = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(&quoted);
            assert!(!files.values().any(left), "{}: {id} is left", fixture.display());
        }
        removed += ids.len();
    }
    assert!(removed > 40, "{removed} calls");
}

/// A repair written as a branch keeps the complete file, and its next request is that of a repair
/// in place.
#[test]
fn a_branch_leaves_the_file_unchanged() {
    let all =
        Policy { with_unsafe: true, format_named: true, answer_pending: true, ..Policy::default() };
    let policy = |style| Policy { style, ..all.clone() };
    let (ask, branch) = (CheckOptions::default(), policy(WriteStyle::Branch));
    let (mut written, mut refused) = (0, 0);
    for fixture in two_below("rules") {
        let Ok(opened) = Opened::at(&fixture) else {
            continue;
        };
        let in_place = opened.plan(&ask, &policy(WriteStyle::InPlace)).unwrap();
        let told = fixture.display();
        match opened.plan(&ask, &branch) {
            Ok(done) if done.patch.is_empty() => assert!(in_place.patch.is_empty(), "{told}"),
            Ok(done) => {
                let files = keeps_its_promises(&opened, &ask, &branch, &done);
                let (name, after) = files.iter().next().unwrap();
                let before = &support::files(&opened.source)[name];
                assert!(after.starts_with(before), "{told}");
                let open = |plan: &RepairPlan| plan.after().at_least(Severity::Warning).count();
                assert!(open(&done) <= open(&in_place), "{told}");
                written += 1;
            }
            Err(Refused::Style(_)) => refused += 1,
            Err(error) => panic!("{told}: {error}"),
        }
    }
    assert!(written > 30 && refused > 10, "{written} written, {refused} refused");
}
