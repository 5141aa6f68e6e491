//! Every story on a small recording, and what is left of it when one of its needs is taken away.

use super::*;
use crate::bytes::source::{EntryId, Source};
use crate::detect::recognize;
use crate::engine::{CheckOptions, Judged, judge};
use crate::format::head::Sample;
use crate::transcript::Confidence;

/// A fixture's lines.
fn fixture(name: &str) -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stories").join(name);
    let text = std::fs::read_to_string(path.with_extension("jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// A story: its code, how sure it is, and each line's number and certainty.
type Shown = (&'static str, Confidence, Vec<(u64, Confidence)>);

/// What is shown of these lines by a host that calls the conversation `name`.
fn told_as(name: &str, lines: &[String]) -> Vec<Shown> {
    with(name, lines, |judged, stories| {
        stories
            .iter()
            .map(|story| {
                let lines = story
                    .lines
                    .iter()
                    .map(|line| {
                        (judged.transcript.event(line.event).place().number(), line.certainty)
                    })
                    .collect();
                (story.story.code, story.variant.certainty, lines)
            })
            .collect()
    })
}

pub(super) fn with<T>(
    name: &str,
    lines: &[String],
    look: impl FnOnce(&Judged, &[Occurrence]) -> T,
) -> T {
    let source =
        Source::memory(name, vec![(name.to_owned(), (lines.join("\n") + "\n").into_bytes())]);
    let detection = recognize(&Sample::of_file(&source, EntryId(0), name).unwrap(), None).unwrap();
    let judged = judge(&source, name, &detection, &CheckOptions::default()).unwrap();
    let stories =
        find(&judged.context(0, &source, name, false), &judged, std::path::Path::new(name));
    look(&judged, &stories)
}

/// The stories and how sure they are.
pub(super) fn codes(lines: &[String]) -> Vec<(&'static str, Confidence)> {
    told_as("x.jsonl", lines).into_iter().map(|(code, sure, _)| (code, sure)).collect()
}

/// The lines without the one with this number, from 1.
pub(super) fn without(lines: &[String], number: usize) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines.remove(number - 1);
    lines
}

/// The lines with a text replaced in the one with this number, from 1.
pub(super) fn changed(lines: &[String], number: usize, from: &str, to: &str) -> Vec<String> {
    let mut lines = lines.to_vec();
    assert!(lines[number - 1].contains(from), "{from}: {}", lines[number - 1]);
    lines[number - 1] = lines[number - 1].replace(from, to);
    lines
}

use Confidence::{Certain, Guess, Likely};

#[test]
fn every_story_is_told_of_its_recording() {
    for (name, wanted) in [
        ("second-server", vec![("P1", Certain)]),
        ("run-again", vec![("P2", Certain)]),
        ("foreign-action-id", vec![("P3", Certain)]),
        ("two-runs", vec![("P4", Likely)]),
        ("crash-in-batch", vec![("P6", Certain)]),
        ("crash-in-batch-siblings", vec![("P6", Certain)]),
        ("lagging-head", vec![("P7", Certain)]),
        ("user-spoke", vec![("P8", Likely)]),
        ("late-result", vec![("P9", Certain)]),
        ("unknown-tool", vec![("P10", Certain)]),
        ("repeated-ids", vec![("P11", Certain)]),
        ("rejected-yet-ran", vec![("P16", Certain)]),
        ("repaired-by-forgetting", vec![("P15", Likely)]),
        ("confirm-and-resume", vec![("P17", Likely)]),
        ("healed-itself", vec![("P18", Certain)]),
        ("repeated-call", vec![("S25", Likely)]),
    ] {
        assert_eq!(codes(&fixture(name)), wanted, "{name}");
    }
}

#[test]
fn a_second_server_needs_a_log_that_records_the_status() {
    let lines = fixture("second-server");
    let certain = vec![(4, Certain), (5, Certain), (6, Certain), (7, Certain)];
    assert_eq!(told_as("x.jsonl", &lines), [("P1", Certain, certain)]);
    // Without `running` anywhere a crash and a second run look the same.
    let likely = vec![(3, Certain), (4, Likely), (5, Certain), (6, Likely)];
    assert_eq!(told_as("x.jsonl", &without(&lines, 3)), [("P1", Likely, likely)]);
    // The change to ERROR is only more evidence, and only right before the placeholder.
    assert_eq!(
        told_as("x.jsonl", &without(&lines, 5))[0].2,
        [(4, Certain), (5, Certain), (6, Certain)]
    );
    let early = changed(&lines, 5, "09:48:09.577", "09:48:08.577");
    assert_eq!(told_as("x.jsonl", &early)[0].2, [(4, Certain), (6, Certain), (7, Certain)]);
}

#[test]
fn what_stands_between_makes_a_second_server_a_second_run() {
    let lines = fixture("second-server");
    let mut user = lines.clone();
    user.insert(6, lines[1].replace("a3d67d72", "b3d67d72"));
    assert_eq!(codes(&user), [("P2", Likely)]);
    let mut model = user.clone();
    model[6] = model[6]
        .replace("\"user\"", "\"assistant\"")
        .replace("\"source\":\"user\"", "\"source\":\"agent\"");
    // Neither of the two: only that the model went on before the result came, which leaves the two
    // results unexplained.
    with("x.jsonl", &model, |judged, stories| {
        assert_eq!(stories.iter().map(|story| story.story.code).collect::<Vec<_>>(), ["P9"]);
        let two = judged.findings.iter().position(|finding| finding.rule.code == "TD104").unwrap();
        assert!(!stories[0].explained.contains(&two));
    });
    let mut running = lines.clone();
    running.insert(6, lines[2].replace("aa0ca063", "ba0ca063"));
    assert_eq!(codes(&running), [("P2", Certain)]);
}

#[test]
fn a_second_server_needs_a_recovery_and_a_result_that_names_the_call() {
    let lines = fixture("second-server");
    let stub = "A restart occurred while this tool was in progress.";
    assert_eq!(codes(&changed(&lines, 6, stub, "Tool call interrupted before completion.")), []);
    assert_eq!(codes(&changed(&lines, 6, stub, "Error executing tool.")), []);
    assert_eq!(
        codes(&changed(&lines, 7, "\"action_id\":\"e8e95382", "\"action_id\":\"e8e95383")),
        []
    );
    assert_eq!(codes(&without(&lines, 6)), []);
}

#[test]
fn a_nested_server_is_told_by_the_text_of_the_tool() {
    let id = "4abb26e0fa82408ba695e79e6d9e1c5a";
    let lines = fixture("second-server");
    let nested = |lines: &[String]| {
        with(id, lines, |_, stories| {
            let line = stories[0]
                .lines
                .iter()
                .find(|line| line.name == "nested")
                .map(|line| line.certainty);
            (stories[0].variant.certainty, line, stories[0].prevent.contains("nested servers"))
        })
    };
    assert_eq!(nested(&lines), (Certain, Some(Certain), true));
    // Without the server's state and clock its text alone is likely, however sure the rest is.
    let quiet = changed(
        &changed(&lines, 7, "ConversationExecutionStatus.RUNNING", ""),
        7,
        "[02/18/26 09:48:09]",
        "",
    );
    assert_eq!(nested(&quiet), (Certain, Some(Likely), true));
    // The ID of another conversation proves nothing.
    let other = changed(&lines, 7, "4abb26e0-fa82", "4abb26e0-fa83");
    assert_eq!(nested(&other), (Certain, None, false));
    // The text may be in the result of a neighboring call, up to the second result after the
    // placeholder.
    let mut moved = other.clone();
    moved[8] = moved[8].replace(
        "listing",
        "Resumed conversation 4abb26e0-fa82-408b-a695-e79e6d9e1c5a from persistent\\n storage",
    );
    assert_eq!(nested(&moved), (Certain, Some(Likely), true));
    let mut far = other;
    far[10] = far[10].replace(
        "\"ok\"",
        "\"Resumed conversation 4abb26e0-fa82-408b-a695-e79e6d9e1c5a from persistent storage\"",
    );
    assert_eq!(nested(&far).1, None);
    // A log that does not say which conversation it is proves nothing either.
    assert_eq!(told_as("x.jsonl", &lines)[0].2.len(), 4);
}

#[test]
fn a_second_run_needs_the_status_or_a_user() {
    let lines = fixture("run-again");
    assert_eq!(codes(&lines), [("P2", Certain)]);
    // Without the change of the status it cannot be told from a second server; never is it certain.
    assert_eq!(codes(&without(&lines, 6)), [("P1", Likely)]);
    let mut user = lines.clone();
    user[5] = lines[1].replace("54680e57", "64680e57");
    assert_eq!(codes(&user), [("P2", Likely)]);
}

#[test]
fn a_foreign_link_is_run_again_or_was() {
    let lines = fixture("foreign-action-id");
    let variant = |lines: &[String]| {
        with("x.jsonl", lines, |_, stories| {
            stories.iter().map(|story| (story.story.code, story.variant.runs)).collect::<Vec<_>>()
        })
    };
    assert_eq!(variant(&lines), [("P3", Runs::Again)]);
    let link = "\"action_id\":\"65677190";
    let own = lines[5].find(link).map(|at| lines[5][at..at + 50].to_owned()).unwrap();
    let call = lines[4].find("\"id\":\"").map(|at| lines[4][at + 6..at + 42].to_owned()).unwrap();
    let right = lines[5].replace(&own, &format!("\"action_id\":\"{call}\""));
    assert_eq!(variant(&[&lines[..5], std::slice::from_ref(&right), &lines[6..]].concat()), []);
    // A second result after it: the call was executed again.
    let second = right.replace("e44bc9ae", "f44bc9ae");
    let legacy = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .map(|line| {
                let at = line.find("\"parent_id\":").unwrap_or(line.len());
                let end = line[at..].find(',').map_or(line.len(), |end| at + end + 1);
                format!("{}{}", &line[..at], &line[end..])
            })
            .collect()
    };
    let twice = legacy(&[&lines[..6], &[second], &lines[6..]].concat());
    assert_eq!(variant(&twice), [("P3", Runs::Twice)]);
    // In the other order nothing says that the host ran it again because of the link: the same
    // output is there twice.
    let mut other = twice;
    other.swap(5, 6);
    assert_eq!(variant(&other), [("P4", Runs::PerhapsTwice)]);
}

#[test]
fn two_outputs_are_never_certain() {
    let lines = fixture("two-runs");
    let said = |lines: &[String]| {
        with("x.jsonl", lines, |_, stories| {
            (stories[0].story.code, stories[0].variant.certainty, stories[0].lines[2].says)
        })
    };
    let (code, sure, says) = said(&lines);
    assert!((code, sure) == ("P4", Likely) && says.contains("written twice"), "{says}");
    let (code, sure, says) = said(&changed(&lines, 5, "cat -n", "cat -A"));
    assert!((code, sure) == ("P4", Likely) && says.contains("a second time"), "{says}");
}

#[test]
fn recovery_behind_a_result_is_certain_where_the_link_explains_it() {
    let lines = fixture("run-again");
    // The result first, then the placeholder.
    let order = [&lines[..3], &lines[6..7], &lines[3..5], &lines[7..]].concat();
    assert_eq!(codes(&order), [("P5", Likely)]);
    assert_eq!(
        codes(&changed(&order, 4, "\"action_id\":\"338af4a4", "\"action_id\":\"438af4a4")),
        [("P5", Certain)]
    );
}

#[test]
fn a_crash_in_a_batch_needs_open_calls() {
    let lines = fixture("crash-in-batch");
    let stub = "A restart occurred while this tool was in progress.";
    assert_eq!(
        codes(&changed(&lines, 6, stub, "Tool call cancelled by interrupt.")),
        [("S9", Likely)]
    );
}

#[test]
fn a_user_between_is_certain_by_the_clock_only() {
    let lines = fixture("user-spoke");
    assert_eq!(codes(&lines), [("P8", Likely)]);
    assert_eq!(codes(&changed(&lines, 4, "10:00:00.731", "09:48:02.500")), [("P8", Certain)]);
    // Without that message its children have no parent, and nothing says why.
    assert_eq!(codes(&without(&lines, 4)), [("S7", Guess)]);
}

#[test]
fn a_late_result_is_certain_by_the_clock_only() {
    let lines = fixture("late-result");
    assert_eq!(codes(&lines), [("P9", Certain)]);
    assert_eq!(codes(&changed(&lines, 8, "11:27:00", "09:27:00")), [("P9", Likely)]);
}

#[test]
fn a_lagging_head_needs_a_parent_that_is_there_and_older_than_the_call() {
    let lines = fixture("lagging-head");
    assert_eq!(codes(&lines), [("P7", Certain)]);
    let at = lines[3].find("\"parent_id\":\"").unwrap() + 13;
    let parent = lines[3][at..at + 8].to_owned();
    assert_eq!(
        codes(&changed(
            &lines,
            4,
            &format!("\"parent_id\":\"{parent}"),
            "\"parent_id\":\"ffffffff"
        )),
        [("S7", Guess)]
    );
}

#[test]
fn a_healed_log_may_have_been_run_twice() {
    let runs = |lines: &[String]| {
        with("x.jsonl", lines, |_, stories| (stories[0].story.code, stories[0].runs()))
    };
    let lines = fixture("healed-itself");
    assert_eq!(runs(&lines), ("P18", Runs::Once));
    assert_eq!(runs(&without(&lines, 3)), ("P18", Runs::PerhapsTwice));
    let mut running = lines.clone();
    running.insert(6, lines[2].replace("d6d0e00f", "e6d0e00f"));
    assert_eq!(runs(&running), ("P18", Runs::PerhapsTwice));
}

#[test]
fn a_healed_log_needs_the_placeholder_off_the_branch() {
    let lines = fixture("healed-itself");
    assert_eq!(codes(&without(&lines, 6)), []);
    // On one branch it is damage, and the second server's story.
    let stub = "c4d7cbf5-8b71-4691-9ada-1aeed59bf3af";
    let on = changed(
        &lines,
        7,
        "\"parent_id\":\"8f69d787-627f-47fe-bd33-ed5b3cbc4522\"",
        &format!("\"parent_id\":\"{stub}\""),
    );
    assert_eq!(codes(&on), [("P1", Certain)]);
}

#[test]
fn what_fits_several_calls_is_told_once() {
    let lines = fixture("second-server");
    let again: Vec<String> = lines[2..7]
        .iter()
        .map(|line| line.replace("NESTED0001", "NESTED0009"))
        .map(|line| {
            ["aa0ca063", "e8e95382", "a3184206", "e5971ce9", "c4b10731", "chatcmpl-b942c"]
                .iter()
                .fold(line, |line, id| line.replace(id, &format!("f{}", &id[1..])))
        })
        .collect();
    let twice = [&lines[..], &again[..]].concat();
    with("x.jsonl", &twice, |judged, stories| {
        assert_eq!(stories.len(), 1);
        assert_eq!(stories[0].more.len(), 1);
        assert_eq!(judged.findings.len(), 2);
        assert_eq!(stories[0].explained.len(), 2);
    });
}

#[test]
fn codes_and_names_are_unique_and_texts_name_what_is_there() {
    for (at, story) in ALL.iter().enumerate() {
        let twin =
            ALL.iter().position(|other| other.code == story.code || other.name == story.name);
        assert_eq!(twin, Some(at), "{}", story.name);
        assert!(story.about == About::Call || !story.explains.is_empty(), "{}", story.name);
        assert!(!story.title.is_empty() && !story.variants.is_empty(), "{}", story.name);
        story.variants.iter().for_each(|variant| names_what_is_there(story, variant));
    }
}

fn names_what_is_there(story: &Story, variant: &Variant) {
    let anchors = |step: &Step| match story.about {
        About::Call => matches!(step.is, Is::Call(_)),
        About::Finding => matches!(step.is, Is::Damaged | Is::Part(_)),
    };
    let mut needed = variant.steps.iter().filter(|step| step.need == StepNeed::Must);
    assert!(needed.any(anchors), "{}", story.name);
    assert!(variant.certainty == Certain || !variant.doubt.is_empty(), "{}", story.name);
    let does = story.does.iter().map(|(_, text)| *text);
    assert!(does.clone().all(|text| !text.contains("{does}")), "{}", story.name);
    let texts =
        variant.steps.iter().map(|step| step.says).chain([variant.so, variant.safety]).chain(does);
    for text in texts {
        let names =
            text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
        for name in names {
            let step =
                variant.steps.iter().any(|step| step.name == name && step.need == StepNeed::Must);
            let known =
                ["tool", "id", "gap", "wait", "sure", "session", "unit", "host", "does", "count"];
            assert!(step || name == "nested" || known.contains(&name), "{}: {name}", story.name);
        }
    }
}
