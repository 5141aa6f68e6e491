//! `repair`: the plan that `diff` shows, written and proved.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::apply;
use super::help::{CommandExample, examples};
use super::sessions::NO_PROJECT;
use crate::app::batch::{self, BatchWork};
use crate::app::explain::paste;
use crate::app::plan::Planning;
use crate::app::repair::{self, RepairOptions, RepairOutput, Reviewed, finish, restrict};
use crate::app::{App, Error, Result, exit, late, streams};
use crate::cli::{
    AskedOptions, ConfigArgs, DetailArgs, DrawArgs, FixArgs, JobArgs, JudgeArgs, PrintArgs,
    ReadArgs, SeverityArgs, TalkArgs,
};
use crate::find::Finds;
use crate::outputs::paint::Tone;

/// Heading of the options that decide how files are replaced.
const WRITING: &str = "How to write";
/// With these options no transcript is replaced.
const NOT_IN_PLACE: [&str; 3] = ["dry_run", "plan_out", "output"];

const EXAMPLES: &[CommandExample] = &[
    ("repair session.jsonl", "Repair a file; `undo` restores it"),
    ("repair session.jsonl --dry-run", "Show what would change"),
    ("repair session.jsonl --pick", "Decide about each fix"),
    ("repair @claude-code --yes", "Repair all sessions of Claude Code without asking"),
];

/// Repair transcripts in place, or write repaired copies
///
/// Only safe fixes are applied: those that neither guess nor lose content. The original is kept in a journal, the written
/// bytes are read and checked again, and a transcript that another process is writing is not touched. At a terminal, you are
/// asked before files are changed, and which of several different results of a call is right.
#[derive(Clone, Debug, Args)]
#[command(
    after_long_help = examples(EXAMPLES),
    mut_arg("jobs", |jobs| jobs.help("Number of rows of standard input repaired at once [default: one per processor]"))
)]
pub struct RepairArgs {
    /// Files, folders, -, @HOST, @all, @latest, or session IDs
    ///
    /// A folder is searched for transcripts; - repairs standard input to standard output. Without a target, the sessions of
    /// the project in the current folder are repaired.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Show what would change and write nothing
    #[arg(short = 'n', long, conflicts_with = "output")]
    pub dry_run: bool,
    /// Write a repaired copy here (- for standard output)
    ///
    /// For a session of a database, a name that ends in `.sql` is a script that repairs it in its database, as soon as you
    /// run it. NAME.undo.sql, which is written with it, takes that back.
    #[arg(short, long, value_name = "PATH", requires = "targets")]
    pub output: Option<PathBuf>,
    /// Replace what exists at the path of --output
    #[arg(long, requires = "output", help_heading = WRITING, hide_short_help = true)]
    pub force: bool,
    /// Apply without asking
    ///
    /// Without a terminal, transcripts that were not named one by one (those of a folder, of @HOST or @all, of a project) are only
    /// repaired with this option.
    #[arg(short, long)]
    pub yes: bool,
    /// Decide about each fix, one by one, as with git add -p
    ///
    /// All fixes are offered, including those that guess or lose content. Where the results of a call differ, you choose which one to
    /// keep. What was picked is written in one go; one `undo` takes it back.
    #[arg(long, conflicts_with_all = ["yes", "dry_run", "error", "with_unsafe", "answer_pending", "prefer"])]
    pub pick: bool,
    /// Which fixes are applied.
    #[command(flatten)]
    pub(crate) fixes: FixArgs,
    /// Repair only what a pasted error is about (-: stdin)
    #[arg(long, value_name = "TEXT|-", allow_hyphen_values = true, help_heading = None)]
    pub error: Option<String>,
    /// With --rows --format jsonl -: rows that cannot be repaired do not fail the run
    ///
    /// Each line of standard input is then a conversation, and has exactly one record in the output: what is left to
    /// report, what was changed, and the row itself as `text`. Findings do not fail the run, and no journal is kept.
    #[arg(long, hide_short_help = true, help_heading = WRITING, requires = "rows")]
    pub rows_errors: bool,
    /// Do not print the difference
    #[arg(long, help_heading = WRITING, hide_short_help = true)]
    pub no_diff: bool,
    /// Write what would be done to this file, and nothing else; `--apply` does it
    ///
    /// The plan has the checksums of all files of the transcripts, and every edit. It holds texts of the transcripts.
    #[arg(long, value_name = "FILE", help_heading = WRITING, hide_short_help = true, requires = "targets",
          conflicts_with_all = ["output", "dry_run", "pick", "error", "apply"])]
    pub plan_out: Option<PathBuf>,
    /// Do what this plan says, if no byte of the transcripts has changed since it was made
    ///
    /// The transcripts and all options that choose fixes are those of the plan, and nothing is asked. The repair is worked
    /// out again, and done only if it is the one in the plan. A plan with fixes that guess or lose content also needs
    /// --unsafe.
    #[arg(long, value_name = "FILE", help_heading = WRITING, hide_short_help = true,
          conflicts_with_all = ["targets", "output", "pick", "error", "only", "answer_pending", "prefer", "call", "strategy",
                                "write_style", "rows", "from", "target", "client", "select", "extend_select", "ignore",
                                "min_confidence", "exclude", "since"])]
    pub apply: Option<PathBuf>,
    /// The plan that --apply names.
    #[arg(skip)]
    pub(super) reviewed: Option<Arc<Reviewed>>,
    /// Exit with status 1 if anything was written
    #[arg(long, help_heading = WRITING, hide_short_help = true, conflicts_with_all = ["dry_run", "plan_out"])]
    pub error_on_change: bool,
    /// Keep the time stamps of the files
    #[arg(long, help_heading = WRITING, hide_short_help = true, conflicts_with_all = NOT_IN_PLACE)]
    pub keep_mtime: bool,
    /// Keep the originals in this folder instead of the journal
    #[arg(long, value_name = "DIR", help_heading = WRITING, hide_short_help = true, conflicts_with = "no_backup",
          conflicts_with_all = NOT_IN_PLACE)]
    pub backup_dir: Option<PathBuf>,
    /// Keep no originals, only what `undo` needs
    #[arg(long, help_heading = WRITING, hide_short_help = true, conflicts_with_all = NOT_IN_PLACE)]
    pub no_backup: bool,
    /// Wait up to SECS for the writing process to exit
    #[arg(long, value_name = "SECS", default_value_t = 0, hide_default_value = true, help_heading = WRITING,
          hide_short_help = true, conflicts_with_all = NOT_IN_PLACE)]
    pub wait: u64,
    /// Write even if another process may be writing
    #[arg(long, conflicts_with_all = ["wait", "output"], help_heading = WRITING, hide_short_help = true)]
    pub force_live: bool,
    #[command(flatten)]
    pub(super) read: ReadArgs,
    #[command(flatten)]
    pub(super) judge: JudgeArgs,
    #[command(flatten)]
    pub(super) severity: SeverityArgs,
    #[command(flatten)]
    pub(super) config: ConfigArgs,
    #[command(flatten)]
    pub(super) jobs: JobArgs,
    #[command(flatten)]
    pub(super) print: PrintArgs,
    #[command(flatten)]
    pub(super) talk: TalkArgs,
    #[command(flatten)]
    pub(super) detail: DetailArgs,
    #[command(flatten)]
    pub(super) draw: DrawArgs,
}

impl RepairArgs {
    /// Whether the repaired copy goes to standard output.
    pub(super) fn is_filter(&self) -> bool {
        match &self.output {
            Some(path) => path.as_os_str() == "-",
            None => !self.is_dry() && self.targets.iter().any(|path| path.as_os_str() == "-"),
        }
    }

    /// Whether nothing is written to transcripts.
    pub(super) fn is_dry(&self) -> bool {
        self.dry_run || self.plan_out.is_some()
    }

    /// Whether each line of standard input is a row that may have a record of its own.
    pub(super) fn is_of_rows(&self) -> bool {
        let is_stdin = matches!(self.targets.as_slice(), [only] if only.as_os_str() == "-");
        is_stdin && self.fixes.rows && self.output.is_none() && !self.is_dry()
    }

    fn options(&self, app: &App<'_>, output: RepairOutput, plan: Planning) -> RepairOptions {
        let plan_out = self.plan_out.clone();
        RepairOptions {
            output,
            plan,
            reviewed: self.reviewed.clone(),
            plan_out: plan_out.map(|path| (path, apply::options_of(app.options, &self.fixes))),
            dry_run: self.is_dry(),
            force: self.force,
            yes: self.yes,
            pick: self.pick,
            no_diff: self.no_diff,
            error_on_change: self.error_on_change,
            keep_mtime: self.keep_mtime,
            backup_dir: self.backup_dir.clone(),
            no_backup: self.no_backup,
            wait: Duration::from_secs(self.wait),
            force_live: self.force_live,
        }
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
            rows: self.fixes.rows,
            fixes: Some(self.fixes.clone()),
            data_on_stdout: self.is_filter(),
            ..AskedOptions::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The command line asks for what cannot be done, or the report cannot be written.
pub(crate) fn run(app: &App<'_>, args: &RepairArgs) -> Result<u8> {
    let options = app.options;
    if options.output.parts.is_some() && options.reports.is_empty() && args.is_of_rows() {
        return rows(app, args);
    }
    if args.rows_errors {
        return Err(Error::usage(batch::NO_ROWS));
    }
    let is_dry = args.is_dry();
    let mut output = RepairOutput::of(args.output.as_deref(), &args.targets, is_dry)?;
    let stdin = args.targets.iter().any(|target| target.as_os_str() == "-");
    let text = args.error.as_deref();
    let paste = text.map(|text| paste::read(text, stdin)).transpose()?;
    if output == RepairOutput::Stdout {
        app.is_data("a copy on standard output")?;
    }
    let in_place = output == RepairOutput::InPlace;
    if in_place && !is_dry {
        finish(app)?;
    }
    let asked = app;
    let (mut app, mut finds) = find(asked, args)?;
    let decides = args.yes || args.pick || args.reviewed.is_some();
    if in_place && !is_dry && !decides && !finds.are_all_named() {
        can_ask(&app)?;
    }
    let policy = args.fixes.policy(app.options.format.is_some());
    let mut plan = Planning::new(app.options.check.clone(), policy);
    if in_place && (is_dry || args.reviewed.is_some()) {
        late::report(&app, Some(&finds.targets));
    } else if in_place && late::add(&app, &plan, [args.yes, args.force_live], &finds.targets)? {
        // The files are not those that were found before.
        (app, finds) = find(asked, args)?;
    }
    output.prepare(&finds, args.output.as_deref(), args.force, &app.options.reader)?;
    app.spare_paths(&mut args.output.iter().map(PathBuf::as_path))?;
    if let Some(path) = &args.plan_out {
        if stdin {
            return Err(Error::usage(
                "standard input cannot be repaired in place; write it to a file",
            ));
        }
        app.is_data("a plan")?;
        repair::spare_plan(&app, path)?;
    }
    if let Some(plan) = &args.reviewed {
        let paths = plan.paths();
        if paths.is_empty() {
            app.say(Tone::Dim, "the plan is empty: nothing to do");
            return Ok(exit::DONE);
        }
        // A folder may hold more than its plan names.
        finds.found.retain(|located| paths.contains(&located.path));
    }
    if let Some(paste) = &paste {
        plan = match restrict(&app, &finds, paste, plan)? {
            Ok(plan) => plan,
            Err(status) => return Ok(status),
        };
        if let Some(text) = text.filter(|_| args.dry_run || plan.check.blame.is_some()) {
            app = app.proposing(["--error".into(), text.into()]);
        }
    }
    if is_dry {
        app = app.proposing(args.fixes.repeated());
    }
    repair::all(&app, args.options(&app, output, plan), finds)
}

/// What is to be repaired.
fn find<'a>(app: &App<'a>, args: &RepairArgs) -> Result<(App<'a>, Finds)> {
    if args.reviewed.is_some() {
        return app.find_paths(args.targets.clone());
    }
    if args.targets.is_empty() {
        return app.find_project().ok_or_else(|| Error::usage(NO_PROJECT));
    }
    app.find(&args.targets)
}

/// What was not named one by one is repaired after a question.
///
/// # Errors
/// Nobody can be asked.
fn can_ask(app: &App<'_>) -> Result<()> {
    if streams::screen(!app.options.output.interactive).is_some() {
        return Ok(());
    }
    let next = &app.shown_style().next;
    let with = |option: &str| next.for_all("repair", &[option]).unwrap_or_else(|| option.into());
    Err(Error::usage(format!(
        "nobody can be asked here before transcripts are changed that were not named one by one.\n\
            Repair all of them:    {}\nSee what would change: {}",
        with("--yes"),
        with("--dry-run"),
    )))
}

/// Repairs rows of standard input, and prints a record for each.
fn rows(app: &App<'_>, args: &RepairArgs) -> Result<u8> {
    let useless = [
        (args.pick, "--pick"),
        (args.error.is_some(), "--error"),
        (args.error_on_change, "--error-on-change"),
    ];
    if let Some((_, option)) = useless.into_iter().find(|(typed, _)| *typed) {
        return Err(Error::usage(format!(
            "{option} does not work with repair --rows --format jsonl -"
        )));
    }
    app.is_data("the text of rows")?;
    let policy = args.fixes.policy(app.options.format.is_some());
    let planning = Planning { every_row: true, ..Planning::new(app.options.check.clone(), policy) };
    batch::rows(app, &BatchWork::Repair(&planning), args.rows_errors)
}
