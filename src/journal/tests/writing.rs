use super::*;
use crate::bytes::replace::ReplaceError;
use crate::journal::write::WriteError;

fn lines(desk: &Desk) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(desk.journal.root.join("ops.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_journal_has_the_intent_the_end_and_the_original() {
    let desk = Desk::new();
    let source = desk.file();
    assert_eq!(write(&desk, &source, &line_patch(&source)), 1);
    assert_eq!(desk.texts()["log.jsonl"], "one\nTHREE\n");
    let lines = lines(&desk);
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["op"], &lines[0]["state"]), (&1.into(), &"intent".into()));
    assert_eq!(lines[0]["time"], "2025-07-20T08:26:40Z");
    assert_eq!(lines[0]["files"][0]["back"][0]["with"], "two\nthree");
    assert_eq!(lines[1], serde_json::json!({"op": 1, "state": "done"}));
    let sum = lines[0]["files"][0]["before"]["sha256"].as_str().unwrap();
    assert_eq!(
        fs::read_to_string(desk.journal.root.join("objects").join(sum)).unwrap(),
        "one\ntwo\nthree\n"
    );
    let entry = &desk.journal.operations().unwrap()[0];
    assert_eq!((entry.status, entry.is_in_effect()), (OperationStatus::Done, true));
    assert_eq!(desk.latest(source.path()), Some(1));
    let now = Checksum::of(&mut fs::File::open(source.path()).unwrap()).unwrap().0;
    assert_eq!(desk.journal.last_written_checksum(source.path()).unwrap(), Some(now));
}

#[test]
fn an_empty_patch_leaves_no_trace() {
    let desk = Desk::new();
    let source = desk.file();
    assert!(desk.journal.write(&source, &Patch::default(), &how(), &mut good).unwrap().is_none());
    let same = Patch::new(vec![put(&source, "log.jsonl", 0, 3, "one")]).unwrap();
    assert!(desk.journal.write(&source, &same, &how(), &mut good).unwrap().is_none());
    assert!(desk.journal.operations().unwrap().is_empty());
    assert!(desk.journal.unfinished().unwrap().is_empty());
    assert!(!desk.journal.root.exists());
}

#[test]
fn rejected_bytes_are_not_written() {
    let desk = Desk::new();
    let before = desk.recordings();
    for source in [desk.file(), desk.folder()] {
        let patch =
            if source.ids().len() == 1 { line_patch(&source) } else { folder_patch(&source) };
        let mut names = Vec::new();
        let mut bad = |new: &Source| {
            names = new.ids().into_iter().map(|id| new.name(id).to_string()).collect();
            Err("worse than before".into())
        };
        let error = desk.journal.write(&source, &patch, &how(), &mut bad).unwrap_err();
        assert!(
            matches!(&error, WriteError::Verify(why) if why.to_string() == "worse than before")
                && error.nothing_written()
        );
        assert!(
            names == ["log.jsonl"]
                || names
                    == ["base_state.json", "events/0-a.json", "events/1-c.json", "events/2-d.json"]
        );
    }
    assert_eq!(desk.recordings(), before);
    assert!(!desk.journal.root.exists());
}

#[test]
fn a_transcript_that_changed_since_it_was_read_is_left_alone() {
    let desk = Desk::new();
    let source = desk.file();
    let patch = line_patch(&source);
    let append = |text: &str| {
        use std::io::Write;
        let mut file = fs::OpenOptions::new().append(true).open(source.path()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    // While the new bytes are being verified.
    let mut writer = |_: &Source| {
        append("four\n");
        Ok(())
    };
    let error = desk.journal.write(&source, &patch, &how(), &mut writer).unwrap_err();
    // The backup notices it first: it stores only what the repair was planned on.
    assert!(
        matches!(error, WriteError::Journal { .. } | WriteError::Replace(ReplaceError::Changed(_))),
        "{error}"
    );
    // Before the operation.
    let error = desk.journal.write(&source, &patch, &how(), &mut good).unwrap_err();
    assert!(
        matches!(error, WriteError::Replace(ReplaceError::Changed(_))) && error.nothing_written()
    );
    assert_eq!(desk.texts()["log.jsonl"], "one\ntwo\nthree\nfour\n");
    assert!(desk.journal.operations().unwrap().is_empty());
}

#[test]
fn a_folder_operation_records_every_file() {
    let desk = Desk::new();
    let source = desk.folder();
    write(&desk, &source, &folder_patch(&source));
    let texts = desk.texts();
    assert_eq!(texts["log/events/1-c.json"], "{c}");
    assert!(!texts.contains_key("log/events/1-b.json"));
    assert!(texts.contains_key("log/events/.lock"));
    let names: Vec<_> = lines(&desk)[0]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            (
                file["from"].as_str().unwrap_or("-").to_string(),
                file["to"].as_str().unwrap_or("-").to_string(),
            )
        })
        .collect();
    let pair = |from: &str, to: &str| (from.to_string(), to.to_string());
    assert_eq!(
        names,
        [
            pair("events/0-a.json", "events/0-a.json"),
            pair("events/1-b.json", "-"),
            pair("events/2-c.json", "events/1-c.json"),
            pair("-", "events/2-d.json"),
            pair("base_state.json", "base_state.json"),
        ]
    );
    // A renamed file is its own backup.
    assert_eq!(fs::read_dir(desk.journal.root.join("objects")).unwrap().count(), 3);
}

#[cfg(unix)]
#[test]
fn the_journal_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    fs::create_dir(&desk.journal.root).unwrap();
    fs::set_permissions(&desk.journal.root, fs::Permissions::from_mode(0o755)).unwrap();
    let source = desk.file();
    write(&desk, &source, &line_patch(&source));
    let bits = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(bits(&desk.journal.root), 0o700);
    assert_eq!(bits(&desk.journal.root.join("objects")), 0o700);
    assert_eq!(bits(&desk.journal.root.join("ops.jsonl")), 0o600);
    for object in fs::read_dir(desk.journal.root.join("objects")).unwrap() {
        assert_eq!(bits(&object.unwrap().path()), 0o600);
    }
}

#[test]
fn incomplete_and_foreign_lines_are_skipped() {
    let desk = Desk::new();
    let source = desk.file();
    write(&desk, &source, &line_patch(&source));
    let path = desk.journal.root.join("ops.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        format!("{whole}{{\"op\":7,\"state\":\"someday\"}}\nnonsense\n{{\"op\":2,\"state\":\"int"),
    )
    .unwrap();
    let source = desk.file();
    assert_eq!(
        write(&desk, &source, &Patch::new(vec![put(&source, "log.jsonl", 0, 0, "x")]).unwrap()),
        2
    );
    let entries = desk.journal.operations().unwrap();
    assert_eq!(
        entries.iter().map(|entry| (entry.head.op, entry.status)).collect::<Vec<_>>(),
        [(1, OperationStatus::Done), (2, OperationStatus::Done)]
    );
}

/// The log with the line of its first operation changed.
fn change_intent(desk: &Desk, change: impl Fn(&str) -> String) {
    let path = desk.journal.root.join("ops.jsonl");
    let log = fs::read_to_string(&path).unwrap();
    let (intent, rest) = log.split_once('\n').unwrap();
    fs::write(&path, format!("{}\n{rest}", change(intent))).unwrap();
}

#[test]
fn an_intent_that_was_cut_off_is_no_operation() {
    // Also where its last bytes look like the end of a line.
    for end in ["}", "]", "\"units\":["] {
        let desk = Desk::new();
        let source = desk.file();
        let mut running =
            desk.journal.begin(&source, &line_patch(&source), &how(), &mut good).unwrap().unwrap();
        while running.advance(&mut good).unwrap() != CompletedStep::Announced {}
        running.staged.disarm();
        drop(running);
        assert_eq!(desk.journal.unfinished().unwrap().len(), 1);
        change_intent(&desk, |intent| {
            let files = intent.find("\"files\":[").unwrap();
            let cut = files + intent[files..].find(end).unwrap() + end.len();
            assert!(cut < intent.len());
            intent[..cut].to_owned()
        });
        assert!(desk.journal.unfinished().unwrap().is_empty(), "{end}");
        let source = desk.file();
        write(&desk, &source, &line_patch(&source));
    }
}

#[test]
fn the_files_of_an_operation_are_read_when_they_are_needed() {
    let desk = Desk::new();
    let source = desk.file();
    write(&desk, &source, &line_patch(&source));
    let path = source.path();
    let is_meant = |place: &Path| place == path.canonicalize().unwrap();
    assert_eq!(desk.journal.kept(&is_meant).unwrap().len(), 1);
    assert!(desk.journal.kept(&|_| false).unwrap().is_empty());
    // Longer than what is read of each line.
    change_intent(&desk, |intent| {
        intent.replacen("\"files\":[", &format!("\"files\":[{}", "[".repeat(1 << 20)), 1)
    });
    let entries = desk.journal.operations().unwrap();
    assert_eq!((entries.len(), entries[0].head.op), (1, 1));
    assert!(entries[0].is_in_effect());
    assert!(desk.journal.operation(&entries[0]).unwrap().is_none());
    assert!(matches!(desk.journal.undo(1), Err(UndoError::Unknown(1))));
    assert!(desk.journal.kept(&is_meant).unwrap().is_empty());
    assert_eq!(desk.journal.last_written_checksum(path).unwrap(), None);
    // A head that long is not ours.
    change_intent(&desk, |intent| {
        intent.replacen("\"version\":\"", &format!("\"version\":\"{}", "9".repeat(1 << 20)), 1)
    });
    assert!(desk.journal.operations().unwrap().is_empty());
    let source = desk.file();
    let patch = Patch::new(vec![put(&source, "log.jsonl", 0, 0, "x")]).unwrap();
    write(&desk, &source, &patch);
}

#[test]
fn backups_can_be_stored_elsewhere_or_not_at_all() {
    let desk = Desk::new();
    let source = desk.file();
    let elsewhere = desk.dir.path().join("elsewhere");
    let journal = desk.journal.clone().with_backups_in(elsewhere.clone());
    journal.write(&source, &line_patch(&source), &how(), &mut good).unwrap();
    assert_eq!(fs::read_dir(elsewhere.join("objects")).unwrap().count(), 1);
    let source = desk.file();
    let patch = Patch::new(vec![put(&source, "log.jsonl", 0, 3, "")]).unwrap();
    desk.journal
        .write(&source, &patch, &WriteOptions { backup: false, ..how() }, &mut good)
        .unwrap();
    assert!(!desk.journal.root.join("objects").exists());
    assert_eq!(desk.journal.operations().unwrap().len(), 2);
}

#[test]
fn a_failed_backup_stops_the_operation() {
    let desk = Desk::new();
    let before = desk.recordings();
    fs::write(desk.dir.path().join("state"), "a file where the journal should be").unwrap();
    let source = desk.file();
    let error = desk.journal.write(&source, &line_patch(&source), &how(), &mut good).unwrap_err();
    assert!(matches!(error, WriteError::Journal { .. }) && error.nothing_written(), "{error}");
    assert_eq!(desk.recordings(), before);
}

#[test]
fn two_operations_at_once_run_one_after_the_other() {
    let desk = Desk::new();
    let source = desk.file();
    let mut first =
        desk.journal.begin(&source, &line_patch(&source), &how(), &mut good).unwrap().unwrap();
    while first.advance(&mut good).unwrap() != CompletedStep::Announced {}
    // It is running, not interrupted.
    assert!(desk.journal.unfinished().unwrap().is_empty());
    let again = desk.journal.write(&source, &line_patch(&source), &how(), &mut good);
    assert!(matches!(again, Err(WriteError::Busy)));
    while first.advance(&mut good).unwrap() != CompletedStep::Done {}
    assert_eq!(desk.texts()["log.jsonl"], "one\nTHREE\n");
}
