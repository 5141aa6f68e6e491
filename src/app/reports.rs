//! What a run prints, on its way to standard output and to the files of `--report`.

use crate::bytes::replace::Existing;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{App, Error, Result, signals, streams};
use crate::bytes::replace::{Readers, write_new_file};
use crate::cli::Wanted;
use crate::explain::Explained;
use crate::find::Finds;
use crate::find::surroundings::Service;
use crate::outputs::{Detail, Output, OutputStyle, Print, github};
use crate::report::model::Report;
use crate::report::redact::{Redact, redact};

/// The explanations of a run.
#[derive(Default)]
pub(crate) struct Explanations {
    printed: usize,
    /// Those that a document or a file is still to be made of.
    kept: Vec<Explained>,
}

impl Explanations {
    /// Whether there was any.
    pub(crate) fn is_empty(&self) -> bool {
        self.printed == 0
    }
}

impl<'a> App<'a> {
    /// Looks, before anything is done, whether the reports can go where they are wanted.
    ///
    /// # Errors
    /// They cannot.
    pub(crate) fn check_reports(&self) -> Result<()> {
        if self.options.is_crowded {
            return Err(Error::usage("only one report can go to standard output"));
        }
        let files = &self.options.reports;
        for (at, wanted) in files.iter().enumerate() {
            let place = resolved(&wanted.path).map_err(|error| {
                Error::usage(format!(
                    "the report {}: {error}",
                    self.options.reader.path(&wanted.path)
                ))
            })?;
            if place.is_dir() {
                return Err(Error::usage(format!(
                    "the report {} is a folder",
                    self.options.reader.path(&wanted.path)
                )));
            }
            let before = files.iter().take(at).filter_map(|other| resolved(&other.path).ok());
            if before.into_iter().any(|other| other == place) {
                return Err(Error::usage(format!(
                    "two reports would be {}",
                    self.options.reader.path(&wanted.path)
                )));
            }
        }
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
            .options
            .reports
            .iter()
            .filter_map(|wanted| Some((wanted, resolved(&wanted.path).ok()?)));
        let places: Vec<(&Wanted, PathBuf)> = places.collect();
        if places.is_empty() {
            return Ok(());
        }
        for own in paths.filter_map(|path| resolved(path).ok()) {
            if let Some((wanted, _)) = places.iter().find(|(_, place)| place.starts_with(&own)) {
                return Err(Error::usage(format!(
                    "the report {} would be written into a transcript",
                    self.options.reader.path(&wanted.path)
                )));
            }
        }
        Ok(())
    }

    /// Prints a report to standard output, or to standard error if standard output carries a transcript, and writes the files.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn print(&self, report: Report) -> Result<()> {
        let report = self.read(report);
        self.write(|out| (self.options.output.report)(&report, out, &self.shown_style()))?;
        self.keep(report)
    }

    /// Prints what a check found as [`print`](Self::print) does, and what the service that runs it shows.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn print_check(&self, mut report: Report) -> Result<()> {
        let Some(Service::GitHub { summary }) = &self.options.service else {
            return self.print(report);
        };
        let style =
            OutputStyle { links: None, ..redact(self.style.clone(), &self.options.files_reader) };
        if let Some(path) = summary {
            report = redact(report, &self.options.files_reader);
            append(path, |out| github::summary(&report, out, &style)).map_err(Error::at(
                format!("cannot write the summary {}", self.options.reader.path(path)),
            ))?;
        }
        if self.options.output.interactive && !self.options.data_on_stdout {
            report = self.read(report);
            self.write(|out| (self.options.output.report)(&report, out, &self.shown_style()))?;
            report = redact(report, &self.options.files_reader);
            self.write(|out| github::write(&report, out, &style))?;
            return self.keep(report);
        }
        self.print(report)
    }

    /// Prints how often each rule found something, and writes the files.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn print_statistics(&self, report: Report, print: Print) -> Result<()> {
        let report = self.read(report);
        self.write(|out| print(&report, out, &self.shown_style()))?;
        self.keep(report)
    }

    /// Writes the files of a report that was shown already.
    ///
    /// # Errors
    /// One cannot be written.
    pub(crate) fn keep(&self, report: Report) -> Result<()> {
        self.files(report, |output, report, out, style| (output.report)(report, out, style))
    }

    /// Whether somebody wants to know of healthy rows.
    pub(crate) fn every_row(&self) -> bool {
        self.outputs().any(|output| output.every_row)
    }

    /// Whether somebody wants to know what a repair would do.
    pub(crate) fn tries(&self) -> bool {
        self.outputs().any(|output| output.tries)
    }

    /// Whether somebody wants to know by what people recognize a session. With `-q` nobody does.
    pub(crate) fn introduces(&self) -> bool {
        let is_brief = self.options.output.interactive && self.style.detail < Detail::Normal;
        let printed = !is_brief && self.options.output.introduces;
        let mut reports = self.options.reports.iter();
        printed || reports.any(|wanted| wanted.output.introduces)
    }

    /// Whether somebody wants to know which bytes a repair would write.
    pub(crate) fn offers_fixes(&self) -> bool {
        self.outputs().any(|output| output.offers_fixes)
    }

    /// The shapes that are wanted.
    fn outputs(&self) -> impl Iterator<Item = &'static Output> + '_ {
        let reports = self.options.reports.iter().map(|wanted| wanted.output);
        std::iter::once(self.options.output).chain(reports)
    }

    /// Prints an explanation, at once or when all are known.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn explain(&self, explanations: &mut Explanations, one: Explained) -> Result<()> {
        let one = self.read(one);
        if !self.options.output.document {
            self.write(|out| {
                if explanations.printed > 0 && self.style.detail > Detail::Nothing {
                    writeln!(out)?;
                }
                (self.options.output.explained)(
                    std::slice::from_ref(&one),
                    out,
                    &self.shown_style(),
                )
            })?;
        }
        explanations.printed = explanations.printed.saturating_add(1);
        if self.options.output.document || !self.options.reports.is_empty() {
            explanations.kept.push(one);
        }
        Ok(())
    }

    /// Prints what waits for all to be known.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn finish(&self, explanations: Explanations) -> Result<()> {
        if self.options.output.document {
            self.write(|out| {
                (self.options.output.explained)(&explanations.kept, out, &self.shown_style())
            })?;
        }
        self.files(explanations.kept, |output, printed, out, style| {
            (output.explained)(printed, out, style)
        })
    }

    /// Writes every file; they have no colors, and `-q` is not meant for them.
    fn files<T: Redact>(
        &self,
        report: T,
        print: impl Fn(&Output, &T, &mut dyn Write, &OutputStyle) -> io::Result<()>,
    ) -> Result<()> {
        let mut report = report;
        for Wanted { output, path } in &self.options.reports {
            let reader = if output.audience.reads_tilde() {
                &self.options.pages_reader
            } else {
                &self.options.files_reader
            };
            report = redact(report, reader);
            let style = OutputStyle {
                width: self.options.width.unwrap_or(OutputStyle::default().width),
                detail: self.style.detail.max(Detail::Normal),
                links: None,
                ..redact(self.style.clone(), reader)
            };
            let fill = |file: &mut File| {
                let mut out = streams::plain(file);
                let written = print(output, &report, &mut out, &style);
                written.and_then(|()| out.flush())
            };
            // A signal waits until the file is in its place.
            let _done = signals::writing();
            let written = match path.metadata() {
                // A pipe or a device stays what it is.
                Ok(there) if !there.is_file() => File::options()
                    .write(true)
                    .open(path)
                    .and_then(|mut file| streams::quiet(fill(&mut file))),
                _ => resolved(path).and_then(|place| {
                    write_new_file(&place, Existing::Replaced, Readers::Others, fill)
                }),
            };
            written.map_err(Error::at(format!(
                "cannot write the report {}",
                self.options.reader.path(path)
            )))?;
        }
        Ok(())
    }
}

/// Adds to the end of a file that another program owns.
///
/// # Errors
/// It cannot be written.
fn append(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = File::options().append(true).create(true).open(path)?;
    let mut out = streams::plain(&mut file);
    fill(&mut out)?;
    out.flush()
}

/// Where a path leads, with links followed; the file itself need not be there.
///
/// # Errors
/// Its folder is not there.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Ok(real);
    }
    let around =
        path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let around = around.canonicalize()?;
    if !around.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(around.join(name))
}
