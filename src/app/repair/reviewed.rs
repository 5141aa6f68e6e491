//! A plan in a file: what `--plan-out` writes, and `--apply` does.
//!
//! A plan is an approval, not a program. `--apply` never writes the bytes of a plan: the sources are planned again, with the
//! options that the plan names, and that repair is done if it is the one in the plan, edit by edit. So a plan can name no
//! other bytes than the engine would write by itself, and no other files than those of its sources.

use crate::bytes::replace::Existing;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::app::plan::SourcePlan;
use crate::app::{App, Error, Result};
use crate::bytes::checksum::Checksum;
use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::replace::{Readers, write_new_file};
use crate::bytes::source::{Entries, EntryId, Source, Span};
use crate::find::{Finds, Found};
use crate::journal::{Blob, path_in_json};
use crate::report::model::Verdict;
use crate::report::text::is_dangerous;

/// The name and version of the shape.
const SCHEMA: &str = "transcript-doctor/plan/v1";
/// How the versions of the shape begin.
const KIND: &str = "transcript-doctor/plan/";
/// Longest plan that is read.
const LONGEST: u64 = 1 << 30;
/// Bytes of a file that are read to see whether it is a plan.
const HEAD: u64 = 4096;

/// What is to be done with some transcripts.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reviewed {
    schema: String,
    tool: PlanTool,
    /// The options that decide what is planned.
    pub options: PlanOptions,
    sources: Vec<PlannedSource>,
    /// The checksum of the file.
    #[serde(skip)]
    checksum: Option<Checksum>,
}

/// The program that made the plan.
#[derive(Debug, Deserialize, Serialize)]
struct PlanTool {
    name: String,
    version: String,
}

/// The options that decide what is planned, as they are typed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanOptions {
    pub from: String,
    pub target: String,
    pub client: String,
    pub select: Vec<String>,
    pub extend_select: Vec<String>,
    pub ignore: Vec<String>,
    pub min_confidence: String,
    pub rows: bool,
    #[serde(rename = "unsafe")]
    pub with_unsafe: bool,
    pub only: Vec<String>,
    pub answer_pending: bool,
    pub prefer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    pub strategy: String,
    pub write_style: String,
}

/// A transcript that is changed.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlannedSource {
    #[serde(with = "path_in_json")]
    path: PathBuf,
    format: String,
    /// Its worst verdict.
    verdict: String,
    /// All files of it, changed or not.
    files: Vec<PlannedFile>,
    /// What is fixed; for readers.
    fixes: Vec<Value>,
    edits: Vec<PlannedEdit>,
}

#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PlannedFile {
    name: String,
    sha256: Checksum,
}

/// One edit. Offsets are those of the file as it is; of a compressed file, of its content.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum PlannedEdit {
    Replace {
        file: String,
        byte: [u64; 2],
        /// The checksum of what is replaced.
        expect_sha256: Checksum,
        with: Blob,
    },
    Create {
        file: String,
        with: Blob,
    },
    Remove {
        file: String,
    },
    Rename {
        file: String,
        to: String,
    },
}

/// Why a plan cannot be used.
#[derive(Debug, Error)]
pub(crate) enum PlanError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a plan: {0}")]
    Json(#[from] serde_json::Error),
    #[error("not a plan of the version {SCHEMA}")]
    Version,
    #[error("larger than 1 GiB")]
    Long,
}

/// Why a plan is not applied to a source.
#[derive(Debug, Error)]
pub(super) enum Stale {
    #[error("{0}; nothing was written")]
    Io(#[from] io::Error),
    #[error("{0} changed after the plan was made; nothing was written. Make a new plan")]
    Changed(String),
    #[error("its files are not those of the plan; nothing was written. Make a new plan")]
    OtherFiles,
    #[error(
        "the plan is not what {name} {version} would do; nothing was written. Make a new plan",
        name = env!("CARGO_PKG_NAME"),
        version = env!("CARGO_PKG_VERSION")
    )]
    OtherRepair,
    #[error("it is not in the plan; nothing was written")]
    Missing,
}

impl Reviewed {
    /// A plan without sources.
    pub(crate) fn new(options: PlanOptions) -> Reviewed {
        Reviewed {
            schema: SCHEMA.to_owned(),
            tool: PlanTool {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            options,
            sources: Vec::new(),
            checksum: None,
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is not a plan.
    pub(crate) fn read(path: &Path) -> Result<Reviewed, PlanError> {
        let mut bytes = Vec::new();
        File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            return Err(PlanError::Long);
        }
        let plan: Reviewed = serde_json::from_slice(&bytes)?;
        if plan.schema != SCHEMA {
            return Err(PlanError::Version);
        }
        let (checksum, _) = Checksum::of(&mut bytes.as_slice())?;
        Ok(Reviewed { checksum: Some(checksum), ..plan })
    }

    /// Where its sources are.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|source| source.path.clone()).collect()
    }

    pub(super) fn checksum(&self) -> Option<Checksum> {
        self.checksum
    }

    fn source(&self, path: &Path) -> Option<&PlannedSource> {
        self.sources.iter().find(|source| source.path == path)
    }

    /// Adds what is to be done with a source, if anything is.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn add(&mut self, app: &App<'_>, work: &SourcePlan<'_>) -> io::Result<()> {
        if work.patch.is_empty() {
            return Ok(());
        }
        let found = work.found;
        let verdict = work.before.iter().map(|entry| entry.verdict).max();
        let fixes = work.changes().into_iter().map(|change| serde_json::to_value(app.read(change)));
        self.sources.push(PlannedSource {
            path: found.path.clone(),
            format: found.detection.format.name.to_owned(),
            verdict: word(verdict.unwrap_or(Verdict::Unknown))?,
            files: files(&found.source)?,
            fixes: fixes.collect::<Result<_, serde_json::Error>>()?,
            edits: edits(&found.source, &work.patch)?,
        });
        Ok(())
    }

    /// Writes the file, readable for its owner only: it holds texts of the transcripts.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        write_new_file(path, Existing::Replaced, Readers::Owner, |file| {
            let mut out = io::BufWriter::new(file);
            // Characters that steer a terminal are only in strings.
            for c in text.chars() {
                if is_dangerous(c) && c != '\n' {
                    c.encode_utf16(&mut [0; 2])
                        .iter()
                        .try_for_each(|unit| write!(out, "\\u{unit:04x}"))?
                } else {
                    write!(out, "{c}")?
                }
            }
            writeln!(out)?;
            out.flush()
        })
    }

    /// Whether all sources are there, and what they were when the plan was made. Only then anything is written.
    ///
    /// # Errors
    /// The path of the first one that is not, and why.
    pub(super) fn check_sources(&self, finds: &Finds) -> Result<(), (PathBuf, Stale)> {
        for located in &finds.found {
            // What cannot be opened is reported where it is repaired.
            if let Ok(found) = located.open() {
                self.check_source(&found).map_err(|why| (located.path.clone(), why))?;
            }
        }
        Ok(())
    }

    /// Whether a source is what it was when the plan was made, byte for byte.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn check_source(&self, found: &Found) -> Result<(), Stale> {
        let planned = self.source(&found.path).ok_or(Stale::Missing)?;
        let now = files(&found.source)?;
        if now.len() != planned.files.len() {
            return Err(Stale::OtherFiles);
        }
        for (now, then) in now.iter().zip(&planned.files) {
            if now.name != then.name {
                return Err(Stale::OtherFiles);
            }
            if now.sha256 != then.sha256 {
                return Err(Stale::Changed(crate::report::text::escape(&now.name)));
            }
        }
        Ok(())
    }

    /// Whether this is the repair that was planned.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn check_repair(&self, work: &SourcePlan<'_>) -> Result<(), Stale> {
        let planned = self.source(&work.found.path).ok_or(Stale::Missing)?;
        if edits(&work.found.source, &work.patch)? == planned.edits {
            Ok(())
        } else {
            Err(Stale::OtherRepair)
        }
    }
}

/// Takes care that a plan is written over nothing else than one.
///
/// # Errors
/// Something else is there.
pub(crate) fn spare(app: &App<'_>, path: &Path) -> Result<()> {
    let mut head = Vec::new();
    let is_plan = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(_) => false,
        Ok(file) => file.take(HEAD).read_to_end(&mut head).is_ok_and(|_| {
            head.is_empty() || memchr::memmem::find(&head, KIND.as_bytes()).is_some()
        }),
    };
    if is_plan {
        Ok(())
    } else {
        Err(Error::usage(format!("{} exists and is not a plan", app.options.reader.path(path))))
    }
}

fn word(verdict: Verdict) -> io::Result<String> {
    let word = serde_json::to_value(verdict)?;
    Ok(word.as_str().unwrap_or_default().to_owned())
}

fn files(source: &Source) -> io::Result<Vec<PlannedFile>> {
    source
        .ids()
        .into_iter()
        .map(|id| {
            Ok(PlannedFile { name: source.name(id).to_owned(), sha256: source.checksum(id)? })
        })
        .collect()
}

fn edits(source: &Source, patch: &Patch) -> io::Result<Vec<PlannedEdit>> {
    let name = |id: EntryId| source.name(id).to_owned();
    patch
        .edits()
        .into_iter()
        .map(|edit| {
            Ok(match edit {
                Edit::Bytes { at, with } => PlannedEdit::Replace {
                    file: name(at.entry),
                    byte: [at.start, at.end],
                    expect_sha256: checksum(source, at)?,
                    with: Blob(with),
                },
                Edit::Create { name, bytes } => {
                    PlannedEdit::Create { file: name, with: Blob(bytes) }
                }
                Edit::Remove(entry) => PlannedEdit::Remove { file: name(entry) },
                Edit::Rename(entry, to) => PlannedEdit::Rename { file: name(entry), to },
            })
        })
        .collect()
}

fn checksum(source: &Source, at: Span) -> io::Result<Checksum> {
    let bytes = source.fetch(at)?;
    Checksum::of(&mut bytes.as_slice()).map(|(sum, _)| sum)
}
