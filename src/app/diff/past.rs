//! `diff --op`: what a past repair changed, from the journal. The transcript before and after it is written to a private
//! temporary folder and compared there, so it does not matter what became of the transcript since.

use crate::bytes::replace::Existing;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::two::Two;
use super::{DiffOptions, DiffView};
use crate::app::exit::{self, RunOutcome};
use crate::app::{App, Error, Result, difference, streams};
use crate::bytes::patch::Patch;
use crate::diff::between::between;
use crate::find::Found;
use crate::find::names::ArgumentTarget;
use crate::journal::{BATCH, Journal, LogEntry, Operation, OperationStatus};
use crate::outputs::paint::Tone;
use crate::report::text::width;

/// Which past repairs are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PastRepair {
    /// The last one.
    Last,
    /// The one with this number.
    Number(u64),
    /// All of one run.
    Batch(u64),
}

impl FromStr for PastRepair {
    type Err = String;

    fn from_str(typed: &str) -> std::result::Result<PastRepair, String> {
        let number = |text: &str| text.parse().ok();
        let batch = typed.strip_prefix(BATCH).and_then(number);
        match (typed, number(typed), batch) {
            ("last", ..) => Ok(PastRepair::Last),
            (_, Some(op), _) => Ok(PastRepair::Number(op)),
            (.., Some(first)) => Ok(PastRepair::Batch(first)),
            _ => Err("not the number of an operation, batch-N, or last".to_owned()),
        }
    }
}

impl PastRepair {
    fn is_meant(&self, entry: &LogEntry) -> bool {
        match self {
            PastRepair::Last => entry.head.undoes.is_none(),
            PastRepair::Number(op) => entry.head.op == *op,
            PastRepair::Batch(first) => {
                entry.head.batch == Some(*first) && entry.head.undoes.is_none()
            }
        }
    }
}

/// Shows what past repairs changed. `of`: the transcript whose repair is meant, if it was named.
///
/// # Errors
/// The journal cannot be read, or the difference cannot be written.
pub(crate) fn run(
    app: &App<'_>,
    options: &DiffOptions,
    op: &PastRepair,
    of: Option<&Path>,
) -> Result<u8> {
    let Some(journal) = Journal::standard() else {
        return Err(Error::usage("no folder for the journal: set XDG_STATE_HOME"));
    };
    let of = match of.map(|of| app.path_of(of)).transpose()? {
        Some(None) => return Ok(exit::NOTHING),
        Some(Some(path)) => Some(fs::canonicalize(&path).unwrap_or(path)),
        None => None,
    };
    let is_of = |operation: &Operation| {
        of.as_ref().is_none_or(|of| {
            operation.head.place.path.starts_with(of) || operation.paths().any(|path| path == *of)
        })
    };
    let mut meant = Vec::new();
    for entry in journal.operations()?.into_iter().rev() {
        let is_done = entry.status == OperationStatus::Done && op.is_meant(&entry);
        if let Some(operation) = is_done.then(|| journal.operation(&entry)).transpose()?.flatten()
            && is_of(&operation)
        {
            meant.push((entry, operation));
            if *op == PastRepair::Last {
                break;
            }
        }
    }
    if let Some(of) = meant.iter().find_map(|(entry, _)| entry.head.undoes) {
        app.say(
            Tone::Warn,
            &format!("that operation undid operation {of}; diff --op {of} shows it"),
        );
        return Ok(exit::NOTHING);
    }
    if meant.is_empty() {
        app.say(Tone::Warn, "no such repair in the journal (see undo --list)");
        return Ok(exit::NOTHING);
    }
    let mut outcome = RunOutcome::default();
    for (entry, operation) in meant.iter().rev() {
        match show_operation(app, options, &journal, (entry, operation))? {
            Some(differs) => outcome.left |= differs && options.exit_code,
            None => outcome.not_examined = true,
        }
    }
    Ok(outcome.status())
}

/// Shows what one repair changed; whether it changed anything. `None`: that is not known anymore, and was said.
fn show_operation(
    app: &App<'_>,
    options: &DiffOptions,
    journal: &Journal,
    (entry, operation): (&LogEntry, &Operation),
) -> Result<Option<bool>> {
    let op = entry.head.op;
    let path = &relative(&operation.head.place.path);
    let shown = app.options.reader.path(path);
    let folder = tempfile::tempdir()?;
    let name = path.file_name().unwrap_or_default();
    let both = ["before", "after"].map(|side| folder.path().join(side));
    for side in &both {
        fs::create_dir(side)?;
    }
    let [before, after] = both.map(|side| side.join(name));
    let written = journal.past(entry).and_then(|past| {
        past.export(&before, Existing::Refused).and_then(|()| past.export_result(&before, &after))
    });
    if let Err(why) = written {
        app.say(Tone::Warn, &format!("operation {op} of {shown} cannot be shown: {why}"));
        return Ok(None);
    }
    let (Some(a), Some(b)) = (opened(app, &before, path)?, opened(app, &after, path)?) else {
        app.say(Tone::Warn, &format!("operation {op} of {shown} cannot be shown: unknown format"));
        return Ok(None);
    };
    if options.view == DiffView::Raw && !options.stat {
        let patch = Patch::new(between(&a.source, &b.source)?).map_err(std::io::Error::other)?;
        streams::quiet(difference::unified(app, path, a.source.shape(), &a.source, &patch))?;
        return Ok(Some(!patch.is_empty()));
    }
    let time = operation.head.moment();
    let undone =
        entry.undone_by.map_or_else(String::new, |by| format!(", undone by operation {by}"));
    let what = format!("  what operation {op} changed ({time}{undone})");
    let title = format!("{}{what}", app.style.path(&shown, width(&what)));
    let two = Two { app, options, a: &a, b: &b, title: Some(title) };
    two.differ().map(Some)
}

/// The path as it would be typed here: relative, if it is below the working directory.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(fs::canonicalize);
    let below = here.ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let below = below.filter(|below| !below.as_os_str().is_empty());
    below.unwrap_or_else(|| path.to_owned())
}

/// A transcript that was written to `copy`, as if it were where it belongs.
pub(in crate::app) fn opened(app: &App<'_>, copy: &Path, path: &Path) -> Result<Option<Found>> {
    let finds = app.found(&[ArgumentTarget::Path(copy.to_owned())]);
    let Some(located) = finds.found.first() else {
        return Ok(None);
    };
    let found = located
        .open()
        .map_err(|source| Error::Open { place: app.options.reader.path(path), source })?;
    Ok(Some(Found { path: path.to_owned(), ..found }))
}
