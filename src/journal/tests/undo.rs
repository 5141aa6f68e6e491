use super::*;
use crate::bytes::replace::Existing;
use std::io::Write;

#[test]
fn repair_then_undo_restores_bytes_modes_and_times() {
    for backup in [true, false] {
        for folder in [true, false] {
            let desk = Desk::new();
            #[cfg(unix)]
            for name in ["log/events/1-b.json", "log.jsonl"] {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o604);
                fs::set_permissions(desk.dir.path().join(name), mode).unwrap();
            }
            let before = desk.recordings();
            let source = if folder { desk.folder() } else { desk.file() };
            let patch = if folder { folder_patch(&source) } else { line_patch(&source) };
            let how = WriteOptions { backup, ..how() };
            let op = desk.journal.write(&source, &patch, &how, &mut good).unwrap().unwrap();
            assert_ne!(
                desk.texts(),
                before.iter().map(|(name, (text, ..))| (name.clone(), text.clone())).collect()
            );
            let undo = desk.journal.undo(op).unwrap();
            assert_eq!((undo.operation().head.op, undo.differences()), (op, &[][..]));
            assert_eq!(undo.run(&how).unwrap(), op + 1);
            assert_eq!(desk.recordings(), before, "backup {backup}, folder {folder}");
            let entries = desk.journal.operations().unwrap();
            assert_eq!((entries[0].undone_by, entries[1].head.undoes), (Some(2), Some(1)));
            assert!(desk.journal.latest_undoable(source.path()).unwrap().is_none());
        }
    }
}

#[test]
fn operations_are_undone_newest_first() {
    let desk = Desk::new();
    let before = desk.texts();
    for text in ["x", "y"] {
        let source = desk.file();
        write(&desk, &source, &Patch::new(vec![put(&source, "log.jsonl", 0, 0, text)]).unwrap());
    }
    // An operation on another transcript does not matter.
    let other = desk.folder();
    write(&desk, &other, &Patch::new(vec![put(&other, "base_state.json", 0, 0, " ")]).unwrap());
    desk.journal.undo(3).unwrap().run(&how()).unwrap();
    assert!(matches!(desk.journal.undo(1), Err(UndoError::Newer(2))));
    desk.journal.undo(2).unwrap().run(&how()).unwrap();
    assert!(matches!(desk.journal.undo(2), Err(UndoError::Undone { op: 2, by: 5 })));
    assert!(matches!(desk.journal.undo(5), Err(UndoError::IsUndo { op: 5, undoes: 2 })));
    assert!(matches!(desk.journal.undo(9), Err(UndoError::Unknown(9))));
    assert_eq!(desk.latest(desk.file().path()), Some(1));
    desk.journal.undo(1).unwrap().run(&how()).unwrap();
    assert_eq!(desk.texts(), before);
}

#[test]
fn later_changes_are_reported_and_kept() {
    let desk = Desk::new();
    let source = desk.file();
    let op = write(&desk, &source, &line_patch(&source));
    let path = source.path();
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"four\nfive\nsi").unwrap();
    let undo = desk.journal.undo(op).unwrap();
    let real = fs::canonicalize(path).unwrap();
    assert_eq!(
        undo.differences(),
        [UndoDifference {
            path: real.clone(),
            how: DifferenceKind::Longer { bytes: 12, lines: 2 }
        }]
    );
    assert!(matches!(undo.run(&how()), Err(UndoError::Changed(list)) if list.len() == 1));
    assert_eq!(fs::read_to_string(path).unwrap(), "one\nTHREE\nfour\nfive\nsi");

    fs::write(path, "quite another\n").unwrap();
    let undo = desk.journal.undo(op).unwrap();
    assert_eq!(
        undo.differences(),
        [UndoDifference { path: real.clone(), how: DifferenceKind::Other { was: 10, now: 14 } }]
    );
    // The original can still be exported.
    let out = desk.dir.path().join("before.jsonl");
    undo.export(&out, Existing::Refused).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "one\ntwo\nthree\n");
    assert_eq!(fs::read_to_string(path).unwrap(), "quite another\n");

    fs::remove_file(path).unwrap();
    let undo = desk.journal.undo(op).unwrap();
    assert_eq!(undo.differences(), [UndoDifference { path: real, how: DifferenceKind::Gone }]);
}

#[test]
fn new_events_in_a_folder_prevent_its_undo_and_locks_do_not() {
    let desk = Desk::new();
    let source = desk.folder();
    let op = write(&desk, &source, &folder_patch(&source));
    let folder = fs::canonicalize(desk.dir.path().join("log/events")).unwrap();
    fs::write(folder.join(".eventlog-len-3.marker"), "").unwrap();
    assert_eq!(desk.journal.undo(op).unwrap().differences(), []);
    fs::write(folder.join("3-new.json"), "{new}").unwrap();
    let undo = desk.journal.undo(op).unwrap();
    assert_eq!(
        undo.differences(),
        [UndoDifference { path: folder.clone(), how: DifferenceKind::Files { was: 3, now: 4 } }]
    );
    assert!(matches!(undo.run(&how()), Err(UndoError::Changed(_))));
    assert!(folder.join("3-new.json").exists());
}

#[test]
fn the_original_folder_can_be_exported() {
    let desk = Desk::new();
    let before = desk.texts();
    let source = desk.folder();
    let op = write(&desk, &source, &folder_patch(&source));
    let out = desk.dir.path().join("elsewhere");
    desk.journal.undo(op).unwrap().export(&out, Existing::Refused).unwrap();
    for name in EVENTS {
        assert_eq!(
            fs::read_to_string(out.join(name)).unwrap(),
            before[&format!("log/{name}")],
            "{name}"
        );
    }
    assert!(!out.join("events/2-d.json").exists() && !out.join("events/1-c.json").exists());
    assert!(desk.journal.undo(op).unwrap().export(&out, Existing::Replaced).is_err());
}

/// Files of a folder may be copies of each other, and a renumbered one may get the name of its copy.
#[test]
fn a_removed_file_comes_back_although_a_copy_of_it_has_its_name() {
    for (copies, backup) in [(2, true), (2, false), (3, true), (3, false)] {
        let desk = Desk::new();
        for name in &EVENTS[1..=copies] {
            fs::write(desk.dir.path().join("log").join(name), "{same}").unwrap();
        }
        let before = desk.recordings();
        let source = desk.folder();
        let id = |name: &str| source.find(name).unwrap();
        let edits = vec![
            Edit::Remove(id(EVENTS[1])),
            Edit::Rename(id(EVENTS[2]), EVENTS[1].into()),
            Edit::Rename(id(EVENTS[3]), EVENTS[2].into()),
        ];
        let how = WriteOptions { backup, ..how() };
        let patch = Patch::new(edits).unwrap();
        let op = desk.journal.write(&source, &patch, &how, &mut good).unwrap().unwrap();
        let out = desk.dir.path().join("elsewhere");
        let undo = desk.journal.undo(op).unwrap();
        undo.export(&out, Existing::Refused).unwrap();
        for name in EVENTS {
            let old = &before[&format!("log/{name}")].0;
            assert_eq!(fs::read_to_string(out.join(name)).unwrap(), *old, "{name}");
        }
        undo.run(&how).unwrap();
        assert_eq!(desk.recordings(), before, "{copies} copies, backup {backup}");
        // What was undone is exported as it is.
        let entries = desk.journal.operations().unwrap();
        fs::remove_dir_all(&out).unwrap();
        let past = desk.journal.past(&entries[0]).unwrap();
        past.export(&out, Existing::Refused).unwrap();
        assert!(EVENTS.iter().all(|name| out.join(name).exists()));
    }
}

/// As if the operation had been recorded with another hash: what is put back is not what was there.
#[test]
fn what_an_undo_restored_is_read_again() {
    let desk = Desk::new();
    let source = desk.file();
    let op = write(&desk, &source, &line_patch(&source));
    let undo = desk.journal.undo(op).unwrap();
    let path = fs::canonicalize(source.path()).unwrap();
    let mut steps = 0;
    let done = undo.run_steps(&how(), &mut |running| {
        steps += 1;
        let step = running.advance(&mut good);
        if matches!(step, Ok(CompletedStep::Done)) {
            fs::write(&path, "one\ntwo\nTHREE\n").unwrap();
        }
        step
    });
    assert!(
        matches!(&done, Err(UndoError::NotRestored(lost)) if *lost == path) && steps > 1,
        "{done:?}"
    );
}

#[test]
fn inverse_edits_replace_a_missing_or_damaged_original() {
    for damaged in [false, true] {
        let desk = Desk::new();
        let source = desk.file();
        let before = desk.texts();
        let op = write(&desk, &source, &line_patch(&source));
        for object in objects(&desk) {
            // The same size: only the checksum differs.
            if damaged {
                fs::write(object, "ONE\ntwo\nthree\n").unwrap()
            } else {
                fs::remove_file(object).unwrap()
            }
        }
        desk.journal.undo(op).unwrap().run(&how()).unwrap();
        assert_eq!(desk.texts(), before);
    }
}

#[test]
fn nothing_is_undone_without_an_original_or_inverse_edits() {
    let desk = Desk::new();
    let source = desk.folder();
    let remove = Patch::new(vec![Edit::Remove(source.find("events/1-b.json").unwrap())]).unwrap();
    let op = write(&desk, &source, &remove);
    let after = desk.texts();
    objects(&desk).into_iter().for_each(|object| fs::write(object, "{x}").unwrap());
    let done = desk.journal.undo(op).unwrap().run(&how());
    assert!(matches!(done, Err(UndoError::NoOriginal(_))), "{done:?}");
    assert_eq!(desk.texts(), after);
}

#[test]
fn a_damaged_original_is_stored_again_by_the_next_repair() {
    let desk = Desk::new();
    let source = desk.file();
    let op = write(&desk, &source, &line_patch(&source));
    desk.journal.undo(op).unwrap().run(&how()).unwrap();
    let sum = Checksum::of(&mut fs::File::open(source.path()).unwrap()).unwrap().0;
    let object = desk.journal.root.join("objects").join(sum.to_string());
    fs::write(&object, "ONE\ntwo\nthree\n").unwrap();
    let source = desk.file();
    write(&desk, &source, &line_patch(&source));
    assert_eq!(fs::read_to_string(object).unwrap(), "one\ntwo\nthree\n");
}

/// An access control list as Linux stores it, version 2: the owner may read and write, user 1 and
/// the group may read.
#[cfg(target_os = "linux")]
const ACCESS: &[u8] = b"\x02\0\0\0\
    \x01\0\x06\0\xff\xff\xff\xff\
    \x02\0\x04\0\x01\0\0\0\
    \x04\0\x04\0\xff\xff\xff\xff\
    \x10\0\x04\0\xff\xff\xff\xff\
    \x20\0\0\0\xff\xff\xff\xff";

#[cfg(target_os = "linux")]
#[test]
fn a_removed_file_is_restored_with_its_extended_attributes() {
    for (name, value) in
        [("user.transcript", &b"\xffvalue"[..]), ("system.posix_acl_access", ACCESS)]
    {
        for backup in [true, false] {
            let desk = Desk::new();
            let path = desk.dir.path().join("log/events/1-b.json");
            let file = fs::File::open(&path).unwrap();
            if rustix::fs::fsetxattr(&file, name, value, rustix::fs::XattrFlags::empty()).is_err() {
                continue; // This file system has none.
            }
            let before = desk.recordings();
            let source = desk.folder();
            let how = WriteOptions { backup, ..how() };
            let op = desk
                .journal
                .write(&source, &folder_patch(&source), &how, &mut good)
                .unwrap()
                .unwrap();
            assert!(!path.exists());
            desk.journal.undo(op).unwrap().run(&how).unwrap();
            let mut found = [0; 64];
            let size = rustix::fs::getxattr(&path, name, &mut found[..]).unwrap();
            assert_eq!(
                (&found[..size], desk.recordings()),
                (value, before),
                "{name}, backup {backup}"
            );
        }
    }
}

/// Paths of the originals in the journal.
fn objects(desk: &Desk) -> Vec<PathBuf> {
    fs::read_dir(desk.journal.root.join("objects"))
        .unwrap()
        .map(|object| object.unwrap().path())
        .collect()
}

#[cfg(unix)]
#[test]
fn a_transcript_behind_a_link_is_undone_at_its_target() {
    let desk = Desk::new();
    let before = desk.texts();
    let link = desk.dir.path().join("elsewhere");
    std::os::unix::fs::symlink("log.jsonl", &link).unwrap();
    for backup in [true, false] {
        let source = Source::file(&link).unwrap();
        let patch = Patch::new(vec![put(&source, "elsewhere", 0, 1, "O")]).unwrap();
        let how = WriteOptions { backup, ..how() };
        let op = desk.journal.write(&source, &patch, &how, &mut good).unwrap().unwrap();
        assert_eq!(desk.texts()["log.jsonl"], "One\ntwo\nthree\n");
        assert_eq!(desk.latest(&link), Some(op));
        desk.journal.undo(op).unwrap().run(&how).unwrap();
        assert_eq!(desk.texts(), before);
    }
}

#[test]
fn a_killed_undo_is_settled_like_a_repair() {
    let desk = Desk::new();
    let source = desk.file();
    let op = write(&desk, &source, &line_patch(&source));
    let lines = fs::read_to_string(desk.journal.root.join("ops.jsonl")).unwrap();
    desk.journal.undo(op).unwrap().run(&how()).unwrap();
    // As if killed before the last line was written.
    let path = desk.journal.root.join("ops.jsonl");
    let all = fs::read_to_string(&path).unwrap();
    let intent = all[lines.len()..].lines().next().unwrap();
    fs::write(&path, format!("{lines}{intent}\n")).unwrap();
    let unfinished = desk.journal.unfinished().unwrap();
    assert_eq!(desk.journal.finish(unfinished[0].op).unwrap(), Finished::Completed);
    assert!(matches!(desk.journal.undo(op), Err(UndoError::Undone { op: 1, by: 2 })));
}
