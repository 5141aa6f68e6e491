//! `diff`: what `repair` would change, or how two recordings differ; reads only.

use std::path::Path;

use anyhow::{Context, Result};

use super::difference::{self, Seen};
use super::exit::{self, Outcome};
use super::{Run, Usage, check, treat};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::Source;
use crate::cli::{Diff, ViewArg};
use crate::diff::between::between;
use crate::engine::judge;
use crate::find::{self, Finds, Found, Missed};
use crate::outputs::paint::{Tone, paint};
use crate::repair::{Plan, plan};
use crate::report::build::{conversation, name_of};
use crate::report::model::{Applied, Conversation};
use crate::report::text::Shown;

/// Runs the command.
///
/// # Errors
/// A recording cannot be read, or the difference not be written.
pub fn run(run: &mut Run<'_>, args: &Diff) -> Result<u8> {
    treat::choose(run, &args.treat);
    match &args.b {
        Some(other) => two(run, args, other),
        None => planned(run, args),
    }
}

/// What `repair` would do.
fn planned(run: &mut Run<'_>, args: &Diff) -> Result<u8> {
    let mut finds = run.find(std::slice::from_ref(&args.a))?;
    let policy = treat::policy(&args.treat);
    let mut conversations = Vec::new();
    let mut outcome = Outcome::default();
    for found in &finds.found {
        match plan(&found.source, &name_of(&found.path), &found.claim, &run.ask, &policy) {
            Ok(plan) => {
                outcome.left |= args.exit_code && !plan.patch.is_empty();
                if run.output.name == "json" {
                    conversations.push(entry(run, found, &plan)?);
                } else {
                    show(run, args, found, &plan)?;
                }
            }
            Err(crate::repair::Refused::Read(error)) => {
                finds.missed.push(Missed { path: found.path.clone(), why: error.to_string() });
            }
            Err(error) => {
                outcome.refused = true;
                run.say(Tone::Bad, &format!("{}: {error}", Shown::path(&found.path).whole()));
            }
        }
    }
    let mut report = check::report(conversations, &finds);
    outcome.not_examined = !finds.missed.is_empty();
    outcome.nothing = finds.found.is_empty() && finds.missed.is_empty() && !run.global.allow_empty;
    report.exit_code = outcome.status();
    if run.output.name == "json" {
        run.print(&report)?;
    } else {
        run.say_missed(&finds);
    }
    Ok(report.exit_code)
}

/// The conversation with what would be done to it.
fn entry(run: &Run<'_>, found: &Found, plan: &Plan) -> Result<Conversation> {
    let patched = Overlay::new(&found.source, &plan.patch);
    let old = Seen { entries: &found.source, judged: &plan.before };
    let new = Seen { entries: &patched, judged: plan.after() };
    let counts = difference::records(old, new, Some(&plan.patch))?.counts();
    let mut entry = conversation(&found.path, &found.source, &plan.before, run.ask.live);
    entry.applied = Some(Applied { planned_only: true, ..counts });
    Ok(entry)
}

fn show(run: &Run<'_>, args: &Diff, found: &Found, plan: &Plan) -> Result<()> {
    let patched = Overlay::new(&found.source, &plan.patch);
    let old = Seen { entries: &found.source, judged: &plan.before };
    let new = Seen { entries: &patched, judged: plan.after() };
    let title = format!("{}  what repair would change", Shown::path(&found.path).whole());
    if args.stat {
        let stat = difference::records(old, new, Some(&plan.patch))?.stat();
        return run.write(|out| writeln!(out, "{}: {stat}", Shown::path(&found.path).whole()));
    }
    match args.view {
        ViewArg::Raw => {
            let shape = found.source.shape();
            Ok(super::streams::quiet(difference::unified(
                run,
                &found.path,
                shape,
                &found.source,
                &plan.patch,
            ))?)
        }
        ViewArg::Records => {
            let records = difference::records(old, new, Some(&plan.patch))?;
            run.write(|out| {
                writeln!(out, "{}", paint(Tone::Strong, &title))?;
                records.write(out, &run.style)?;
                writeln!(out, "{}", records.stat())
            })
        }
        ViewArg::Messages => run.write(|out| {
            writeln!(out, "{}", paint(Tone::Strong, &title))?;
            let differs = difference::requests(old, new, out, &run.style)?;
            if differs { Ok(()) } else { writeln!(out, "the request stays the same") }
        }),
    }
}

/// How two recordings differ.
fn two(run: &mut Run<'_>, args: &Diff, other: &Path) -> Result<u8> {
    if args.view == ViewArg::Raw && !args.stat {
        let (Some(left), Some(right)) = (run.path_of(&args.a)?, run.path_of(other)?) else {
            return Ok(exit::NOTHING);
        };
        let (a, b) = (open(&left)?, open(&right)?);
        let patch = Patch::new(between(&a, &b)?).map_err(anyhow::Error::msg)?;
        super::streams::quiet(difference::unified(run, &left, a.shape(), &a, &patch))?;
        return Ok(status(args, !patch.is_empty()));
    }
    // One by one: a recording may be compared with itself.
    let (left, right) = (run.find(std::slice::from_ref(&args.a))?, run.find(&[other.to_owned()])?);
    let ([a], [b]) = (&left.found[..], &right.found[..]) else { return unequal(run, &left, &right) };
    let judged = |found: &Found| judge(&found.source, &name_of(&found.path), &found.claim, &run.ask);
    let (old, new) = (judged(a)?, judged(b)?);
    let (old, new) = (Seen { entries: &a.source, judged: &old }, Seen { entries: &b.source, judged: &new });
    let mut differs = false;
    if args.view == ViewArg::Messages && !args.stat {
        run.write(|out| {
            differs = difference::requests(old, new, out, &run.style)?;
            Ok(())
        })?;
    } else {
        let records = difference::records(old, new, None)?;
        differs = !records.rows.is_empty();
        run.write(|out| {
            if !args.stat {
                records.write(out, &run.style)?;
            }
            writeln!(out, "{}", records.stat())
        })?;
    }
    Ok(status(args, differs))
}

fn status(args: &Diff, differs: bool) -> u8 {
    Outcome { left: differs && args.exit_code, ..Outcome::default() }.status()
}

/// Bytes to compare, whatever they are.
fn open(path: &Path) -> Result<Source> {
    let source = if path.as_os_str() == "-" {
        Source::stdin()
    } else if path.is_dir() {
        find::open_folder(path)
    } else {
        Source::file(path)
    };
    source.with_context(|| Shown::path(path).whole())
}

/// Not one recording on each side.
fn unequal(run: &Run<'_>, left: &Finds, right: &Finds) -> Result<u8> {
    for finds in [left, right] {
        run.say_missed(finds);
    }
    if !left.missed.is_empty() || !right.missed.is_empty() {
        return Ok(exit::NOT_EXAMINED);
    }
    match (left.found.len(), right.found.len()) {
        (0, _) | (_, 0) if run.global.allow_empty => Ok(exit::DONE),
        (0, _) | (_, 0) => Ok(exit::NOTHING),
        (a, b) => Err(Usage(format!("one recording is compared with one other, not {a} with {b}")).into()),
    }
}
