//! What came to replaced files and folders from processes that still had them open.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use thiserror::Error;

use super::plan::{Planning, outline};
use super::prompt::{self, Answer};
use super::repair::is_covered;
use super::{App, Result, owner, signals, streams};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::{Entries, Source};
use crate::find::name_of;
use crate::find::{self, Found};
use crate::journal::{Journal, KeptOriginal, LateContent, RunPosition, WriteError, WriteOptions};
use crate::live::{Readings, System, World};
use crate::outputs::many;
use crate::outputs::paint::Tone;
use crate::repair::Refused;
use crate::report::redact::Redactor;
use crate::report::text::Shown;
use crate::transcript::Transcript;

/// A replaced file stays in the journal so long, though nobody has it open: somebody may be just opening it. One hour.
const GRACE: Duration = Duration::from_secs(3600);
/// And so long where some processes cannot be seen: thirty days.
const UNKNOWN: Duration = Duration::from_secs(30 * 24 * 3600);

/// Removes replaced files that nobody has open anymore and to which nothing came.
pub(crate) fn forget(journal: &Journal) {
    for kept in journal.kept(&|_| true).unwrap_or_default() {
        let age = System.now().duration_since(kept.time).unwrap_or_default();
        // The run that left one next to its transcript would have removed it at its end.
        let is_young = age < GRACE && !journal.is_beside(&kept);
        if kept.late != LateContent::Nothing || is_young {
            continue;
        }
        let is_free = owner::is_free(std::slice::from_ref(&kept.path));
        if is_free.unwrap_or(age > UNKNOWN) {
            // What cannot be removed is found again by the next run.
            let _ = journal.remove_kept(&kept);
        }
    }
}

/// Removes what an operation had to leave next to the transcript, if it is certain that no process has it open, and that the new
/// bytes are right. Otherwise says where it is: [`forget`] removes it later.
pub(crate) fn left_beside(
    app: &App<'_>,
    journal: &Journal,
    op: u64,
    is_confirmed: bool,
) -> Option<String> {
    let mut names = Vec::new();
    let all = match journal.left_beside(op) {
        Ok(all) => all,
        Err(error) => {
            return Some(format!(
                "The journal cannot be read ({error}), so the replaced bytes may be next to the transcript, under a hidden name that ends in \
                 `.transcript-doctor-old`."
            ));
        }
    };
    for kept in all {
        let is_free =
            is_confirmed && owner::is_free(std::slice::from_ref(&kept.path)) == Some(true);
        let is_removed =
            is_free && kept.late == LateContent::Nothing && journal.remove_kept(&kept).is_ok();
        if !is_removed {
            names.push(app.options.reader.path(&kept.path));
        }
    }
    if names.is_empty() {
        return None;
    }
    let names = names.join(", ");
    Some(format!(
        "The journal is on another file system, so the replaced bytes stay at {names}. The next repair or undo removes them if no process \
         has them open."
    ))
}

/// Is a path what one of the targets names, inside it, or around it?
pub(crate) fn concerns(targets: &[PathBuf], path: &Path) -> bool {
    targets.iter().filter_map(|target| std::path::absolute(target).ok()).any(|target| {
        let real = target.canonicalize().unwrap_or(target);
        path.starts_with(&real) || real.starts_with(path)
    })
}

fn kept_of(targets: Option<&[PathBuf]>) -> Vec<KeptOriginal> {
    let is_meant = |path: &Path| targets.is_none_or(|targets| concerns(targets, path));
    let kept = Journal::standard().and_then(|journal| journal.kept(&is_meant).ok());
    let kept = kept.into_iter().flatten();
    kept.filter(|kept| kept.late != LateContent::Nothing).collect()
}

/// Says what came late to the transcripts of these targets, or to any, and how to add it.
pub(crate) fn report(app: &App<'_>, targets: Option<&[PathBuf]>) {
    for kept in kept_of(targets) {
        let transcript = app.read(Shown::path(&kept.recording));
        app.say(
            Tone::Warn,
            &format!("{}: {}", transcript.whole(), what(&kept, &app.options.reader)),
        );
        let next = app
            .shown_style()
            .next
            .for_path("repair", &[], &transcript)
            .filter(|_| kept.late != LateContent::Other);
        if let Some(next) = next {
            app.say(Tone::Dim, &format!("  add it:  {next}"));
        }
        app.say(Tone::Dim, &format!("  kept in  {}", app.options.reader.path(&kept.path)));
    }
}

/// What came, in words.
fn what(kept: &KeptOriginal, reader: &Redactor) -> String {
    let op = kept.op;
    match &kept.late {
        LateContent::Lines { lines, .. } => {
            format!(
                "another process wrote {} to the old file after operation {op}",
                many(*lines, "line")
            )
        }
        LateContent::Files(files) => {
            let names: Vec<String> = files.iter().take(3).map(|file| reader.path(file)).collect();
            let more = if files.len() > 3 { ", …" } else { "" };
            let count = many(files.len() as u64, "file");
            format!(
                "another process wrote {count} into the old folder after operation {op}: {}{more}",
                names.join(", ")
            )
        }
        LateContent::Other => format!("another process changed the old bytes after operation {op}"),
        LateContent::Nothing => format!("nothing came after operation {op}"),
    }
}

/// Adds what came late to the transcripts of these targets, where that makes nothing worse. Says whether anything was added.
///
/// # Errors
/// The question cannot be asked.
pub(crate) fn add(
    app: &App<'_>,
    plan: &Planning,
    [yes, force_live]: [bool; 2],
    targets: &[PathBuf],
) -> Result<bool> {
    let mut added = false;
    let Some(journal) = Journal::standard() else {
        return Ok(false);
    };
    for kept in kept_of(Some(targets)) {
        let transcript = app.options.reader.path(&kept.recording);
        app.say(Tone::Warn, &format!("{transcript}: {}", what(&kept, &app.options.reader)));
        let refuse = |why: NotAdded| {
            let place = app.options.reader.path(&kept.path);
            app.say(Tone::Warn, &format!("  not added: {why}; kept in {place}"));
        };
        let finds = find::find(std::slice::from_ref(&kept.recording), None);
        let Some(found) = finds.found.first().and_then(|located| located.open().ok()) else {
            refuse(NotAdded::Unreadable);
            continue;
        };
        let patch = match addition((plan, force_live), &journal, &kept, &found) {
            Ok(patch) => patch,
            Err(why) => {
                refuse(why);
                continue;
            }
        };
        if !yes && !agreed(app)? {
            continue;
        }
        let how = WriteOptions {
            now: SystemTime::now(),
            plan: None,
            keep_mtime: false,
            backup: true,
            batch: RunPosition::Alone,
            undisturbed: false,
        };
        let done = {
            let _signals_wait = signals::writing();
            journal.write(&found.source, &patch, &how, &mut |_: &Source| Ok(()))
        };
        match done {
            Ok(Some(op)) => {
                added = true;
                app.say(Tone::Good, &format!("  added (operation {op})"));
            }
            Ok(None) => {}
            Err(error) => match error.written() {
                Some(op) => app.say_unconfirmed(&kept.recording, Some(op), error),
                None => refuse(NotAdded::Write(error)),
            },
        }
    }
    Ok(added)
}

/// Why what came late is not added.
#[derive(Debug, Error)]
enum NotAdded {
    #[error("the transcript cannot be read")]
    Unreadable,
    #[error("it {0}")]
    Live(String),
    #[error("it cannot be added without changing what is there")]
    Changes,
    #[error("it does not fit after the repaired records")]
    Unfit,
    #[error("{0}")]
    Write(WriteError),
    #[error("{0}")]
    Plan(#[from] Refused),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The patch that adds late writes, unless they make the transcript worse.
fn addition(
    (plan, force_live): (&Planning, bool),
    journal: &Journal,
    kept: &KeptOriginal,
    found: &Found,
) -> Result<Patch, NotAdded> {
    let live = owner::of(&System, found, &Transcript::default(), Readings::Twice);
    if live.is_live() && !force_live {
        return Err(NotAdded::Live(owner::name(live, found.detection.format.host.name)));
    }
    let patch = journal.late_content_patch(kept, &found.source)?.ok_or(NotAdded::Changes)?;
    let codes = |entries: &dyn Entries| {
        let outline = outline(
            entries,
            &name_of(&found.path),
            &found.detection,
            &plan.check,
            &plan.policy,
            None,
        );
        outline.map(|outline| outline.codes)
    };
    let (old, new) = (codes(&found.source)?, codes(&Overlay::new(&found.source, &patch))?);
    if is_covered(&new, &old, &[]) { Ok(patch) } else { Err(NotAdded::Unfit) }
}

fn agreed(app: &App<'_>) -> Result<bool> {
    let Some(screen) = streams::screen(!app.options.output.interactive) else {
        return Ok(true);
    };
    let mut out = app.stream(screen);
    let answer =
        prompt::ask("Add it?", prompt::ADD, &mut io::stdin().lock(), &mut out, |_| Ok(()))?;
    Ok(answer == Answer::Yes)
}
