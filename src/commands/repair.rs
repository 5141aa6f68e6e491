//! `repair`: the plan that `diff` shows, written and proved.

use std::path::PathBuf;

use anyhow::Result;

use crate::app::explain::paste;
use crate::app::repair::{self, Output, restrict, settle};
use crate::app::{Run, late, treat};
use crate::cli::Repair;

/// Runs the command.
///
/// # Errors
/// The command line asks for what cannot be done, or the report cannot be written.
pub(crate) fn run(run: &mut Run<'_>, args: &Repair) -> Result<u8> {
    treat::choose(run, &args.treat);
    let mut output = Output::of(args)?;
    let stdin = args.targets.iter().any(|target| target.as_os_str() == "-");
    let paste = args
        .error
        .as_deref()
        .map(|text| paste::read(text, stdin))
        .transpose()?;
    run.data_on_stdout = output == Output::Stdout;
    if run.data_on_stdout {
        run.style.links = None;
    }
    if run.data_on_stdout {
        run.is_data("a copy on standard output")?;
    }
    if output == Output::InPlace && !args.dry_run {
        settle(run)?;
    }
    let mut finds = run.find(&args.targets)?;
    if output == Output::InPlace {
        match args.dry_run {
            true => late::tell(run, Some(&finds.targets)),
            false if late::add(run, args, &finds.targets)? => finds = run.find(&args.targets)?,
            false => {}
        }
    }
    output.prepare(&finds, args, &run.reader)?;
    run.spare_paths(&mut args.output.iter().map(PathBuf::as_path))?;
    let mut policy = treat::policy(run, &args.treat);
    if let Some(paste) = &paste {
        match restrict(run, &finds, paste)? {
            Ok(focus) => policy.focus = Some(focus),
            Err(status) => return Ok(status),
        }
        if let Some(text) = args
            .error
            .as_deref()
            .filter(|_| args.dry_run || run.ask.blame.is_some())
        {
            run.style
                .next
                .options
                .extend(["--error".into(), text.into()]);
        }
    }
    if args.dry_run {
        run.style.next.options.extend(treat::repeated(&args.treat));
    }
    repair::all(run, args, policy, output, finds)
}
