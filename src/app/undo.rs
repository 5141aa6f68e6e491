//! Repairs taken back.

use crate::bytes::replace::Existing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::exit::RunOutcome;
use super::prompt::{self, Answer};
use super::{App, Error, Result, exit, late, owner, place, signals, streams};
use crate::bytes::source::Source;
use crate::engine::{CheckOptions, judge};
use crate::find;
use crate::find::name_of;
use crate::journal::{
    self, BATCH, DifferenceKind, Journal, LogEntry, Operation, OperationHead, OperationStatus,
    RunPosition, UndoDifference, UndoError, WriteCheck, WriteOptions,
};
use crate::live::{Readings, System};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{Detail, many};
use crate::report::redact::Redactor;
use crate::report::text::{pad, width};

/// Transcripts that are named before a question.
const NAMED: usize = 10;

/// Before a path that has a line of its own in the list.
const LIST_INDENT: &str = "       ";

/// How operations are undone.
pub(crate) struct UndoOptions {
    pub dry_run: bool,
    /// The original goes here, and everything else is left alone.
    pub output: Option<PathBuf>,
    /// What is at that path is replaced.
    pub force: bool,
    /// Also where another process may be writing.
    pub force_live: bool,
}

/// The operations that are to be undone, the newest first; or the exit status where there is none, and that was said.
pub(crate) enum MeantOperations {
    These(Vec<Operation>),
    Nothing(u8),
}

/// Resolves the argument to operations: an operation ID, a run, or a path (its newest operation). Without one: the newest of all.
pub(crate) fn meant(
    app: &App<'_>,
    journal: &Journal,
    what: Option<&Path>,
) -> Result<MeantOperations> {
    let entries = journal.operations()?;
    let Some(what) = what else {
        return match standing(&entries).next() {
            Some(newest) => these(journal, &together(&entries, newest)),
            None => Ok(nothing(app, "nothing to undo", exit::NOTHING)),
        };
    };
    let text = what.to_str().unwrap_or_default();
    if let Some(batch) = text.strip_prefix(BATCH).and_then(|number| number.parse::<u64>().ok()) {
        let own = standing(&entries).filter(|own| own.head.batch == Some(batch));
        let own: Vec<&LogEntry> = own.collect();
        if !own.is_empty() {
            return these(journal, &own);
        }
        let known = entries.iter().any(|entry| entry.head.batch == Some(batch));
        return Ok(if known {
            nothing(app, &format!("refused: batch {batch} was undone before"), exit::REFUSED)
        } else {
            nothing(app, &format!("no batch {batch} (see undo --list)"), exit::NOTHING)
        });
    }
    if let Ok(op) = text.parse::<u64>() {
        if let Some(entry) = entries.iter().find(|entry| entry.head.op == op) {
            return these(journal, &[entry]);
        }
        // The beginning of an ID may be a number, too.
        if !app.is_session(what) {
            let why = format!("no operation {op} (see undo --list)");
            return Ok(nothing(app, &why, exit::NOTHING));
        }
    }
    let Some(path) = app.path_of(what)? else {
        return Ok(MeantOperations::Nothing(exit::NOTHING));
    };
    let shown = app.options.reader.path(&path);
    if let Some(entry) = journal.latest_undoable(&path).map_err(Error::at(shown.clone()))? {
        return these(journal, &[&entry]);
    }
    // A tree: what was done last below it, and together with that.
    let real = path.canonicalize().map_err(Error::at(shown.clone()))?;
    let newest = standing(&entries).find(|own| own.head.place.path.starts_with(&real));
    let Some(newest) = newest else {
        return Ok(nothing(app, &format!("nothing to undo for {shown}"), exit::NOTHING));
    };
    let mut own = together(&entries, newest);
    own.retain(|own| own.head.place.path.starts_with(&real));
    these(journal, &own)
}

/// The operations that were not undone, the newest first.
fn standing(entries: &[LogEntry]) -> impl Iterator<Item = &LogEntry> {
    entries.iter().rev().filter(|entry| entry.is_in_effect())
}

/// What was done together with an operation: it is undone together.
fn together<'a>(entries: &'a [LogEntry], newest: &'a LogEntry) -> Vec<&'a LogEntry> {
    match newest.head.batch {
        Some(batch) => standing(entries).filter(|own| own.head.batch == Some(batch)).collect(),
        None => vec![newest],
    }
}

fn these(journal: &Journal, meant: &[&LogEntry]) -> Result<MeantOperations> {
    let operations = meant.iter().filter_map(|entry| journal.operation(entry).transpose());
    Ok(MeantOperations::These(operations.collect::<std::io::Result<_>>()?))
}

fn nothing(app: &App<'_>, why: &str, status: u8) -> MeantOperations {
    app.say(Tone::Warn, why);
    MeantOperations::Nothing(status)
}

/// Says what is about to be undone and, at a terminal, asks if that is not where the user works.
pub(crate) fn agreed(app: &App<'_>, yes: bool, operations: &[Operation]) -> Result<bool> {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).ok();
    let asks = !yes
        && operations
            .iter()
            .any(|own| here.as_ref().is_none_or(|here| !own.head.place.path.starts_with(here)));
    let screen = streams::screen(false).filter(|_| asks);
    let Some(last) = operations.first() else {
        return Ok(true);
    };
    if screen.is_some() || app.style.detail >= Detail::Normal {
        app.write_to(screen.unwrap_or(streams::Screen::Out), |to| {
            let time = last.head.moment();
            match (last.head.batch, operations) {
                (Some(batch), [_, _, ..]) => {
                    writeln!(to, "Last repair: batch {batch} of {}, {time}", files_of(operations))?;
                }
                _ => writeln!(to, "Last repair: operation {}, {time}", last.head.op)?,
            }
            for own in operations.iter().take(NAMED) {
                let path = app.options.reader.path(&own.head.place.path);
                writeln!(to, "  {}", app.style.path(&path, 2))?;
            }
            match operations.len().checked_sub(NAMED).filter(|more| *more > 0) {
                Some(more) => writeln!(to, "  and {more} more"),
                None => Ok(()),
            }
        })?;
    }
    let Some(screen) = screen else {
        return Ok(true);
    };
    let mut out = app.stream(screen);
    let answer =
        prompt::ask("Undo it?", prompt::UNDO, &mut std::io::stdin().lock(), &mut out, |_| Ok(()))?;
    Ok(answer == Answer::Yes)
}

/// Undoes each operation on its own. One that cannot be undone is reported and skipped.
pub(crate) fn several(
    app: &App<'_>,
    how: &UndoOptions,
    journal: &Journal,
    operations: &[Operation],
) -> Result<u8> {
    let (mut outcome, mut done, mut batch) = (RunOutcome::default(), 0_usize, RunPosition::Alone);
    if operations.len() > 1 {
        batch = RunPosition::First;
    }
    for Operation { head, .. } in operations {
        let one = match journal.undo(head.op) {
            Ok(undo) => undo_operation(app, how, (journal, &undo), batch)?,
            Err(error) => refuse(app, head.op, &head.place.path, &error),
        };
        match one {
            Ok(Some(by)) if batch == RunPosition::First => batch = RunPosition::Of(by),
            Ok(_) => {}
            Err(exit::UNCONFIRMED) => outcome.unconfirmed = true,
            Err(_) => outcome.refused = true,
        }
        done = done.saturating_add(usize::from(one.is_ok()));
    }
    if operations.len() > 1 && !how.dry_run && app.style.detail >= Detail::Normal {
        app.write(|to| {
            writeln!(to, "Undid {done} of {}.", many(operations.len() as u64, "operation"))
        })?;
    }
    Ok(outcome.status())
}

/// What became of one operation: the number of its undo, if it was undone; or the exit status
/// where it was not, or not for certain, and that was said.
type Undone = std::result::Result<Option<u64>, u8>;

fn undo_operation(
    app: &App<'_>,
    how: &UndoOptions,
    (journal, undo): (&Journal, &journal::UndoPlan),
    batch: RunPosition,
) -> Result<Undone> {
    let OperationHead { op, place, .. } = &undo.operation().head;
    let (op, path) = (*op, app.options.reader.path(&place.path));
    if let Some(out) = &how.output {
        let out = place::of_copy(&place.path, out, place.path.file_name(), &app.options.reader)?;
        place::is_free(&out, how.force, &app.options.reader)?;
        match undo.export(&out, Existing::replaced_if(how.force)) {
            Ok(()) => {}
            Err(failed @ UndoError::NotRestored(_)) => {
                app.say_unconfirmed(&out, None, failed);
                return Ok(Err(exit::UNCONFIRMED));
            }
            Err(error) => return Ok(refuse(app, op, &place.path, &error)),
        }
        let out = app.options.reader.path(&out);
        say(app, "Wrote", &out, &format!(": the state before operation {op}"))?;
        return Ok(Ok(None));
    }
    if !undo.differences().is_empty() {
        let changed = UndoError::Changed(undo.differences().to_vec());
        return Ok(refuse(app, op, &place.path, &changed));
    }
    let files = files(undo.operation());
    if how.dry_run {
        let rest = format!(" ({files}) to its state before operation {op}");
        say(app, "Would restore", &path, &rest)?;
        return Ok(Ok(None));
    }
    if !how.force_live
        && let Some(live) = writer_of(&place.path)
    {
        app.say(Tone::Bad, &format!("refused: {path} {live}; nothing was written"));
        return Ok(Err(exit::REFUSED));
    }
    let writing = WriteOptions {
        now: SystemTime::now(),
        plan: None,
        keep_mtime: false,
        backup: false,
        batch,
        undisturbed: false,
    };
    let done = {
        let _signals_wait = signals::writing();
        undo.run_with_check(&writing, &mut WatchedUndo { forced: how.force_live })
    };
    match done {
        Ok(by) => {
            let before = format!(" ({files}) to its state before operation {op}");
            let rest = format!("{before}; this undo is operation {by}");
            say(app, "Restored", &path, &rest)?;
            if let Some(left) = late::left_beside(app, journal, by, true) {
                app.say(Tone::Warn, &left);
            }
            Ok(Ok(Some(by)))
        }
        Err(UndoError::Write(failed)) if let Some(by) = failed.written() => {
            if let Some(left) = late::left_beside(app, journal, by, false) {
                app.say(Tone::Warn, &left);
            }
            app.say_unconfirmed(&place.path, None, failed);
            Ok(Err(exit::UNCONFIRMED))
        }
        Err(failed @ UndoError::NotRestored(_)) => {
            app.say_unconfirmed(&place.path, None, failed);
            Ok(Err(exit::UNCONFIRMED))
        }
        Err(error) => Ok(refuse(app, op, &place.path, &error)),
    }
}

/// Says what was done, with the path in a line of its own where it is long.
fn say(app: &App<'_>, did: &str, path: &str, rest: &str) -> Result<()> {
    if app.style.detail < Detail::Normal {
        return Ok(());
    }
    app.write(|to| {
        let used = width(did).saturating_add(1);
        let path = app.style.path(path, used);
        let wide = used.saturating_add(width(&path) + width(rest)) > app.style.width;
        let gap = if wide { "\n " } else { "" };
        writeln!(to, "{did} {}{gap}{rest}", paint(Tone::Strong, &path))
    })
}

/// Who is writing the transcript, in words.
fn writer_of(path: &Path) -> Option<String> {
    let finds = find::find(&[path.to_owned()], None);
    finds.found.iter().find_map(|located| {
        let found = located.open().ok()?;
        let judged =
            judge(&found.source, &name_of(&found.path), &found.detection, &CheckOptions::default())
                .ok()?;
        let mut live = owner::of(&System, &found, &judged.transcript, Readings::Twice);
        if live.may_pass() {
            live = owner::wait(&System, &found, &judged.transcript, Duration::ZERO);
        }
        live.is_live().then(|| owner::name(live, found.detection.format.host.name))
    })
}

fn files(operation: &Operation) -> String {
    many(operation.files.len() as u64, "file")
}

fn files_of(operations: &[Operation]) -> String {
    let files: usize = operations.iter().map(|operation| operation.files.len()).sum();
    format!("{} ({})", many(operations.len() as u64, "operation"), many(files as u64, "file"))
}

/// Answers the journal's questions during an undo. Lines appended meanwhile make it fail, because undoing would lose them.
struct WatchedUndo {
    forced: bool,
}

impl WriteCheck for WatchedUndo {
    fn verify(&mut self, _: &Source) -> std::result::Result<(), journal::Objection> {
        Ok(())
    }

    fn find_writer(&mut self, old: &[PathBuf]) -> Option<String> {
        if self.forced { None } else { owner::holder(old) }
    }
}

/// Says why not, and what can be done instead.
fn refuse(app: &App<'_>, op: u64, path: &Path, error: &UndoError) -> Undone {
    let path = app.options.reader.path(path);
    app.say(Tone::Bad, &format!("refused: {path}: {}", of_operation(op, error)));
    let tool = env!("CARGO_PKG_NAME");
    match error {
        UndoError::Changed(differences) => {
            for difference in differences {
                app.say(
                    Tone::Bad,
                    &format!("  {}", difference_text(op, difference, &app.options.reader)),
                );
            }
            app.say(
                Tone::Dim,
                &format!("  write the original next to it:  {tool} undo {op} --output PATH"),
            );
        }
        UndoError::Newer(newer) => app.say(Tone::Dim, &format!("  first:  {tool} undo {newer}")),
        _ => {}
    }
    Err(exit::REFUSED)
}

/// The error, with the number of the operation unless it says that itself.
fn of_operation(op: u64, error: &UndoError) -> String {
    let says_it = matches!(
        error,
        UndoError::Unknown(_)
            | UndoError::NotDone(_)
            | UndoError::IsUndo { .. }
            | UndoError::Undone { .. }
    );
    if says_it { error.to_string() } else { format!("operation {op}: {error}") }
}

pub(super) fn difference_text(
    op: u64,
    UndoDifference { path, how }: &UndoDifference,
    reader: &Redactor,
) -> String {
    let path = reader.path(path);
    match how {
        DifferenceKind::Longer { bytes, lines: 0 } => {
            format!("{path} has {} more since; undo would lose them", many(*bytes, "byte"))
        }
        DifferenceKind::Longer { lines, .. } => {
            format!("{path} has {} more since; undo would lose them", many(*lines, "line"))
        }
        DifferenceKind::Other { was, now } => {
            format!(
                "{path} does not have the bytes that operation {op} wrote ({was} then, {now} now)"
            )
        }
        DifferenceKind::Gone => format!("{path} no longer exists"),
        DifferenceKind::Files { was, now } => {
            format!("{path} has {now} files, and had {was} after operation {op}")
        }
    }
}

/// The operations, a line each; of the quiet only their numbers.
pub(crate) fn list(app: &App<'_>, journal: &Journal) -> Result<()> {
    let entries = journal.operations()?;
    if app.style.detail < Detail::Normal {
        let mut numbers = entries.iter().map(|entry| entry.head.op);
        return match app.style.detail {
            Detail::Nothing => Ok(()),
            _ => app.write(|to| numbers.try_for_each(|op| writeln!(to, "{op}"))),
        };
    }
    let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
    entries
        .iter()
        .filter_map(|entry| entry.head.batch)
        .for_each(|batch| *sizes.entry(batch).or_default() += 1);
    let batches = |own: &OperationHead| {
        own.batch.filter(|batch| sizes.get(batch).is_some_and(|size| *size > 1))
    };
    let wide = entries
        .iter()
        .filter_map(|entry| batches(&entry.head))
        .map(|batch| batch.to_string().len())
        .max();
    let wide = wide.map_or(0, |digits| digits.saturating_add(BATCH.len()).saturating_add(2));
    app.write(|to| {
        for entry in &entries {
            let Some(operation) = journal.operation(entry)? else {
                continue;
            };
            let head = &entry.head;
            let state = match (entry.status, entry.undone_by, head.undoes) {
                (OperationStatus::Unfinished, ..) => String::from("interrupted"),
                (OperationStatus::Withdrawn, ..) => String::from("withdrawn"),
                (OperationStatus::Done, Some(by), _) => format!("undone by {by}"),
                (OperationStatus::Done, None, Some(of)) => format!("undoes {of}"),
                (OperationStatus::Done, None, None) => String::from("done"),
            };
            let batch = batches(head).map(|batch| format!("{BATCH}{batch}")).unwrap_or_default();
            let path = app.options.reader.path(&head.place.path);
            let number = format!("{:>5}", head.op);
            let facts = format!(
                "  {}  {}  {:>8}  {}",
                head.moment(),
                pad(&state, 13),
                files(&operation),
                pad(&batch, wide)
            );
            let used = width(&number).saturating_add(width(&facts));
            let (used, gap) = if used.saturating_add(width(&path)) > app.style.width {
                (LIST_INDENT.len(), format!("\n{LIST_INDENT}"))
            } else {
                (used, String::new())
            };
            let number = paint(Tone::Strong, &number);
            let path = app.style.path(&path, used);
            if gap.is_empty() {
                writeln!(to, "{number}{facts}{path}")?
            } else {
                writeln!(to, "{number}{}{gap}{path}", facts.trim_end())?
            }
        }
        Ok(())
    })
}
