//! `diff`: what `repair` would change, or how two recordings differ; reads only.

use std::path::PathBuf;

use clap::Args;

use super::help::{Example, examples};
use crate::app::diff::{self, View, planned, two};
use crate::app::{App, Asked, Result};
use crate::cli::FixArgs;

const EXAMPLES: &[Example] = &[
    ("diff session.jsonl", "Preview a repair"),
    (
        "diff session.jsonl --unsafe",
        "Preview a repair with the fixes that guess or lose content",
    ),
    (
        "diff session.jsonl --as messages",
        "Compare the messages that the provider receives before and after",
    ),
    ("diff session.jsonl copy.jsonl", "Compare two transcripts"),
];

/// Preview a repair, or compare two transcripts (read-only)
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct DiffArgs {
    /// Transcript whose repair to preview
    #[arg(value_name = "TARGET")]
    pub a: PathBuf,
    /// Transcript to compare it with instead
    #[arg(value_name = "OTHER")]
    pub b: Option<PathBuf>,
    /// What to compare
    #[arg(long = "as", value_name = "VIEW", default_value = "records")]
    pub view: View,
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
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked {
            rows: self.fixes.rows,
            fixes: Some(&self.fixes),
            ..Asked::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// A recording cannot be read, or the difference not be written.
pub(crate) fn run(app: &App<'_>, args: &DiffArgs) -> Result<u8> {
    if args.view == View::Raw && !args.stat {
        app.is_data("what --as raw writes")?;
    }
    let options = diff::Options {
        view: args.view,
        stat: args.stat,
        exit_code: args.exit_code,
    };
    match &args.b {
        Some(other) => two(app, &options, [&args.a, other]),
        None => planned(app, &options, &args.fixes, &args.a),
    }
}
