//! `undo`: a repair taken back.

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::repair::settle;
use super::{Run, Usage, exit, owner, signals};
use crate::cli::Undo;
use crate::engine::{Ask, judge};
use crate::find;
use crate::journal::{self, Difference, Entry, How, Journal, Operation, Status, UndoError, Writing};
use crate::live::{Looks, System};
use crate::outputs::many;
use crate::outputs::paint::{Tone, paint};
use crate::report::build::name_of;
use crate::report::text::{Shown, pad};

/// Runs the command.
///
/// # Errors
/// The journal cannot be read, or nothing can be printed.
pub fn run(run: &Run<'_>, args: &Undo) -> Result<u8> {
    run.no_report("undo")?;
    let Some(journal) = Journal::standard() else {
        return Err(Usage("there is no folder for the journal: set XDG_STATE_HOME".to_owned()).into());
    };
    if args.list {
        list(run, &journal.operations()?)?;
        return Ok(exit::DONE);
    }
    if !args.dry_run {
        settle(run)?;
    }
    let Some(op) = operation(run, &journal, args.what.as_deref())? else { return Ok(exit::NOTHING) };
    match journal.undo(op) {
        Ok(undo) => one(run, args, &undo),
        Err(error) => refuse(run, op, &error),
    }
}

/// The number of the operation that is meant; `None`: there is none, and that was said.
fn operation(run: &Run<'_>, journal: &Journal, what: Option<&Path>) -> Result<Option<u64>> {
    let Some(what) = what else {
        let entries = journal.operations()?;
        let newest = entries.iter().rev().find(|entry| entry.stands()).map(|entry| entry.operation.op);
        if newest.is_none() {
            run.say(Tone::Warn, "there is no repair that stands");
        }
        return Ok(newest);
    };
    if let Some(op) = what.to_str().and_then(|text| text.parse().ok()) {
        // The beginning of an id may be a number, too.
        let known = journal.operations()?.iter().any(|entry| entry.operation.op == op);
        if known || !run.is_session(what) {
            return Ok(Some(op));
        }
    }
    let Some(what) = run.path_of(what)? else { return Ok(None) };
    let shown = Shown::path(&what).whole();
    let newest = journal.latest(&what).with_context(|| shown.clone())?;
    if newest.is_none() {
        run.say(Tone::Warn, &format!("{shown}: there is no repair of it that stands"));
    }
    Ok(newest)
}

fn one(run: &Run<'_>, args: &Undo, undo: &journal::Undo) -> Result<u8> {
    let op = undo.operation().op;
    if let Some(out) = &args.output {
        let shown = Shown::path(out).whole();
        if let Err(error) = undo.export(out, args.force) {
            return refuse(run, op, &error);
        }
        run.write(|to| writeln!(to, "Wrote {shown}: the recording as it was before operation {op}"))?;
        return Ok(exit::DONE);
    }
    if !undo.differences().is_empty() {
        return refuse(run, op, &UndoError::Changed(undo.differences().to_vec()));
    }
    let files = files(undo.operation());
    if args.dry_run {
        let path = Shown::path(&undo.operation().place.path).whole();
        run.write(|to| writeln!(to, "Would put back {files} of {path}, as before operation {op}"))?;
        return Ok(exit::DONE);
    }
    if !args.force_live {
        let path = &undo.operation().place.path;
        if let Some(live) = writer_of(path) {
            run.say(
                Tone::Bad,
                &format!("refused: {} {live}; nothing was written", Shown::path(path).whole()),
            );
            return Ok(exit::REFUSED);
        }
    }
    let how = Writing { now: SystemTime::now(), plan: None, keep_mtime: false, backup: false };
    let done = {
        let _signals_wait = signals::writing();
        undo.run(&how)
    };
    match done {
        Ok(by) => {
            let path = Shown::path(&undo.operation().place.path).whole();
            run.write(|to| {
                writeln!(to, "Put back {files} of {path}, as before operation {op} (journal op {by})")
            })?;
            Ok(exit::DONE)
        }
        Err(error) => refuse(run, op, &error),
    }
}

/// Who is writing the recording, in words.
fn writer_of(path: &Path) -> Option<String> {
    let finds = find::find(&[path.to_owned()], None);
    finds.found.iter().find_map(|found| {
        let judged = judge(&found.source, &name_of(&found.path), &found.claim, &Ask::default()).ok()?;
        let live = owner::of(&System, found, &judged.transcript, Looks::Twice);
        live.is_live().then(|| owner::name(live, found.claim.format.host))
    })
}

fn files(operation: &Operation) -> String {
    many(operation.files.len() as u64, "file")
}

/// Says why not, and what can be done instead.
fn refuse(run: &Run<'_>, op: u64, error: &UndoError) -> Result<u8> {
    run.say(Tone::Bad, &format!("refused: operation {op}: {error}"));
    let tool = env!("CARGO_PKG_NAME");
    match error {
        UndoError::Unknown(_) => return Ok(exit::NOTHING),
        UndoError::Changed(differences) => {
            for difference in differences {
                run.say(Tone::Bad, &format!("  {}", told(op, difference)));
            }
            run.say(Tone::Dim, &format!("  the original, beside it:  {tool} undo {op} --output PATH"));
        }
        UndoError::Newer(newer) => run.say(Tone::Dim, &format!("  first:  {tool} undo {newer}")),
        _ => {}
    }
    Ok(exit::REFUSED)
}

fn told(op: u64, Difference { path, how }: &Difference) -> String {
    let path = Shown::path(path).whole();
    match how {
        How::Longer { bytes, lines: 0 } => {
            format!("{path} has {} more since; undo would lose them", many(*bytes, "byte"))
        }
        How::Longer { lines, .. } => {
            format!("{path} has {} more since; undo would lose them", many(*lines, "line"))
        }
        How::Other { was, now } => {
            format!("{path} has other bytes than operation {op} wrote ({was} then, {now} now)")
        }
        How::Gone => format!("{path} is not there any more"),
        How::Files { was, now } => format!("{path} has {now} files, and had {was} after operation {op}"),
    }
}

fn list(run: &Run<'_>, entries: &[Entry]) -> Result<()> {
    run.write(|to| {
        for Entry { operation, status, undone_by } in entries {
            let state = match (status, undone_by, operation.undoes) {
                (Status::Unfinished, ..) => String::from("interrupted"),
                (Status::Withdrawn, ..) => String::from("withdrawn"),
                (Status::Done, Some(by), _) => format!("undone by {by}"),
                (Status::Done, None, Some(of)) => format!("undoes {of}"),
                (Status::Done, None, None) => String::from("done"),
            };
            let path = Shown::path(&operation.place.path).whole();
            let time = operation.time.get(..19).unwrap_or(&operation.time);
            let number = paint(Tone::Strong, &format!("{:>5}", operation.op)).to_string();
            writeln!(to, "{number}  {time}  {}  {:>8}  {path}", pad(&state, 13), files(operation))?;
        }
        Ok(())
    })
}
