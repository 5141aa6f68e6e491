//! Transcripts that were found, and how they are opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::reason::OpenError;
use super::store::{self, SharedSessions};
use super::store_folder;
use super::walk::names_below;
use crate::bytes::packed::Codec;
use crate::bytes::source::{Entries, Source, SourceShape};
use crate::detect;
use crate::format::Detection;
use crate::format::head::Sample;

/// The last component of a path, with invalid UTF-8 replaced, and without the extension of a codec.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Codec::of_name(&name).map_or(name.as_str(), |(_, stem)| stem).to_owned()
}

/// A transcript that was found, without its bytes. Thousands of them keep no file open.
#[derive(Debug)]
pub struct Located {
    /// Path of the transcript; `-` for standard input.
    pub path: PathBuf,
    /// Its format and layout.
    pub detection: Detection,
    /// Its size in bytes, as far as it is known without unpacking.
    pub size: u64,
    /// Index in [`Finds::found`](super::Finds::found) of the conversation that started this one.
    pub parent: Option<usize>,
    pub(super) shape: SourceShape,
    /// [`Source::fingerprint`] when it was recognized.
    pub(super) fingerprint: u64,
    /// Standard input, which cannot be read twice.
    pub(super) kept: Option<Source>,
    /// The database that it is in, which was searched for sessions once.
    pub(super) database: Option<Arc<SharedSessions>>,
}

/// A transcript that is open.
#[derive(Debug)]
pub struct Found {
    /// Path of the transcript; `-` for standard input.
    pub path: PathBuf,
    pub source: Source,
    /// Its format and layout.
    pub detection: Detection,
    /// Index in [`Finds::found`](super::Finds::found) of the conversation that started this one.
    pub parent: Option<usize>,
    /// The database that it is in, which was searched for sessions once.
    pub(crate) database: Option<Arc<SharedSessions>>,
}

impl Located {
    pub(super) fn new(
        path: PathBuf,
        source: Source,
        detection: Detection,
        parent: Option<usize>,
    ) -> Located {
        let inside = source.ids().into_iter().map(|id| source.len(id)).fold(0, u64::saturating_add);
        let packed = source.packed().map_or(0, |packed| packed.size());
        let (size, shape, fingerprint) = (inside.max(packed), source.shape(), source.fingerprint());
        let kept = Some(source).filter(|source| source.shape() == SourceShape::Stream);
        Located { path, detection, size, parent, shape, fingerprint, kept, database: None }
    }

    /// The transcript, if its source is open.
    pub(super) fn into_found(self) -> Option<Found> {
        Some(Found {
            path: self.path,
            source: self.kept?,
            detection: self.detection,
            parent: self.parent,
            database: self.database,
        })
    }

    /// When it was written last.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        match &self.database {
            Some(sessions) => store::changed(&self.path, sessions),
            None => fs::metadata(&self.path).ok()?.modified().ok(),
        }
    }

    /// Opens the transcript. If it changed since it was found, it is recognized again.
    ///
    /// # Errors
    /// It cannot be opened, or is no longer a transcript of this format.
    pub fn open(&self) -> Result<Found, OpenError> {
        let source = match &self.kept {
            Some(source) => source.try_clone()?,
            None if let Some(sessions) = &self.database => {
                store::open_session(&self.path, Some(sessions))?.0
            }
            None => open_as(&self.path, self.shape)?,
        };
        let detection = if source.fingerprint() == self.fingerprint {
            self.detection.clone()
        } else {
            recognize_again(&source, &name_of(&self.path), &self.detection)?
        };
        Ok(Found {
            path: self.path.clone(),
            source,
            detection,
            parent: self.parent,
            database: self.database.clone(),
        })
    }
}

/// Opens a folder as a source, with all names that a format may use.
pub(crate) fn open_folder(path: &Path) -> io::Result<Source> {
    match store_folder::store_of(path) {
        Some(store) => Source::folder(store, store_folder::names(store, path)?),
        None => Source::folder(path, names_below(path)?),
    }
}

/// Opens a transcript again that was found before.
///
/// # Errors
/// It cannot be opened, or is no longer a transcript of this format.
pub(crate) fn open_again(
    path: &Path,
    shape: SourceShape,
    was: &Detection,
) -> io::Result<(Source, Detection)> {
    let source = open_as(path, shape)?;
    let detection = recognize_again(&source, &name_of(path), was)?;
    Ok((source, detection))
}

fn open_as(path: &Path, shape: SourceShape) -> io::Result<Source> {
    match shape {
        SourceShape::Folder => open_folder(path),
        SourceShape::Archive => Source::archive(path),
        SourceShape::Database => store::open_session(path, None).map(|(source, _)| source),
        _ => Source::file(path),
    }
}

/// Recognizes a source of a known format again.
///
/// # Errors
/// It cannot be read, or is no longer of this format.
pub fn recognize_again(source: &Source, name: &str, was: &Detection) -> io::Result<Detection> {
    if source.shape() == SourceShape::Database {
        return store::detection(source, name, was.format);
    }
    detect::recognize_again(&Sample::of_source(source, name)?, was)
        .ok_or_else(|| io::Error::other("it changed, and this format is not recognized in it now"))
}
