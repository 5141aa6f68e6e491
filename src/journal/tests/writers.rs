//! Other processes write at each moment when their writes could get lost.

use super::*;
use crate::bytes::replace::{LateWrites, Moment, at_moments};
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::rc::Rc;

const MOMENTS: [Moment; 6] = [
    Moment::BeforeSwap,
    Moment::Named,
    Moment::AfterSwap,
    Moment::BeforeCarry,
    Moment::BeforeBack,
    Moment::AfterBack,
];

/// What the file system supports.
#[derive(Copy, Clone, Debug)]
enum FileSystem {
    Exchanges,
    Links,
    Renames,
}

/// What the judge says about late writes.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Says {
    Fits,
    DoesNotFit,
    /// A process has the file open, whatever was written.
    Open,
}

impl WriteCheck for Says {
    fn verify(&mut self, _: &Source) -> Result<(), Objection> {
        Ok(())
    }

    fn accept_late_writes(&mut self, _: &LateWrites) -> Result<(), Objection> {
        if *self == Says::Fits { Ok(()) } else { Err("no".into()) }
    }

    fn find_writer(&mut self, old: &[PathBuf]) -> Option<String> {
        (*self == Says::Open && !old.is_empty()).then(|| "it is open".into())
    }
}

/// Writes something new that must not get lost.
type Writer = Rc<dyn Fn(u32)>;

/// Calls the writer once at each of these moments.
fn write_at(moments: &[Moment], writer: &Writer) -> Rc<Cell<u32>> {
    let left = RefCell::new(moments.to_vec());
    let (count, writer) = (Rc::new(Cell::new(0)), Rc::clone(writer));
    let shared = Rc::clone(&count);
    at_moments(Some(Box::new(move |moment| {
        let at = left.borrow().iter().position(|own| *own == moment);
        if let Some(at) = at {
            left.borrow_mut().remove(at);
            writer(count.get());
            count.set(count.get() + 1);
        }
    })));
    shared
}

/// Repairs, or repairs and undoes, on such a file system.
fn run(
    desk: &Desk,
    source: &Source,
    patch: &Patch,
    undo: bool,
    system: FileSystem,
    says: Says,
) -> Result<(), String> {
    let mut says = says;
    let mut advance = |running: &mut RunningOperation<'_>| {
        match system {
            FileSystem::Exchanges => {}
            FileSystem::Links => running.staged.without_exchange(),
            FileSystem::Renames => running.staged.without_links(),
        }
        running.advance(&mut says)
    };
    if undo {
        let op = desk.latest(source.path()).unwrap();
        let done = desk.journal.undo(op).unwrap().run_steps(&how(), &mut advance);
        return done.map(|_| ()).map_err(|error| error.to_string());
    }
    let begun =
        desk.journal.begin(source, patch, &how(), &mut good).map_err(|error| error.to_string())?;
    let mut running = begun.unwrap();
    loop {
        match advance(&mut running) {
            Ok(CompletedStep::Done) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// All bytes of the transcript and of kept files.
fn everything(desk: &Desk) -> String {
    let mut all: Vec<String> =
        desk.texts().into_iter().map(|(name, text)| format!("{name}\n{text}")).collect();
    let mut folders = vec![desk.journal.root.join("kept")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path())
            } else {
                all.push(fs::read_to_string(entry.path()).unwrap())
            }
        }
    }
    all.concat()
}

/// Reported late writes.
fn late_content(desk: &Desk) -> Vec<LateContent> {
    let kept = desk.journal.kept(&|_| true).unwrap().into_iter().map(|kept| kept.late);
    kept.filter(|late| *late != LateContent::Nothing).collect()
}

#[test]
fn no_line_is_lost_at_any_moment() {
    let mut cases = 0;
    for system in [FileSystem::Exchanges, FileSystem::Links, FileSystem::Renames] {
        for says in [Says::Fits, Says::DoesNotFit, Says::Open] {
            // Without an exchange, an undo works exactly like a repair.
            for undo in [false, true]
                .into_iter()
                .filter(|undo| !undo || matches!(system, FileSystem::Exchanges))
            {
                for (by, moment) in (0..3).flat_map(|by| MOMENTS.map(|moment| (by, moment))) {
                    let desk = Desk::new();
                    let source = desk.file();
                    let patch = line_patch(&source);
                    if undo {
                        write(&desk, &source, &patch);
                    }
                    let path = source.path().to_path_buf();
                    let open = move || fs::OpenOptions::new().append(true).open(&path).unwrap();
                    let handle = open();
                    let writer: Writer = Rc::new(move |n| match by {
                        // A handle opened before; the name, each time; both.
                        0 => writeln!(&handle, "old {n}").unwrap(),
                        1 => writeln!(open(), "name {n}").unwrap(),
                        _ => {
                            writeln!(&handle, "old {n}").unwrap();
                            writeln!(open(), "name {n}").unwrap();
                        }
                    });
                    // Always write at the last moment, so that there are later moments.
                    let count = write_at(&[Moment::BeforeSwap, moment], &writer);
                    let done = run(&desk, &source, &patch, undo, system, says);
                    at_moments(None);
                    let case =
                        format!("{system:?} {says:?} undo {undo} by {by} {moment:?}: {done:?}");
                    let text = desk.texts()["log.jsonl"].clone();
                    let planned =
                        if done.is_ok() == undo { "one\ntwo\nthree\n" } else { "one\nTHREE\n" };
                    assert!(text.starts_with(planned), "{case}: {text}");
                    let words: &[&str] = [&["old"][..], &["name"], &["old", "name"]][by];
                    for n in 0..count.get() {
                        for word in words {
                            let line = format!("{word} {n}\n");
                            let there = text[planned.len()..].matches(&line).count();
                            assert!(there <= 1, "{case}: {text}");
                            if there == 0 {
                                let kept = everything(&desk).contains(&line)
                                    && !late_content(&desk).is_empty();
                                assert!(kept, "{case}: {line} is lost: {text}");
                            }
                        }
                    }
                    assert!(done.is_err() || says == Says::Fits, "{case}");
                    assert!(desk.journal.unfinished().unwrap().is_empty());
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(cases, 216);
}

#[test]
fn a_line_written_at_the_last_moment_is_carried_over_if_it_fits() {
    for system in [FileSystem::Exchanges, FileSystem::Links, FileSystem::Renames] {
        let desk = Desk::new();
        let source = desk.file();
        let handle = fs::OpenOptions::new().append(true).open(source.path()).unwrap();
        let writer: Writer = Rc::new(move |n| writeln!(&handle, "{n}").unwrap());
        write_at(&[Moment::BeforeSwap, Moment::AfterSwap, Moment::BeforeCarry], &writer);
        run(&desk, &source, &line_patch(&source), false, system, Says::Fits).unwrap();
        at_moments(None);
        assert_eq!(desk.texts()["log.jsonl"], "one\nTHREE\n0\n1\n2\n");
        assert_eq!(late_content(&desk), []);
    }
}

#[test]
fn a_late_line_is_reported_until_it_is_in_the_transcript() {
    let desk = Desk::new();
    let source = desk.file();
    let mut handle = fs::OpenOptions::new().append(true).open(source.path()).unwrap();
    write(&desk, &source, &line_patch(&source));
    assert_eq!(late_content(&desk), []);
    handle.write_all(b"four\nfive\n").unwrap();
    assert_eq!(late_content(&desk), [LateContent::Lines { from: 14, lines: 2, bytes: 10 }]);
    let kept = desk.journal.kept(&|_| true).unwrap().remove(0);
    assert!(desk.journal.remove_kept(&kept).is_err());
    fs::OpenOptions::new().append(true).open(source.path()).unwrap().write_all(b"five\n").unwrap();
    assert_eq!(late_content(&desk), [LateContent::Lines { from: 14, lines: 1, bytes: 5 }]);
    fs::OpenOptions::new().append(true).open(source.path()).unwrap().write_all(b"four\n").unwrap();
    assert_eq!(late_content(&desk), []);
    let kept = desk.journal.kept(&|_| true).unwrap().remove(0);
    desk.journal.remove_kept(&kept).unwrap();
    assert!(desk.journal.kept(&|_| true).unwrap().is_empty());
}

#[test]
fn a_file_replaced_at_the_last_moment_is_left_alone() {
    for (system, undo) in
        [(FileSystem::Exchanges, false), (FileSystem::Exchanges, true), (FileSystem::Links, false)]
    {
        let desk = Desk::new();
        let source = desk.file();
        if undo {
            write(&desk, &source, &line_patch(&source));
        }
        let (path, fresh) = (source.path().to_path_buf(), desk.dir.path().join("fresh"));
        let writer: Writer = Rc::new(move |_| {
            fs::write(&fresh, "theirs\n").unwrap();
            fs::rename(&fresh, &path).unwrap();
        });
        write_at(&[Moment::BeforeSwap], &writer);
        let done = run(&desk, &source, &line_patch(&source), undo, system, Says::Fits);
        at_moments(None);
        assert!(done.is_err());
        assert_eq!(desk.texts()["log.jsonl"], "theirs\n", "{system:?} {undo}");
        assert_eq!(
            desk.journal.operations().unwrap().last().unwrap().status,
            OperationStatus::Withdrawn
        );
    }
}

#[test]
fn an_incomplete_line_is_not_split() {
    for moment in [Moment::BeforeSwap, Moment::AfterSwap] {
        let desk = Desk::new();
        let source = desk.file();
        let handle = fs::OpenOptions::new().append(true).open(source.path()).unwrap();
        let rest = handle.try_clone().unwrap();
        let writer: Writer = Rc::new(move |_| (&handle).write_all(b"fo").unwrap());
        write_at(&[moment], &writer);
        let done =
            run(&desk, &source, &line_patch(&source), false, FileSystem::Exchanges, Says::Fits);
        at_moments(None);
        (&rest).write_all(b"ur\n").unwrap();
        assert!(done.is_err());
        assert_eq!(desk.texts()["log.jsonl"], "one\ntwo\nthree\nfour\n");
    }
}

#[test]
fn no_new_file_is_lost_at_any_moment() {
    use rustix::fs::{Mode, OFlags, openat};
    for (system, says, undo) in
        [FileSystem::Exchanges, FileSystem::Renames].into_iter().flat_map(|system| {
            [Says::Fits, Says::DoesNotFit, Says::Open]
                .into_iter()
                .flat_map(move |says| [false, true].map(|undo| (system, says, undo)))
        })
    {
        if undo && !matches!(system, FileSystem::Exchanges) {
            continue;
        }
        for (by, moment) in (0..3).flat_map(|by| MOMENTS.map(|moment| (by, moment))) {
            let desk = Desk::new();
            let source = desk.folder();
            let patch = folder_patch(&source);
            if undo {
                write(&desk, &source, &patch);
            }
            let events = desk.dir.path().join("log/events");
            let handle = fs::File::open(&events).unwrap();
            let writer: Writer = Rc::new(move |n| {
                if by != 1 {
                    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
                    let file =
                        openat(&handle, format!("7{n}-old.json"), flags, Mode::RUSR | Mode::WUSR)
                            .unwrap();
                    fs::File::from(file).write_all(b"{old}").unwrap();
                }
                if by != 0 {
                    // With two renames, the folder has no name for a moment.
                    let _ = fs::write(events.join(format!("8{n}-name.json")), "{name}");
                }
            });
            let count = write_at(&[Moment::BeforeSwap, moment], &writer);
            let done = run(&desk, &source, &patch, undo, system, says);
            at_moments(None);
            let case = format!("{system:?} {says:?} undo {undo} by {by} {moment:?}: {done:?}");
            let texts = desk.texts();
            let is_new = texts["log/base_state.json"] == "{STATE}";
            assert_eq!(is_new, done.is_ok() != undo, "{case}");
            assert_eq!(texts["log/events/0-a.json"] == "{A}", is_new, "{case}");
            let mut wanted = Vec::new();
            for n in 0..count.get() {
                wanted.extend((by != 1).then(|| (format!("7{n}-old.json"), "{old}")));
                wanted.extend((by != 0).then(|| (format!("8{n}-name.json"), "{name}")));
            }
            for (name, text) in wanted {
                let there = texts.get(&format!("log/events/{name}")).map(String::as_str);
                let late = || {
                    late_content(&desk).iter().any(
                        |late| matches!(late, LateContent::Files(files) if files.contains(&PathBuf::from(&name))),
                    )
                };
                let gap = matches!(system, FileSystem::Renames) && name.starts_with('8');
                assert!(there == Some(text) || late() || gap, "{case}: {name} is lost");
            }
            assert!(done.is_err() || says == Says::Fits, "{case}");
            assert!(desk.journal.unfinished().unwrap().is_empty());
        }
    }
}

#[test]
fn writes_between_a_kill_and_the_next_run_are_kept() {
    for step in [
        CompletedStep::Announced,
        CompletedStep::Placed(0),
        CompletedStep::Watched,
        CompletedStep::Checked,
        CompletedStep::Kept,
    ] {
        for by_name in [false, true] {
            let desk = Desk::new();
            let source = desk.file();
            let mut running = desk
                .journal
                .begin(&source, &line_patch(&source), &how(), &mut good)
                .unwrap()
                .unwrap();
            let open = || fs::OpenOptions::new().append(true).open(source.path()).unwrap();
            let mut handle = open();
            while running.advance(&mut good).unwrap() != step {}
            running.staged.disarm();
            drop(running);
            if by_name {
                handle = open();
            }
            handle.write_all(b"four\n").unwrap();
            for operation in desk.journal.unfinished().unwrap() {
                desk.journal.finish(operation.op).unwrap();
            }
            let text = desk.texts()["log.jsonl"].clone();
            let late = late_content(&desk) == [LateContent::Lines { from: 14, lines: 1, bytes: 5 }];
            assert!(text.ends_with("four\n") != late, "{step:?} {by_name}: {text} {late}");
        }
    }
}

#[test]
fn a_kill_at_any_moment_loses_no_line() {
    for (says, undo, moment) in [Says::Fits, Says::DoesNotFit]
        .into_iter()
        .flat_map(|says| [false, true].map(|undo| (says, undo)))
        .flat_map(|(says, undo)| MOMENTS.map(|moment| (says, undo, moment)))
    {
        let desk = Desk::new();
        let source = desk.file();
        let patch = line_patch(&source);
        if undo {
            write(&desk, &source, &patch);
        }
        let path = source.path().to_path_buf();
        let open = move || fs::OpenOptions::new().append(true).open(&path).unwrap();
        let (handle, later) = (open(), open());
        let count = Cell::new(0);
        at_moments(Some(Box::new(move |now| {
            if now == Moment::BeforeSwap || now == moment {
                writeln!(&handle, "old {}", count.get()).unwrap();
                writeln!(open(), "name {}", count.get()).unwrap();
                count.set(count.get() + 1);
            }
            // Nothing that follows cleans up, as after a kill.
            assert!(now != moment, "killed");
        })));
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run(&desk, &source, &patch, undo, FileSystem::Exchanges, says)
        }))
        .is_err();
        at_moments(None);
        for operation in desk.journal.unfinished().unwrap() {
            desk.journal.finish(operation.op).unwrap();
        }
        writeln!(&later, "old late").unwrap();
        let case = format!("{says:?} undo {undo} {moment:?} killed {killed}");
        let text = desk.texts()["log.jsonl"].clone();
        let (old, new) = ("one\ntwo\nthree\n", "one\nTHREE\n");
        assert!(text.starts_with(old) || text.starts_with(new), "{case}: {text}");
        let all = everything(&desk);
        for line in ["old 0\n", "name 0\n", "old late\n"] {
            assert!(text.matches(line).count() <= 1, "{case}: {text}");
            assert!(
                text.contains(line) || all.contains(line) && !late_content(&desk).is_empty(),
                "{case}: {line}{text}"
            );
        }
        let names: Vec<String> = desk.texts().into_keys().collect();
        assert!(!names.iter().any(|name| name.contains("transcript-doctor-")), "{case}: {names:?}");
        let is_back = matches!(moment, Moment::BeforeBack | Moment::AfterBack);
        let is_carry = moment == Moment::BeforeCarry;
        assert_eq!(killed, if says == Says::Fits { !is_back } else { !is_carry }, "{case}");
    }
}
