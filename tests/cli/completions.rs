//! What shells answer when somebody presses the tab key. Each shell is asked for a reply; one that is not installed is skipped,
//! with a word.

use std::process::Command;

use crate::bench::{Bench, STUCK};
use crate::{program, tools};

/// The session in the home of the test.
const ID: &str = "5f1c0000-0000-4000-8000-000000000000";

/// What is typed, and a word of the reply.
const ASKED: &[(&str, &str)] = &[
    ("rep", "repair"),
    ("repair --dry", "--dry-run"),
    ("explain --erro", "--error"),
    ("check --fail-on fa", "fatal"),
    ("check -f sar", "sarif"),
    ("check --format=sar", "--format=sarif"),
    ("check --from openai-chat --target bedr", "bedrock"),
    ("check --select TD10", "TD104"),
    ("check --select TD101,two-r", "TD101,two-results"),
    ("check --level TD104=wa", "TD104=warning"),
    ("explain unanswered-", "unanswered-call"),
    ("check @openha", "@openhands"),
    ("sessions @claude-c", "@claude-code"),
    ("repair 5f1", ID),
    ("check stu", "stuck.jsonl"),
    ("check --config stu", "stuck.jsonl"),
    ("undo las", "last"),
];

/// A home with a session, and the folder in which the shell is.
fn home() -> Bench {
    let bench = Bench::new();
    bench.lines("stuck.jsonl", &STUCK);
    bench.write(&format!(".claude/projects/-work/{ID}.jsonl"), "{}\n");
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.run(&["completions", shell]).exits(0).out;
        bench.write(&format!("complete.{shell}"), script);
    }
    bench
}

/// What the shell prints for this script. `None`: it is not installed.
fn ask(bench: &Bench, shell: &str, options: &[&str], script: &str) -> Option<String> {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_transcript-doctor"));
    let mut folders = vec![program.parent().unwrap().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut command: Command = program::within(shell, &bench.path(""));
    command.env("PATH", std::env::join_paths(folders).unwrap()).current_dir(bench.path(""));
    command.env("XDG_CONFIG_HOME", bench.path("config")).env("TERM", "dumb");
    if !tools::has(shell, "completions") {
        return None;
    }
    let ran = command.args(options).args(["-c", script]).output().unwrap();
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(err.is_empty(), "{shell}: {err}");
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn bash_completes() {
    let bench = home();
    for (words, wanted) in ASKED {
        let script = format!(
            "source complete.bash; COMP_LINE='transcript-doctor {words}'; COMP_POINT=${{#COMP_LINE}}\n\
             _transcript_doctor\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let Some(reply) = ask(&bench, "bash", &["--norc"], &script) else {
            return;
        };
        // bash replaces what follows these characters.
        let wanted = wanted.rsplit(['@', '=', ':']).next().unwrap();
        assert!(reply.lines().any(|line| line == wanted), "{words}: {reply}");
    }
}

#[test]
fn fish_completes() {
    let bench = home();
    for (words, wanted) in ASKED {
        let script = format!("source complete.fish; complete -C 'transcript-doctor {words}'");
        let Some(reply) = ask(&bench, "fish", &["--no-config"], &script) else {
            return;
        };
        let mut replies = reply.lines().filter_map(|line| line.split('\t').next());
        assert!(replies.any(|word| word == *wanted), "{words}: {reply}");
    }
}

/// The line editor of zsh completes only at a terminal, so one is made by its own module. The line is printed when the word is
/// completed; what may be continued in several ways is completed as far as they agree.
#[test]
fn zsh_completes() {
    let bench = home();
    let setup = "PROMPT=; autoload -U compinit; compinit -u -D; source complete.zsh; \
        show() { zle complete-word; print -r -- \"<<$BUFFER>>\"; zle kill-whole-line }; \
        zle -N show; bindkey '^I' show; zstyle ':completion:*' menu yes; print rea''dy";
    let mut script = format!("zmodload zsh/zpty\nzpty t zsh -f\nzpty -w t {}\n", quoted(setup));
    script.push_str("zpty -r t line '*ready*'\n");
    for (words, _) in ASKED {
        let typed = quoted(&format!("transcript-doctor {words}"));
        script.push_str(&format!(
            "zpty -w -n t {typed}$'\\t'\nzpty -r t line '*<<*>>*'\nprint -r -- \"$line\"\n"
        ));
    }
    let Some(reply) = ask(&bench, "zsh", &["-f"], &script) else {
        return;
    };
    let lines: Vec<&str> =
        reply.split("<<").skip(1).filter_map(|line| line.split(">>").next()).collect();
    assert_eq!(lines.len(), ASKED.len(), "{reply}");
    for ((words, wanted), line) in ASKED.iter().zip(lines) {
        let last = line.trim_end().rsplit(' ').next().unwrap();
        // The first of several is inserted.
        assert!(last.starts_with(&wanted[..4]), "{words}: {line}");
        let is_one = !words.contains("TD10") || words.contains(',');
        assert!(!is_one || last.trim_end_matches('=') == *wanted, "{words}: {line}");
    }
}

/// A word in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The program answers the same to all of them: words with what they mean, and a mark for names of files.
#[test]
fn replies_have_meanings() {
    let bench = home();
    let reply = |words: &[&str]| {
        let words = [&["completions", "fish", "--"][..], words].concat();
        bench.run(&words).exits(0).out
    };
    let fail_on = reply(&["check", "--fail-on", ""]);
    assert!(fail_on.starts_with("fatal\tThe provider rejects the next request\n"), "{fail_on}");
    let rules = reply(&["check", "--ignore", "TD104"]);
    assert_eq!(rules.lines().count(), 1, "{rules}");
    let sessions = reply(&["repair", ""]);
    assert!(sessions.contains(&format!("{ID}\tclaude-code 20")), "{sessions}");
    assert!(sessions.ends_with(":files\n"), "{sessions}");
    // After --, nothing is an option.
    assert!(!reply(&["check", "--", "--fail"]).contains("--fail-on"));
    assert_eq!(reply(&["check", "--since", ""]), "");
}
