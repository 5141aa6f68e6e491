//! The commands that an output proposes: they can be pasted into a shell and do what is promised.

use std::fmt::Write as _;

use crate::report::model::Resume;
use crate::report::text::{Shown, is_dangerous};

/// What the user typed, so that a proposed command means the same.
#[derive(Clone, Debug, Default)]
pub struct Next {
    /// The names to look at, as typed.
    pub names: Vec<Shown>,
    /// Options that decide what is read and how it is judged, as typed: `--from openhands`.
    pub options: Vec<Shown>,
    /// Paths that were named otherwise, and how: by the id of a session.
    pub by_name: Vec<(Shown, Shown)>,
}

impl Next {
    /// `transcript-doctor COMMAND` with the user's options, `more` and this path. `None` for standard input, and for a path
    /// that cannot be typed.
    pub fn for_path(&self, command: &str, more: &[&str], path: &Shown) -> Option<String> {
        let name = self.by_name.iter().find(|(named, _)| named == path).map_or(path, |(_, name)| name);
        is_typed(name).then(|| self.line(command, more, std::slice::from_ref(name)))
    }

    /// The command that shows what a guess would change; of a pasted text only `repair` knows.
    pub fn look(&self, path: &Shown) -> Option<String> {
        let restricted = self.options.iter().any(|option| option.exact() == "--error");
        let (command, more): (_, &[&str]) =
            if restricted { ("repair", &["-n", "--unsafe"]) } else { ("diff", &["--unsafe"]) };
        self.for_path(command, more, path)
    }

    /// As [`Next::for_path`] with the names that the user typed. `None` where standard input was among them, or nothing was typed.
    pub fn for_all(&self, command: &str, more: &[&str]) -> Option<String> {
        let typed = !self.names.is_empty() && self.names.iter().all(is_typed);
        typed.then(|| self.line(command, more, &self.names))
    }

    fn line(&self, command: &str, more: &[&str], names: &[Shown]) -> String {
        let mut out = format!("{} {command}", env!("CARGO_PKG_NAME"));
        for option in self.options.iter().map(Shown::exact).chain(more.iter().copied()) {
            let _ = write!(out, " {}", quote(option));
        }
        if names.iter().any(|name| name.exact().starts_with('-')) {
            out.push_str(" --");
        }
        for name in names {
            let _ = write!(out, " {}", quote(name.exact()));
        }
        out
    }
}

/// The command that goes on with a conversation, with the way to its folder, for a shell.
pub fn resume(resume: &Resume) -> String {
    let words: Vec<String> = resume.command.iter().map(|word| quote(word.exact())).collect();
    let command = words.join(" ");
    match &resume.folder {
        Some(folder) => format!("cd {} && {command}", quote(folder.exact())),
        None => command,
    }
}

fn is_typed(name: &Shown) -> bool {
    name.exact() != "-" && name.is_exact()
}

/// A word as a shell reads it back: plain, in single quotes, or `$'…'` where it holds characters that must not be
/// printed.
pub fn quote(word: &str) -> String {
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c) || (!c.is_ascii() && !is_dangerous(c))
    };
    if !word.is_empty() && word.chars().all(plain) {
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

    #[test]
    fn words_come_back_from_the_shell() {
        let words =
            ["a b", "it's", "plain-1.jsonl", "", "$HOME", "x\u{1b}[2J'\\y", "日本", "a\nb", "\u{202e}x", "~"];
        for word in words {
            let script = format!("printf %s {}", quote(word));
            assert!(!script.contains(is_dangerous), "{script:?}");
            let Ok(out) = std::process::Command::new("bash").args(["-c", &script]).output() else { return };
            assert_eq!(String::from_utf8_lossy(&out.stdout), word, "{script}");
        }
    }

    #[test]
    fn going_on_begins_in_the_folder() {
        let mut on = Resume {
            command: vec!["claude".into(), "--resume".into(), "5f1c".into()],
            folder: Some("/home/ana/my shop".into()),
            at_home: true,
        };
        assert_eq!(resume(&on), "cd '/home/ana/my shop' && claude --resume 5f1c");
        on.folder = None;
        assert_eq!(resume(&on), "claude --resume 5f1c");
    }

    #[test]
    fn a_command_repeats_what_was_typed() {
        let next = Next {
            names: vec!["a b".into(), "-x".into()],
            options: vec!["--from".into(), "openhands".into()],
            by_name: vec![("/home/ana/5f1c-7.jsonl".into(), "5f1c".into())],
        };
        assert_eq!(
            next.for_all("repair", &["--yes"]).as_deref(),
            Some("transcript-doctor repair --from openhands --yes -- 'a b' -x")
        );
        assert_eq!(next.for_path("diff", &[], &"-".into()), None);
        let by_id = next.for_path("diff", &[], &"/home/ana/5f1c-7.jsonl".into());
        assert_eq!(by_id.as_deref(), Some("transcript-doctor diff --from openhands 5f1c"));
        assert_eq!(Next::default().for_all("repair", &[]), None);
    }
}
