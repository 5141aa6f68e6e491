//! Repairs, compared with the checksums that the journal has of them.

use std::path::Path;

use super::exit::RunOutcome;
use super::undo::{MeantOperations, difference_text, meant};
use super::{App, Result};
use crate::journal::{EditProof, Journal, LogEntry, Operation, OperationCheck, UndoPlan};
use crate::outputs::many;
use crate::outputs::paint::{Tone, paint};

/// Compares the operations that are meant, and says what was compared.
///
/// # Errors
/// The journal cannot be read, or nothing can be printed.
pub(crate) fn run(app: &App<'_>, journal: &Journal, what: Option<&Path>) -> Result<u8> {
    let operations = match meant(app, journal, what)? {
        MeantOperations::These(operations) => operations,
        MeantOperations::Nothing(status) => return Ok(status),
    };
    let entries = journal.operations()?;
    let mut outcome = RunOutcome::default();
    for operation in &operations {
        let entry = entries.iter().find(|entry| entry.head.op == operation.head.op);
        let Some(entry) = entry else {
            continue;
        };
        let scratch = tempfile::tempdir()?;
        let checked = journal.past(entry).and_then(|past| {
            let checked = past.verify(scratch.path(), entry.undone_by.is_some())?;
            Ok((past, checked))
        });
        match checked {
            Ok((past, checked)) => {
                outcome.left |= !checked.holds();
                outcome.not_examined |= checked.original.is_err();
                show(app, entry, &past, &checked)?;
            }
            Err(why) => {
                outcome.not_examined = true;
                app.say_not_checked(&operation.head.place.path, why);
            }
        }
    }
    Ok(outcome.status())
}

fn show(app: &App<'_>, entry: &LogEntry, past: &UndoPlan, checked: &OperationCheck) -> Result<()> {
    let operation = past.operation();
    let (tone, word) = match (checked.holds(), &checked.original) {
        (false, _) => (Tone::Bad, "DIFFERS"),
        (true, Err(_)) => (Tone::Warn, "PARTLY VERIFIED"),
        (true, Ok(())) => (Tone::Good, "VERIFIED"),
    };
    let head = &operation.head;
    let undone = entry.undone_by.map(|by| format!(", undone by operation {by}"));
    let by = format!("operation {}, {}, transcript-doctor {}", head.op, head.time, head.version);
    app.write(|to| {
        writeln!(to, "{}  {by}{}", paint(tone, word), undone.unwrap_or_default())?;
        for (path, before, after) in checksums(operation) {
            writeln!(to, "  {}", paint(Tone::Strong, &app.options.reader.path(&path)))?;
            writeln!(to, "    before  {before}\n    after   {after}")?;
        }
        for remark in remarks(app, entry, checked) {
            writeln!(to, "  {remark}")?;
        }
        Ok(())
    })
}

/// The files of an operation, each with its checksums before and after it.
fn checksums(operation: &Operation) -> Vec<(std::path::PathBuf, String, String)> {
    let files = operation.files.iter().map(|file| {
        let state = &file.state;
        let name = state.to.as_deref().or(state.from.as_deref()).unwrap_or_default();
        let said = [state.before, state.after].map(|print| match print {
            Some(print) => format!("{}  {}", print.sha256, many(print.size, "byte")),
            None => "no such file".to_owned(),
        });
        let [before, after] = said;
        (operation.head.place.file(name), before, after)
    });
    files.collect()
}

/// What was compared, a sentence each.
fn remarks(app: &App<'_>, entry: &LogEntry, checked: &OperationCheck) -> Vec<String> {
    let side = if entry.undone_by.is_some() { "before" } else { "after" };
    let mut said = Vec::new();
    if checked.differences.is_empty() {
        said.push(format!("On the disk is what was there {side} the repair."));
    }
    for difference in &checked.differences {
        let text = difference_text(entry.head.op, difference, &app.options.reader);
        said.push(text.strip_suffix("; undo would lose them").unwrap_or(&text).to_owned());
    }
    said.push(match &checked.original {
        Ok(()) => "The journal restores what was there before.".to_owned(),
        Err(why) => format!("The journal does not restore what was there before: {why}."),
    });
    said.push(
        match checked.edits {
            EditProof::Proved => {
                "Its edits turn the one into the other, so nothing else was changed."
            }
            EditProof::Unknown => {
                "Whether something else was changed is unknown: its edits are not in the journal."
            }
            EditProof::Refuted => {
                "Its edits make something else of what was there before: do not trust this journal."
            }
        }
        .to_owned(),
    );
    said
}
