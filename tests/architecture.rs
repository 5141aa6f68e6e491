//! The folders of `src/` depend on each other in one direction only: the order in `docs/architecture.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use transcript_doctor::testing::rules;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The level of each folder; folders of one level do not use each other.
fn levels() -> BTreeMap<String, usize> {
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let block = page.split_once("```arrow\n").unwrap().1.split_once("```").unwrap().0;
    let lines = block.lines().enumerate();
    lines
        .flat_map(|(level, line)| line.split(' ').map(move |folder| (folder.to_owned(), level)))
        .collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The folder of a file of `src/`: `cli` of `src/cli.rs` and of `src/cli/values.rs`.
fn folder_of(path: &Path) -> String {
    let first = path.strip_prefix(root().join("src")).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

fn is_test(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    name.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

/// The lines of a file without its comments and its tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The folders that a file uses, outside of comments and tests.
fn used(text: &str) -> BTreeSet<String> {
    let paths = code(text).flat_map(|line| line.split("crate::").skip(1));
    paths
        .map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn folders_follow_the_arrow() {
    let levels = levels();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for path in sources(&root().join("src")).into_iter().filter(|path| !is_test(path)) {
        let own = folder_of(&path);
        if ["lib", "main", "testing"].contains(&own.as_str()) {
            continue;
        }
        let Some(level) = levels.get(&own) else {
            wrong.push(format!("{own} is not in docs/architecture.md"));
            continue;
        };
        for other in
            used(&fs::read_to_string(&path).unwrap()).into_iter().filter(|other| *other != own)
        {
            if levels.get(&other).is_none_or(|other| other >= level) {
                wrong.push(format!(
                    "{}: crate::{other}",
                    path.strip_prefix(root()).unwrap().display()
                ));
            }
        }
        seen.insert(own);
    }
    assert_eq!(wrong, Vec::<String>::new(), "these arrows run back");
    assert_eq!(seen, levels.into_keys().collect(), "the folders of src/ and of the page");
}

/// The part of a folder that a file is in: `hosts/pi`, `requests/tool_names`, `containers`.
fn part_of(path: &Path) -> String {
    let folder = folder_of(path);
    let inside = path
        .strip_prefix(root().join("src").join(&folder))
        .unwrap()
        .iter()
        .next()
        .unwrap()
        .to_string_lossy();
    match folder.as_str() {
        "format" | "shapes" | "hosts" | "requests" | "dialects" => {
            format!("{folder}/{}", inside.trim_end_matches(".rs"))
        }
        _ => folder,
    }
}

/// The codes that a source makes diagnostics of: a need lists them; elsewhere a code and what is said of it.
fn reported(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    if let Some((_, list)) = code.split_once(" reports: &[") {
        let list = list.split(']').next().unwrap();
        let names = list.split(',').filter_map(|name| name.trim().strip_prefix("Code::"));
        return names.map(str::to_owned).collect();
    }
    let names = code.split("Code::").skip(1).filter_map(|rest| {
        let (name, after) = rest.split_once(',')?;
        let is_name = name.chars().all(char::is_alphanumeric);
        let says = |c: char| matches!(c, '"' | '&' | 'a'..='z');
        (is_name && after.trim_start().starts_with(says)).then(|| name.to_owned())
    });
    names.collect()
}

#[test]
fn each_rule_names_who_reports_it() {
    let folders = ["containers", "dialects", "requests", "format", "shapes", "hosts"];
    let mut by: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let all = folders.map(|folder| sources(&root().join("src").join(folder)));
    for path in all.into_iter().flatten().filter(|path| !is_test(path)) {
        let is_code = path.extension().is_some_and(|end| end == "rs");
        if !is_code || path.ends_with("errors.rs") {
            continue;
        }
        for code in reported(&fs::read_to_string(&path).unwrap()) {
            by.entry(code).or_default().insert(part_of(&path));
        }
    }
    for rule in rules::ALL {
        let named: BTreeSet<String> = rule.reported_by.iter().map(|by| (*by).to_owned()).collect();
        let real = by.remove(&format!("{:?}", rule.code)).unwrap_or_default();
        assert_eq!(named, real, "who reports {}: `reported_by` in its file", rule.name);
    }
}

/// What they know comes from their arguments: `find` lists folders, `bytes` and `live` read.
#[test]
fn rooms_that_judge_do_no_io() {
    const ROOMS: &[&str] = &[
        "dialects",
        "detect",
        "format",
        "hosts",
        "json",
        "outputs",
        "report",
        "requests",
        "rules",
        "shapes",
        "stores",
        "stories",
        "targets",
        "transcript",
    ];
    const OUTSIDE: &[&str] = &["fs::", "env::", "net::", "process::", "File::open"];
    let mut wrong = Vec::new();
    for room in ROOMS {
        for path in
            sources(&root().join("src").join(room)).into_iter().filter(|path| !is_test(path))
        {
            let text = fs::read_to_string(&path).unwrap();
            let path = path.strip_prefix(root()).unwrap().display().to_string();
            let uses = code(&text).filter(|line| OUTSIDE.iter().any(|name| line.contains(name)));
            wrong.extend(uses.map(|line| format!("{path}: {}", line.trim())));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "these lines look outside");
}

/// The program has nothing to do with sockets, and no crate that it ships with knows a protocol.
#[test]
fn nothing_reaches_the_network() {
    const OF_NETWORKS: &[&str] = &[
        "curl",
        "hyper",
        "mio",
        "native-tls",
        "openssl",
        "reqwest",
        "rustls",
        "socket2",
        "tokio",
        "ureq",
    ];
    for path in sources(&root().join("src")).into_iter().filter(|path| !is_test(path)) {
        let text = fs::read_to_string(&path).unwrap();
        let line = code(&text).find(|line| line.contains("::net::") || line.contains("net::{"));
        assert_eq!(line, None, "{}", path.display());
    }
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let found: Vec<&str> = names.filter(|name| OF_NETWORKS.contains(name)).collect();
    assert_eq!(found, Vec::<&str>::new());
}

/// What is started is the pager of the user, and nothing else.
#[test]
fn only_the_pager_is_started() {
    let starts = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        code(&text).any(|line| line.contains("Command::new") && !line.contains("clap::"))
            || code(&text).any(|line| line.contains("process::Command"))
    };
    let all = sources(&root().join("src")).into_iter().filter(|path| !is_test(path));
    let starting: Vec<PathBuf> = all.filter(starts).collect();
    assert_eq!(starting, [root().join("src/app/streams/pager.rs")]);
}

/// The name that a line defines a type by, outside of functions and implementations.
fn defined(line: &str) -> Option<&str> {
    const KEYWORDS: &[&str] = &["struct", "enum", "trait", "type", "union"];
    let mut words = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !["", "pub", "crate", "super", "in", "unsafe"].contains(word));
    let is_item = KEYWORDS.contains(&words.next()?) && !line.starts_with(' ');
    is_item.then(|| words.next())?.filter(|name| name.starts_with(char::is_uppercase))
}

#[test]
fn a_name_means_one_type() {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in sources(&root().join("src"))
        .into_iter()
        .filter(|path| !is_test(path) && path.extension().is_some_and(|end| end == "rs"))
    {
        let file = path.strip_prefix(root()).unwrap().display().to_string();
        for name in code(&fs::read_to_string(&path).unwrap()).filter_map(defined) {
            names.entry(name.to_owned()).or_default().push(file.clone());
        }
    }
    assert!(names.len() > 900, "definitions are found");
    names.retain(|_, files| files.len() > 1);
    assert_eq!(names, BTreeMap::new(), "types that share a name");
}
