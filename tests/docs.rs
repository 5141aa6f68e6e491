//! The generated pages of `docs/` are up to date. `UPDATE_DOCS=1 cargo test` rewrites them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "matrix/mod.rs"]
mod matrix;
mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use clap::CommandFactory;
use transcript_doctor::testing::cli::Cli;
use transcript_doctor::testing::explain::rule::{Manual, Paragraph};
use transcript_doctor::testing::{hosts, stores};
use transcript_doctor::testing::{rules, targets};

const MARK: &str =
    "<!-- Generated from the code; `UPDATE_DOCS=1 cargo test --test docs` writes it anew. -->";

fn current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        assert!(std::fs::write(&path, text).is_ok(), "docs/{name} cannot be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "docs/{name} is stale: run `UPDATE_DOCS=1 cargo test --test docs` and read what changed"
    );
}

#[test]
fn command_line() {
    let mut out = format!("# The command line\n\n{MARK}\n");
    let root = Cli::command().term_width(100);
    let mut section = |title: &str, command: clap::Command| {
        let help =
            command.bin_name(title.to_owned()).term_width(100).render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        write!(out, "\n## {title}\n\n```text\n{}\n```\n", lines.join("\n").trim_end()).unwrap();
    };
    section("transcript-doctor", root.clone());
    // The command is not built as a whole, so options of all commands are listed once, above.
    for command in root.get_subcommands() {
        section(&format!("transcript-doctor {}", command.get_name()), command.clone());
    }
    current("cli.md", &out);
}

#[test]
fn damage_matrix() {
    current("matrix.md", &matrix::page(MARK));
}

#[test]
fn rule_pages() {
    let mut out = format!(
        "# The rules\n\n{MARK}\n\n| code | name | severity | fix | meaning |\n|---|---|---|---|---|\n"
    );
    for rule in rules::ALL {
        let severity = format!("{:?}", rule.severity).to_lowercase();
        writeln!(
            out,
            "| [{0}](#{2}) | {1} | {severity} | {4} | {3} |",
            rule.code,
            rule.name,
            anchor(rule),
            rule.summary,
            rule.page.fix
        )
        .unwrap();
    }
    for rule in rules::ALL {
        let manual = Manual::of(rule);
        write!(
            out,
            "\n## {} {}\n\n**{} · fix: {}** · {} · {} since {}\n",
            rule.code,
            rule.name,
            format!("{:?}", rule.severity).to_lowercase(),
            rule.page.fix,
            rule.summary,
            manual.stage.word(),
            manual.since
        )
        .unwrap();
        for section in manual.sections {
            write!(out, "\n### {}\n\n", section.title).unwrap();
            for paragraph in section.paragraphs {
                match paragraph {
                    Paragraph::Text(text) => writeln!(out, "{text}"),
                    Paragraph::Quote(who, text) => writeln!(out, "- {who}: {}", code(&text)),
                    Paragraph::Cause(who, how) => writeln!(out, "- {who}: {how}"),
                    Paragraph::Diff(lines) => {
                        writeln!(out, "\n```diff\n{}\n```", lines.join("\n"))
                    }
                }
                .unwrap();
            }
        }
    }
    out.push_str(
        "\n## What providers require\n\n| rule | what must hold | provider | models | first report | source |\n\
         |---|---|---|---|---|---|\n",
    );
    for own in rules::REQUIREMENTS {
        let what = own.what.replace('|', "\\|");
        writeln!(
            out,
            "| {} | {what} | {} | {} | {} | {} |",
            own.code, own.provider, own.models, own.since, own.source
        )
        .unwrap();
    }
    current("rules.md", &out);
}

/// A text as code, also if it has code in it.
fn code(text: &str) -> String {
    let fence = if text.contains('`') { "``" } else { "`" };
    format!("{fence}{text}{fence}")
}

fn anchor(rule: &rules::Rule) -> String {
    format!("{}-{}", rule.code.as_str().to_lowercase(), rule.name)
}

#[test]
fn format_pages() {
    let mut out = format!("# The recorded formats\n\n{MARK}\n");
    out.push_str(&overview());
    for format in hosts::ALL {
        write!(out, "\n## `--from {}`: {}\n\n{}\n", format.name, format.title, format.page.trim())
            .unwrap();
    }
    out.push_str(&host_facts());
    current("formats.md", &out);
}

/// All formats in one table, and what is known by name only.
fn overview() -> String {
    let mut out = "\n| `--from` | format | how its facts are known |\n|---|---|---|\n".to_owned();
    for format in hosts::ALL {
        let known = format.checked.words();
        out.push_str(&format!("| `{}` | {} | {known} |\n", format.name, format.title));
    }
    out.push_str(
        "\nAll of them are checked and repaired, but nothing in `otel-genai`, which records what was sent, and only damaged\n\
         bytes in `codex-exec`, which nothing loads again. Of a database, each session is a conversation (`sessions.db#ID`), and a\n\
         repaired one is written as the document that its host imports. *run*: the real programs wrote the transcripts, and loaded repaired ones;\n\
         *read*: their source, or what a provider documents and rejects, was read; *seen*: recorded files were studied.\n\n\
         Known by name only, so never taken for something else:",
    );
    let named: Vec<String> = stores::named_only().map(|name| format!("`{name}`")).collect();
    out.push_str(&format!(" {}.\n", named.join(", ")));
    out.push_str(
        "\nSo are files of Aider, Amp, Antigravity, Auggie, CodeBuddy Code, Command Code, Continue, iFlow CLI, and Qoder CLI, and the\n\
         transcripts that Cursor writes for its agents.\n",
    );
    out.push_str(
        "\nNot read, and never claimed: memories of LlamaIndex (its serializer failed with the newest pydantic), agents of Letta (`.af`),\n\
         messages of Haystack, states of AutoGen teams and runs of the OpenAI Agents SDK, streams of AG-UI events, `llm`, agno, and LangChain's SQL history.\n\
         Exports of ChatGPT, claude.ai, Open WebUI, and LibreChat, and prompts of Google AI Studio are named and left alone: they are copies, from which\n\
         no request is made.\n",
    );
    out
}

/// What formats say of their hosts as data.
fn host_facts() -> String {
    let mut out = "\n## What formats say of their hosts\n\n\
        How results find their calls: where a result looks first, what it and its call are matched by, and which call takes a\n\
        result that finds none there. And what the host does with a record that it cannot read.\n\n\
        | format | a result looks in | matched by | else it goes to | an unreadable record |\n|---|---|---|---|---|\n"
        .to_owned();
    for format in hosts::ALL {
        let [scope, key, strays] = format.traits.pairs.words;
        let unreadable =
            if format.traits.unreadable.skips { "is skipped" } else { "stops the loading" };
        let name = format.name;
        out += &format!("| `{name}` | {scope} | {key} | {strays} | {unreadable} |\n");
    }
    out
}

#[test]
fn the_readme_names_every_format_and_target() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(path).unwrap_or_default();
    for format in hosts::ALL {
        let row = format!("\n| `{}` | ", format.name);
        assert!(readme.contains(&row), "README.md lacks the format {}", format.name);
    }
    for target in targets::ALL {
        let named = format!("`{}`", target.name);
        assert!(readme.contains(&named), "README.md lacks the target {}", target.name);
    }
}

/// The first columns of the dependency tables match `Cargo.toml`.
#[test]
fn every_dependency_has_a_reason() {
    let read = |name: &str| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
    };
    let (manifest, page) = (read("Cargo.toml"), read("docs/architecture.md"));
    let sections = manifest.split("\n[").filter(|section| {
        section
            .lines()
            .next()
            .is_some_and(|header| header.trim_end_matches(']').ends_with("dependencies"))
    });
    let taken: BTreeSet<&str> =
        sections.flat_map(str::lines).filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    let (_, tables) = page.split_once("\n## Dependencies\n").unwrap();
    let tables = tables.split("\n## ").next().unwrap();
    let names = tables.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let listed: BTreeSet<&str> =
        names.flat_map(|names| names.trim_end_matches('`').split("`, `")).collect();
    assert_eq!(listed, taken);
}

fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text_of(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap()
}

/// The sentences that the README says of safety.
fn sentences_of_safety() -> Vec<String> {
    let readme = text_of("README.md");
    let section = readme.split("\n## Safety\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let points = section.split("\n- **").skip(1).map(|point| point.split("\n\n").next().unwrap());
    let texts = points.map(|point| {
        let text = point.split_once(".** ").unwrap().1;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    texts
        .flat_map(|text| {
            let ends = text.trim_end_matches('.').split(". ").map(|one| format!("{one}."));
            ends.collect::<Vec<_>>()
        })
        .collect()
}

/// Each sentence has a row, in the same order, and each row has tests that exist.
#[test]
fn each_sentence_about_safety_has_a_test() {
    let page = text_of("docs/reliability.md");
    let (page, _) = page.split_once("## What is tried").unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows: Vec<(&str, &str)> = rows.skip(1).filter_map(|row| row.split_once(" | ")).collect();
    let said: Vec<&str> = rows.iter().map(|(sentence, _)| *sentence).collect();
    assert_eq!(said, sentences_of_safety());
    for (sentence, tests) in rows {
        let named = tests.split('`').filter_map(|test| test.split_once(": "));
        let named: Vec<(&str, &str)> = named.collect();
        assert!(!named.is_empty(), "{sentence}");
        for (file, test) in named {
            assert!(text_of(file).contains(&format!("fn {test}(")), "{file}: {test}");
        }
    }
}

/// The pages that people read, by their paths in the repository.
fn pages() -> Vec<String> {
    let folders = [
        "",
        "docs",
        "fixtures",
        "packaging/claude-code",
        "packaging/npm",
        "packaging/python",
        "tests/hosts",
        "tests/schemas",
    ];
    let mut pages = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(repository(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                pages.push(Path::new(folder).join(name).to_str().unwrap().to_owned());
            }
        }
    }
    pages.sort();
    pages
}

/// A page, as far as links are concerned.
#[derive(Default)]
struct LinkedPage {
    /// The names of its headings, as GitHub makes them.
    anchors: BTreeSet<String>,
    /// What links, pictures, and HTML in it lead to.
    links: Vec<String>,
}

impl LinkedPage {
    fn of(text: &str) -> LinkedPage {
        use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
        let mut page = LinkedPage::default();
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    page.add_anchor(&heading.take().unwrap_or_default())
                }
                Event::Text(text) | Event::Code(text) => {
                    heading.iter_mut().for_each(|heading| heading.push_str(&text));
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    for attribute in [" src=\"", " srcset=\"", " href=\""] {
                        let values = html.split(attribute).skip(1);
                        page.links.extend(
                            values.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())),
                        );
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Lower case, without punctuation, blanks as hyphens; the second of two equal names gets a number.
    fn add_anchor(&mut self, heading: &str) {
        let kept = heading.to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered);
        let free = free.into_iter().find(|name| !self.anchors.contains(name)).unwrap();
        self.anchors.insert(free);
    }
}

/// Links within the repository lead to a file that is there, and to a heading of it.
#[test]
fn no_link_is_dead() {
    let mut dead = Vec::new();
    let mut seen = 0;
    for name in pages() {
        let page = LinkedPage::of(&text_of(&name));
        for link in &page.links {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() {
                name.clone()
            } else {
                Path::new(&name).with_file_name(path).to_str().unwrap().to_owned()
            };
            let has_anchor = || LinkedPage::of(&text_of(&target)).anchors.contains(anchor);
            if !repository(&target).exists() || (!anchor.is_empty() && !has_anchor()) {
                dead.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(seen > 50, "{seen} links");
    assert_eq!(dead, Vec::<String>::new());
}

#[test]
fn anchors_are_made_as_github_makes_them() {
    let page = LinkedPage::of(
        "# One, two: `three`!\n\n## A\n\n## A\n\n<a href=\"x.md\">x</a> [y](z.md#q)\n",
    );
    let anchors: Vec<&str> = page.anchors.iter().map(String::as_str).collect();
    assert_eq!(anchors, ["a", "a-1", "one-two-three"]);
    assert_eq!(page.links, ["x.md", "z.md#q"]);
}
