use super::fake::{Fake, HOST};
use super::*;

const LOG: &str = "/c/events/0.json";
const LEASE: &str = "/c/owner_lease.json";

/// Signals of a transcript of one old file, with a lease and a lock.
fn signals(kind: LeaseKind) -> Signals {
    Signals {
        leases: vec![Lease { path: LEASE.into(), kind }],
        locks: vec!["/c/lock".into()],
        files: vec![LOG.into()],
        ..Signals::default()
    }
}

fn world() -> Fake {
    Fake::default().file(LOG, "{}", 3600)
}

fn owner(how: OwnerEvidence, pid: Option<u32>) -> Live {
    Live::Owner(Owner { how, pid, until: None, elsewhere: false })
}

/// A lease that expires in `seconds` seconds.
fn expiring(seconds: i64, rest: &str) -> String {
    format!(
        r#"{{"owner_instance_id":"i","generation":3,"expires_at":{}.5{rest}}}"#,
        1_000_000 + seconds
    )
}

#[test]
fn a_lease_counts_until_it_expires_or_its_process_is_gone() {
    let here = format!(r#","owner_host":"{HOST}","owner_pid":7"#);
    let away = r#","owner_host":"there","owner_pid":7"#;
    let cases = [
        (expiring(40, &here), true, Some((Some(7), false))),
        (expiring(40, &here), false, None),
        (expiring(-1, &here), true, None),
        (expiring(40, away), false, Some((Some(7), true))),
        (expiring(-1, away), true, None),
        (expiring(40, ""), false, Some((None, true))),
        (expiring(40, &format!(r#","owner_host":"{HOST}""#)), false, Some((None, false))),
        (r#"{"expires_at":-5}"#.into(), true, None),
        (r#"{"generation":3}"#.into(), true, None),
    ];
    for (lease, alive, want) in cases {
        let mut world = world().file(LEASE, &lease, 20);
        if alive {
            world = world.alive(7, None);
        }
        let until = SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_040_500);
        let want = want.map_or(Live::Idle, |(pid, elsewhere)| {
            Live::Owner(Owner { how: OwnerEvidence::Lease, pid, until: Some(until), elsewhere })
        });
        assert_eq!(
            judge(&world, &signals(LeaseKind::Expiring), Readings::Once),
            want,
            "{lease} {alive}"
        );
    }
}

#[test]
fn a_lease_may_never_expire_and_odd_leases_do_not_panic() {
    for (expires, live) in
        [("1e300", true), ("1e19", true), ("-1e300", false), ("0", false), ("null", false)]
    {
        let world = world().file(LEASE, &format!(r#"{{"expires_at":{expires}}}"#), 20);
        assert_eq!(
            judge(&world, &signals(LeaseKind::Expiring), Readings::Once).is_live(),
            live,
            "{expires}"
        );
    }
}

#[test]
fn an_unreadable_lease_counts_for_half_a_minute() {
    for (age, live) in [(0, true), (29, true), (31, false)] {
        let world = world().file(LEASE, r#"{"expires_at":"#, age);
        for kind in [LeaseKind::Expiring, LeaseKind::Process] {
            assert_eq!(judge(&world, &signals(kind), Readings::Once).is_live(), live, "{age}");
        }
    }
}

#[test]
fn a_lock_file_may_name_a_reused_process_id() {
    let lock = |start: &str| {
        world().file(
            LEASE,
            &format!(r#"{{"pid":7,"createdAt":"2026","starttime":{start}}}"#),
            99_999,
        )
    };
    let verdict = |world: Fake| judge(&world, &signals(LeaseKind::Process), Readings::Once);
    assert_eq!(verdict(lock("123").alive(7, Some(123))), owner(OwnerEvidence::Lease, Some(7)));
    assert_eq!(verdict(lock("\"123\"").alive(7, Some(124))), Live::Idle);
    assert_eq!(verdict(lock("123").alive(7, None)), owner(OwnerEvidence::Lease, Some(7)));
    assert_eq!(verdict(lock("null").alive(7, Some(5))), owner(OwnerEvidence::Lease, Some(7)));
    assert_eq!(
        verdict(lock("{\"odd\":[]}").alive(7, Some(5))),
        owner(OwnerEvidence::Lease, Some(7))
    );
    assert_eq!(verdict(lock("123").alive(8, Some(123))), Live::Idle);
}

#[test]
fn a_lock_file_may_name_another_computer() {
    let lock = |host: &str| {
        let file = format!(
            r#"{{"schema_version":2,"state":"active","pid":7,"process_start_identity":"linux:8f-0a:123","hostname":"{host}"}}"#
        );
        world().file(LEASE, &file, 99_999)
    };
    let verdict = |world: Fake| judge(&world, &signals(LeaseKind::Process), Readings::Once);
    let elsewhere = Live::Owner(Owner {
        how: OwnerEvidence::Lease,
        pid: Some(7),
        until: None,
        elsewhere: true,
    });
    assert_eq!(verdict(lock("another")), elsewhere);
    assert_eq!(verdict(lock("another").alive(7, Some(124))), elsewhere);
    assert_eq!(verdict(lock(HOST)), Live::Idle);
    assert_eq!(verdict(lock(HOST).alive(7, Some(124))), Live::Idle);
    assert_eq!(verdict(lock(HOST).alive(7, Some(123))), owner(OwnerEvidence::Lease, Some(7)));
}

#[test]
fn the_client_with_this_session_id_counts() {
    let client = |pid: u32, session: &str| {
        format!(r#"{{"pid":{pid},"sessionId":"{session}","procStart":"10","status":"x"}}"#)
    };
    let world = world()
        .file("/s/1.json", &client(1, "other"), 5)
        .file("/s/2.json", &client(2, "mine"), 5)
        .file("/s/3.json", "torn {", 1)
        .file("/s/4.json", &client(4, "mine"), 5)
        .alive(1, Some(10))
        .alive(4, Some(10));
    let mut signals = signals(LeaseKind::Session("mine".into()));
    signals.leases[0].path = "/s".into();
    assert_eq!(judge(&world, &signals, Readings::Once), owner(OwnerEvidence::Lease, Some(4)));
    signals.leases[0].kind = LeaseKind::Session("third".into());
    assert_eq!(judge(&world, &signals, Readings::Once), Live::Idle);
}

#[test]
fn locks_and_writers_are_owners() {
    let mut locked = world();
    locked.locked = vec!["/c/lock".into()];
    assert_eq!(
        judge(&locked, &signals(LeaseKind::Expiring), Readings::Once),
        owner(OwnerEvidence::Lock, None)
    );
    let mut written = world();
    written.writer = Some((LOG.into(), 9));
    assert_eq!(
        judge(&written, &signals(LeaseKind::Expiring), Readings::Once),
        owner(OwnerEvidence::Writer, Some(9))
    );
    written.writer = Some(("/another".into(), 9));
    assert_eq!(judge(&written, &signals(LeaseKind::Expiring), Readings::Once), Live::Idle);
}

#[test]
fn growth_needs_two_readings() {
    let mut world = world();
    world.growing = vec![LOG.into()];
    assert_eq!(judge(&world, &signals(LeaseKind::Expiring), Readings::Once), Live::Idle);
    assert_eq!(judge(&world, &signals(LeaseKind::Expiring), Readings::Twice), Live::Growing);
}

#[test]
fn one_reading_does_not_wait() {
    let world = world();
    let before = world.now();
    judge(&world, &signals(LeaseKind::Expiring), Readings::Once);
    assert_eq!(world.now(), before);
}

#[test]
fn a_recent_change_needs_signs_of_a_host() {
    let young = || Fake::default().file(LOG, "{}", 9);
    let mut signals = signals(LeaseKind::Expiring);
    assert_eq!(judge(&young(), &signals, Readings::Once), Live::Idle);
    // A stale lease or lock.
    assert_eq!(
        judge(&young().file(LEASE, &expiring(-50, ""), 60), &signals, Readings::Once),
        Live::Young
    );
    assert_eq!(judge(&young().file("/c/lock", "", 9999), &signals, Readings::Once), Live::Young);
    signals.at_home = true;
    assert_eq!(judge(&young(), &signals, Readings::Once), Live::Young);
    (signals.at_home, signals.running) = (false, true);
    assert_eq!(judge(&young(), &signals, Readings::Once), Live::Young);
    // The state alone proves nothing, nor do bytes that we wrote.
    assert_eq!(judge(&world(), &signals, Readings::Once), Live::Idle);
    signals.ours = true;
    assert_eq!(judge(&young(), &signals, Readings::Once), Live::Idle);
}

#[test]
fn a_time_in_the_near_future_is_recent() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    assert!(is_recent(now, now + Duration::from_secs(3)));
    assert!(!is_recent(now, now + Duration::from_secs(3600)));
}

#[test]
fn a_hidden_process_may_have_written_a_moment_ago() {
    for (unseen, live) in [
        (Unseen::None, Live::Idle),
        (Unseen::OutsideContainer, Live::Unknown(Unseen::OutsideContainer)),
        (Unseen::PossibleWriters, Live::Young),
    ] {
        let world = Fake { unseen, ..Fake::default() }.file("/log", "x", 3);
        let signals = Signals { files: vec!["/log".into()], ..Signals::default() };
        assert_eq!(judge(&world, &signals, Readings::Once), live);
        let ours = Signals { ours: true, ..signals };
        assert!(!judge(&world, &ours, Readings::Once).is_live());
    }
}

#[test]
fn hidden_processes_are_unknown() {
    let mut world = world();
    world.unseen = Unseen::All;
    let live = judge(&world, &signals(LeaseKind::Expiring), Readings::Once);
    assert_eq!((live, live.is_live()), (Live::Unknown(Unseen::All), false));
}

#[test]
fn waiting_ends_with_the_owner_or_the_limit() {
    let world = world().file(LEASE, &expiring(3, ""), 20);
    let before = world.now();
    assert!(wait(&world, &signals(LeaseKind::Expiring), Duration::from_secs(1)).is_live());
    assert_eq!(wait(&world, &signals(LeaseKind::Expiring), Duration::from_secs(60)), Live::Idle);
    assert!(world.now() < before + Duration::from_secs(10));
}

#[cfg(target_os = "linux")]
mod system {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn running_and_ended_processes_are_told_apart() {
        let me = System.process(std::process::id());
        assert!(matches!(me, Process::Alive { started: Some(ticks) } if ticks > 0));
        let mut child = Command::new("true").stdin(Stdio::null()).spawn().unwrap();
        let pid = child.id();
        // A zombie has ended, too.
        while System.process(pid) != Process::Gone {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.wait().unwrap();
        assert_eq!(System.process(pid), Process::Gone);
        assert_eq!((System.process(0), System.process(u32::MAX)), (Process::Gone, Process::Gone));
        assert!(System.host().is_some());
    }

    #[test]
    fn a_process_that_has_a_file_open_for_writing_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        let files = [path.clone()];
        for (mode, writes) in [(">>", true), ("<", false)] {
            let script = format!("exec 3{mode}\"$1\"; echo ready; read wait");
            let mut child = Command::new("sh")
                .args(["-c", &script, "sh"])
                .arg(&path)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut ready = [0; 6];
            std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
            let writers = System.writers(&files);
            let pid = child.id();
            drop(child.stdin.take());
            child.wait().unwrap();
            assert_eq!(writers.pid, writes.then_some(pid), "{mode}");
        }
        // This process does not count.
        let _open = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        assert_eq!(System.writers(&files).pid, None);
    }

    #[test]
    fn locks_sizes_and_small_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        assert!(!System.is_locked(&path));
        std::fs::write(&path, "text").unwrap();
        assert!(!System.is_locked(&path));
        let held = std::fs::File::open(&path).unwrap();
        held.lock().unwrap();
        assert!(System.is_locked(&path));
        assert_eq!(System.stat(&path).unwrap().0, 4);
        assert_eq!(System.read(&path).unwrap(), b"text");
        assert_eq!(System.list(dir.path()), std::slice::from_ref(&path));
        std::fs::write(&path, vec![b' '; 70_000]).unwrap();
        assert!(System.read(&path).is_none());
        assert!(System.read(dir.path()).is_none());
    }
}
