use super::*;
use crate::format::home::Root;

fn plain(name: &str) -> Option<&str> {
    name.strip_suffix(".jsonl")
}

const HOME: Home = Home {
    name: "test",
    roots: &[
        Root {
            var: "TEST_HOME",
            below_var: "in",
            at_home: &[".test", ".older"],
            places: &[
                HomeFolder::files("projects/*", plain),
                HomeFolder::files("projects/*/*/subagents", plain).of_children(),
            ],
        },
        Root {
            var: "",
            below_var: "",
            at_home: &[".flat"],
            places: &[HomeFolder::folders("", |name| Some(name))],
        },
        Root {
            var: "",
            below_var: "",
            at_home: &[".days"],
            places: &[
                HomeFolder::files("log/*", plain).started_in(&["payload", "cwd"]),
                HomeFolder::files("tmp/*/chats", plain).marked(".project_root").shortened(),
            ],
        },
    ],
    project: |folder| Some(folder.to_str()?.replace('/', "-")),
};

fn paths(all: &StoredSessions, dir: &Path) -> Vec<String> {
    all.sessions
        .iter()
        .map(|session| session.path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn transcripts_are_found_by_folder_and_name() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_owned();
    for file in [
        ".test/projects/-w/a.jsonl",
        ".test/projects/-w/notes.md",
        ".test/projects/-w/a/subagents/b.jsonl",
        ".test/projects/-w/a/tool-results/c.jsonl",
        ".test/projects/-x/d.jsonl",
        ".test/projects/e.jsonl",
        ".older/projects/-w/f.jsonl",
        ".flat/one/x",
        ".flat/.hidden/x",
        "else/in/projects/-w/g.jsonl",
    ] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "{}").unwrap();
    }
    let home = root.clone();
    let around =
        Surroundings::new(&root, move |name| (name == "HOME").then(|| home.clone().into()));
    let all = find_sessions([&HOME], &around, None);
    let wanted = [
        ".flat/one",
        ".older/projects/-w/f.jsonl",
        ".test/projects/-w/a/subagents/b.jsonl",
        ".test/projects/-w/a.jsonl",
        ".test/projects/-x/d.jsonl",
    ];
    assert_eq!(paths(&all, &root), wanted);
    assert!(all.missed.is_empty());
    assert_eq!(all.sessions.iter().filter(|session| session.place.children).count(), 1);
    let project = find_sessions([&HOME], &around, Some(Path::new("/x")));
    assert_eq!(paths(&project, &root), [".test/projects/-x/d.jsonl"]);
    // The host's own variable has precedence.
    let home = root.clone();
    let around = Surroundings::new(&root, move |name| match name {
        "HOME" => Some(home.clone().into()),
        "TEST_HOME" => Some(home.join("else").into()),
        _ => None,
    });
    assert_eq!(
        paths(&find_sessions([&HOME], &around, None), &root),
        [".flat/one", "else/in/projects/-w/g.jsonl"]
    );
}

#[test]
fn a_project_is_known_by_its_folder_a_file_or_its_transcripts() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_owned();
    let started = |folder: &str| format!(r#"{{"payload":{{"cwd":"{folder}","text":"#);
    for (file, text) in [
        (".test/projects/-w-x/a.jsonl", String::new()),
        (".days/log/1/b.jsonl", started("/w/x")),
        (".days/log/2/c.jsonl", started("/w/y")),
        (".days/log/2/d.jsonl", "{".to_owned()),
        (".days/tmp/short/.project_root", "/w/x\n".to_owned()),
        (".days/tmp/short/chats/0197.jsonl", r#"{"id":"0197c0bb-2222"}"#.to_owned()),
        (".days/tmp/-w-x/chats/f.jsonl", String::new()),
        (".days/tmp/other/chats/g.jsonl", String::new()),
    ] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let home = root.clone();
    let around =
        Surroundings::new(&root, move |name| (name == "HOME").then(|| home.clone().into()));
    let own = find_sessions([&HOME], &around, Some(Path::new("/w/x")));
    let wanted = [
        ".days/log/1/b.jsonl",
        ".days/tmp/-w-x/chats/f.jsonl",
        ".days/tmp/short/chats/0197.jsonl",
        ".test/projects/-w-x/a.jsonl",
    ];
    assert_eq!(paths(&own, &root), wanted);
    assert_eq!(find_sessions([&HOME], &around, None).sessions.len(), 7);
    let short = &own.sessions[2];
    assert!(short.fits("0197") && short.fits("0197c0bb-2222") && !short.fits("0197c0bb-3333"));
}

#[test]
fn ids_are_equal_with_and_without_dashes() {
    let session = |name: &str, id: &str| StoredSession {
        path: Path::new("/x").join(name),
        id: id.to_owned(),
        home: &HOME,
        place: &HOME.roots[0].places[0],
        database: None,
    };
    let folder = session("81625941432749c6a9a44ba08aafa96f", "81625941432749c6a9a44ba08aafa96f");
    assert!(folder.is("81625941-4327-49C6-a9a4-4ba08aafa96f") && folder.fits("81625941-43"));
    assert!(!folder.fits("9162"));
    let agent = session("agent-7.jsonl", "7");
    assert!(
        agent.is("agent-7") && agent.is("7") && agent.is("agent-7.jsonl") && agent.fits("agent")
    );
}
