//! `redact`: a copy without anything that somebody said, proved to have the same findings.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;

use super::help::{CommandExample, examples};
use crate::app::exit::{self, RunOutcome};
use crate::app::redact::redact_source;
use crate::app::{App, Error, Result, place};
use crate::bytes::source::Entries;
use crate::cli::{AskedOptions, DrawArgs, ReadArgs, RedactArg, ShownArgs, TalkArgs};
use crate::find::{Found, Located, store};
use crate::outputs::paint::Tone;
use crate::report::redact::Redactor;

const EXAMPLES: &[CommandExample] = &[
    ("redact session.jsonl -o copy.redacted.jsonl", "Write a copy without texts and names"),
    ("redact session.jsonl -o ids.redacted.jsonl --redact strict", "Replace IDs, too"),
    ("redact 5f1c -o ./", "Write a copy of a session to this folder"),
];

/// Write an anonymized copy with the same findings
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct RedactArgs {
    /// File, folder, -, @latest, or session ID
    #[arg(value_name = "TARGET")]
    pub recording: PathBuf,
    /// Write the copy here (- for standard output), as NAME.redacted.jsonl
    #[arg(short, long, value_name = "COPY", required = true)]
    pub output: PathBuf,
    /// Replace what exists at the path of --output
    #[arg(long)]
    pub force: bool,
    /// Treat each row of JSONL or of an array as a conversation
    #[arg(long)]
    pub rows: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    talk: TalkArgs,
    #[command(flatten)]
    shown: ShownArgs,
}

impl RedactArgs {
    /// Whether the copy goes to standard output.
    pub(super) fn is_filter(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            read: self.read.clone(),
            talk: self.talk.clone(),
            draw: DrawArgs { shown: self.shown.clone(), ..DrawArgs::default() },
            rows: self.rows,
            data_on_stdout: self.is_filter(),
            ..AskedOptions::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The command line cannot be done, or nothing can be printed.
pub(crate) fn run(app: &App<'_>, args: &RedactArgs) -> Result<u8> {
    if app.options.redact == RedactArg::Off {
        return Err(Error::usage("--redact off leaves nothing to do"));
    }
    let (app, finds) = app.find(std::slice::from_ref(&args.recording))?;
    app.say_missed(&finds);
    // Two transcripts on standard output could not be told apart.
    if args.is_filter()
        && (finds.found.len() > 1 || finds.found.iter().any(|found| found.path.is_dir()))
    {
        return Err(Error::usage("one file can go to standard output; name a path with --output"));
    }
    let of_database = finds.found.iter().all(|found| store::of_member(&found.path).is_some());
    let sessions = finds.found.len() > 1 && of_database;
    let output = if args.is_filter() || finds.found.is_empty() {
        args.output.clone()
    } else if sessions {
        if !args.output.is_dir() {
            return Err(Error::usage("with several sessions, --output must be an existing folder"));
        }
        args.output.clone()
    } else {
        copy_of(&app, args, &finds.found)?
    };
    let mut outcome = RunOutcome {
        not_examined: !finds.missed.is_empty(),
        nothing: finds.found.is_empty() && finds.missed.is_empty() && !app.options.allow_empty,
        ..RunOutcome::default()
    };
    for (number, located) in finds.found.iter().enumerate() {
        let mut out = below(&args.recording, located, &output);
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => {
                outcome.not_examined = true;
                app.say_not_checked(&located.path, &why);
                continue;
            }
        };
        if sessions {
            let is_strict = app.options.redact == RedactArg::Strict;
            let number = is_strict.then_some(number + 1);
            out.push(of_session(&found, number));
            place::is_free(&out, args.force, &Redactor::at_hand())?;
        }
        if let Err(why) = redact_source(&app, &found, &out, args.force) {
            outcome.refused = true;
            app.say(
                Tone::Bad,
                &format!("refused: {}: {why}", app.options.reader.path(&found.path)),
            );
        }
    }
    if outcome.nothing {
        return Ok(exit::NOTHING);
    }
    Ok(outcome.status())
}

/// The path of the copy of what was named.
///
/// # Errors
/// There can be none, in words for the user.
fn copy_of(app: &App<'_>, args: &RedactArgs, found: &[Located]) -> Result<PathBuf> {
    // A session's ID is in many names, and strict copies have other IDs.
    let tells = app.options.redact == RedactArg::Strict || args.recording.as_os_str() == "-";
    // A session that was named by its ID.
    let session =
        found.first().filter(|_| !args.recording.exists()).map(|found| found.path.as_path());
    let source = session.unwrap_or(&args.recording);
    let name = source.file_name().filter(|_| !tells).map(redacted);
    // The user typed the name, so it is theirs to see.
    let typed = Redactor::at_hand();
    let out = place::of_copy(source, &args.output, name.as_deref(), &typed)?;
    place::is_free(&out, args.force, &typed)?;
    Ok(out)
}

/// `run.redacted.jsonl`, of `run.jsonl`.
fn redacted(name: &OsStr) -> OsString {
    let name = Path::new(name);
    let mut out = name.file_stem().unwrap_or_default().to_owned();
    out.push(".redacted");
    if let Some(ending) = name.extension() {
        out.push(".");
        out.push(ending);
    }
    out
}

/// The name of the copy of a session in a database: its ID, or its number where IDs are replaced; and what it is a file of.
fn of_session(found: &Found, number: Option<usize>) -> String {
    let id = store::of_member(&found.path).map(|(_, id)| store::document_name(id));
    let id = id.unwrap_or_default();
    let id = id.strip_suffix(".json").unwrap_or(&id);
    let name = number.map_or_else(|| id.to_owned(), |number| format!("session-{number}"));
    let ids = found.source.ids();
    let [only] = ids[..] else {
        return format!("{name}.redacted");
    };
    let inner = Path::new(found.source.name(only));
    let ending = inner.extension().and_then(OsStr::to_str).unwrap_or("jsonl");
    format!("{name}.redacted.{ending}")
}

/// Where the copy of a transcript goes: what was named becomes `out`, what was found in it is there in the same way.
fn below(target: &Path, found: &Located, out: &Path) -> PathBuf {
    match found.path.strip_prefix(target) {
        Ok(below) if !below.as_os_str().is_empty() => out.join(below),
        _ => out.to_owned(),
    }
}
