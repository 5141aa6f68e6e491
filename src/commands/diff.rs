//! `diff`: what `repair` would change, or how two recordings differ; reads only.

use std::path::PathBuf;

use clap::Args;

use crate::app::diff::{self, View, planned, two};
use crate::app::{App, Asked, Result};
use crate::cli::FixArgs;

/// Show what repair would change, or how two recordings differ; reads only
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// What repair would change
    #[arg(value_name = "TARGET")]
    pub a: PathBuf,
    /// Compare TARGET with this recording instead
    #[arg(value_name = "OTHER")]
    pub b: Option<PathBuf>,
    /// What is compared
    #[arg(long = "as", value_name = "VIEW", default_value = "records")]
    pub view: View,
    /// Counts only
    #[arg(long)]
    pub stat: bool,
    /// Exit with 1 if there are differences
    #[arg(long)]
    pub exit_code: bool,
    /// Which treatments are taken.
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
