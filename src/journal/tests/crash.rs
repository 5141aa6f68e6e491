//! Stops an operation after each of its steps, as a kill would, and finishes it.

use super::*;
use crate::journal::finish::FinishError;
use crate::journal::write::WriteError;

const FILE_STEPS: usize = 7;

/// Starts an operation, takes `steps` steps and dies: nothing is cleaned up, but a dead process
/// holds no locks.
fn killed_after(
    desk: &Desk,
    source: &Source,
    patch: &Patch,
    steps: usize,
    exchange: bool,
) -> Vec<CompletedStep> {
    let mut running = desk.journal.begin(source, patch, &how(), &mut good).unwrap().unwrap();
    if !exchange {
        running.staged.without_exchange();
    }
    let done = (0..steps).map(|_| running.advance(&mut good).unwrap()).collect();
    die(running);
    done
}

fn die(mut running: RunningOperation<'_>) {
    // Dropping releases the locks; the prepared files must stay.
    running.staged.disarm();
}

/// Finishes every operation, as `repair` does first.
fn finish(desk: &Desk) -> Vec<Finished> {
    let unfinished = desk.journal.unfinished().unwrap();
    let finished =
        unfinished.iter().map(|operation| desk.journal.finish(operation.op).unwrap()).collect();
    assert!(desk.journal.unfinished().unwrap().is_empty());
    finished
}

fn is_leftover(name: &str) -> bool {
    name.contains("transcript-doctor-")
}

#[test]
fn a_file_is_old_or_new_after_every_step() {
    for steps in 0..=FILE_STEPS {
        let desk = Desk::new();
        let before = desk.texts();
        let source = desk.file();
        let done = killed_after(&desk, &source, &line_patch(&source), steps, true);
        // Not a mix at any moment.
        let now = desk.texts()["log.jsonl"].clone();
        let placed = done.contains(&CompletedStep::Placed(0));
        assert_eq!(now, if placed { "one\nTHREE\n" } else { "one\ntwo\nthree\n" }, "{done:?}");
        let finished = finish(&desk);
        assert_eq!(desk.texts()["log.jsonl"], now);
        let want = match (
            done.contains(&CompletedStep::Announced),
            placed,
            done.contains(&CompletedStep::Done),
        ) {
            (false, ..) | (.., true) => vec![],
            (_, true, _) => vec![Finished::Completed],
            (_, false, _) => vec![Finished::Withdrawn],
        };
        assert_eq!(finished, want, "{done:?}");
        // The next repair removes what was prepared before the announcement; everything else is
        // gone now.
        let source = desk.file();
        let again = if placed {
            Patch::new(vec![put(&source, "log.jsonl", 0, 0, "x")]).unwrap()
        } else {
            line_patch(&source)
        };
        write(&desk, &source, &again);
        assert!(!desk.texts().keys().any(|name| is_leftover(name)), "{done:?}");
        assert_eq!(desk.texts().len(), before.len());
    }
}

fn folder_crash(exchange: bool) {
    let mut seen = Vec::new();
    for steps in 0.. {
        let desk = Desk::new();
        let before = desk.texts();
        let want = {
            let other = Desk::new();
            write(&other, &other.folder(), &folder_patch(&other.folder()));
            other.texts()
        };
        let source = desk.folder();
        let done = killed_after(&desk, &source, &folder_patch(&source), steps, exchange);
        finish(&desk);
        let mut now = desk.texts();
        if !done.contains(&CompletedStep::Announced) {
            // The next repair removes what was prepared for the transcript.
            now.retain(|name, _| !is_leftover(name));
        }
        let begun = done
            .iter()
            .any(|step| matches!(step, CompletedStep::Away(_) | CompletedStep::Placed(_)));
        assert_eq!(now, if begun { want.clone() } else { before }, "{done:?}");
        // It can be repaired or undone as if nothing had happened.
        if begun {
            assert_eq!(desk.journal.operations().unwrap()[0].status, OperationStatus::Done);
        } else {
            let source = desk.folder();
            write(&desk, &source, &folder_patch(&source));
            assert_eq!(desk.texts(), want);
        }
        seen = done;
        if seen.contains(&CompletedStep::Done) {
            break;
        }
    }
    let two = [
        CompletedStep::BackedUp,
        CompletedStep::Announced,
        CompletedStep::Away(0),
        CompletedStep::Placed(0),
        CompletedStep::Placed(1),
        CompletedStep::Watched,
        CompletedStep::Checked,
        CompletedStep::Kept,
        CompletedStep::Done,
    ];
    let wanted: Vec<CompletedStep> =
        two.into_iter().filter(|step| !exchange || *step != CompletedStep::Away(0)).collect();
    assert_eq!(seen, wanted);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_and_its_state_file_are_old_or_new_after_every_step() {
    folder_crash(true);
}

#[test]
fn a_folder_is_old_or_new_after_every_step_with_two_renames() {
    folder_crash(false);
}

/// Stops between the folder and the state file, and removes what was prepared for the rest.
fn half_done(desk: &Desk, away_only: bool) -> Operation {
    let source = desk.folder();
    let mut running =
        desk.journal.begin(&source, &folder_patch(&source), &how(), &mut good).unwrap().unwrap();
    running.staged.without_exchange();
    let last = if away_only { CompletedStep::Away(0) } else { CompletedStep::Placed(0) };
    while running.advance(&mut good).unwrap() != last {}
    let operation = running.operation.clone();
    die(running);
    for unit in &operation.units {
        let _ = fs::remove_file(unit.stage(&operation.head.place));
        let _ = fs::remove_dir_all(unit.stage(&operation.head.place));
    }
    operation
}

#[test]
fn the_old_bytes_are_restored_if_new_ones_are_missing() {
    for away_only in [true, false] {
        let desk = Desk::new();
        let before = desk.texts();
        half_done(&desk, away_only);
        assert_eq!(finish(&desk), [Finished::Withdrawn]);
        assert_eq!(desk.texts(), before, "{away_only}");
    }
}

#[test]
fn a_file_is_restored_from_the_old_one_or_from_its_original() {
    for is_old_there in [true, false] {
        restored(is_old_there);
    }
}

fn restored(is_old_there: bool) {
    let desk = Desk::new();
    let source = desk.folder();
    let before = desk.recordings();
    let edits = vec![
        put(&source, "events/0-a.json", 0, 0, "x"),
        put(&source, "base_state.json", 0, 0, "x"),
    ];
    let mut running = desk
        .journal
        .begin(&source, &Patch::new(edits).unwrap(), &how(), &mut good)
        .unwrap()
        .unwrap();
    while running.advance(&mut good).unwrap() != CompletedStep::Placed(0) {}
    let operation = running.operation.clone();
    die(running);
    let place = &operation.head.place;
    fs::remove_file(operation.units[1].stage(place)).unwrap();
    if is_old_there {
        assert_eq!(finish(&desk), [Finished::Withdrawn]);
        assert_eq!(desk.recordings(), before);
        return;
    }
    if let Some(old) = operation.units[0].replaced(place).unwrap() {
        fs::remove_file(old).unwrap();
    }
    assert_eq!(finish(&desk), [Finished::Withdrawn]);
    let text = |(name, (text, ..)): (String, (String, u32, SystemTime))| (name, text);
    assert_eq!(desk.texts(), before.into_iter().map(text).collect());
}

#[test]
fn later_writes_are_never_replaced() {
    let desk = Desk::new();
    let operation = half_done(&desk, false);
    fs::write(operation.head.place.file("events/3-new.json"), "{new}").unwrap();
    let now = desk.texts();
    assert!(
        matches!(desk.journal.finish(operation.head.op), Err(FinishError::Other(path)) if path.ends_with("events"))
    );
    assert_eq!(desk.texts(), now);
    // As long as it is not finished, the transcript is left alone.
    let mut names = EVENTS.map(String::from).to_vec();
    names.retain(|name| operation.head.place.file(name).exists());
    let source = Source::folder(&desk.dir.path().join("log"), names).unwrap();
    let patch = Patch::new(vec![put(&source, "base_state.json", 0, 0, "x")]).unwrap();
    let refused = desk.journal.write(&source, &patch, &how(), &mut good);
    assert!(matches!(refused, Err(WriteError::Unfinished(1))));
    fs::remove_file(operation.head.place.file("events/3-new.json")).unwrap();
    assert_eq!(finish(&desk), [Finished::Withdrawn]);
}

#[test]
fn lines_written_after_a_kill_are_kept() {
    for step in [CompletedStep::Announced, CompletedStep::Placed(0)] {
        let desk = Desk::new();
        let source = desk.file();
        let mut running =
            desk.journal.begin(&source, &line_patch(&source), &how(), &mut good).unwrap().unwrap();
        while running.advance(&mut good).unwrap() != step {}
        die(running);
        let mut text = fs::read_to_string(source.path()).unwrap();
        text.push_str("four\n");
        use std::io::Write;
        fs::OpenOptions::new()
            .append(true)
            .open(source.path())
            .unwrap()
            .write_all(b"four\n")
            .unwrap();
        let finished = finish(&desk);
        assert_eq!(
            finished,
            [if step == CompletedStep::Announced {
                Finished::Withdrawn
            } else {
                Finished::Completed
            }]
        );
        assert_eq!(desk.texts()["log.jsonl"], text);
    }
}

#[test]
fn a_state_file_rewritten_after_a_kill_stays_unchanged() {
    for (last, atomic) in [(0, false), (0, true), (1, false), (1, true)] {
        let desk = Desk::new();
        let source = desk.folder();
        let mut running = desk
            .journal
            .begin(&source, &folder_patch(&source), &how(), &mut good)
            .unwrap()
            .unwrap();
        while running.advance(&mut good).unwrap() != CompletedStep::Placed(last) {}
        die(running);
        let path = desk.dir.path().join("log/base_state.json");
        if atomic {
            fs::write(desk.dir.path().join("fresh"), "{fresh}").unwrap();
            fs::rename(desk.dir.path().join("fresh"), &path).unwrap();
        } else {
            fs::write(&path, "{fresh}").unwrap();
        }
        assert_eq!(finish(&desk), [Finished::Completed]);
        let texts = desk.texts();
        assert_eq!(texts["log/base_state.json"], "{fresh}");
        assert_eq!(texts["log/events/2-d.json"], "{d}");
        assert!(!texts.keys().any(|name| is_leftover(name)), "{texts:?}");
    }
}

#[test]
fn a_step_that_fails_is_settled_at_once() {
    let desk = Desk::new();
    let before = desk.texts();
    let source = desk.folder();
    let mut running =
        desk.journal.begin(&source, &folder_patch(&source), &how(), &mut good).unwrap().unwrap();
    while running.advance(&mut good).unwrap() != CompletedStep::Announced {}
    // The prepared state file disappears: the folder can be put in place, the file cannot.
    fs::remove_file(running.operation.units[1].stage(&running.operation.head.place)).unwrap();
    assert_eq!(running.advance(&mut good).unwrap(), CompletedStep::Placed(0));
    let error = running.advance(&mut good).unwrap_err();
    assert!(error.nothing_written(), "{error}");
    drop(running);
    assert_eq!(desk.texts(), before);
    assert_eq!(desk.journal.operations().unwrap()[0].status, OperationStatus::Withdrawn);
}

#[test]
fn a_settled_or_finished_operation_cannot_be_settled() {
    let desk = Desk::new();
    let source = desk.file();
    write(&desk, &source, &line_patch(&source));
    let op = desk.journal.operations().unwrap()[0].head.op;
    assert!(matches!(desk.journal.finish(op), Err(FinishError::NotUnfinished(1))));
}

#[test]
fn an_absurd_operation_number_is_ignored() {
    for number in [u64::MAX, u64::MAX - 1, 1 << 40] {
        let desk = Desk::new();
        fs::create_dir_all(&desk.journal.root).unwrap();
        let line = format!("{{\"op\":{number},\"state\":\"done\"}}\n");
        fs::write(desk.journal.root.join("ops.jsonl"), line).unwrap();
        let before = desk.texts();
        for op in 1..=3 {
            let source = desk.file();
            assert_eq!(
                write(
                    &desk,
                    &source,
                    &Patch::new(vec![put(&source, "log.jsonl", 0, 0, "x")]).unwrap()
                ),
                op
            );
        }
        for op in (1..=3).rev() {
            desk.journal.undo(op).unwrap().run(&how()).unwrap();
        }
        assert_eq!(desk.texts(), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_place_of_a_journal_file_is_refused_without_blocking() {
    for name in ["ops.jsonl", "lock"] {
        let desk = Desk::new();
        fs::create_dir_all(&desk.journal.root).unwrap();
        let pipe = desk.journal.root.join(name);
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let before = desk.recordings();
        let source = desk.file();
        let error =
            desk.journal.write(&source, &line_patch(&source), &how(), &mut good).unwrap_err();
        assert!(error.to_string().contains("a named pipe") && error.nothing_written(), "{error}");
        assert_eq!(desk.journal.operations().is_err(), name == "ops.jsonl");
        assert_eq!(desk.recordings(), before);
    }
}

#[test]
fn leftovers_of_a_backup_are_removed_unless_in_use() {
    let desk = Desk::new();
    let source = desk.file();
    write(&desk, &source, &line_patch(&source));
    let folder = desk.journal.root.join("objects");
    let kept = fs::read_dir(&folder).unwrap().count();
    let (left, used, other) =
        (folder.join(".abc123.tmp"), folder.join(".def456.tmp"), folder.join("notes"));
    [&left, &used, &other].into_iter().for_each(|path| fs::write(path, "half").unwrap());
    let file = fs::File::open(&used).unwrap();
    file.try_lock().unwrap();
    desk.journal.sweep();
    assert!(!left.exists() && used.exists() && other.exists());
    drop(file);
    desk.journal.sweep();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), kept + 1);
}

#[test]
fn a_file_that_changes_before_its_backup_is_no_fault_of_the_journal() {
    let desk = Desk::new();
    let source = desk.file();
    let begun = desk.journal.begin(&source, &line_patch(&source), &how(), &mut good);
    let mut running = begun.unwrap().unwrap();
    fs::write(source.path(), "one\nother\n").unwrap();
    let error = running.advance(&mut good).unwrap_err();
    assert!(error.to_string().ends_with("changed since it was read"), "{error}");
}
