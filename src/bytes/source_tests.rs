use super::*;

fn text(entries: &dyn Entries, name: &str) -> String {
    let mut out = String::new();
    entries.open(entries.find(name).unwrap()).unwrap().read_to_string(&mut out).unwrap();
    out
}

#[test]
fn a_file_is_one_entry_with_its_own_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.jsonl");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let source = Source::file(&path).unwrap();
    assert_eq!(
        (source.shape(), source.path(), source.ids()),
        (SourceShape::File, path.as_path(), vec![EntryId(0)])
    );
    assert_eq!((source.name(EntryId(0)), source.len(EntryId(0))), ("log.jsonl", 8));
    assert_eq!(text(&source, "log.jsonl"), "one\ntwo\n");
    assert_eq!(source.fetch(Span { entry: EntryId(0), start: 4, end: 7 }).unwrap(), b"two");
    assert!(source.changed_names().is_empty());
}

#[test]
fn appended_bytes_are_ignored_and_lost_bytes_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.jsonl");
    std::fs::write(&path, "one\n").unwrap();
    let source = Source::file(&path).unwrap();
    std::fs::write(&path, "one\ntwo\n").unwrap();
    assert_eq!(text(&source, "log.jsonl"), "one\n");
    assert_eq!(source.changed_names(), ["log.jsonl"]);
    std::fs::write(&path, "o").unwrap();
    let mut out = Vec::new();
    let error = source.open(EntryId(0)).unwrap().read_to_end(&mut out).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    assert!(source.fetch(Span { entry: EntryId(0), start: 0, end: 4 }).is_err());
}

#[test]
fn missing_spans_and_entries_are_errors() {
    let source = Source::memory("a", vec![("a".into(), b"abc".to_vec())]);
    let span = |entry, start, end| Span { entry: EntryId(entry), start, end };
    for bad in [
        span(0, 0, 4),
        span(0, 2, 1),
        span(0, u64::MAX, u64::MAX),
        span(1, 0, 1),
        span(u32::MAX, 0, u64::MAX),
    ] {
        assert!(source.fetch(bad).is_err(), "{bad:?}");
    }
    assert_eq!(source.fetch(span(0, 3, 3)).unwrap(), b"");
    assert!(source.open(EntryId(7)).is_err());
    assert_eq!((source.name(EntryId(7)), source.len(EntryId(7))), ("", 0));
}

#[test]
fn a_folder_lists_entries_by_name_and_reports_changes() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("events")).unwrap();
    for name in ["events/b.json", "events/a.json", "base.json"] {
        std::fs::write(dir.path().join(name), name).unwrap();
    }
    let names =
        ["events/b.json", "base.json", "events/a.json", "base.json"].map(String::from).to_vec();
    let source = Source::folder(dir.path(), names).unwrap();
    let listed: Vec<_> = source.ids().into_iter().map(|id| source.name(id).to_string()).collect();
    assert_eq!(listed, ["base.json", "events/a.json", "events/b.json"]);
    assert_eq!(text(&source, "events/b.json"), "events/b.json");
    assert_eq!(source.find("events"), None);

    std::fs::write(dir.path().join("events/a.json"), "longer than it was").unwrap();
    std::fs::remove_file(dir.path().join("base.json")).unwrap();
    assert_eq!(source.changed_names(), ["base.json", "events/a.json"]);
}

#[test]
fn a_replaced_file_in_a_folder_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), "old").unwrap();
    let source = Source::folder(dir.path(), vec!["a".into()]).unwrap();
    std::fs::write(dir.path().join("b"), "new").unwrap();
    std::fs::rename(dir.path().join("b"), dir.path().join("a")).unwrap();
    #[cfg(unix)]
    assert!(source.open(EntryId(0)).is_err());
    assert_eq!(source.changed_names(), ["a"]);
}

#[test]
fn a_folder_refuses_names_that_leave_it() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["../x", "a/../../x", "/etc/hosts", "", "a\\b", "nul\0"] {
        assert!(Source::folder(dir.path(), vec![name.into()]).is_err(), "{name:?}");
    }
    let error = Source::folder(dir.path(), vec!["gone".into()]).err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().starts_with("gone: "));
}

#[test]
fn a_folder_cannot_be_opened_as_a_file() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Source::file(dir.path()).err().unwrap().kind(), io::ErrorKind::IsADirectory);
    assert_eq!(
        Source::file(&dir.path().join("gone")).err().unwrap().kind(),
        io::ErrorKind::NotFound
    );
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_devices_are_never_opened() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    // Opening this FIFO for reading would block forever, so the test passes if it ends.
    assert!(Source::file(&fifo).err().unwrap().to_string().contains("named pipe"));
    assert!(
        Source::folder(dir.path(), vec!["fifo".into()])
            .err()
            .unwrap()
            .to_string()
            .contains("named pipe")
    );
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(Source::file(&socket).err().unwrap().to_string().contains("socket"));
    assert!(Source::file(Path::new("/dev/zero")).err().unwrap().to_string().contains("device"));
}

#[test]
fn standard_input_is_spooled() {
    let source = Source::spool(&mut &b"line\n"[..]).unwrap();
    assert_eq!((source.shape(), source.name(EntryId(0))), (SourceShape::Stream, "-"));
    assert_eq!(text(&source, "-"), "line\n");
    assert_eq!(source.fetch(Span { entry: EntryId(0), start: 1, end: 3 }).unwrap(), b"in");
    assert!(source.changed_names().is_empty());
}

#[test]
fn memory_keeps_the_given_numbers() {
    let source =
        Source::memory("x", vec![("b".into(), b"B".to_vec()), ("a".into(), b"A".to_vec())]);
    assert_eq!(source.shape(), SourceShape::Folder);
    assert_eq!(source.ids(), [EntryId(1), EntryId(0)]);
    assert_eq!(source.find("b"), Some(EntryId(0)));
    assert_eq!(Source::memory("x", vec![("x".into(), Vec::new())]).shape(), SourceShape::File);
}
