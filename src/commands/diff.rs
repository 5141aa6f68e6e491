//! `diff`: what `repair` would change or changed, or how two transcripts differ; reads only.

use std::path::PathBuf;

use clap::{Arg, Args};

use super::help::{CommandExample, examples};
use crate::app::diff::{self, DiffView, PastRepair, past, planned, two};
use crate::app::{App, Result, exit};
use crate::cli::{
    AskedOptions, ConfigArgs, DrawArgs, FixArgs, JudgeArgs, PagerArgs, PrintArgs, ReadArgs,
    TalkArgs,
};
use crate::diff::sides::FEWEST;
use crate::outputs::paint::Tone;

const EXAMPLES: &[CommandExample] = &[
    ("diff session.jsonl", "Preview a repair"),
    (
        "diff session.jsonl --as messages",
        "Compare the messages that the provider receives before and after",
    ),
    ("diff session.jsonl copy.jsonl", "Compare two transcripts"),
    ("diff --op last", "See what the last repair changed"),
];

/// Preview a repair, or compare two transcripts (read-only)
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES), mut_args(refusing))]
pub struct DiffArgs {
    /// Transcript whose repair to preview
    #[arg(value_name = "TARGET", required_unless_present = "op")]
    pub a: Option<PathBuf>,
    /// Transcript to compare it with instead
    #[arg(value_name = "OTHER")]
    pub b: Option<PathBuf>,
    /// Show what a past repair changed
    ///
    /// OP is the number of an operation, batch-N, or last; `undo --list` lists them. It does not matter whether the repair
    /// was undone, or what became of the transcript since.
    #[arg(long, value_name = "OP", conflicts_with = "b")]
    pub op: Option<PastRepair>,
    /// What to compare
    #[arg(long = "as", value_name = "VIEW", default_value = "records")]
    pub view: DiffView,
    /// Show old and new texts side by side, if the terminal is wide enough
    #[arg(long, hide_short_help = true)]
    pub side_by_side: bool,
    /// Show only counts
    #[arg(long)]
    pub stat: bool,
    /// Exit with status 1 if there are differences
    #[arg(long, hide_short_help = true)]
    pub exit_code: bool,
    /// Which fixes are applied.
    #[command(flatten)]
    pub(crate) fixes: FixArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    talk: TalkArgs,
    #[command(flatten)]
    draw: DrawArgs,
    #[command(flatten)]
    pager: PagerArgs,
}

impl DiffArgs {
    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            read: self.read.clone(),
            judge: self.judge.clone(),
            config: self.config.clone(),
            print: self.print.clone(),
            talk: self.talk.clone(),
            draw: self.draw.clone(),
            paged: !self.pager.no_pager,
            rows: self.fixes.rows,
            fixes: Some(self.fixes.clone()),
            ..AskedOptions::default()
        }
    }

    /// Whether it compares what there is, and plans nothing.
    pub(super) fn compares(&self) -> bool {
        self.b.is_some() || self.op.is_some()
    }
}

/// What decides how a repair is planned: nothing is, where two transcripts are compared.
const PLANNING: [&str; 15] = [
    "report",
    "client",
    "select",
    "extend_select",
    "ignore",
    "min_confidence",
    "config",
    "isolated",
    "with_unsafe",
    "only",
    "answer_pending",
    "prefer",
    "strategy",
    "write_style",
    "rows",
];

/// Says with which others an option does nothing.
fn refusing(option: Arg) -> Arg {
    match option.get_id().as_str() {
        id if PLANNING.contains(&id) => option.conflicts_with_all(["b", "op"]),
        "width" | "ascii" | "side_by_side" => option.conflicts_with("stat"),
        _ => option,
    }
}

/// Runs the command.
///
/// # Errors
/// A transcript cannot be read, or the difference not be written.
pub(crate) fn run(app: &App<'_>, args: &DiffArgs) -> Result<u8> {
    if args.view == DiffView::Raw && !args.stat {
        app.is_data("what --as raw writes")?;
    }
    let options = diff::DiffOptions { view: args.view, stat: args.stat, exit_code: args.exit_code };
    let mut app = app.clone();
    app.style.side_by_side = args.side_by_side && app.style.width >= FEWEST;
    if args.side_by_side && !app.style.side_by_side {
        let width = app.style.width;
        let why = format!(
            "--side-by-side needs {FEWEST} columns, not {width}; shown one below the other"
        );
        app.say(Tone::Dim, &why);
    }
    let app = &app;
    match (&args.op, &args.a, &args.b) {
        (Some(op), of, _) => past(app, &options, op, of.as_deref()),
        (None, Some(a), Some(b)) => two(app, &options, [a, b]),
        (None, Some(target), None) => planned(app, &options, &args.fixes, target),
        // Refused when the command line was parsed.
        (None, None, _) => Ok(exit::USAGE),
    }
}
