//! `redact`: a copy without anything that somebody said, proved to have the same findings.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::app::exit::{self, Outcome};
use crate::app::redact::one;
use crate::app::{Run, Usage, place};
use crate::cli::{Redact, RedactArg};
use crate::find::Located;
use crate::outputs::paint::Tone;

/// Runs the command.
///
/// # Errors
/// The command line cannot be done, or nothing can be printed.
pub(crate) fn run(run: &mut Run<'_>, args: &Redact) -> Result<u8> {
    if run.global.redact == RedactArg::Off {
        return Err(Usage("--redact off leaves nothing to do".to_owned()).into());
    }
    run.by_rows(args.rows);
    let finds = run.find(std::slice::from_ref(&args.recording))?;
    run.say_missed(&finds);
    let to_stdout = args.output.as_os_str() == "-";
    if to_stdout && (finds.found.len() > 1 || finds.found.iter().any(|found| found.path.is_dir())) {
        return Err(Usage(
            "one file can go to standard output; name a path with --output".to_owned(),
        )
        .into());
    }
    run.data_on_stdout = to_stdout;
    let output = if to_stdout || finds.found.is_empty() {
        args.output.clone()
    } else {
        copy_of(run, args, &finds.found)?
    };
    let mut outcome = Outcome {
        not_examined: !finds.missed.is_empty(),
        nothing: finds.found.is_empty() && finds.missed.is_empty() && !run.global.allow_empty,
        ..Outcome::default()
    };
    for located in &finds.found {
        let out = below(&args.recording, located, &output);
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => {
                outcome.not_examined = true;
                run.say_not_checked(&located.path, &why);
                continue;
            }
        };
        if let Err(why) = one(run, &found, &out, args.force) {
            outcome.refused = true;
            run.say(
                Tone::Bad,
                &format!("refused: {}: {why}", run.reader.path(&found.path)),
            );
        }
    }
    if outcome.nothing {
        return Ok(exit::NOTHING);
    }
    Ok(outcome.status())
}

/// The path of the copy of what was named.
///
/// # Errors
/// There can be none, in words for the user.
fn copy_of(run: &Run<'_>, args: &Redact, found: &[Located]) -> Result<PathBuf> {
    // A session's id is in many names, and strict copies have other ids.
    let tells = run.global.redact == RedactArg::Strict || args.recording.as_os_str() == "-";
    // A session that was named by its id.
    let session = found
        .first()
        .filter(|_| !args.recording.exists())
        .map(|found| found.path.as_path());
    let source = session.unwrap_or(&args.recording);
    let name = source.file_name().filter(|_| !tells).map(redacted);
    let out = place::of_copy(source, &args.output, name.as_deref(), &run.reader)?;
    place::is_free(&out, args.force, &run.reader)?;
    Ok(out)
}

/// `run.redacted.jsonl`, of `run.jsonl`.
fn redacted(name: &OsStr) -> OsString {
    let name = Path::new(name);
    let mut out = name.file_stem().unwrap_or_default().to_owned();
    out.push(".redacted");
    if let Some(ending) = name.extension() {
        out.push(".");
        out.push(ending);
    }
    out
}

/// Where the copy of a recording goes: what was named becomes `out`, what was found in it lies there in the same way.
fn below(target: &Path, found: &Located, out: &Path) -> PathBuf {
    match found.path.strip_prefix(target) {
        Ok(below) if !below.as_os_str().is_empty() => out.join(below),
        _ => out.to_owned(),
    }
}
