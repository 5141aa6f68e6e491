use super::*;
use crate::bytes::replace::Existing;

const NAMES: [&str; 4] =
    ["base_state.json", "events/0-a.json", "events/1-b.json", "events/2-c.json"];

/// A conversation: three events, the state next to them, and files that are not ours.
fn conversation(root: &Path) -> Source {
    fs::create_dir_all(root.join("events/deep")).unwrap();
    fs::create_dir(root.join("observations")).unwrap();
    for (name, text) in [
        ("base_state.json", "{state}"),
        ("meta.json", "{meta}"),
        ("observations/big", "not ours"),
        ("events/0-a.json", "{a}"),
        ("events/1-b.json", "{b}"),
        ("events/2-c.json", "{c}"),
        ("events/.lock", ""),
        ("events/deep/note", "not ours either"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    Source::folder(root, NAMES.map(String::from).to_vec()).unwrap()
}

/// Removes event 1, renumbers event 2, inserts an event after it, edits the first event and the
/// state.
fn edits(source: &Source) -> Vec<Edit> {
    let id = |name: &str| source.find(name).unwrap();
    vec![
        Edit::Remove(id("events/1-b.json")),
        Edit::Rename(id("events/2-c.json"), "events/1-c.json".into()),
        Edit::Create { name: "events/2-d.json".into(), bytes: b"{d}".to_vec() },
        put(source, "events/0-a.json", 1, 2, "A"),
        put(source, "base_state.json", 1, 6, "STATE"),
    ]
}

fn wanted(mut old: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
    old.remove("events/1-b.json");
    old.remove("events/2-c.json");
    for (name, text) in [
        ("events/0-a.json", "{A}"),
        ("events/1-c.json", "{c}"),
        ("events/2-d.json", "{d}"),
        ("base_state.json", "{STATE}"),
    ] {
        old.insert(name.into(), Some(text.into()));
    }
    old
}

#[test]
fn the_smallest_folder_is_exchanged_and_files_outside_follow() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let before = tree(dir.path());
    staged(&source, edits(&source), |staged| {
        let units: Vec<(UnitKind, String)> =
            staged.units().map(|unit| (unit.kind, unit.name.clone())).collect();
        assert_eq!(
            units,
            [
                (UnitKind::Folder, "events".to_string()),
                (UnitKind::File, "base_state.json".to_string())
            ]
        );
        run(staged).unwrap();
    })
    .unwrap();
    assert_eq!(tree(dir.path()), wanted(before));
}

#[test]
fn two_renames_replace_an_exchange() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let before = tree(dir.path());
    staged(&source, edits(&source), |mut staged| {
        staged.without_exchange();
        run(staged).unwrap();
    })
    .unwrap();
    assert_eq!(tree(dir.path()), wanted(before));
}

#[test]
fn the_prepared_folder_is_read_together_with_the_files_that_stay() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let before = tree(dir.path());
    let names = ["base_state.json", "events/0-a.json", "events/1-c.json", "events/2-d.json"]
        .map(String::from);
    staged(&source, edits(&source), |staged| {
        let new = staged.source(names.to_vec()).unwrap();
        let texts: Vec<String> = new
            .ids()
            .into_iter()
            .map(|id| {
                String::from_utf8(
                    new.fetch(Span { entry: id, start: 0, end: new.len(id) }).unwrap(),
                )
                .unwrap()
            })
            .collect();
        assert_eq!(texts, ["{STATE}", "{A}", "{c}", "{d}"]);
    })
    .unwrap();
    assert_eq!(tree(dir.path()), before);
}

#[test]
fn unchanged_files_keep_their_time_and_new_files_take_the_mode_of_a_sibling() {
    let dir = tempfile::tempdir().unwrap();
    conversation(dir.path());
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for name in ["events/0-a.json", "events/2-c.json", "events/deep/note"] {
        fs::OpenOptions::new()
            .write(true)
            .open(dir.path().join(name))
            .unwrap()
            .set_modified(old)
            .unwrap();
    }
    #[cfg(unix)]
    for name in ["events/.lock", "events/0-a.json"] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o640);
        fs::set_permissions(dir.path().join(name), mode).unwrap();
    }
    let source = Source::folder(dir.path(), NAMES.map(String::from).to_vec()).unwrap();
    replace(&source, edits(&source)).unwrap();
    let time = |name: &str| fs::metadata(dir.path().join(name)).unwrap().modified().unwrap();
    assert_eq!((time("events/1-c.json"), time("events/deep/note")), (old, old));
    assert_ne!(time("events/0-a.json"), old);
    #[cfg(unix)]
    for name in ["events/0-a.json", "events/2-d.json"] {
        let mode =
            std::os::unix::fs::MetadataExt::mode(&fs::metadata(dir.path().join(name)).unwrap());
        assert_eq!(mode & 0o777, 0o640, "{name}");
    }
}

#[test]
fn an_edit_that_changes_nothing_leaves_the_time() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let path = dir.path().join("events/0-a.json");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_modified(old).unwrap();
    drop(file);
    let source = Source::folder(source.path(), NAMES.map(String::from).to_vec()).unwrap();
    let removed = source.find("events/1-b.json").unwrap();
    let edits = vec![Edit::Remove(removed), put(&source, "events/0-a.json", 1, 2, "a")];
    replace(&source, edits).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), old);
}

#[test]
fn two_files_may_swap_names() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let id = |name: &str| source.find(name).unwrap();
    let edits = vec![
        Edit::Rename(id("events/0-a.json"), "events/1-b.json".into()),
        Edit::Rename(id("events/1-b.json"), "events/0-a.json".into()),
    ];
    replace(&source, edits).unwrap();
    let now = tree(dir.path());
    assert_eq!(now["events/0-a.json"].as_deref(), Some("{b}"));
    assert_eq!(now["events/1-b.json"].as_deref(), Some("{a}"));
}

#[test]
fn one_edited_file_is_replaced_alone() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let units = |edits: Vec<Edit>| {
        staged(&source, edits, |staged| {
            staged.units().map(|unit| (unit.kind, unit.name.clone())).collect::<Vec<_>>()
        })
        .unwrap()
    };
    let event = || put(&source, "events/0-a.json", 0, 0, "x");
    let state = || put(&source, "base_state.json", 0, 0, "x");
    let file = |name: &str| (UnitKind::File, name.to_string());
    assert_eq!(units(vec![event()]), [file("events/0-a.json")]);
    assert_eq!(units(vec![event(), state()]), [file("events/0-a.json"), file("base_state.json")]);
    let both = vec![event(), put(&source, "events/1-b.json", 0, 0, "x")];
    assert_eq!(units(both), [(UnitKind::Folder, "events".to_string())]);
    let top = vec![Edit::Create { name: "new.json".into(), bytes: Vec::new() }, event()];
    assert_eq!(units(top), [(UnitKind::Folder, String::new())]);
}

#[test]
fn the_whole_folder_can_be_exchanged() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("conversation");
    fs::create_dir(&root).unwrap();
    let source = conversation(&root);
    replace(
        &source,
        vec![Edit::Rename(source.find("base_state.json").unwrap(), "events/state".into())],
    )
    .unwrap();
    let now = tree(&root);
    assert_eq!(now["events/state"].as_deref(), Some("{state}"));
    assert_eq!(now["observations/big"].as_deref(), Some("not ours"));
    assert_eq!(tree(dir.path()).keys().filter(|name| !name.contains('/')).count(), 1);
}

#[test]
fn a_new_name_must_be_free() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let before = tree(dir.path());
    // The first is an entry of the transcript, the second a file unknown to the format, the third
    // would be outside.
    for name in ["events/0-a.json", "events/.lock", "../outside.json"] {
        let edit = Edit::Rename(source.find("events/1-b.json").unwrap(), name.into());
        assert!(matches!(replace(&source, vec![edit]), Err(ReplaceError::Name(_))), "{name}");
    }
    assert_eq!(tree(dir.path()), before);
}

#[test]
fn a_file_written_at_the_last_moment_is_kept() {
    for exchange in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let source = conversation(dir.path());
        let mut before = tree(dir.path());
        staged(&source, edits(&source), |mut staged| {
            if !exchange {
                staged.without_exchange();
            }
            staged.check_unchanged().unwrap();
            fs::write(dir.path().join("events/3-new.json"), "{new}").unwrap();
            assert!(matches!(staged.check_unchanged(), Err(ReplaceError::Changed(_))));
            while staged.commit(0).unwrap() == CommitStep::Away {}
            assert_eq!(
                staged.late_writes(0).unwrap(),
                LateWrites::Files(vec!["3-new.json".into()])
            );
            staged.roll_back().unwrap();
            remove_replaced(&staged);
        })
        .unwrap();
        before.insert("events/3-new.json".into(), Some("{new}".into()));
        assert_eq!(tree(dir.path()), before);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_being_replaced_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    staged(&source, edits(&source), |first| {
        assert!(matches!(replace(&source, edits(&source)), Err(ReplaceError::Busy(_))));
        run(first).unwrap();
    })
    .unwrap();
}

#[test]
fn leftovers_are_removed_and_replaced_files_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let replaced = ".events.aB3xY9.transcript-doctor-old";
    fs::create_dir(dir.path().join(".events.transcript-doctor-new")).unwrap();
    fs::write(dir.path().join(".events.transcript-doctor-new/half"), "{").unwrap();
    fs::create_dir(dir.path().join(replaced)).unwrap();
    let before = tree(dir.path());
    replace(&source, edits(&source)).unwrap();
    let mut want = wanted(before);
    want.retain(|name, _| !name.starts_with(".events") || name == replaced);
    assert_eq!(tree(dir.path()), want);
}

#[test]
fn every_state_of_a_unit_is_recognized() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    staged(&source, edits(&source), |mut staged| {
        staged.without_exchange();
        let (place, files) = (staged.location().clone(), staged.files().to_vec());
        let units: Vec<ReplaceUnit> = staged.units().cloned().collect();
        let states =
            || units.iter().map(|unit| unit.state(&place, &files).unwrap()).collect::<Vec<_>>();
        assert_eq!(states(), [UnitState::Old, UnitState::Old]);
        assert_eq!(staged.commit(0).unwrap(), CommitStep::Away);
        assert_eq!(states(), [UnitState::Gone, UnitState::Old]);
        assert_eq!(staged.commit(0).unwrap(), CommitStep::Placed);
        assert_eq!(states(), [UnitState::New, UnitState::Old]);
        assert_eq!(staged.commit(1).unwrap(), CommitStep::Placed);
        assert_eq!(states(), [UnitState::New, UnitState::New]);
        assert!(staged.check().is_ok());
        remove_replaced(&staged);
        // Another process keeps writing to the new file, or replaces it: the unit was replaced all
        // the same.
        fs::write(dir.path().join("base_state.json"), "{going on}").unwrap();
        assert!(staged.check().is_err());
        assert_eq!(states(), [UnitState::New, UnitState::New]);
        fs::write(dir.path().join("other"), "{other}").unwrap();
        fs::rename(dir.path().join("other"), dir.path().join("base_state.json")).unwrap();
        assert_eq!(states(), [UnitState::New, UnitState::New]);
        fs::rename(dir.path().join("events"), dir.path().join("away")).unwrap();
        fs::create_dir(dir.path().join("events")).unwrap();
        assert_eq!(states(), [UnitState::Other, UnitState::New]);
    })
    .unwrap();
}

#[test]
fn a_copy_of_the_folder_has_everything() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("in");
    fs::create_dir(&root).unwrap();
    let source = conversation(&root);
    let before = tree(&root);
    let patch = Patch::new(edits(&source)).unwrap();
    let patched = Overlay::new(&source, &patch);
    let changes = changes(&source, &patch, &patched).unwrap();
    let place = Location::of(&source).unwrap();
    export(&place, &changes, &dir.path().join("out"), Existing::Refused).unwrap();
    assert_eq!(tree(&dir.path().join("out")), wanted(before.clone()));
    assert_eq!(tree(&root), before);
    assert!(matches!(
        export(&place, &changes, &dir.path().join("out"), Existing::Replaced),
        Err(ReplaceError::Exists(_))
    ));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn links_inside_a_folder_are_copied_but_never_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let outside = dir.path().join("outside.json");
    fs::write(&outside, "{outside}").unwrap();
    let root = dir.path().join("in");
    fs::create_dir(&root).unwrap();
    conversation(&root);
    std::os::unix::fs::symlink(&outside, root.join("events/9-link.json")).unwrap();
    let names = ["events/0-a.json", "events/1-b.json", "events/9-link.json"].map(String::from);
    let source = Source::folder(&root, names.to_vec()).unwrap();
    let alone = put(&source, "events/9-link.json", 0, 0, "x");
    assert!(matches!(replace(&source, vec![alone.clone()]), Err(ReplaceError::Symlink(_))));
    let with_others = vec![alone, put(&source, "events/0-a.json", 0, 0, "x")];
    assert!(matches!(replace(&source, with_others), Err(ReplaceError::Symlink(_))));
    replace(
        &source,
        vec![
            put(&source, "events/0-a.json", 0, 0, "x"),
            Edit::Remove(source.find("events/1-b.json").unwrap()),
        ],
    )
    .unwrap();
    assert_eq!(fs::read_link(root.join("events/9-link.json")).unwrap(), outside);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "{outside}");
}

#[cfg(unix)]
#[test]
fn pipes_and_hard_links_in_the_folder_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let source = conversation(dir.path());
    let fifo = dir.path().join("events/fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    assert!(matches!(replace(&source, edits(&source)), Err(ReplaceError::Special(_))));
    fs::remove_file(&fifo).unwrap();
    fs::hard_link(dir.path().join("events/deep/note"), dir.path().join("twin")).unwrap();
    let before = tree(dir.path());
    assert!(matches!(replace(&source, edits(&source)), Err(ReplaceError::Linked(_))));
    assert_eq!(tree(dir.path()), before);
}
