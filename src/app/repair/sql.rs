//! A repaired session of a database as a script that its user runs. The database is only read.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::Job;
use super::error::{Failed, Refusal};
use super::in_place::confirm;
use super::outcome::WrittenRepair;
use crate::app::place;
use crate::app::plan::SourcePlan;
use crate::bytes::replace::{self, Existing, Readers};
use crate::bytes::source::SourceShape;
use crate::find::{Found, store};
use crate::report::model::SqlScript;
use crate::report::text::{Shown, escape};

/// How the name of a script ends.
const ENDING: &str = "sql";
/// How that of the script ends that takes the repair back.
const UNDO: &str = "undo.sql";

/// Whether the output of a repair is a script.
pub(super) fn is_script(found: &Found, out: &Path) -> bool {
    found.source.shape() == SourceShape::Database
        && out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(OsStr::new(ENDING)))
}

/// Writes the script, and the one that takes it back.
///
/// # Errors
/// Why there is none; then nothing is left at the path.
pub(super) fn write(
    job: &Job<'_>,
    work: &SourcePlan<'_>,
    out: &Path,
) -> Result<WrittenRepair, Failed> {
    let SourcePlan { found, patch, .. } = work;
    if patch.is_empty() {
        return Ok(WrittenRepair::default());
    }
    let undo = out.with_extension(UNDO);
    let force = job.options.force;
    if place::is_free(&undo, force, &job.app.options.reader).is_err() {
        return Err(Refusal::UndoExists(job.app.options.reader.path(&undo)).into());
    }
    let scripts = store::scripts(found, patch);
    let scripts = scripts.map_err(|why| Refusal::NotScripted(escape(&why.to_string())))?;
    let (source, detection) = store::again(found, scripts.after).map_err(Refusal::Io)?;
    let verdict = confirm(work, &source, &detection);
    let verdict = verdict.map_err(|why| Refusal::NotReadBackSo(why.to_string()))?;
    let file = |path: &Path, text: &str| {
        let write = |file: &mut std::fs::File| io::Write::write_all(file, text.as_bytes());
        replace::write_new_file(path, Existing::replaced_if(force), Readers::Owner, write)
    };
    file(&undo, &scripts.undo).map_err(Refusal::Io)?;
    if let Err(why) = file(out, &scripts.apply) {
        let _ = std::fs::remove_file(&undo);
        return Err(Refusal::Io(why).into());
    }
    let host = found.detection.format.host.title;
    let mut remarks = vec![format!(
        "Close {host} first. The script changes nothing if a row of the session, or the schema, is not as it was read."
    )];
    if !scripts.triggers.is_empty() {
        let mut fires = format!("Triggers of its tables: {}", escape(&scripts.triggers.join(", ")));
        if !scripts.full_text.is_empty() {
            let tables = escape(&scripts.full_text.join(", "));
            fires += &format!("; they write the full-text tables {tables}");
        }
        remarks.push(fires + ".");
    }
    let script = SqlScript {
        database: Shown::path(found.source.path()),
        apply: Shown::path(out),
        undo: Shown::path(&undo),
    };
    Ok(WrittenRepair { verdict, script: Some(script), remarks, ..WrittenRepair::default() })
}
