//! `diff`: what `repair` would change, or how two recordings differ; reads only.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::difference::{self, Seen};
use super::exit::{self, Outcome};
use super::plan::{self, Work};
use super::{Run, Usage, judge as judged, treat};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::bytes::source::Source;
use crate::cli::{Diff, ViewArg};
use crate::diff::between::between;
use crate::diff::records::stat;
use crate::engine::Judged;
use crate::engine::judge;
use crate::find::name_of;
use crate::find::{self, Finds, Found, Located, Missed};
use crate::outputs::Detail;
use crate::outputs::paint::{Tone, paint};
use crate::repair::Policy;
use crate::report::model::{Applied, Conversation};
use crate::report::rows::of_row;
use crate::rows;

/// What `repair` would do.
pub(crate) fn planned(run: &mut Run<'_>, args: &Diff) -> Result<u8> {
    let mut finds = run.find(std::slice::from_ref(&args.a))?;
    let policy = treat::policy(run, &args.treat);
    run.style.next.options.extend(treat::repeated(&args.treat));
    let mut conversations = Vec::new();
    let mut outcome = Outcome::default();
    for located in &finds.found {
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => {
                finds.missed.push(Missed::new(&located.path, why));
                continue;
            }
        };
        match plan::make(&found, &run.ask, &policy, &run.reader) {
            Ok(mut work) => {
                outcome.left |= args.exit_code && !work.patch.is_empty();
                let missed = std::mem::take(&mut work.missed).into_iter();
                finds
                    .missed
                    .extend(missed.map(|why| Missed::new(&found.path, why)));
                if !is_report(run) {
                    show(run, args, &policy, &work)?;
                }
                conversations.extend(entries(work));
            }
            Err(crate::repair::Refused::Read(error)) => {
                finds
                    .missed
                    .push(Missed::new(&found.path, error.to_string()));
            }
            Err(error) => {
                outcome.refused = true;
                run.say(
                    Tone::Bad,
                    &format!("{}: {error}", run.reader.path(&found.path)),
                );
            }
        }
    }
    let mut report = judged::report(run, conversations, &finds);
    outcome.not_examined = !finds.missed.is_empty();
    outcome.nothing = finds.found.is_empty() && finds.missed.is_empty() && !run.global.allow_empty;
    report.exit_code = outcome.status();
    if is_report(run) {
        run.print(report)?;
    } else {
        run.say_missed(&finds);
        run.keep(report)?;
    }
    Ok(outcome.status())
}

/// Whether a report is printed: a document, or nothing but the verdicts.
fn is_report(run: &Run<'_>) -> bool {
    run.output.document || run.style.detail < Detail::Normal
}

/// The recording's entries, with what would be done to it.
fn entries(work: Work<'_>) -> Vec<Conversation> {
    let mut entries = work.before;
    if let Some(own) = entries.first_mut() {
        own.applied = Some(Applied {
            planned_only: true,
            ..work.counts
        });
        own.remarks.extend(work.remarks);
    }
    entries
}

fn show(run: &Run<'_>, args: &Diff, policy: &Policy, work: &Work<'_>) -> Result<()> {
    let found = work.found;
    let path = run.reader.path(&found.path);
    if args.stat || run.output.name == "concise" {
        let path = paint(Tone::Strong, &path).to_string();
        return run.write(|out| writeln!(out, "{path}: {}", stat(&work.counts)));
    }
    match args.view {
        ViewArg::Raw => {
            let shape = found.source.shape();
            let told = difference::unified(run, &found.path, shape, &found.source, &work.patch);
            Ok(super::streams::quiet(told)?)
        }
        ViewArg::Records => run.write(|out| {
            for part in &work.parts {
                let place = run.read(part.before.clone()).place();
                writeln!(out, "{}", title(&place))?;
                part.records.write(out, &run.style)?;
            }
            writeln!(out, "{}", stat(&work.counts))?;
            work.remarks
                .iter()
                .try_for_each(|remark| writeln!(out, "{remark}"))
        }),
        ViewArg::Messages => run.write(|out| match (work.judged(), work.after()) {
            (Some(before), Some(after)) => {
                let patched = Overlay::new(&found.source, &work.patch);
                requests(
                    run,
                    found,
                    &path,
                    [(&found.source, before), (&patched, after)],
                    out,
                )
            }
            _ => each_request(run, found, policy, out),
        }),
    }
}

fn title(place: &str) -> String {
    paint(Tone::Strong, &format!("{place}  what repair would change")).to_string()
}

type Judgment<'a> = (&'a dyn Entries, &'a Judged);

fn requests(
    run: &Run<'_>,
    found: &Found,
    place: &str,
    both: [Judgment<'_>; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", title(place))?;
    let [old, new] = both.map(|(entries, judged)| Seen { entries, judged });
    let name = name_of(&found.path);
    let differs = difference::requests((old, new), (&name, &name), out, (&run.style, &run.reader))?;
    if differs {
        Ok(())
    } else {
        writeln!(out, "the request stays the same")
    }
}

/// The requests of the rows that would be changed.
fn each_request(
    run: &Run<'_>,
    found: &Found,
    policy: &Policy,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut done = Ok(());
    let planned = rows::plan(
        &found.source,
        &name_of(&found.path),
        &found.claim,
        &run.ask,
        policy,
        &mut |seen| {
            if let rows::Seen::Row {
                row,
                at,
                window,
                judged,
                plan: Some(plan),
            } = seen
                && !plan.patch.is_empty()
                && done.is_ok()
            {
                let row = of_row(&found.path, row, at, window, judged, false);
                let place = run.read(row).place();
                let patched = Overlay::new(window, &plan.patch);
                done = requests(
                    run,
                    found,
                    &place,
                    [(window, judged), (&patched, plan.after())],
                    out,
                );
            }
        },
    );
    planned.map_err(io::Error::other)?;
    done
}

/// How two recordings differ; of the quiet only their verdicts.
pub(crate) fn two(run: &mut Run<'_>, args: &Diff, other: &Path) -> Result<u8> {
    let quiet = run.style.detail < Detail::Normal;
    if args.view == ViewArg::Raw && !args.stat {
        let (Some(left), Some(right)) = (run.path_of(&args.a)?, run.path_of(other)?) else {
            return Ok(exit::NOTHING);
        };
        let (a, b) = (open(run, &left)?, open(run, &right)?);
        let patch = Patch::new(between(&a, &b)?).map_err(anyhow::Error::msg)?;
        if quiet {
            let (left, right) = (run.find(&[left])?, run.find(&[right])?);
            verdicts(run, left, right)?;
        } else {
            super::streams::quiet(difference::unified(run, &left, a.shape(), &a, &patch))?;
        }
        return Ok(status(args, !patch.is_empty()));
    }
    // One by one: a recording may be compared with itself.
    let (left, right) = (
        run.find(std::slice::from_ref(&args.a))?,
        run.find(&[other.to_owned()])?,
    );
    let ([a], [b]) = (&left.found[..], &right.found[..]) else {
        return unequal(run, &left, &right);
    };
    let judged =
        |found: &Found| judge(&found.source, &name_of(&found.path), &found.claim, &run.ask);
    if [a, b]
        .iter()
        .any(|located| located.claim.conversations.are_rows())
    {
        return Err(Usage(
            "recordings of many conversations are compared with --as raw".to_owned(),
        )
        .into());
    }
    let open = |located: &Located| {
        let name = || run.reader.path(&located.path);
        located
            .open()
            .map_err(anyhow::Error::msg)
            .with_context(name)
    };
    let (a, b) = (open(a)?, open(b)?);
    let (old, new) = (judged(&a)?, judged(&b)?);
    let (old, new) = (
        Seen {
            entries: &a.source,
            judged: &old,
        },
        Seen {
            entries: &b.source,
            judged: &new,
        },
    );
    let mut told = Vec::new();
    let differs = if args.view == ViewArg::Messages && !args.stat {
        let names = (name_of(&a.path), name_of(&b.path));
        let (names, how) = (
            (names.0.as_str(), names.1.as_str()),
            (&run.style, &run.reader),
        );
        difference::requests((old, new), names, &mut told, how)?
    } else {
        let records = difference::records(old, new, None, &run.reader)?;
        if args.stat {
            let places = [&a, &b]
                .map(|found| run.reader.path(&found.path))
                .join("..");
            write!(told, "{}: ", paint(Tone::Strong, &places))?;
        } else {
            records.write(&mut told, &run.style)?;
        }
        writeln!(told, "{}", records.stat())?;
        !records.rows.is_empty()
    };
    if quiet {
        verdicts(run, left, right)?;
    } else {
        run.write(|out| out.write_all(&told))?;
    }
    Ok(status(args, differs))
}

/// The verdicts of two recordings.
fn verdicts(run: &Run<'_>, mut left: Finds, mut right: Finds) -> Result<()> {
    let mut conversations = judged::all(run, &mut left);
    conversations.extend(judged::all(run, &mut right));
    left.missed.append(&mut right.missed);
    run.print(judged::report(run, conversations, &left))
}

fn status(args: &Diff, differs: bool) -> u8 {
    Outcome {
        left: differs && args.exit_code,
        ..Outcome::default()
    }
    .status()
}

/// Bytes to compare, whatever they are.
fn open(run: &Run<'_>, path: &Path) -> Result<Source> {
    let source = if path.as_os_str() == "-" {
        Source::stdin()
    } else if path.is_dir() {
        find::open_folder(path)
    } else {
        Source::file(path)
    };
    source.with_context(|| run.reader.path(path))
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
        (a, b) => Err(Usage(format!(
            "one recording is compared with one other, not {a} with {b}"
        ))
        .into()),
    }
}
