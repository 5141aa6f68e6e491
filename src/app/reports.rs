//! What a run tells, on its way to standard output and to the files of `--report`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Run, Usage, streams};
use crate::bytes::replace::{Readers, write_new_file};
use crate::cli::Wanted;
use crate::explain::Explained;
use crate::find::Finds;
use crate::outputs::{Detail, Output, Style};
use crate::report::model::Report;
use crate::report::redact::{Redact, redact};

/// The explanations of a run.
#[derive(Default)]
pub(crate) struct Telling {
    told: usize,
    /// Those that a document or a file is still to be made of.
    kept: Vec<Explained>,
}

impl Telling {
    /// Whether there was any.
    pub(crate) fn is_empty(&self) -> bool {
        self.told == 0
    }
}

impl Run<'_> {
    /// Looks, before anything is done, whether the reports can go where they are wanted. One of them may take the place of
    /// what goes to standard output.
    ///
    /// # Errors
    /// They cannot.
    pub(crate) fn choose_reports(&mut self) -> Result<()> {
        let (mut stdout, files): (Vec<Wanted>, Vec<Wanted>) = self
            .global
            .report
            .iter()
            .cloned()
            .partition(Wanted::is_stdout);
        let asked = self.output.name != "human";
        if stdout.len() > 1 || (asked && !stdout.is_empty()) {
            return Err(usage("standard output has room for one report".to_owned()));
        }
        if let Some(wanted) = stdout.pop() {
            self.output = wanted.output;
        }
        for (at, wanted) in files.iter().enumerate() {
            let place = resolved(&wanted.path)
                .with_context(|| format!("the report {}", self.reader.path(&wanted.path)))
                .map_err(|error| usage(format!("{error:#}")))?;
            if place.is_dir() {
                return Err(usage(format!(
                    "the report {} is a folder",
                    self.reader.path(&wanted.path)
                )));
            }
            let before = files
                .iter()
                .take(at)
                .filter_map(|other| resolved(&other.path).ok());
            if before.into_iter().any(|other| other == place) {
                return Err(usage(format!(
                    "two reports would be {}",
                    self.reader.path(&wanted.path)
                )));
            }
        }
        self.reports = files;
        Ok(())
    }

    /// Takes care that no report is written over what is examined, or into its folder.
    ///
    /// # Errors
    /// One would be.
    pub(crate) fn spare(&self, finds: &Finds) -> Result<()> {
        self.spare_paths(&mut finds.found.iter().map(|found| found.path.as_path()))
    }

    /// The same for a few paths.
    ///
    /// # Errors
    /// As [`spare`](Self::spare).
    pub(crate) fn spare_paths(&self, paths: &mut dyn Iterator<Item = &Path>) -> Result<()> {
        let places = self
            .reports
            .iter()
            .filter_map(|wanted| Some((wanted, resolved(&wanted.path).ok()?)));
        let places: Vec<(&Wanted, PathBuf)> = places.collect();
        if places.is_empty() {
            return Ok(());
        }
        for own in paths.filter_map(|path| resolved(path).ok()) {
            if let Some((wanted, _)) = places.iter().find(|(_, place)| place.starts_with(&own)) {
                return Err(usage(format!(
                    "the report {} would be written into a recording",
                    self.reader.path(&wanted.path)
                )));
            }
        }
        Ok(())
    }

    /// Prints a report on standard output, or beside it where that carries a recording, and writes the files.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn print(&self, report: Report) -> Result<()> {
        let report = self.read(report);
        self.write(|out| (self.output.report)(&report, out, &self.shown_style()))?;
        self.keep(report)
    }

    /// Writes the files of a report that was told already.
    ///
    /// # Errors
    /// One cannot be written.
    pub(crate) fn keep(&self, report: Report) -> Result<()> {
        self.files(report, |output, report, out, style| {
            (output.report)(report, out, style)
        })
    }

    /// Whether somebody wants to know of healthy rows.
    pub(crate) fn every_row(&self) -> bool {
        self.output.every_row || self.reports.iter().any(|wanted| wanted.output.every_row)
    }

    /// Whether somebody wants to know what a repair would do.
    pub(crate) fn tries(&self) -> bool {
        self.output.tries || self.reports.iter().any(|wanted| wanted.output.tries)
    }

    /// Tells an explanation, at once or when all are known.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn tell(&self, telling: &mut Telling, one: Explained) -> Result<()> {
        let one = self.read(one);
        if !self.output.document {
            self.write(|out| {
                if telling.told > 0 && self.style.detail > Detail::Nothing {
                    writeln!(out)?;
                }
                (self.output.explained)(std::slice::from_ref(&one), out, &self.shown_style())
            })?;
        }
        telling.told = telling.told.saturating_add(1);
        if self.output.document || !self.reports.is_empty() {
            telling.kept.push(one);
        }
        Ok(())
    }

    /// Tells what waits for all to be known.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn end(&self, telling: Telling) -> Result<()> {
        if self.output.document {
            self.write(|out| (self.output.explained)(&telling.kept, out, &self.shown_style()))?;
        }
        self.files(telling.kept, |output, told, out, style| {
            (output.explained)(told, out, style)
        })
    }

    /// Writes every file; they have no colors, and `-q` is not meant for them.
    fn files<T: Redact>(
        &self,
        report: T,
        print: impl Fn(&Output, &T, &mut dyn Write, &Style) -> io::Result<()>,
    ) -> Result<()> {
        if self.reports.is_empty() {
            return Ok(());
        }
        let report = redact(report, &self.files_reader);
        let style = Style {
            width: self
                .global
                .width
                .map_or(Style::default().width, usize::from),
            detail: self.style.detail.max(Detail::Normal),
            links: None,
            ..redact(self.style.clone(), &self.files_reader)
        };
        for Wanted { output, path } in &self.reports {
            let fill = |file: &mut File| {
                let mut out = streams::plain(file);
                let written = print(output, &report, &mut out, &style);
                written.and_then(|()| out.flush())
            };
            let written = match path.metadata() {
                // A pipe or a device stays what it is.
                Ok(there) if !there.is_file() => File::options()
                    .write(true)
                    .open(path)
                    .and_then(|mut file| streams::quiet(fill(&mut file))),
                _ => resolved(path)
                    .and_then(|place| write_new_file(&place, true, Readers::Others, fill)),
            };
            written
                .with_context(|| format!("cannot write the report {}", self.reader.path(path)))?;
        }
        Ok(())
    }
}

/// Where a path leads, with links followed; the file itself need not be there.
///
/// # Errors
/// Its folder is not there.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Ok(real);
    }
    let around = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let around = around.canonicalize()?;
    if !around.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(around.join(name))
}

fn usage(text: String) -> anyhow::Error {
    Usage(text).into()
}
