//! The commands that an output proposes: they can be pasted into a shell and do what is promised.

use std::fmt::Write as _;

use crate::report::model::{Conversation, ResumeCommand};
use crate::report::redact::{Redact, Redactor};
use crate::report::text::{Shown, is_dangerous};

/// Options that only commands with a policy know, and how many values they have.
const POLICY: &[(&str, usize)] =
    &[("--isolated", 0), ("--config", 1), ("--strategy", 1), ("--write-style", 1)];

/// What the user typed, so that a proposed command means the same.
#[derive(Clone, Debug, Default)]
pub struct AsTyped {
    /// The names to look at, as typed.
    pub names: Vec<Shown>,
    /// Options that decide what is read and how it is judged, as typed: `--from openhands`.
    pub options: Vec<Shown>,
    /// Nothing was typed, and the sessions of the project in the current folder are meant.
    pub is_project: bool,
    /// Paths that were named otherwise, and how: by the ID of a session.
    pub by_name: Vec<(Shown, Shown)>,
}

impl Redact for AsTyped {
    fn redact(&mut self, reader: &Redactor) {
        self.names.redact(reader);
        self.options.redact(reader);
        for (path, name) in &mut self.by_name {
            path.redact(reader);
            name.redact(reader);
        }
    }
}

impl AsTyped {
    /// `transcript-doctor COMMAND` with the user's options, `more` and this path. `None` for standard input, and where a word
    /// of it cannot be typed or must not be seen.
    pub fn for_path(&self, command: &str, more: &[&str], path: &Shown) -> Option<String> {
        let name = self.name_of(path).unwrap_or(path);
        self.line(command, more, std::slice::from_ref(name))
    }

    /// The command that repairs a transcript, or writes a repaired copy next to nothing else of its name.
    pub fn repair(&self, conversation: &Conversation, more: &[&str]) -> Option<String> {
        let path = &conversation.path;
        match &conversation.copy {
            None => self.for_path("repair", more, path),
            Some(copy) => {
                path.typed()?;
                self.for_path("repair", &[more, &["-o", copy]].concat(), path)
            }
        }
    }

    /// What names this path instead: the ID of a session.
    pub fn name_of(&self, path: &Shown) -> Option<&Shown> {
        let mut names = self.by_name.iter();
        names.find(|(named, _)| named == path).map(|(_, name)| name)
    }

    /// The same about one record: `PATH:12`.
    pub fn for_record(&self, command: &str, path: &Shown, number: u64) -> Option<String> {
        // A shell joins what follows a quoted word to it.
        self.for_path(command, &[], path).map(|line| format!("{line}:{number}"))
    }

    /// The same without these options and their values.
    pub fn without(&self, names: &[&str]) -> AsTyped {
        let mut options = self.options.iter();
        let mut kept = Vec::new();
        while let Some(option) = options.next() {
            if names.contains(&option.exact()) {
                options.next();
            } else {
                kept.push(option.clone());
            }
        }
        AsTyped { options: kept, ..self.clone() }
    }

    /// The command that shows what a guess would change; of a pasted text only `repair` knows.
    pub fn look(&self, conversation: &Conversation) -> Option<String> {
        let restricted = self.options.iter().any(|option| option.exact() == "--error");
        let (command, more): (_, &[&str]) =
            if restricted { ("repair", &["-n", "--unsafe"]) } else { ("diff", &["--unsafe"]) };
        self.for_path(command, &[more, &self.from(conversation)].concat(), &conversation.path)
    }

    /// What unsafe fixes need besides: the name of the format, where they would change much and it was not typed.
    pub fn from(&self, conversation: &Conversation) -> Vec<&'static str> {
        let is_typed = self.options.iter().any(|option| option.exact() == "--from");
        if conversation.needs_from && !is_typed {
            vec!["--from", conversation.format]
        } else {
            Vec::new()
        }
    }

    /// As [`AsTyped::for_path`] with the names that the user typed. `None` also where nothing was typed and nothing is meant by
    /// that.
    pub fn for_all(&self, command: &str, more: &[&str]) -> Option<String> {
        if self.names.is_empty() && !self.is_project {
            None
        } else {
            self.line(command, more, &self.names)
        }
    }

    /// `None`: a word of it cannot be typed, or its reader may not see it.
    fn line(&self, command: &str, more: &[&str], names: &[Shown]) -> Option<String> {
        let mut out = format!("{} {command}", env!("CARGO_PKG_NAME"));
        let has_policy = matches!(command, "check" | "diff" | "repair");
        let mut options = self.options.iter();
        while let Some(option) = options.next() {
            if !has_policy
                && let Some((_, values)) = POLICY.iter().find(|own| own.0 == option.exact())
            {
                options.by_ref().take(*values).for_each(drop);
                continue;
            }
            let _ = write!(out, " {}", word(option)?);
        }
        for option in more {
            let _ = write!(out, " {}", quote(option));
        }
        if names.iter().any(|name| name.exact().starts_with('-')) {
            out.push_str(" --");
        }
        for name in names {
            let _ = write!(out, " {}", word(name).filter(|_| name.exact() != "-")?);
        }
        Some(out)
    }
}

/// The command that continues with a conversation, with the way to its folder, for a shell. `None`: its reader may not see it.
pub(crate) fn resume(resume: &ResumeCommand) -> Option<String> {
    let words: Vec<String> = resume.command.iter().map(word).collect::<Option<_>>()?;
    let command = words.join(" ");
    Some(match resume.folder.as_ref().filter(|_| resume.has_folder) {
        Some(folder) => format!("cd {} && {command}", word(folder)?),
        None => command,
    })
}

/// A foreign word for a shell: a path below the home, where that is all a reader may see, begins with `~`.
pub(crate) fn word(shown: &Shown) -> Option<String> {
    let typed = shown.typed()?;
    match typed.strip_prefix('~') {
        Some("") if typed != shown.exact() => Some(String::from("~")),
        Some(below) if typed != shown.exact() => {
            Some(format!("~/{}", quote(below.trim_start_matches(['/', '\\']))))
        }
        _ => Some(quote(typed)),
    }
}

/// A word as a shell reads it back: plain, in single quotes, or `$'…'` where it holds characters that must not be
/// printed.
pub(crate) fn quote(word: &str) -> String {
    if !word.is_empty()
        && word.chars().all(|c| {
            c.is_ascii_alphanumeric()
                || "_-./:@%+=,".contains(c)
                || (!c.is_ascii() && !is_dangerous(c))
        })
    {
        return word.to_owned();
    }
    if !word.contains(is_dangerous) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if is_dangerous(c) => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| {
                let _ = write!(out, "\\x{byte:02x}");
            }),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::redact::{People, RedactMode, Redactor, at_hand, redact};

    #[test]
    fn words_come_back_from_the_shell() {
        let words = [
            "a b",
            "it's",
            "plain-1.jsonl",
            "",
            "$HOME",
            "x\u{1b}[2J'\\y",
            "日本",
            "a\nb",
            "\u{202e}x",
            "~",
        ];
        for word in words {
            let script = format!("printf %s {}", quote(word));
            assert!(!script.contains(is_dangerous), "{script:?}");
            let Ok(out) = std::process::Command::new("bash").args(["-c", &script]).output() else {
                return;
            };
            assert_eq!(String::from_utf8_lossy(&out.stdout), word, "{script}");
        }
    }

    #[test]
    fn going_on_begins_in_the_folder() {
        let on = ResumeCommand {
            command: vec!["claude".into(), "--resume".into(), "5f1c".into()],
            folder: Some("/home/ana/my shop".into()),
            has_folder: true,
            at_home: true,
        };
        assert_eq!(
            resume(&at_hand(on.clone())).unwrap(),
            "cd '/home/ana/my shop' && claude --resume 5f1c"
        );
        let anybody = redact(on.clone(), &Redactor::for_anybody());
        assert_eq!(resume(&anybody), None);
        let on = ResumeCommand { folder: None, ..on };
        assert_eq!(resume(&at_hand(on)).unwrap(), "claude --resume 5f1c");
    }

    #[test]
    fn what_is_hidden_is_no_command() {
        let reader = |asked| {
            let people = People::new(Some("/home/ana".into()), Vec::new());
            Redactor::for_file(asked, people)
        };
        let path = |path: &str, reader| redact(Shown::path(path.as_ref()), reader);
        let repair = |path: &Shown| AsTyped::default().for_path("repair", &[], path);
        // Names of files are the user's own, until they ask to hide them.
        let named = reader(RedactMode::Auto);
        assert_eq!(
            repair(&path("/srv/ana/x.jsonl", &named)).unwrap(),
            "transcript-doctor repair /srv/ana/x.jsonl"
        );
        let hidden = reader(RedactMode::Content);
        let line = |name: &str| repair(&path(name, &hidden));
        assert_eq!(line("/home/ana/x.jsonl").unwrap(), "transcript-doctor repair ~/x.jsonl");
        assert_eq!(line("/home/ana").unwrap(), "transcript-doctor repair ~");
        assert_eq!(line("run.jsonl").unwrap(), "transcript-doctor repair run.jsonl");
        assert_eq!(line("/srv/ana/x.jsonl"), None);
        let next = AsTyped {
            options: vec!["--error".into(), "what was pasted".into()],
            ..AsTyped::default()
        };
        let next = redact(next, &named);
        assert_eq!(next.for_path("repair", &[], &path("run.jsonl", &named)), None);
    }

    #[test]
    fn a_command_repeats_what_was_typed() {
        let next = AsTyped {
            names: vec!["a b".into(), "-x".into()],
            options: vec!["--from".into(), "openhands".into()],
            by_name: vec![("/home/ana/5f1c-7.jsonl".into(), "5f1c".into())],
            ..AsTyped::default()
        };
        let next = at_hand(next);
        let path = |path: &str| at_hand(Shown::from(path));
        assert_eq!(
            next.for_all("repair", &["--yes"]).as_deref(),
            Some("transcript-doctor repair --from openhands --yes -- 'a b' -x")
        );
        assert_eq!(next.for_path("diff", &[], &path("-")), None);
        let by_id = next.for_path("diff", &[], &path("/home/ana/5f1c-7.jsonl"));
        assert_eq!(by_id.as_deref(), Some("transcript-doctor diff --from openhands 5f1c"));
        assert_eq!(AsTyped::default().for_all("repair", &[]), None);
    }

    #[test]
    fn a_command_repeats_only_what_it_knows() {
        let words =
            ["--isolated", "--config", "a.toml", "--from", "pi", "--strategy", "remove-turn"];
        let next = AsTyped { options: words.map(Shown::from).to_vec(), ..AsTyped::default() };
        let next = at_hand(next);
        let line = |command| next.for_path(command, &[], &at_hand(Shown::from("x.jsonl"))).unwrap();
        assert_eq!(line("explain"), "transcript-doctor explain --from pi x.jsonl");
        let all = words.join(" ");
        assert_eq!(line("repair"), format!("transcript-doctor repair {all} x.jsonl"));
    }
}
