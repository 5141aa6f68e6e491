//! `check`: what is wrong; reads only.

use std::path::PathBuf;

use anyhow::Result;
use clap::CommandFactory;

use crate::app::judge::{all, outcome, report};
use crate::app::{Run, exit, late};
use crate::cli::{Check, Cli};
use crate::journal::Journal;
use crate::outputs::paint::Tone;
use crate::report::model::Report;
use crate::report::text::Shown;

/// Runs the command.
///
/// # Errors
/// The report cannot be written.
pub(crate) fn run(run: &mut Run<'_>, args: &Check) -> Result<u8> {
    run.by_rows(args.rows);
    let mut finds = match args.targets.as_slice() {
        [] => match run.find_project() {
            Some(finds) => finds,
            None => return what_it_can_do(run),
        },
        targets => run.find(targets)?,
    };
    run.spare(&finds)?;
    unfinished(run, &finds.targets);
    late::tell(run, Some(&finds.targets));
    let conversations = all(run, &mut finds);
    let mut report = report(run, conversations, &finds);
    let status = if args.exit_zero {
        exit::DONE
    } else {
        outcome(run, &report).status()
    };
    report.exit_code = status;
    run.print(report)?;
    Ok(status)
}

/// Nothing was named, and nothing is recorded of what is done here: says what could be done, as for any command line that
/// lacks something.
fn what_it_can_do(run: &Run<'_>) -> Result<u8> {
    if run.global.allow_empty {
        run.print(Report::new(Vec::new(), Vec::new(), Vec::new()))?;
        return Ok(exit::DONE);
    }
    run.say(
        Tone::Dim,
        Cli::command().render_help().to_string().trim_end(),
    );
    run.say(
        Tone::Warn,
        "\nno session of a known host was started in this folder: name what to look at",
    );
    Ok(exit::USAGE)
}

/// Tells of repairs of these recordings that were interrupted. They are settled by the next one.
fn unfinished(run: &Run<'_>, targets: &[PathBuf]) {
    let open = Journal::standard()
        .and_then(|journal| journal.unfinished().ok())
        .unwrap_or_default();
    for operation in open {
        let path = &operation.place.path;
        if late::concerns(targets, path) {
            let (op, shown) = (operation.op, run.read(Shown::path(path)));
            let next = run
                .shown_style()
                .next
                .for_path("repair", &[], &shown)
                .unwrap_or_default();
            run.say(
                Tone::Warn,
                &format!(
                    "{}: operation {op} was interrupted; settle it with  {next}",
                    shown.whole()
                ),
            );
        }
    }
}
