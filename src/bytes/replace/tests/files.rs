use super::*;
use crate::bytes::replace::Existing;
use std::time::{Duration, SystemTime};

fn log(dir: &Path) -> (std::path::PathBuf, Source) {
    let path = dir.join("log.jsonl");
    fs::write(&path, "one\ntwo\n").unwrap();
    let source = Source::file(&path).unwrap();
    (path, source)
}

#[test]
fn a_file_is_replaced_and_nothing_else_is_left() {
    let dir = tempfile::tempdir().unwrap();
    let (path, source) = log(dir.path());
    replace(&source, vec![put(&source, "log.jsonl", 0, 3, "ONE")]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "ONE\ntwo\n");
    assert_eq!(tree(dir.path()).len(), 1);
}

#[test]
fn the_prepared_bytes_can_be_read_before_they_are_in_place() {
    let dir = tempfile::tempdir().unwrap();
    let (path, source) = log(dir.path());
    staged(&source, vec![put(&source, "log.jsonl", 0, 3, "ONE")], |staged| {
        let new = staged.source(vec!["log.jsonl".into()]).unwrap();
        assert_eq!(
            (new.path(), new.shape()),
            (fs::canonicalize(&path).unwrap().as_path(), source.shape())
        );
        let id = new.find("log.jsonl").unwrap();
        assert_eq!(
            new.fetch(Span { entry: id, start: 0, end: new.len(id) }).unwrap(),
            b"ONE\ntwo\n"
        );
    })
    .unwrap();
    // Dropped without a commit.
    assert_eq!(tree(dir.path()), BTreeMap::from([("log.jsonl".into(), Some("one\ntwo\n".into()))]));
}

#[test]
fn edits_that_change_nothing_prepare_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (_, source) = log(dir.path());
    staged(&source, vec![put(&source, "log.jsonl", 0, 3, "one")], |staged| {
        assert!(staged.is_empty())
    })
    .unwrap();
    staged(&source, Vec::new(), |staged| assert!(staged.is_empty())).unwrap();
    assert_eq!(tree(dir.path()).len(), 1);
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (path, source) = log(dir.path());
    let edits = || vec![put(&source, "log.jsonl", 0, 3, "ONE")];
    let append = |staged: Staged| {
        fs::write(&path, "one\ntwo\nthree\n").unwrap();
        run(staged)
    };
    assert!(matches!(staged(&source, edits(), append).unwrap(), Err(ReplaceError::Changed(_))));
    // Same size, same time: only the bytes differ.
    let source = Source::file(&path).unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let swap = |staged: Staged| {
        fs::write(&path, "one\ntwo\nTHREE\n").unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_modified(time).unwrap();
        run(staged)
    };
    assert!(matches!(staged(&source, edits(), swap).unwrap(), Err(ReplaceError::Changed(_))));
    assert_eq!(
        tree(dir.path()),
        BTreeMap::from([("log.jsonl".into(), Some("one\ntwo\nTHREE\n".into()))])
    );
}

#[test]
fn the_time_is_new_unless_it_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = log(dir.path());
    let old = SystemTime::UNIX_EPOCH + Duration::from_nanos(1_700_000_000_123_456_700);
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_modified(old).unwrap();
    for (keep, same) in [(true, true), (false, false)] {
        let source = Source::file(&path).unwrap();
        let patch = Patch::new(vec![put(&source, "log.jsonl", 0, 0, "x")]).unwrap();
        let patched = Overlay::new(&source, &patch);
        let changes = changes(&source, &patch, &patched).unwrap();
        run(stage(&Location::of(&source).unwrap(), &changes, keep).unwrap()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap() == old, same);
    }
}

#[test]
fn a_single_file_keeps_one_entry() {
    let dir = tempfile::tempdir().unwrap();
    let (_, source) = log(dir.path());
    for edit in [
        Edit::Remove(EntryId(0)),
        Edit::Rename(EntryId(0), "other".into()),
        Edit::Create { name: "new".into(), bytes: Vec::new() },
    ] {
        assert!(matches!(replace(&source, vec![edit]), Err(ReplaceError::Structure)));
    }
}

#[test]
fn archives_and_streams_are_not_written() {
    let memory = Source::memory("a", vec![("a".into(), b"text".to_vec())]);
    assert!(replace(&memory, vec![put(&memory, "a", 0, 1, "T")]).is_err());
}

#[cfg(unix)]
#[test]
fn leftovers_are_swept_and_files_in_use_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let (_, source) = log(dir.path());
    let name = |random: &str| format!(".log.jsonl.{random}.transcript-doctor-tmp");
    for random in ["aB3xY9", "locked", "toolong", "a b3xY"] {
        fs::write(dir.path().join(name(random)), "left").unwrap();
    }
    let used = fs::File::open(dir.path().join(name("locked"))).unwrap();
    used.try_lock().unwrap();
    replace(&source, vec![put(&source, "log.jsonl", 0, 0, "x")]).unwrap();
    let names = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = names.collect();
    left.sort();
    assert_eq!(left, [name("a b3xY"), name("locked"), name("toolong"), "log.jsonl".to_string()]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn mode_and_owner_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (path, source) = log(dir.path());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // Only root may give files away.
        let given = std::os::unix::fs::chown(&path, Some(1234), Some(4321)).is_ok();
        let was = fs::metadata(&path).unwrap();
        replace(&source, vec![put(&source, "log.jsonl", 0, 0, "x")]).unwrap();
        let now = fs::metadata(&path).unwrap();
        assert_eq!((now.mode(), now.uid(), now.gid()), (was.mode(), was.uid(), was.gid()));
        assert_ne!(now.ino(), was.ino());
        assert_eq!(given, now.uid() == 1234);
    }

    #[test]
    fn a_prepared_file_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let (path, source) = log(dir.path());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let mode = |staged: Staged| {
            let unit = staged.units().next().unwrap().clone();
            fs::metadata(unit.stage(staged.location())).unwrap().mode() & 0o777
        };
        assert_eq!(
            staged(&source, vec![put(&source, "log.jsonl", 0, 0, "x")], mode).unwrap(),
            0o600
        );
    }

    #[test]
    fn a_link_is_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real");
        fs::create_dir(&real).unwrap();
        let (path, _) = log(&real);
        let link = dir.path().join("link.jsonl");
        symlink("real/log.jsonl", &link).unwrap();
        let source = Source::file(&link).unwrap();
        replace(&source, vec![put(&source, "link.jsonl", 0, 3, "ONE")]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ONE\ntwo\n");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(tree(&real).len(), 1);
    }

    #[test]
    fn hard_links_are_refused_but_can_be_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (path, source) = log(dir.path());
        fs::hard_link(&path, dir.path().join("twin")).unwrap();
        assert!(matches!(
            replace(&source, vec![put(&source, "log.jsonl", 0, 0, "x")]),
            Err(ReplaceError::Linked(_))
        ));
        assert_eq!(tree(dir.path()).len(), 2);
        export(&Location::of(&source).unwrap(), &[], &dir.path().join("copy"), Existing::Refused)
            .unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("copy")).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn a_read_only_folder_stays_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let (_, source) = log(dir.path());
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
        let writable = fs::write(dir.path().join("probe"), "").is_ok(); // root may
        let result = replace(&source, vec![put(&source, "log.jsonl", 0, 0, "x")]);
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(result.is_ok(), writable);
    }
}

#[test]
fn a_copy_is_written_to_another_path() {
    let dir = tempfile::tempdir().unwrap();
    let (path, source) = log(dir.path());
    let patch = Patch::new(vec![put(&source, "log.jsonl", 0, 3, "ONE")]).unwrap();
    let patched = Overlay::new(&source, &patch);
    let changes = changes(&source, &patch, &patched).unwrap();
    let place = Location::of(&source).unwrap();
    let out = dir.path().join("copy.jsonl");
    export(&place, &changes, &out, Existing::Refused).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "ONE\ntwo\n");
    assert!(matches!(export(&place, &[], &out, Existing::Refused), Err(ReplaceError::Exists(_))));
    export(&place, &[], &out, Existing::Replaced).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "one\ntwo\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    assert_eq!(tree(dir.path()).len(), 2);
}
