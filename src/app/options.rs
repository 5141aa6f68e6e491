//! The options of a run, resolved: each already means something.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::cli::{
    AskedOptions, ColorWhen, FailOn, FileReading, FixArgs, RedactArg, Setting, Wanted,
};
use crate::engine::{CheckOptions, RuleSelection, TargetChoice};
use crate::find::Excluded;
use crate::find::surroundings::{Service, Surroundings};
use crate::format::{Client, Format};
use crate::hosts;
use crate::live::{self, System, World};
use crate::outputs::next::AsTyped;
use crate::outputs::{self, Audience, Detail, Output, OutputStyle};
use crate::report::redact::{People, RedactMode, Redactor};
use crate::report::text::Shown;
use crate::rules::Preference;
use crate::transcript::{Confidence, Severity};

use super::streams::Pager;
use super::{parallel, streams};

/// What a run is asked for, whatever its command. Nothing changes it.
pub(crate) struct Options {
    /// What is asked of the engine.
    pub check: CheckOptions,
    /// The recorded format, where the user names it.
    pub format: Option<&'static Format>,
    /// The provider, as it was typed.
    pub target: String,
    /// Each row of a file is a conversation, whatever it looks like.
    pub rows: bool,
    /// Walks look into hidden folders.
    pub hidden: bool,
    /// Walks do not heed ignore files.
    pub no_ignore: bool,
    /// Nothing to look at is not a failure.
    pub allow_empty: bool,
    /// Findings of this severity or a worse one fail the run; `None`: none does.
    pub fail_on: Option<Severity>,
    /// Rules that are reported with another severity; the last one that names a rule counts.
    pub levels: Vec<(String, Severity)>,
    /// What walks skip, relative to the working directory.
    pub exclude: Vec<String>,
    /// What the configuration lets walks skip, and the folder that this is relative to.
    pub excluded: Option<(PathBuf, Vec<String>)>,
    /// Rules that are ignored in some files.
    per_file_ignores: Vec<(Excluded, Vec<String>)>,
    /// The formats of some files.
    pub(super) formats: Arc<[(Excluded, &'static Format)]>,
    /// The providers that some files are checked against.
    targets: Vec<(Excluded, Option<TargetChoice>)>,
    /// What has not changed since this moment is skipped.
    pub since: Option<SystemTime>,
    /// The baseline that was typed, or that of the configuration.
    pub known: Option<PathBuf>,
    /// What applies, where that is shown.
    pub settings: Vec<Setting>,
    /// Threads.
    pub jobs: usize,
    /// The shape of reports.
    pub output: &'static Output,
    /// Reports next to it, in files.
    pub reports: Vec<Wanted>,
    /// More than one report would go to standard output.
    pub(super) is_crowded: bool,
    /// How reports are printed.
    pub style: OutputStyle,
    /// Columns, where the user says how many.
    pub width: Option<usize>,
    /// Columns of what is said on standard error. `None`: it is not a terminal, and lines stay whole.
    pub talk_width: Option<usize>,
    pub color: ColorWhen,
    /// How much of a transcript is shown.
    pub redact: RedactArg,
    /// Who reads the streams, and what they may see.
    pub reader: Redactor,
    /// Who reads the files of reports, all of them: hidden strings have the same names in each.
    pub files_reader: Redactor,
    /// The same for reports for people.
    pub pages_reader: Redactor,
    /// Which service runs it.
    pub service: Option<Service>,
    /// Standard output carries a transcript, so all talk goes to standard error.
    pub data_on_stdout: bool,
    /// A long run shows how far it is.
    pub progress: bool,
    /// What shows long output, where the command has some and standard output is a terminal.
    pub pager: Option<Pager>,
}

impl Options {
    pub(crate) fn new(asked: &AskedOptions) -> Options {
        let (stdout, reports): (Vec<Wanted>, Vec<Wanted>) =
            asked.print.report.iter().cloned().partition(Wanted::is_stdout);
        let typed = outputs::by_name(&asked.print.format).unwrap_or(&outputs::OUTPUTS[0]);
        // One of the reports may take the place of what goes to standard output.
        let output = stdout.last().map_or(typed, |wanted| wanted.output);
        let is_logged = match output.audience {
            Audience::Page => true,
            Audience::Program => false,
            Audience::Person | Audience::Review => Surroundings::system().is_logged(),
        };
        let here = working_directory();
        let reader = Redactor::for_stream(asked.draw.shown.redact.into(), is_logged, people())
            .with_short_paths(here.clone(), output.audience.reads_tilde());
        let file_reader = reader.file(asked.draw.shown.redact.into());
        let wants_pager = asked.paged && output.interactive;
        let columns = streams::columns();
        let pager = wants_pager.then(Pager::of_stdout).flatten();
        // A link tells where the file is. Many pagers show it as text.
        let links = streams::stdout_links(asked.detail.hyperlink).filter(|_| {
            pager.is_none() && reader.mode() < RedactMode::Content && !asked.data_on_stdout
        });
        Options {
            check: check_options(asked),
            format: asked.read.from.as_deref().and_then(hosts::by_name),
            target: target(asked).to_owned(),
            rows: asked.rows,
            hidden: asked.read.hidden,
            no_ignore: asked.read.no_ignore,
            allow_empty: asked.read.allow_empty,
            fail_on: asked.severity.fail_on.unwrap_or(FailOn::Error).level(),
            levels: levels(asked),
            exclude: asked.read.exclude.clone(),
            excluded: asked.excluded.clone(),
            per_file_ignores: per_file_ignores(asked),
            formats: readings(asked, |own| hosts::by_name(own.from.as_ref()?)).collect(),
            targets: readings(asked, |own| Some(TargetChoice::by_name(own.target.as_ref()?)))
                .collect(),
            since: asked.read.since.map(|since| since.moment(System.now())),
            known: asked.known.clone(),
            settings: asked.settings.clone(),
            jobs: jobs(asked),
            output,
            reports,
            is_crowded: stdout.len() > 1 || (!typed.interactive && !stdout.is_empty()),
            style: OutputStyle {
                width: asked.print.width.map(usize::from).or(columns).unwrap_or(80),
                is_screen: columns.is_some() || asked.print.width.is_some(),
                ascii: asked.draw.ascii,
                detail: detail(asked),
                next: AsTyped { options: repeated(asked), ..AsTyped::default() },
                links,
                side_by_side: false,
            },
            width: asked.print.width.map(usize::from),
            // Lines are wrapped only for a terminal: programs read them whole.
            talk_width: streams::stderr_columns()
                .map(|columns| asked.print.width.map_or(columns, usize::from)),
            color: asked.talk.color,
            redact: asked.draw.shown.redact,
            pages_reader: file_reader.with_short_paths(here.clone(), true),
            files_reader: file_reader.with_short_paths(here, false),
            service: Surroundings::system().service(),
            reader,
            data_on_stdout: asked.data_on_stdout,
            progress: !asked.read.no_progress,
            pager,
        }
    }
}

impl Options {
    /// What is asked of the engine about this file.
    pub(crate) fn check_at(&self, path: &Path) -> CheckOptions {
        let mut check = self.check.clone();
        self.adapt_to(path, &mut check);
        check
    }

    /// The rules that are ignored in this file alone.
    pub(crate) fn ignored_at(&self, path: &Path) -> impl Iterator<Item = &String> {
        let own = self.per_file_ignores.iter().filter(move |(place, _)| place.has(path));
        own.flat_map(|(_, rules)| rules)
    }

    /// The format that the configuration names for this file.
    pub(crate) fn format_at(&self, path: &Path) -> Option<&'static Format> {
        let (_, format) = self.formats.iter().rev().find(|(place, _)| place.has(path))?;
        Some(format)
    }

    /// Adds the rules that are ignored in this file, and its provider.
    pub(crate) fn adapt_to(&self, path: &Path, check: &mut CheckOptions) {
        check.selection.ignore.extend(self.ignored_at(path).cloned());
        let mut targets = self.targets.iter().rev();
        if let Some((_, target)) = targets.find(|(place, _)| place.has(path)) {
            check.target = *target;
        }
    }
}

/// Globs were understood when they were read.
fn per_file_ignores(asked: &AskedOptions) -> Vec<(Excluded, Vec<String>)> {
    let (folder, globs) = asked.per_file_ignores.clone().unwrap_or_default();
    globs
        .into_iter()
        .filter_map(|(glob, rules)| Some((Excluded::new(&folder, &[glob]).ok()?, rules)))
        .collect()
}

/// What the configuration says of some files in one respect.
fn readings<T>(
    asked: &AskedOptions,
    said: fn(&FileReading) -> Option<T>,
) -> impl Iterator<Item = (Excluded, T)> {
    let (folder, globs) = asked.per_file_formats.clone().unwrap_or_default();
    globs
        .into_iter()
        .filter_map(move |(glob, own)| Some((Excluded::new(&folder, &[glob]).ok()?, said(&own)?)))
}

fn jobs(asked: &AskedOptions) -> usize {
    asked.jobs.map_or_else(parallel::processors, usize::from)
}

fn check_options(asked: &AskedOptions) -> CheckOptions {
    let mut check = CheckOptions {
        target: TargetChoice::by_name(target(asked)),
        client: asked.judge.client.as_deref().and_then(Client::by_name),
        selection: RuleSelection {
            select: asked.judge.select.clone(),
            extend_select: asked.judge.extend_select.clone(),
            ignore: ignored(asked),
            min_confidence: asked.judge.min_confidence.map_or(Confidence::Guess, Into::into),
        },
        jobs: jobs(asked),
        ended_before: live::ended_before(&System),
        ..CheckOptions::default()
    };
    if let Some(fixes) = &asked.fixes {
        check.prefer = vec![Preference { keep: fixes.prefer, call: fixes.call.clone() }];
        check.strategy = fixes.strategy.into();
    }
    check
}

/// The provider, as it was typed.
fn target(asked: &AskedOptions) -> &str {
    asked.read.target.as_deref().unwrap_or("auto")
}

/// The rules that are not checked.
fn ignored(asked: &AskedOptions) -> Vec<String> {
    let off = asked
        .severity
        .level
        .iter()
        .filter(|(_, level)| level.level().is_none())
        .map(|(rule, _)| rule.clone());
    asked.judge.ignore.iter().cloned().chain(off).collect()
}

/// The rules that are reported with another severity.
fn levels(asked: &AskedOptions) -> Vec<(String, Severity)> {
    let levels = asked.severity.level.iter();
    levels.filter_map(|(rule, level)| Some((rule.clone(), level.level()?))).collect()
}

fn detail(asked: &AskedOptions) -> Detail {
    match (asked.talk.quiet, asked.detail.verbose) {
        (0, 0) => Detail::Normal,
        (0, _) => Detail::All,
        (1, _) => Detail::Verdicts,
        _ => Detail::Nothing,
    }
}

/// The options that decide what is read and how it is judged, so that a proposed command repeats them.
fn repeated(asked: &AskedOptions) -> Vec<Shown> {
    let mut out: Vec<Shown> = Vec::new();
    for (name, value) in [
        ("--from", asked.read.from.as_deref().unwrap_or("auto")),
        ("--target", target(asked)),
        ("--client", asked.judge.client.as_deref().unwrap_or("auto")),
    ] {
        if value != "auto" {
            out.extend([name.into(), value.into()]);
        }
    }
    if let Some(config) = &asked.config.config {
        out.extend(["--config".into(), Shown::path(config)]);
    }
    out.extend(asked.config.isolated.then(|| "--isolated".into()));
    out.extend(asked.rows.then(|| "--rows".into()));
    out.extend(asked.fixes.iter().flat_map(FixArgs::always_repeated));
    out
}

fn working_directory() -> Option<String> {
    Surroundings::system().here()?.to_str().map(str::to_owned)
}

/// The names that must not be seen.
pub(super) fn people() -> People {
    let around = Surroundings::system();
    let home = around.home().and_then(|home| home.into_os_string().into_string().ok());
    People::new(home, around.users())
}
