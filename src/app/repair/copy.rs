//! A repaired copy elsewhere; the recording is only read.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::in_place::{confirm, read_again};
use super::{Failed, Job, Written};
use crate::app::plan::{Work, outline};
use crate::app::streams::quiet;
use crate::bytes::archive;
use crate::bytes::overlay::Overlay;
use crate::bytes::packed::{Codec, StreamEnd, codec_of_copy};
use crate::bytes::patch::Patch;
use crate::bytes::replace::{self, Location, Readers, changes};
use crate::bytes::source::{Entries, Shape, Source};
use crate::find::Found;
use crate::find::name_of;
use crate::journal::{Journal, RunPosition, WriteOptions};

/// The only entry to standard output, byte for byte.
///
/// # Errors
/// It cannot be read or written.
pub(super) fn to_stdout(work: &Work<'_>) -> Result<(), String> {
    let Work { found, patch, .. } = work;
    let patched = Overlay::new(&found.source, patch);
    let write = |out: &mut dyn Write| match found.source.shape() {
        Shape::Archive if patch.is_empty() => as_it_is(found, out),
        Shape::File | Shape::Stream => {
            let codec = found.source.packed().map(|packed| packed.codec);
            file_as(found, patch, codec, out)
        }
        Shape::Archive => {
            // A zip is written back and forth: not into a pipe.
            let mut file = tempfile::tempfile()?;
            archive::write(&patched, &file)?;
            io::Seek::rewind(&mut file)?;
            io::copy(&mut file, out).map(|_| ())
        }
        Shape::Folder => only_entry(&patched, out),
    };
    let mut out = BufWriter::new(io::stdout());
    quiet(write(&mut out).and_then(|()| out.flush())).map_err(|error| error.to_string())
}

/// An archive that needs no repair, with its own compression.
fn as_it_is(found: &Found, out: &mut dyn Write) -> io::Result<()> {
    io::copy(&mut File::open(&found.path)?, out).map(|_| ())
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
            ids.into_iter()
                .try_for_each(|id| codec.pack(&mut *patched.open(id)?, out))
        }
        (None, _) => only_entry(&patched, out),
    }
}

fn only_entry(entries: &dyn Entries, out: &mut dyn Write) -> io::Result<()> {
    entries
        .ids()
        .into_iter()
        .try_for_each(|id| io::copy(&mut *entries.open(id)?, out).map(|_| ()))
}

/// To the path that the command line names, and read again there. `trees`: the trees that were copied already.
///
/// # Errors
/// Why it was refused, then nothing is left at the path; or why it is not to be trusted.
pub(super) fn to_path(
    job: &Job<'_>,
    work: &Work<'_>,
    trees: &mut HashSet<PathBuf>,
) -> Result<Written, Failed> {
    let Work { found, patch, .. } = work;
    let Some((source, copy, own)) = job.output.copy_of(&found.path) else {
        return Err("the command line names no place for its copy"
            .to_owned()
            .into());
    };
    if source == found.path {
        write(job, found, patch, &own)?;
        trees.insert(source.to_owned());
    } else {
        if trees.insert(source.to_owned()) {
            tree(source, copy)?;
        }
        inside_a_copy(job, found, &own)?;
    }
    let unconfirmed = |why: String| Failed::Unconfirmed { op: None, why };
    let unread = |why: &dyn Display| unconfirmed(format!("the copy cannot be read again: {why}"));
    let (source, claim) = read_again(&own, found).map_err(|why| unread(&why))?;
    // A copy that is not compressed, or compressed anew, has lost nothing at its end.
    let torn = found
        .source
        .packed()
        .is_some_and(|packed| packed.end != StreamEnd::Whole);
    if !torn {
        confirm(job, work, &source, &claim)
            .map_err(|why| unconfirmed(format!("{why}; do not use the copy")))?;
    }
    Ok(Written {
        path: Some(own),
        ..Written::default()
    })
}

/// A folder as it is, what is none of ours too.
fn tree(source: &Path, out: &Path) -> Result<(), String> {
    let path = source.canonicalize().map_err(|error| error.to_string())?;
    replace::export(&Location { path, folder: true }, &[], out, false)
        .map_err(|error| error.to_string())
}

fn write(job: &Job<'_>, found: &Found, patch: &Patch, out: &Path) -> Result<(), String> {
    let patched = Overlay::new(&found.source, patch);
    let text = |error: io::Error| error.to_string();
    let own = found.source.packed().map(|packed| packed.codec);
    let codec = codec_of_copy(&found.path, own, out);
    match found.source.shape() {
        Shape::Stream => replace::write_new_file(out, job.args.force, Readers::Owner, |file| {
            file_as(found, patch, codec, file)
        })
        .map_err(text),
        Shape::File if codec != own => {
            replace::write_new_file(out, job.args.force, Readers::Owner, |file| {
                file_as(found, patch, codec, file)
            })
            .map_err(text)
        }
        Shape::Archive if patch.is_empty() => {
            replace::write_new_file(out, job.args.force, Readers::Owner, |file| {
                as_it_is(found, file)
            })
            .map_err(text)
        }
        Shape::Archive => replace::write_new_file(out, job.args.force, Readers::Owner, |file| {
            archive::write(&patched, &mut *file)
        })
        .map_err(text),
        Shape::File | Shape::Folder => {
            let copy = || {
                let list = changes(&found.source, patch, &patched)?;
                replace::export(&Location::of(&found.source)?, &list, out, job.args.force)
            };
            copy().map_err(|error| error.to_string())
        }
    }
}

/// Repairs a recording in the copy of the tree that it is in.
fn inside_a_copy(job: &Job<'_>, found: &Found, out: &Path) -> Result<(), String> {
    let (source, claim) = read_again(out, found)?;
    let name = name_of(&found.path);
    let (patch, _) = outline(&source, &name, &claim, &job.run.ask, &job.policy, None)
        .map_err(|e| e.to_string())?;
    // Nobody undoes a part of a copy: its journal goes with this run.
    let journal = tempfile::tempdir().map_err(|error| error.to_string())?;
    let how = WriteOptions {
        now: SystemTime::UNIX_EPOCH,
        plan: None,
        keep_mtime: true,
        backup: false,
        batch: RunPosition::Alone,
        undisturbed: true,
    };
    let done =
        Journal::at(journal.path().to_owned())
            .write(&source, &patch, &how, &mut |_: &Source| Ok(()));
    done.map(|_| ()).map_err(|error| error.to_string())
}
