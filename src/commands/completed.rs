//! What may be in place of the last word of a command line, for the completions of shells.

use std::cmp::Reverse;

use clap::{Arg, Command, CommandFactory, ValueEnum};

use super::Cli;
use crate::app::host_words;
use crate::cli::LevelArg;
use crate::find::homes::{self, StoredSession};
use crate::find::surroundings::Surroundings;
use crate::hosts;
use crate::outputs::OUTPUTS;
use crate::report::text::is_dangerous;
use crate::rules;

/// Sessions that are proposed, the newest ones.
const SESSIONS: usize = 50;

/// What may be there.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Each word with what it means; "" where nothing is said of it.
    words: Vec<(String, String)>,
    /// The shell also completes names of files.
    files: bool,
}

impl Candidates {
    /// A line each: the word, and what it means after a tab. `:files` stands for names of files.
    pub(super) fn lines(&self) -> String {
        let files = self.files.then(|| ":files\n".to_owned());
        let words = self.words.iter().map(|(word, about)| match about.as_str() {
            "" => format!("{word}\n"),
            about => format!("{word}\t{about}\n"),
        });
        words.chain(files).collect()
    }

    /// The words that begin with what was typed.
    fn of(typed: &str, words: impl IntoIterator<Item = (String, String)>) -> Candidates {
        let words = words.into_iter().filter(|(word, _)| word.starts_with(typed)).collect();
        Candidates { words, files: false }
    }

    fn extend(&mut self, more: Candidates) {
        self.words.extend(more.words);
        self.files |= more.files;
    }

    /// The same after words that are before them in the same word.
    fn after(mut self, before: &str) -> Candidates {
        for (word, _) in &mut self.words {
            word.insert_str(0, before);
        }
        self
    }
}

/// What may be in place of the last of these words. The name of the program is not among them.
pub(super) fn complete(words: &[String]) -> Candidates {
    let mut root = Cli::command();
    // Options of all commands, as --help, are in each only then.
    root.build();
    let Some((typed, before)) = words.split_last() else {
        return Candidates::default();
    };
    let at = before.iter().position(|word| root.find_subcommand(word).is_some());
    let command = at.and_then(|at| root.find_subcommand(&before[at])).unwrap_or(&root);
    let before = &before[at.map_or(0, |at| at + 1)..];
    if !before.iter().any(|word| word == "--")
        && let Some(found) = of_option(command, before.last(), typed)
    {
        return found;
    }
    if at.is_none() {
        let commands = root.get_subcommands().map(|own| {
            let about = own.get_about().map(ToString::to_string).unwrap_or_default();
            (own.get_name().to_owned(), about)
        });
        let mut found = Candidates::of(typed, commands);
        // A transcript without a command is checked.
        found.extend(transcripts(typed));
        return found;
    }
    match positional(command, before) {
        Some(arg) => values(arg, typed),
        None => Candidates::default(),
    }
}

/// What may be there, if it is an option or the value of one.
fn of_option(command: &Command, before: Option<&String>, typed: &str) -> Option<Candidates> {
    if let Some(arg) = before.and_then(|word| option(command, word)) {
        return Some(values(arg, typed));
    }
    if let Some((name, value)) = typed.split_once('=')
        && let Some(arg) = option(command, name)
    {
        return Some(values(arg, value).after(&format!("{name}=")));
    }
    if !typed.starts_with('-') {
        return None;
    }
    let options = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let named = options.filter_map(|arg| {
        let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let about = about.lines().next().unwrap_or_default().to_owned();
        Some((format!("--{}", arg.get_long()?), about))
    });
    Some(Candidates::of(typed, named))
}

/// The option of this name, if it takes a value.
fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let mut options = command.get_arguments().filter(|arg| arg.get_action().takes_values());
    match word.strip_prefix("--") {
        Some(long) => options.find(|arg| arg.get_long() == Some(long)),
        None => {
            let short = word.strip_prefix('-')?.chars().last()?;
            options.find(|arg| arg.get_short() == Some(short))
        }
    }
}

/// The argument that comes after these words of a command.
fn positional<'a>(command: &'a Command, before: &[String]) -> Option<&'a Arg> {
    let mut count = 0;
    let mut words = before.iter();
    while let Some(word) = words.next() {
        if option(command, word).is_some() {
            words.next();
        } else if !word.starts_with('-') {
            count += 1;
        }
    }
    let last = command.get_positionals().last();
    let repeated = last.filter(|arg| arg.get_num_args().is_some_and(|own| own.max_values() > 1));
    command.get_positionals().nth(count).or(repeated)
}

/// The values of an argument.
fn values(arg: &Arg, typed: &str) -> Candidates {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let words = possible.iter().map(|own| {
            let about = own.get_help().map(ToString::to_string).unwrap_or_default();
            (own.get_name().to_owned(), about)
        });
        return Candidates::of(typed, words);
    }
    let names = arg.get_value_names().into_iter().flatten().next();
    let mut found = Candidates::default();
    for name in names.map(|name| name.as_str()).unwrap_or_default().split('|') {
        found.extend(match name {
            "RULE" => Candidates::of(typed, rule_words("")),
            "RULES" => of_list(typed, |part| Candidates::of(part, rule_words(""))),
            "RULE=LEVEL" => of_list(typed, level_of_rule),
            "FMT=PATH" => report(typed),
            "FILE" | "PATH" | "DIR" | "FOLDER" | "COPY" => {
                Candidates { files: true, ..Candidates::default() }
            }
            "TARGET" | "OTHER" => transcripts(typed),
            // An option that takes an ID means that of a call.
            "ID" if arg.is_positional() => transcripts(typed),
            "OP" => Candidates::of(typed, [("last".to_owned(), "The last repair".to_owned())]),
            word if word.chars().all(|c| c.is_ascii_lowercase()) && !word.is_empty() => {
                Candidates::of(typed, [(word.to_owned(), String::new())])
            }
            _ => Candidates::default(),
        });
    }
    found
}

/// The values of the last part of a list with commas.
fn of_list(typed: &str, values: fn(&str) -> Candidates) -> Candidates {
    match typed.rsplit_once(',') {
        Some((before, part)) => values(part).after(&format!("{before},")),
        None => values(typed),
    }
}

/// Codes and names of rules, with what is written after them.
fn rule_words(end: &'static str) -> impl Iterator<Item = (String, String)> {
    rules::ALL.iter().flat_map(move |rule| {
        let words = [rule.code.as_str(), rule.name];
        words.map(|word| (format!("{word}{end}"), rule.summary.to_owned()))
    })
}

fn level_of_rule(typed: &str) -> Candidates {
    let Some((rule, level)) = typed.split_once('=') else {
        return Candidates::of(typed, rule_words("="));
    };
    let levels = LevelArg::value_variants().iter().filter_map(LevelArg::to_possible_value);
    let levels = levels.map(|own| (own.get_name().to_owned(), String::new()));
    Candidates::of(level, levels).after(&format!("{rule}="))
}

/// `sarif=`, and the file that is written.
fn report(typed: &str) -> Candidates {
    if typed.contains('=') {
        return Candidates { files: true, ..Candidates::default() };
    }
    let outputs = OUTPUTS.iter();
    Candidates::of(typed, outputs.map(|own| (format!("{}=", own.name), own.summary.to_owned())))
}

/// What names transcripts: hosts, sessions, and files.
fn transcripts(typed: &str) -> Candidates {
    let hosts = host_words().into_iter().map(|word| (word, String::new()));
    let mut found = Candidates::of(typed, hosts);
    // What is written like a path is no ID.
    if !typed.contains(['/', '.', '@']) {
        found.words.extend(sessions(typed));
    }
    found.files = true;
    found
}

/// The newest sessions whose ID begins with what was typed.
fn sessions(typed: &str) -> impl Iterator<Item = (String, String)> {
    let mut all = homes::find_sessions(hosts::homes(), &Surroundings::system(), None).sessions;
    all.retain(|session| {
        let is_word = !session.id.contains(|c: char| c.is_whitespace() || is_dangerous(c));
        is_word && session.id.starts_with(typed) && !session.place.children
    });
    all.sort_by_cached_key(|session| Reverse(session.stamp().1));
    all.truncate(SESSIONS);
    all.into_iter().map(|session| {
        let about = about(&session);
        (session.id, about)
    })
}

/// The host of a session, and when it changed last.
fn about(session: &StoredSession) -> String {
    let (_, changed) = session.stamp();
    let changed = changed.and_then(|changed| jiff::Timestamp::try_from(changed).ok());
    let date = changed.map(|date| date.strftime(" %Y-%m-%d %H:%M UTC").to_string());
    format!("{}{}", session.home.name, date.unwrap_or_default())
}
