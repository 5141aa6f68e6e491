//! `diff A B`: how two transcripts differ.

mod rows;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{DiffOptions, DiffView};
use crate::app::difference::{self, JudgedRecording};
use crate::app::exit::{self, RunOutcome};
use crate::app::{App, Error, Result, judge as judged, streams};
use crate::bytes::patch::Patch;
use crate::bytes::source::Source;
use crate::diff::between::between;
use crate::diff::records::RecordComparison;
use crate::engine::judge;
use crate::find::{self, Finds, Found, Located, name_of};
use crate::outputs::Detail;
use crate::outputs::paint::{Tone, paint};
use crate::report::text::width;

/// How two transcripts differ; of the quiet only their verdicts.
pub(crate) fn run(app: &App<'_>, options: &DiffOptions, [a, b]: [&PathBuf; 2]) -> Result<u8> {
    let quiet = app.style.detail < Detail::Normal;
    if options.view == DiffView::Raw && !options.stat {
        let (Some(left), Some(right)) = (app.path_of(a)?, app.path_of(b)?) else {
            return Ok(exit::NOTHING);
        };
        let (a, b) = (open(app, &left)?, open(app, &right)?);
        let patch = Patch::new(between(&a, &b)?).map_err(io::Error::other)?;
        if quiet {
            let (app, left) = app.find(&[left])?;
            let (app, right) = app.find(&[right])?;
            verdicts(&app, left, right)?;
        } else {
            streams::quiet(difference::unified(app, &left, a.shape(), &a, &patch))?;
        }
        return Ok(status(options, !patch.is_empty()));
    }
    // One by one: a transcript may be compared with itself.
    let (app, left) = app.find(std::slice::from_ref(a))?;
    let (app, right) = app.find(std::slice::from_ref(b))?;
    let app = &app;
    let ([a], [b]) = (&left.found[..], &right.found[..]) else {
        return unequal(app, &left, &right);
    };
    let open = |located: &Located| {
        located
            .open()
            .map_err(|source| Error::Open { place: app.options.reader.path(&located.path), source })
    };
    let (a, b) = (open(a)?, open(b)?);
    let two = Two { app, options, a: &a, b: &b, title: None };
    let differs = two.differ()?;
    if quiet {
        verdicts(app, left, right)?;
    }
    Ok(status(options, differs))
}

/// Two transcripts that are compared.
pub(super) struct Two<'a> {
    pub(super) app: &'a App<'a>,
    pub(super) options: &'a DiffOptions,
    pub(super) a: &'a Found,
    pub(super) b: &'a Found,
    /// What became of one transcript, in words; `None`: there are two of them.
    pub(super) title: Option<String>,
}

impl Two<'_> {
    /// Compares them, and writes how they differ unless the user wants it quiet. Returns whether they do.
    ///
    /// # Errors
    /// They cannot be read or compared, or nothing can be written.
    pub(super) fn differ(&self) -> Result<bool> {
        let quiet = self.app.style.detail < Detail::Normal;
        match [self.a, self.b].map(|found| found.detection.conversations.are_rows()) {
            [false, false] if quiet => Ok(self.whole(&mut io::sink())?),
            [true, true] if quiet => Ok(rows::differ(self, &mut io::sink())?),
            [false, false] => self.written(|out| self.whole(out)),
            [true, true] => self.written(|out| rows::differ(self, out)),
            _ => Err(Error::usage(
                "a file of many conversations is compared with another such file, or with --as raw",
            )),
        }
    }

    /// What is compared.
    fn difference(&self) -> RecordComparison {
        match self.title {
            Some(_) => RecordComparison::Repair,
            None => RecordComparison::Two,
        }
    }

    /// Writes to standard output; what `write` found.
    fn written(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<bool>) -> Result<bool> {
        let mut differs = false;
        self.app.write(|out| {
            differs = write(out)?;
            Ok(())
        })?;
        Ok(differs)
    }

    /// Their paths, before counts.
    fn places(&self) -> String {
        if let Some(title) = &self.title {
            return paint(Tone::Strong, title).to_string();
        }
        let places = [self.a, self.b].map(|found| self.app.options.reader.path(&found.path));
        paint(Tone::Strong, &places.join("..")).to_string()
    }

    /// What is compared: counts are those of records.
    fn view(&self) -> DiffView {
        if self.options.stat { DiffView::Records } else { self.options.view }
    }

    /// Names the two, and warns where they cannot be compared well.
    fn introduce(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.title.is_some() {
            return writeln!(out, "{}", self.places());
        }
        let reader = &self.app.options.reader;
        for (tone, sign, found) in [(Tone::Bad, "---", self.a), (Tone::Good, "+++", self.b)] {
            let title = found.detection.format.title;
            let (before, after) = (format!("{sign} "), format!("  ({title})"));
            let used = width(&before) + width(&after);
            let path = self.app.style.path(&reader.path(&found.path), used);
            let line = format!("{before}{path}{after}");
            writeln!(out, "{}", paint(tone, &line))?;
        }
        let [a, b] = [self.a, self.b].map(|found| found.detection.format);
        if a.name != b.name && self.view() == DiffView::Records {
            let warning = "different formats: few records can be compared; --as messages compares \
                what the provider receives";
            writeln!(out, "{}", paint(Tone::Warn, warning))?;
        }
        Ok(())
    }

    /// Compares two transcripts that are one conversation each.
    fn whole(&self, out: &mut dyn Write) -> io::Result<bool> {
        let judged = |found: &Found| {
            let (name, check) = (name_of(&found.path), &self.app.options.check);
            judge(&found.source, &name, &found.detection, check).map_err(io::Error::other)
        };
        let (old, new) = (judged(self.a)?, judged(self.b)?);
        let old = JudgedRecording::new(&self.a.source, &old);
        let new = JudgedRecording::new(&self.b.source, &new);
        if self.options.stat {
            let records = difference::records(old, new, None, &self.app.options.reader)?;
            writeln!(out, "{}: {}", self.places(), records.stat(self.difference()))?;
            return Ok(!records.rows.is_empty());
        }
        if self.view() == DiffView::Records || self.title.is_some() {
            self.introduce(out)?;
        }
        self.conversation(old, new, out)
    }

    /// Compares two conversations by what the user wants to see of them.
    fn conversation(
        &self,
        old: JudgedRecording<'_>,
        new: JudgedRecording<'_>,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let App { options, style, .. } = self.app;
        if self.view() == DiffView::Messages {
            let names = [self.a, self.b].map(|found| name_of(&found.path));
            let names = (names[0].as_str(), names[1].as_str());
            return difference::requests((old, new), names, out, (style, &options.reader));
        }
        let records = difference::records(old, new, None, &options.reader)?;
        records.write(self.difference(), out, style)?;
        writeln!(out, "{}", records.stat(self.difference()))?;
        Ok(!records.rows.is_empty())
    }
}

/// The verdicts of two transcripts.
fn verdicts(app: &App<'_>, mut left: Finds, mut right: Finds) -> Result<()> {
    let mut conversations = judged::all(app, &mut left, app.introduces());
    conversations.extend(judged::all(app, &mut right, app.introduces()));
    left.missed.append(&mut right.missed);
    app.print(judged::report(app, conversations, &left))
}

fn status(options: &DiffOptions, differs: bool) -> u8 {
    RunOutcome { left: differs && options.exit_code, ..RunOutcome::default() }.status()
}

/// Bytes to compare, whatever they are.
fn open(app: &App<'_>, path: &Path) -> Result<Source> {
    let source = if path.as_os_str() == "-" {
        Source::stdin()
    } else if path.is_dir() {
        find::open_folder(path)
    } else {
        Source::file(path)
    };
    source.map_err(Error::at(app.options.reader.path(path)))
}

/// Not one transcript on each side.
fn unequal(app: &App<'_>, left: &Finds, right: &Finds) -> Result<u8> {
    for finds in [left, right] {
        app.say_missed(finds);
    }
    if !left.missed.is_empty() || !right.missed.is_empty() {
        return Ok(exit::NOT_EXAMINED);
    }
    match (left.found.len(), right.found.len()) {
        (0, _) | (_, 0) if app.options.allow_empty => Ok(exit::DONE),
        (0, _) | (_, 0) => Ok(exit::NOTHING),
        (a, b) => Err(Error::usage(format!(
            "diff compares one transcript with one other, not {a} with {b}"
        ))),
    }
}
