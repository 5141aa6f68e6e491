//! A repaired copy elsewhere; the transcript is only read.

use crate::bytes::replace::Existing;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::{Doubt, Failed, Refusal};
use super::in_place::{confirm, read_again};
use super::outcome::WrittenRepair;
use super::{Job, sql};
use crate::app::plan::{SourcePlan, outline};
use crate::app::streams::quiet;
use crate::bytes::archive;
use crate::bytes::overlay::Overlay;
use crate::bytes::packed::{Codec, StreamEnd, codec_of_copy};
use crate::bytes::patch::Patch;
use crate::bytes::replace::{self, Location, Readers, changes};
use crate::bytes::source::{Entries, Source, SourceShape};
use crate::engine::recognized;
use crate::find::{Found, name_of, store};
use crate::format::Detection;
use crate::journal::{Journal, RunPosition, WriteOptions};
use crate::stores;

/// The only entry to standard output, byte for byte.
///
/// # Errors
/// It cannot be read or written.
pub(super) fn to_stdout(work: &SourcePlan<'_>) -> io::Result<()> {
    let SourcePlan { found, patch, .. } = work;
    let patched = Overlay::new(&found.source, patch);
    let write = |out: &mut dyn Write| match found.source.shape() {
        SourceShape::Archive if patch.is_empty() => as_it_is(found, out),
        SourceShape::File | SourceShape::Stream => {
            let codec = found.source.packed().map(|packed| packed.codec);
            file_as(found, patch, codec, out)
        }
        SourceShape::Archive => {
            // A zip is written back and forth: not into a pipe.
            let mut file = tempfile::tempfile()?;
            archive::write(&patched, &file)?;
            io::Seek::rewind(&mut file)?;
            io::copy(&mut file, out).map(|_| ())
        }
        SourceShape::Folder => only_entry(&patched, out),
        SourceShape::Database => out.write_all(&exported(found, &patched)?),
    };
    let mut out = BufWriter::new(io::stdout());
    quiet(write(&mut out).and_then(|()| out.flush()))
}

/// An archive that needs no repair, with its own compression.
fn as_it_is(found: &Found, out: &mut dyn Write) -> io::Result<()> {
    io::copy(&mut File::open(&found.path)?, out).map(|_| ())
}

/// Whether the copy of a session is the database that it is in: it is the only one and needs no repair, and the
/// copy is named like a database.
fn is_database(found: &Found, patch: &Patch, out: &Path) -> bool {
    let database = found.source.path();
    patch.is_empty()
        && out.extension().is_some()
        && out.extension() == database.extension()
        && store::is_one_session(database)
}

/// A session of a database as its host reads it back.
fn exported(found: &Found, patched: &Overlay<'_>) -> io::Result<Vec<u8>> {
    let Detection { format, layout, .. } = &found.detection;
    let reading = stores::reading_of(format).ok_or(io::ErrorKind::Unsupported)?;
    stores::export(reading, patched, layout).map_err(io::Error::other)
}

/// The only entry with its repair, compressed like that. Its own compressed bytes where nothing changes.
fn file_as(
    found: &Found,
    patch: &Patch,
    codec: Option<Codec>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let patched = Overlay::new(&found.source, patch);
    match (codec, found.source.packed()) {
        (Some(codec), Some(packed)) if packed.codec == codec && patch.is_empty() => {
            io::copy(&mut *packed.open(), out).map(|_| ())
        }
        (Some(codec), _) => {
            let ids = patched.ids();
            ids.into_iter().try_for_each(|id| codec.pack(&mut *patched.open(id)?, out))
        }
        (None, _) => only_entry(&patched, out),
    }
}

fn only_entry(entries: &dyn Entries, out: &mut dyn Write) -> io::Result<()> {
    entries.ids().into_iter().try_for_each(|id| io::copy(&mut *entries.open(id)?, out).map(|_| ()))
}

/// To the path that the command line names, and read again there. `trees`: the trees that were copied already.
///
/// # Errors
/// Why it was refused, then nothing is left at the path; or why it is not to be trusted.
pub(super) fn to_path(
    job: &Job<'_>,
    work: &SourcePlan<'_>,
    trees: &mut HashSet<PathBuf>,
) -> Result<WrittenRepair, Failed> {
    let SourcePlan { found, patch, .. } = work;
    let Some((source, copy, own)) = job.options.output.copy_of(&found.path) else {
        return Err(Refusal::NoPlace.into());
    };
    if source == found.path {
        if found.source.shape() == SourceShape::Folder && found.source.path() != found.path {
            return Err(Refusal::InStore.into());
        }
        if sql::is_script(found, &own) {
            return sql::write(job, work, &own);
        }
        let planned = Overlay::new(&found.source, patch);
        let is_database = found.source.shape() == SourceShape::Database;
        if !is_database && !recognized::is_again(&planned, &name_of(&own), &found.detection) {
            return Err(Refusal::NotRecognized.into());
        }
        write(job, found, patch, &own)?;
        trees.insert(source.to_owned());
    } else {
        if trees.insert(source.to_owned()) {
            tree(source, copy)?;
        }
        inside_a_copy(work, &own)?;
    }
    let unconfirmed = |why| Failed::Unconfirmed { op: None, why };
    let (source, detection) =
        read_again(&own, found).map_err(|why| unconfirmed(Doubt::CopyUnread(why)))?;
    // A copy that is not compressed, or compressed anew, has lost nothing at its end.
    let torn = found.source.packed().is_some_and(|packed| packed.end != StreamEnd::Whole);
    let verdict = if torn {
        None
    } else {
        confirm(work, &source, &detection).map_err(|why| unconfirmed(Doubt::CopyUnproved(why)))?
    };
    Ok(WrittenRepair { path: Some(own), verdict, ..WrittenRepair::default() })
}

/// A folder as it is, what is none of ours too.
fn tree(source: &Path, out: &Path) -> Result<(), Refusal> {
    let path = source.canonicalize()?;
    Ok(replace::export(&Location { path, folder: true }, &[], out, Existing::Refused)?)
}

fn write(job: &Job<'_>, found: &Found, patch: &Patch, out: &Path) -> Result<(), Refusal> {
    let patched = Overlay::new(&found.source, patch);
    let own = found.source.packed().map(|packed| packed.codec);
    let codec = codec_of_copy(&found.path, own, out);
    let shape = found.source.shape();
    if shape == SourceShape::Folder || (shape == SourceShape::File && codec == own) {
        let list = changes(&found.source, patch, &patched)?;
        return Ok(replace::export(
            &Location::of(&found.source)?,
            &list,
            out,
            Existing::replaced_if(job.options.force),
        )?);
    }
    Ok(replace::write_new_file(
        out,
        Existing::replaced_if(job.options.force),
        Readers::Owner,
        |file| match shape {
            SourceShape::Archive if patch.is_empty() => as_it_is(found, file),
            SourceShape::Archive => archive::write(&patched, &mut *file),
            SourceShape::Database if is_database(found, patch, out) => {
                store::copy(found.source.path(), file)
            }
            SourceShape::Database => file.write_all(&exported(found, &patched)?),
            _ => file_as(found, patch, codec, file),
        },
    )?)
}

/// Repairs a transcript in the copy of the tree that it is in.
fn inside_a_copy(work: &SourcePlan<'_>, out: &Path) -> Result<(), Refusal> {
    let SourcePlan { found, planning, .. } = work;
    let (source, detection) = read_again(out, found)?;
    let name = name_of(&found.path);
    let outline = outline(&source, &name, &detection, &planning.check, &planning.policy, None)?;
    // Nobody undoes a part of a copy: its journal goes with this run.
    let journal = tempfile::tempdir()?;
    let how = WriteOptions {
        now: SystemTime::UNIX_EPOCH,
        plan: None,
        keep_mtime: true,
        backup: false,
        batch: RunPosition::Alone,
        undisturbed: true,
    };
    let done = Journal::at(journal.path().to_owned()).write(
        &source,
        &outline.patch,
        &how,
        &mut |_: &Source| Ok(()),
    );
    done.map(|_| ()).map_err(Refusal::Copy)
}
