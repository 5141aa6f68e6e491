//! What a command line that clap does not accept was probably meant to be.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error};

use super::Cli;
use crate::app::explain;
use crate::find::names::{self, Argument, ArgumentTarget, LookupError};
use crate::find::surroundings::Surroundings;
use crate::outputs;
use crate::report::text::escape;

/// Names that other tools have for our commands.
const ALSO_CALLED: &[(&str, &str)] = &[
    ("analyze", "check"),
    ("anonymize", "redact"),
    ("compare", "diff"),
    ("doctor", "check"),
    ("fix", "repair"),
    ("heal", "repair"),
    ("history", "sessions"),
    ("inspect", "explain"),
    ("lint", "check"),
    ("list", "sessions"),
    ("ls", "sessions"),
    ("preview", "diff"),
    ("restore", "undo"),
    ("revert", "undo"),
    ("rollback", "undo"),
    ("scan", "check"),
    ("show", "explain"),
    ("test", "check"),
    ("validate", "check"),
    ("why", "explain"),
];

/// Options of other tools, and what does here what they do there.
const ALSO_OPTIONS: &[(&str, &str)] = &[
    ("apply", "'repair' applies fixes; 'diff' shows them"),
    ("fix", "'repair' applies fixes; 'diff' shows them"),
    ("write", "'repair' applies fixes; 'diff' shows them"),
    ("output-format", "the option is '--format'"),
    ("recursive", "a folder is searched with all folders in it"),
];

/// The error with the words that were typed as they may be printed: clap would print them as they are, also what turns the
/// direction of a text.
pub(super) fn harmless(words: Vec<OsString>, error: Error) -> Error {
    let shown = |word: &OsString| OsString::from(escape(&word.to_string_lossy()));
    let shown: Vec<OsString> = words.iter().map(shown).collect();
    if shown == words || !error.use_stderr() {
        return error;
    }
    match Cli::parsed(shown) {
        Err(error) => error,
        Ok(_) => Error::raw(error.kind(), escape(&error.to_string())),
    }
}

/// The command line with its command, or else its transcript, before the options: `-q check x` as `check -q x`.
pub(super) fn in_order(mut words: Vec<OsString>, grammar: &clap::Command) -> Vec<OsString> {
    let starts = words.get(1).is_some_and(is_option);
    if !starts || ["-h", "--help", "-V", "--version"].iter().any(|own| words[1] == *own) {
        return words;
    }
    let typed: Vec<&str> =
        words.iter().map(|word| word.to_str().filter(|_| !is_option(word)).unwrap_or("")).collect();
    let mut typed = typed.into_iter().enumerate().skip(2);
    let command = typed.clone().find(|(_, word)| grammar.find_subcommand(word).is_some());
    if let Some((at, _)) = command.or_else(|| typed.find(|(_, word)| is_transcript(word))) {
        let word = words.remove(at);
        words.insert(1, word);
    }
    words
}

fn is_option(word: impl AsRef<OsStr>) -> bool {
    let word = word.as_ref();
    word.len() > 1 && word.as_encoded_bytes().starts_with(b"-")
}

/// The command line with `check` before a transcript, or `explain` before an error message, that was typed in place of a
/// command, and a sentence about it.
pub(super) fn check_of(words: &[OsString], error: &Error) -> Option<(Vec<OsString>, String)> {
    let Some(typed) = instead_of_command(error) else {
        return in_one_text(words, error);
    };
    if typed == "help" {
        return Some((help_of(words), String::new()));
    }
    let at = words.iter().skip(1).position(|word| *word == *typed)? + 1;
    let is_error = explain::PastedName::read(typed).is_some();
    if is_error && (typed.contains(char::is_whitespace) || !is_transcript(typed)) {
        let mut words = words.to_vec();
        words.insert(at, "explain".into());
        return Some((words, "reading this as an error message".to_owned()));
    }
    if !Path::new(typed).exists()
        && let Some(text) = in_one_text(words, error)
    {
        return Some(text);
    }
    if !is_transcript(typed) {
        return None;
    }
    let mut words = words.to_vec();
    words.insert(at, "check".into());
    Some((words, format!("checking {}", escape(typed))))
}

/// The command line with an error message in one word, if it was typed without quotes, where `explain` takes it, and a sentence
/// about it. Options come before it or after it, transcripts before it.
fn in_one_text(words: &[OsString], error: &Error) -> Option<(Vec<OsString>, String)> {
    let is_about_words = matches!(
        error.kind(),
        ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument | ErrorKind::ArgumentConflict
    );
    let all: Vec<&str> = words.iter().skip(1).map(|word| word.to_str()).collect::<Option<_>>()?;
    let own = match all.as_slice() {
        ["explain", rest @ ..] => rest,
        rest if error.kind() == ErrorKind::InvalidSubcommand => rest,
        _ => return None,
    };
    let (before, rest) = match own.iter().position(|word| *word == "--error") {
        Some(at) => (&own[..at], &own[at + 1..]),
        None => {
            let mut names = own.iter();
            let end = names.position(|word| !is_option(word) && !Path::new(word).exists());
            own.split_at(end.unwrap_or(own.len()))
        }
    };
    let end = rest.iter().rposition(|word| !is_option(word))? + 1;
    let (text, after) = rest.split_at(end);
    // A word with blanks was in quotes.
    if text.iter().any(|word| word.contains(char::is_whitespace)) {
        return None;
    }
    let text = text.join(" ");
    explain::PastedName::of_words(&text).filter(|_| is_about_words)?;
    let has_name = own.contains(&"--error") || before.iter().any(|word| !is_option(word));
    let options = ["explain"].iter().chain(before).chain(after);
    let text = if has_name { vec!["--error", &text] } else { vec![text.as_str()] };
    let typed = options.chain(&text).map(OsString::from);
    let note = "reading these words as an error message; between single quotes, a shell leaves them as they are";
    Some((words.iter().take(1).cloned().chain(typed).collect(), note.to_owned()))
}

/// `help check` as `check --help`.
fn help_of(words: &[OsString]) -> Vec<OsString> {
    let rest = words.iter().filter(|word| *word != "help").cloned();
    rest.chain(["--help".into()]).collect()
}

/// The error with what was probably meant, and without the advice to pass an unknown option as a value: no command takes
/// such values.
pub(super) fn corrected(mut error: Error) -> Error {
    if let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) {
        let tips: Vec<StyledStr> =
            tips.into_iter().filter(|tip| !tip.to_string().starts_with("to pass ")).collect();
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    let unknown = unknown_option(&error).map(str::to_owned);
    if let Some(tip) = unknown.and_then(|long| elsewhere(&long).or_else(|| instead(&long))) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    let command = instead_of_command(&error).and_then(|typed| {
        Some(ALSO_CALLED.iter().find(|(name, _)| name.eq_ignore_ascii_case(typed))?.1.to_owned())
    });
    if let Some(command) = command {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![command]));
    }
    error
}

/// The long option that the command does not have.
fn unknown_option(error: &Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(typed) if error.kind() == ErrorKind::UnknownArgument => {
            typed.strip_prefix("--")
        }
        _ => None,
    }
}

/// What does what an option of another tool does there.
fn instead(long: &str) -> Option<String> {
    if outputs::by_name(long).is_some() {
        return Some(format!("the option is '--format {long}'"));
    }
    let (_, tip) = ALSO_OPTIONS.iter().find(|(name, _)| *name == long)?;
    Some((*tip).to_owned())
}

/// Which commands have an option that this one does not have.
fn elsewhere(long: &str) -> Option<String> {
    let root = Cli::command();
    let commands = root
        .get_subcommands()
        .filter(|command| command.get_arguments().any(|option| option.get_long() == Some(long)));
    let commands: Vec<&str> = commands.map(clap::Command::get_name).collect();
    if commands.is_empty() {
        return None;
    }
    Some(format!("'--{long}' is an option of {}", commands.join(", ")))
}

/// The word in the place of a command that is not one.
fn instead_of_command(error: &Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(typed) if error.kind() == ErrorKind::InvalidSubcommand => Some(typed),
        _ => None,
    }
}

/// Whether a word names transcripts rather than a command.
fn is_transcript(typed: &str) -> bool {
    match names::read(Path::new(typed)).word {
        Argument::Path(_) | Argument::Name(_) => true,
        Argument::Id(id) if id.contains('.') => true,
        word @ Argument::Id(_) => matches!(
            names::look_up(&word, &Surroundings::system()),
            Ok(ArgumentTarget::Session(_)) | Err(LookupError::Several(_))
        ),
    }
}
