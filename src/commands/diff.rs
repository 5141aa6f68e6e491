//! `diff`: what `repair` would change, or how two recordings differ; reads only.

use anyhow::Result;

use crate::app::diff::{planned, two};
use crate::app::{Run, treat};
use crate::cli::{Diff, ViewArg};

/// Runs the command.
///
/// # Errors
/// A recording cannot be read, or the difference not be written.
pub(crate) fn run(run: &mut Run<'_>, args: &Diff) -> Result<u8> {
    treat::choose(run, &args.treat);
    if args.view == ViewArg::Raw && !args.stat {
        run.is_data("what --as raw writes")?;
    }
    match &args.b {
        Some(other) => two(run, args, other),
        None => planned(run, args),
    }
}
