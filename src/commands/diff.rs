//! `diff`: what `repair` would change or changed, or how two transcripts differ; reads only.

use std::path::PathBuf;

use clap::Args;

use super::help::{CommandExample, examples};
use crate::app::diff::{self, DiffView, PastRepair, past, planned, two};
use crate::app::{App, AskedOptions, Result, exit};
use crate::cli::FixArgs;
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
#[command(after_long_help = examples(EXAMPLES))]
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
    /// Show old and new texts beside each other, if the terminal is wide enough
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
    pub fixes: FixArgs,
}

impl DiffArgs {
    pub(super) fn asked(&self) -> AskedOptions<'_> {
        AskedOptions {
            rows: self.fixes.rows,
            fixes: Some(&self.fixes),
            paged: true,
            ..AskedOptions::default()
        }
    }

    /// Whether it compares what there is, and plans nothing.
    pub(super) fn compares(&self) -> bool {
        self.b.is_some() || self.op.is_some()
    }
}

/// Runs the command.
///
/// # Errors
/// A recording cannot be read, or the difference not be written.
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
