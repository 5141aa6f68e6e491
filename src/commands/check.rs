//! `check`: what is wrong; reads only.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::help::{CommandExample, examples_and_statuses};
use super::sessions::{NO_PROJECT, choose};
use crate::app::baseline::{self, Baseline};
use crate::app::batch::{self, BatchWork, Paths};
use crate::app::exit::RunOutcome;
use crate::app::judge::{all, outcome, report, set_coverage};
use crate::app::{App, Error, Result, exit, hook, late, settings};
use crate::cli::{
    AskedOptions, ConfigArgs, DetailArgs, DrawArgs, JobArgs, JudgeArgs, PrintArgs, ReadArgs,
    SeverityArgs, TalkArgs,
};
use crate::find::Finds;
use crate::journal::Journal;
use crate::outputs::paint::Tone;
use crate::outputs::{ListedTranscript, Print, many};
use crate::report::model::{Conversation, Report};
use crate::report::text::Shown;

const EXAMPLES: &[CommandExample] = &[
    ("check", "Check the sessions of the project in this folder"),
    ("check session.jsonl", "Check a file"),
    ("check 5f1c", "Check the session whose ID starts with 5f1c"),
    ("check @all --format json", "Check the sessions of all hosts, for a script"),
];

/// Heading of what decides about old findings and many files.
const POLICY: &str = "What is reported";

/// Find problems (read-only)
///
/// `check` says what a provider will reject, what a host hides or cannot open, and what `repair` can do about it.
#[derive(Debug, Args)]
#[command(after_long_help = examples_and_statuses(EXAMPLES))]
pub struct CheckArgs {
    /// Files, folders, -, @HOST, @all, @latest, or session IDs
    ///
    /// A folder is searched for transcripts; - is standard input. Without a target, the sessions of the project in the
    /// current folder are checked.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Exit with status 0 whatever is found
    #[arg(long)]
    pub exit_zero: bool,
    /// Treat each row of JSONL or of an array as a conversation
    #[arg(long)]
    pub rows: bool,
    /// Count the findings of each rule instead: check @all --statistics
    #[arg(long, hide_short_help = true, help_heading = POLICY)]
    pub statistics: bool,
    /// Report only findings that are not in this file, as --write-baseline writes it
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = POLICY)]
    pub baseline: Option<PathBuf>,
    /// Write all findings to this file, so that later runs with --baseline report only new ones
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = POLICY, conflicts_with = "baseline")]
    pub write_baseline: Option<PathBuf>,
    /// Remove what was not found from the baseline
    #[arg(long, hide_short_help = true, help_heading = POLICY, conflicts_with = "write_baseline")]
    pub prune_baseline: bool,
    /// Report at most this many findings, the worst first; what is left out is counted, and the exit status does not change
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = POLICY, conflicts_with_all = ["statistics", "write_baseline"])]
    pub max_results: Option<usize>,
    /// Also check the paths in this file, one per line or NUL-terminated; - is standard input
    ///
    /// With --format jsonl, each transcript is printed and forgotten, so that a list of any length fits in memory:
    /// find logs -print0 | transcript-doctor check --files-from - --format jsonl
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = POLICY)]
    pub files_from: Option<PathBuf>,
    /// With --rows --format jsonl -: rows that cannot be checked do not fail the run
    ///
    /// Each line of standard input is then a conversation, and has exactly one record in the output: a conversation of
    /// the report with its row, or an error. Findings do not fail the run.
    #[arg(long, hide_short_help = true, help_heading = POLICY, requires = "rows")]
    pub rows_errors: bool,
    /// Check a session as a hook of Claude Code, and show its user what is damaged
    ///
    /// Reads what Claude Code writes to a SessionStart hook, and prints one line of JSON, which Claude Code shows if the
    /// session is damaged. Nothing is repaired, and the exit status is 0 whatever is found.
    #[arg(long, hide_short_help = true, help_heading = POLICY,
          conflicts_with_all = ["targets", "rows", "statistics", "baseline", "write_baseline", "prune_baseline", "files_from", "list_files"])]
    pub hook: bool,
    /// Print the settings that apply, each with who said so; check nothing
    ///
    /// For the files that are named, also what the configuration says of them alone.
    #[arg(long, hide_short_help = true, help_heading = POLICY, conflicts_with_all = ["list_files", "hook"])]
    pub show_settings: bool,
    /// List the files that would be checked, with their formats; check nothing
    #[arg(long, hide_short_help = true, help_heading = POLICY)]
    pub list_files: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    severity: SeverityArgs,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    jobs: JobArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    talk: TalkArgs,
    #[command(flatten)]
    detail: DetailArgs,
    #[command(flatten)]
    draw: DrawArgs,
}

impl CheckArgs {
    /// Whether all conversations are needed at once.
    fn has_whole_run(&self) -> bool {
        self.statistics
            || self.write_baseline.is_some()
            || self.list_files
            || self.max_results.is_some()
    }

    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            read: self.read.clone(),
            judge: self.judge.clone(),
            severity: self.severity.clone(),
            config: self.config.clone(),
            jobs: self.jobs.jobs,
            print: self.print.clone(),
            talk: self.talk.clone(),
            detail: self.detail.clone(),
            draw: self.draw.clone(),
            rows: self.rows,
            known: self.baseline.clone(),
            shows_settings: self.show_settings,
            ..AskedOptions::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The report cannot be written.
pub(crate) fn run(app: &App<'_>, args: &CheckArgs) -> Result<u8> {
    if args.hook {
        hook::run(app)?;
        return Ok(exit::DONE);
    }
    if args.show_settings {
        if !app.options.output.interactive {
            return Err(of_format(app, "--show-settings"));
        }
        settings::show(app, &args.targets)?;
        return Ok(exit::DONE);
    }
    // Parts are printed as soon as they are done; a file of a report needs all of them.
    let parts = app.options.output.parts.filter(|_| app.options.reports.is_empty());
    let is_stdin = matches!(args.targets.as_slice(), [only] if only.as_os_str() == "-");
    if parts.is_some() && args.rows && is_stdin && !args.has_whole_run() {
        return batch::rows(app, &BatchWork::Check, args.rows_errors);
    }
    if args.rows_errors {
        return Err(Error::usage(batch::NO_ROWS));
    }
    let mut targets = args.targets.clone();
    if let Some(list) = &args.files_from {
        let of_list = || Error::at(format!("the list {}", app.options.reader.path(list)));
        let paths = Paths::open(list).map_err(of_list())?;
        match parts.filter(|_| targets.is_empty() && !args.has_whole_run()) {
            Some(parts) => return in_parts(app, args, paths, parts),
            None => targets.extend(paths.all().map_err(of_list())?),
        }
    }
    let found = if targets.is_empty() && args.files_from.is_none() {
        app.find_project()
    } else {
        Some(app.find(&targets)?)
    };
    let Some((app, finds)) = found else {
        return of_no_project(app, args);
    };
    app.spare(&finds)?;
    if args.statistics && app.options.output.statistics.is_none() {
        return Err(of_format(&app, "--statistics"));
    }
    if args.list_files {
        return list(&app, &finds);
    }
    check(&app, args, finds)
}

/// Checks what was found, and reports it.
fn check(app: &App<'_>, args: &CheckArgs, mut finds: Finds) -> Result<u8> {
    let mut baseline = baseline(app, args)?;
    unfinished(app, &finds.targets);
    late::report(app, Some(&finds.targets));
    if let Some(path) = &args.write_baseline {
        spare(app, path)?;
    }
    let mut conversations = all(app, &mut finds, app.introduces());
    if let Some(path) = &args.write_baseline {
        return write_baseline(app, &conversations, path);
    }
    if let Some((_, baseline)) = &mut baseline {
        baseline.hide(&mut conversations);
    }
    let mut report = report(app, conversations, &finds);
    set_coverage(app, &mut report);
    report.baseline = baseline.as_ref().map(|(_, baseline)| baseline.usage());
    // What --max-results leaves out still fails the run.
    let status = if args.exit_zero { exit::DONE } else { outcome(app, &report).status() };
    report.exit_code = status;
    if let Some(most) = args.max_results {
        report.limit(most);
        if report.left_out > 0 {
            let left_out = many(report.left_out, "finding");
            let said = format!("{left_out} left out, the least severe (--max-results {most})");
            app.say(Tone::Warn, &said);
        }
    }
    match app.options.output.statistics.filter(|_| args.statistics) {
        Some(print) => app.print_statistics(report, print)?,
        None => app.print_check(report)?,
    }
    prune(app, args, baseline)?;
    Ok(status)
}

/// Removes from the baseline what was not found, if that was asked for.
fn prune(app: &App<'_>, args: &CheckArgs, baseline: Option<(PathBuf, Baseline)>) -> Result<()> {
    if let Some((path, baseline)) = baseline.filter(|_| args.prune_baseline) {
        baseline.prune(&path).map_err(of_baseline(app, &path))?;
    }
    Ok(())
}

/// Checks the paths of a list, some at a time, and prints each part when it is done. The transcripts are in the order of the list.
fn in_parts(
    app: &App<'_>,
    args: &CheckArgs,
    mut paths: Paths,
    (print, print_end): (Print, Print),
) -> Result<u8> {
    let mut baseline = baseline(app, args)?;
    let mut total = Report::new(Vec::new(), Vec::new(), Vec::new());
    let (mut left, mut unmatched) = (false, Finds::default());
    loop {
        let next = paths.next()?;
        if next.is_empty() {
            break;
        }
        let (part_app, mut finds) = app.find(&next)?;
        let mut conversations = all(&part_app, &mut finds, app.introduces());
        if let Some((_, baseline)) = &mut baseline {
            baseline.hide(&mut conversations);
        }
        unmatched.missed.append(&mut finds.unmatched);
        let mut part = report(&part_app, conversations, &finds);
        let places = finds.found.iter().enumerate();
        let places: HashMap<Shown, usize> =
            places.map(|(at, found)| (Shown::path(&found.path), at)).collect();
        set_coverage(&part_app, &mut part);
        part.conversations.sort_by_key(|conversation| places.get(&conversation.path));
        left |= app.options.fail_on.is_some_and(|level| part.reaches(level));
        let part = app.read(part);
        app.write(|out| print(&part, out, &app.shown_style()))?;
        total.add(part);
    }
    let is_empty = total.summary.conversations == 0 && total.not_checked.is_empty();
    if !is_empty {
        // Besides what was found, that is not everything that was asked for.
        total.add(app.read(report(app, Vec::new(), &unmatched)));
    }
    total.baseline = baseline.as_ref().map(|(_, baseline)| baseline.usage());
    let found = RunOutcome {
        left,
        nothing: is_empty && !app.options.allow_empty,
        not_examined: total.summary.unknown > 0 || !total.not_checked.is_empty(),
        ..RunOutcome::default()
    };
    total.exit_code = if args.exit_zero { exit::DONE } else { found.status() };
    let status = total.exit_code;
    app.write(|out| print_end(&total, out, &app.shown_style()))?;
    prune(app, args, baseline)?;
    Ok(status)
}

/// The baseline that is typed, or that of the configuration.
fn baseline(app: &App<'_>, args: &CheckArgs) -> Result<Option<(PathBuf, Baseline)>> {
    let path = app.options.known.as_ref().filter(|_| args.write_baseline.is_none());
    match path {
        None if args.prune_baseline => Err(Error::usage("--prune-baseline needs --baseline FILE")),
        None => Ok(None),
        Some(path) => {
            let baseline = Baseline::read(path).map_err(of_baseline(app, path))?;
            Ok(Some((path.clone(), baseline)))
        }
    }
}

fn of_baseline(app: &App<'_>, path: &Path) -> impl FnOnce(io::Error) -> Error {
    Error::at(format!("the baseline {}", app.options.reader.path(path)))
}

/// Takes care that a baseline is written over nothing else than one.
fn spare(app: &App<'_>, path: &Path) -> Result<()> {
    let is_new = path.metadata().is_ok_and(|there| there.len() == 0) || !path.exists();
    if is_new || Baseline::read(path).is_ok() {
        Ok(())
    } else {
        Err(Error::usage(format!("{} exists and is not a baseline", app.options.reader.path(path))))
    }
}

fn write_baseline(app: &App<'_>, conversations: &[Conversation], path: &Path) -> Result<u8> {
    let written = baseline::record(conversations, path, &app.options.files_reader);
    let count = written.map_err(of_baseline(app, path))?;
    let path = app.options.reader.path(path);
    app.say(Tone::Dim, &format!("{} in {path}", many(count as u64, "finding")));
    Ok(exit::DONE)
}

/// An option that the format of the output cannot show.
fn of_format(app: &App<'_>, option: &str) -> Error {
    let format = app.options.output.name;
    Error::usage(format!("{option} does not work with --format {format}"))
}

/// Lists what would be checked.
fn list(app: &App<'_>, finds: &Finds) -> Result<u8> {
    let Some(print) = app.options.output.files else {
        return Err(of_format(app, "--list-files"));
    };
    let files = finds.found.iter().map(|found| ListedTranscript {
        path: Shown::path(&found.path).read_by(&app.options.files_reader),
        format: found.detection.format.name,
    });
    let files: Vec<ListedTranscript> = files.collect();
    app.write(|out| print(&files, out))?;
    app.say_missed(finds);
    Ok(match (finds.missed.is_empty(), finds.found.is_empty()) {
        (false, _) => exit::NOT_EXAMINED,
        (true, true) if !app.options.allow_empty => exit::NOTHING,
        _ => exit::DONE,
    })
}

/// Nothing was named, and no session belongs to this folder: shows recent sessions.
fn of_no_project(app: &App<'_>, args: &CheckArgs) -> Result<u8> {
    if app.options.allow_empty {
        app.print(Report::new(Vec::new(), Vec::new(), Vec::new()))?;
        return Ok(exit::DONE);
    }
    if app.options.output.interactive {
        choose(app, &args.asked())?;
    }
    Err(Error::usage(NO_PROJECT))
}

/// Tells of repairs of these transcripts that were interrupted. They are finished by the next one.
fn unfinished(app: &App<'_>, targets: &[PathBuf]) {
    let open =
        Journal::standard().and_then(|journal| journal.unfinished().ok()).unwrap_or_default();
    for operation in open {
        let path = &operation.place.path;
        if late::concerns(targets, path) {
            let (op, shown) = (operation.op, app.read(Shown::path(path)));
            let next = app.shown_style().next.for_path("repair", &[], &shown).unwrap_or_default();
            app.say(
                Tone::Warn,
                &format!(
                    "{}: operation {op} was interrupted; finish it with  {next}",
                    shown.whole()
                ),
            );
        }
    }
}
