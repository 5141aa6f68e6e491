//! `diff`: what `repair` would change, or how two recordings differ; reads only.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::difference::{self, Seen};
use super::exit::{self, Outcome};
use super::plan::{self, Work};
use super::{App, Error, Result, judge as judged};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::bytes::source::Source;
use crate::cli::FixArgs;
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
use crate::report::rows::entry;
use crate::rows;

/// What `diff` compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Bytes: a unified diff for patch and git apply
    Raw,
    /// Records by id, their members by JSON pointer
    Records,
    /// The messages that the provider would receive
    Messages,
}

/// What of a difference is shown, and what it means.
pub(crate) struct Options {
    pub view: View,
    /// Counts only.
    pub stat: bool,
    /// A difference is a failure.
    pub exit_code: bool,
}

/// What `repair` would do.
pub(crate) fn planned(
    app: &App<'_>,
    options: &Options,
    fixes: &FixArgs,
    target: &PathBuf,
) -> Result<u8> {
    let (app, mut finds) = app.find(std::slice::from_ref(target))?;
    let app = &app.proposing(fixes.repeated());
    let policy = fixes.policy(app.options.format.is_some());
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
        match plan::make(&found, &app.options.check, &policy, &app.options.reader) {
            Ok(mut work) => {
                outcome.left |= options.exit_code && !work.patch.is_empty();
                let missed = std::mem::take(&mut work.missed).into_iter();
                finds
                    .missed
                    .extend(missed.map(|why| Missed::new(&found.path, why)));
                if !is_report(app) {
                    show(app, options, &policy, &work)?;
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
                app.say(
                    Tone::Bad,
                    &format!("{}: {error}", app.options.reader.path(&found.path)),
                );
            }
        }
    }
    let mut report = judged::report(app, conversations, &finds);
    outcome.not_examined = !finds.missed.is_empty();
    outcome.nothing = finds.found.is_empty() && finds.missed.is_empty() && !app.options.allow_empty;
    report.exit_code = outcome.status();
    if is_report(app) {
        app.print(report)?;
    } else {
        app.say_missed(&finds);
        app.keep(report)?;
    }
    Ok(outcome.status())
}

/// Whether a report is printed: a document, or nothing but the verdicts.
fn is_report(app: &App<'_>) -> bool {
    app.options.output.document || app.style.detail < Detail::Normal
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

fn show(app: &App<'_>, options: &Options, policy: &Policy, work: &Work<'_>) -> Result<()> {
    let found = work.found;
    let path = app.options.reader.path(&found.path);
    if options.stat || app.options.output.counts_only {
        let path = paint(Tone::Strong, &path).to_string();
        return app.write(|out| writeln!(out, "{path}: {}", stat(&work.counts)));
    }
    match options.view {
        View::Raw => {
            let shape = found.source.shape();
            let told = difference::unified(app, &found.path, shape, &found.source, &work.patch);
            Ok(super::streams::quiet(told)?)
        }
        View::Records => app.write(|out| {
            for part in &work.parts {
                let place = app.read(part.before.clone()).place();
                writeln!(out, "{}", title(&place))?;
                part.records.write(out, &app.style)?;
            }
            writeln!(out, "{}", stat(&work.counts))?;
            work.remarks
                .iter()
                .try_for_each(|remark| writeln!(out, "{remark}"))
        }),
        View::Messages => app.write(|out| match (work.judged(), work.after()) {
            (Some(before), Some(after)) => {
                let patched = Overlay::new(&found.source, &work.patch);
                requests(
                    app,
                    found,
                    &path,
                    [(&found.source, before), (&patched, after)],
                    out,
                )
            }
            _ => each_request(app, found, policy, out),
        }),
    }
}

fn title(place: &str) -> String {
    paint(Tone::Strong, &format!("{place}  what repair would change")).to_string()
}

type Judgment<'a> = (&'a dyn Entries, &'a Judged);

fn requests(
    app: &App<'_>,
    found: &Found,
    place: &str,
    both: [Judgment<'_>; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", title(place))?;
    let [old, new] = both.map(|(entries, judged)| Seen { entries, judged });
    let name = name_of(&found.path);
    let differs = difference::requests(
        (old, new),
        (&name, &name),
        out,
        (&app.style, &app.options.reader),
    )?;
    if differs {
        Ok(())
    } else {
        writeln!(out, "the request stays the same")
    }
}

/// The requests of the rows that would be changed.
fn each_request(
    app: &App<'_>,
    found: &Found,
    policy: &Policy,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut done = Ok(());
    let planned = rows::plan(
        &found.source,
        &name_of(&found.path),
        &found.claim,
        &app.options.check,
        policy,
        &mut |seen| {
            if let rows::Seen::Conversation(own) = &seen
                && let Some(plan) = own.plan()
                && !plan.patch.is_empty()
                && done.is_ok()
            {
                let place = app.read(entry(&found.path, own, false)).place();
                let (window, judged) = (own.entries, own.judged());
                let patched = Overlay::new(window, &plan.patch);
                done = requests(
                    app,
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
pub(crate) fn two(app: &App<'_>, options: &Options, [a, b]: [&PathBuf; 2]) -> Result<u8> {
    let quiet = app.style.detail < Detail::Normal;
    if options.view == View::Raw && !options.stat {
        let (Some(left), Some(right)) = (app.path_of(a)?, app.path_of(b)?) else {
            return Ok(exit::NOTHING);
        };
        let (a, b) = (open(app, &left)?, open(app, &right)?);
        let patch = Patch::new(between(&a, &b)?).map_err(io::Error::other)?;
        if quiet {
            let (app, left) = app.find(&[left])?;
            let (app, right) = app.find(&[right])?;
            verdicts(&app, left, right)?;
        } else {
            super::streams::quiet(difference::unified(app, &left, a.shape(), &a, &patch))?;
        }
        return Ok(status(options, !patch.is_empty()));
    }
    // One by one: a recording may be compared with itself.
    let (app, left) = app.find(std::slice::from_ref(a))?;
    let (app, right) = app.find(std::slice::from_ref(b))?;
    let app = &app;
    let ([a], [b]) = (&left.found[..], &right.found[..]) else {
        return unequal(app, &left, &right);
    };
    let judged = |found: &Found| {
        judge(
            &found.source,
            &name_of(&found.path),
            &found.claim,
            &app.options.check,
        )
    };
    if [a, b]
        .iter()
        .any(|located| located.claim.conversations.are_rows())
    {
        return Err(Error::usage(
            "recordings of many conversations are compared with --as raw",
        ));
    }
    let open = |located: &Located| {
        located.open().map_err(|source| Error::Open {
            place: app.options.reader.path(&located.path),
            source,
        })
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
    let differs = if options.view == View::Messages && !options.stat {
        let names = (name_of(&a.path), name_of(&b.path));
        let (names, how) = (
            (names.0.as_str(), names.1.as_str()),
            (&app.style, &app.options.reader),
        );
        difference::requests((old, new), names, &mut told, how)?
    } else {
        let records = difference::records(old, new, None, &app.options.reader)?;
        if options.stat {
            let places = [&a, &b]
                .map(|found| app.options.reader.path(&found.path))
                .join("..");
            write!(told, "{}: ", paint(Tone::Strong, &places))?;
        } else {
            records.write(&mut told, &app.style)?;
        }
        writeln!(told, "{}", records.stat())?;
        !records.rows.is_empty()
    };
    if quiet {
        verdicts(app, left, right)?;
    } else {
        app.write(|out| out.write_all(&told))?;
    }
    Ok(status(options, differs))
}

/// The verdicts of two recordings.
fn verdicts(app: &App<'_>, mut left: Finds, mut right: Finds) -> Result<()> {
    let mut conversations = judged::all(app, &mut left);
    conversations.extend(judged::all(app, &mut right));
    left.missed.append(&mut right.missed);
    app.print(judged::report(app, conversations, &left))
}

fn status(options: &Options, differs: bool) -> u8 {
    Outcome {
        left: differs && options.exit_code,
        ..Outcome::default()
    }
    .status()
}

/// Bytes to compare, whatever they are.
fn open(app: &App<'_>, path: &Path) -> Result<Source> {
    let source = if path.as_os_str() == "-" {
        Source::stdin()
    } else if path.is_dir() {
        find::open_folder(path)
    } else {
        Source::file(path)
    };
    source.map_err(Error::at(app.options.reader.path(path)))
}

/// Not one recording on each side.
fn unequal(app: &App<'_>, left: &Finds, right: &Finds) -> Result<u8> {
    for finds in [left, right] {
        app.say_missed(finds);
    }
    if !left.missed.is_empty() || !right.missed.is_empty() {
        return Ok(exit::NOT_EXAMINED);
    }
    match (left.found.len(), right.found.len()) {
        (0, _) | (_, 0) if app.options.allow_empty => Ok(exit::DONE),
        (0, _) | (_, 0) => Ok(exit::NOTHING),
        (a, b) => Err(Error::usage(format!(
            "one recording is compared with one other, not {a} with {b}"
        ))),
    }
}
