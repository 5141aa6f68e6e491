//! What packages say of the program agrees with `Cargo.toml`, and they are made for the same platforms. `packaging/test.sh`
//! installs them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

fn manifest_of_npm() -> Value {
    json("packaging/npm/transcript-doctor/package.json")
}

/// The version that packages have is written in one place.
#[test]
fn the_version_is_that_of_cargo() {
    assert!(manifest_of_npm().get("version").is_none());
    let plugin = json("packaging/claude-code/.claude-plugin/plugin.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let python = read("pyproject.toml");
    assert!(python.contains("\ndynamic = [\"version\"]\n"));
    assert!(!python.contains("\nversion"));
}

/// What users copy from the pages installs the version that the pages are about.
#[test]
fn pages_name_the_version_of_cargo() {
    let mut seen = 0;
    for page in ["docs/install.md", "docs/ci.md", "docs/python.md", "README.md"] {
        let text = read(page);
        for (before, line) in ["rev: v", "transcript-doctor@v", "transcript-doctor=="]
            .iter()
            .flat_map(|before| text.lines().map(move |line| (before, line)))
        {
            if let Some((_, rest)) = line.split_once(before) {
                let version = rest.split([' ', ']', '"']).next().unwrap();
                assert_eq!(version, env!("CARGO_PKG_VERSION"), "{page}: {line}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 3, "{seen} versions");
}

#[test]
fn packages_are_described_alike() {
    let npm = manifest_of_npm();
    assert_eq!(npm["name"], env!("CARGO_PKG_NAME"));
    assert_eq!(npm["description"], env!("CARGO_PKG_DESCRIPTION"));
    assert_eq!(npm["license"], env!("CARGO_PKG_LICENSE"));
    let python = read("pyproject.toml");
    for (member, value) in [
        ("name", env!("CARGO_PKG_NAME")),
        ("description", env!("CARGO_PKG_DESCRIPTION")),
        ("license", env!("CARGO_PKG_LICENSE")),
    ] {
        let line = format!("\n{member} = \"{value}\"\n");
        assert!(python.contains(&line), "{line}");
    }
}

/// Registries show these pages alone, so nothing on them may be relative to this repository.
#[test]
fn pages_of_packages_have_no_links() {
    assert!(read("pyproject.toml").contains("\nreadme = \"packaging/python/README.md\"\n"));
    assert!(read("packaging/npm/build.js").contains("packaging/npm/README.md"));
    for page in ["packaging/python/README.md", "packaging/npm/README.md"] {
        let text = read(page);
        for link in ["](", "href=", "src="] {
            assert!(!text.contains(link), "{page}: {link}");
        }
    }
}

/// The licenses of most crates want their text wherever the program goes.
#[test]
fn notices_name_every_crate_that_ships() {
    let mut tree = std::process::Command::new(env!("CARGO"));
    // Crates of other systems are downloaded where only those of this one were built.
    tree.args(["tree", "--locked", "--edges", "normal"]);
    tree.args(["--prefix", "none", "--format", "{p}"]);
    for target in json("packaging/npm/targets.json").as_object().unwrap().keys() {
        tree.args(["--target", target]);
    }
    let tree = tree.output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    let crates = tree.lines().filter_map(|line| line.split_once(" v"));
    let crates = crates.map(|(name, rest)| format!("{name} {}", rest.split(' ').next().unwrap()));
    let mut shipped: BTreeSet<String> = crates.collect();
    shipped.remove(&format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")));
    let page = read("THIRD-PARTY-NOTICES.txt");
    let (head, texts) = page.split_once("\n---").unwrap();
    let listed = head.lines().filter_map(|line| line.split_once(" ("));
    let listed: BTreeSet<String> = listed.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(listed, shipped, "run packaging/notices.py");
    for row in &listed {
        let name = row.split(' ').next().unwrap();
        assert!(texts.contains(name), "no license text of {name}");
    }
    for (file, mark) in [
        ("packaging/release.sh", "LICENSE-MIT,THIRD-PARTY-NOTICES.txt}"),
        ("packaging/npm/build.js", "\"THIRD-PARTY-NOTICES.txt\""),
        ("pyproject.toml", "\"THIRD-PARTY-NOTICES.txt\"]"),
    ] {
        assert!(read(file).contains(mark), "{file}");
    }
}

/// A tag can be moved to other code. A commit cannot, and a remark says which version it is.
#[test]
fn actions_are_pinned_by_commit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let mut pages: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    pages.push(read("action.yml"));
    let used =
        pages.iter().flat_map(|page| page.lines()).filter_map(|line| line.split_once("uses: "));
    let used: Vec<&str> = used.map(|(_, action)| action).collect();
    assert!(used.len() > 10, "{used:?}");
    for action in used {
        let (_, rest) = action.split_once('@').unwrap();
        let (commit, version) = rest.split_once(" # v").unwrap_or((rest, ""));
        let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(is_commit && version.starts_with(|c: char| c.is_ascii_digit()), "{action}");
    }
}

/// The plugin is where the marketplace says, and its hook is what `docs/recipes.md` and `docs/agents.md` describe.
#[test]
fn the_plugin_is_in_the_marketplace() {
    let marketplace = json(".claude-plugin/marketplace.json");
    let entry = &marketplace["plugins"][0];
    assert_eq!(entry["source"], "./packaging/claude-code");
    let plugin = json("packaging/claude-code/.claude-plugin/plugin.json");
    for member in ["name", "description"] {
        assert_eq!(entry[member], plugin[member]);
    }
    assert_eq!(plugin["license"], env!("CARGO_PKG_LICENSE"));
    let hooks = json("packaging/claude-code/hooks/hooks.json");
    let start = &hooks["hooks"]["SessionStart"][0];
    assert_eq!(start["matcher"], "resume");
    let command = start["hooks"][0]["command"].as_str().unwrap();
    assert!(command.contains("${CLAUDE_PLUGIN_ROOT}/hooks/session-start.sh"), "{command}");
    let script = read("packaging/claude-code/hooks/session-start.sh");
    assert!(script.contains("exec transcript-doctor check --hook\n"), "{script}");
}

/// A platform that is built, but that a package or the action does not know, could not be installed.
#[test]
fn platforms_are_the_same_everywhere() {
    let targets = json("packaging/npm/targets.json");
    let npm: BTreeSet<String> = targets.as_object().unwrap().keys().cloned().collect();
    let workflow = targets_after(&read(".github/workflows/release.yml"), "{ target: ", ',');
    assert_eq!(workflow, npm);
    let action = targets_after(&read("packaging/action.sh"), ") target=", ' ');
    assert_eq!(action, npm);
}

/// The words after each mark.
fn targets_after(text: &str, mark: &str, end: char) -> BTreeSet<String> {
    text.split(mark).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0.to_owned())).collect()
}
