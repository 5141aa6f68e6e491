//! `check`: what is wrong; reads only.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::CommandFactory;

use super::exit::{self, Outcome};
use super::{Run, late, owner, parallel};
use crate::cli::{Check, Cli};
use crate::engine::{self, Blame, CheckOptions, Judged, judge};
use crate::find::name_of;
use crate::find::{Finds, Found, Located, Missed};
use crate::journal::Journal;
use crate::live::Looks;
use crate::outputs::paint::Tone;
use crate::report::build::conversation;
use crate::report::fold::folded;
use crate::report::model::{Conversation, Report, Selection, Verdict};
use crate::report::rows::{Sheet, Told};
use crate::report::text::Shown;
use crate::rows;
use crate::transcript::Transcript;

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
    report.exit_code = if args.exit_zero {
        exit::DONE
    } else {
        outcome(run, &report).status()
    };
    run.print(&report)?;
    Ok(report.exit_code)
}

/// The report entries of all transcripts found. `finds` collects what could not be read.
pub(super) fn all(run: &Run<'_>, finds: &mut Finds) -> Vec<Conversation> {
    let world = owner::Once::look();
    let open = |located: &Located| one(run, &located.open()?, &world);
    let judged = parallel::each(run.jobs, &finds.found, |located| located.size, open);
    let mut conversations: Vec<Conversation> = Vec::with_capacity(judged.len());
    for (located, judged) in finds.found.iter().zip(judged) {
        match judged {
            Ok(told) => {
                conversations.extend(told.conversations);
                let missed = told.missed.into_iter();
                finds
                    .missed
                    .extend(missed.map(|why| Missed::new(&located.path, why)));
            }
            Err(why) => finds.missed.push(Missed::new(&located.path, why)),
        }
    }
    conversations
}

/// Nothing was named, and nothing is recorded of what is done here: says what could be done, as for any command line that
/// lacks something.
fn what_it_can_do(run: &Run<'_>) -> Result<u8> {
    if run.global.allow_empty {
        run.print(&Report::new(Vec::new(), Vec::new(), Vec::new()))?;
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
            let (op, shown) = (operation.op, Shown::path(path));
            let next = run
                .style
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

/// The entries of a recording.
///
/// # Errors
/// It cannot be read, in words for the user.
pub(super) fn one(run: &Run<'_>, found: &Found, world: &owner::Once) -> Result<Told, String> {
    if found.claim.conversations.are_rows() {
        let live = is_live(found, world);
        let mut sheet =
            Sheet::new(&found.path, found.claim.format, live).with_every_row(run.every_row());
        rows_of(run, found, live, &mut |seen| sheet.add(&seen))?;
        return Ok(sheet.finish());
    }
    let (judged, live) = judged(run, found, world)?;
    let mut told = folded(conversation(&found.path, &found.source, &judged, live));
    told.remarks.extend(told.hint.clone());
    Ok(Told {
        conversations: vec![told],
        missed: Vec::new(),
    })
}

/// Whether somebody is writing a recording of many conversations.
pub(super) fn is_live(found: &Found, world: &owner::Once) -> bool {
    owner::of(world, found, &Transcript::default(), Looks::Once).is_live()
}

/// Every row of a recording, judged.
///
/// # Errors
/// It cannot be read, in words for the user.
pub(super) fn rows_of(
    run: &Run<'_>,
    found: &Found,
    live: bool,
    each: rows::Each<'_>,
) -> Result<(), String> {
    let ask = CheckOptions {
        live,
        ..run.ask.clone()
    };
    let judged = rows::judge(
        &found.source,
        &name_of(&found.path),
        &found.claim,
        &ask,
        each,
    );
    judged.map_err(|error| error.to_string())
}

/// A recording, judged, and whether somebody is writing it.
///
/// # Errors
/// It cannot be read, in words for the user.
pub(super) fn judged(
    run: &Run<'_>,
    found: &Found,
    world: &owner::Once,
) -> Result<(Judged, bool), String> {
    let name = name_of(&found.path);
    let judge = |ask: &CheckOptions| {
        judge(&found.source, &name, &found.claim, ask).map_err(|error| error.to_string())
    };
    let mut judged = judge(&run.ask)?;
    let live = owner::of(world, found, &judged.transcript, Looks::Once).is_live();
    if live {
        // What looks torn may be a record that is just being written.
        judged = judge(&CheckOptions {
            live,
            ..run.ask.clone()
        })?;
    }
    Ok((judged, live))
}

/// As [`judged`], asked again with what a text blames.
pub(super) fn blamed(
    run: &Run<'_>,
    found: &Found,
    live: bool,
    blame: Blame,
) -> Result<Judged, String> {
    let ask = CheckOptions {
        live,
        blame: Some(blame),
        ..run.ask.clone()
    };
    judge(&found.source, &name_of(&found.path), &found.claim, &ask)
        .map_err(|error| error.to_string())
}

/// The report of a run over these finds.
pub(super) fn report(run: &Run<'_>, mut conversations: Vec<Conversation>, finds: &Finds) -> Report {
    let parents: HashMap<Shown, &Located> = finds
        .found
        .iter()
        .filter_map(|f| Some((Shown::path(&f.path), finds.found.get(f.parent?)?)))
        .collect();
    for conversation in &mut conversations {
        conversation.parent = parents
            .get(&conversation.path)
            .map(|parent| Shown::path(&parent.path));
    }
    let missed = finds.missed.iter().map(super::not_examined).collect();
    let skipped = finds.skipped.iter().map(super::skipped).collect();
    let engine::Selection { select, ignore } = run.ask.selection.clone();
    let selection =
        (!select.is_empty() || !ignore.is_empty()).then_some(Selection { select, ignore });
    Report {
        selection,
        ..Report::new(conversations, missed, skipped)
    }
}

/// What the findings of a report come to.
pub(super) fn outcome(run: &Run<'_>, report: &Report) -> Outcome {
    let unknown = report
        .conversations
        .iter()
        .any(|c| c.verdict == Verdict::Unknown);
    let empty = report.conversations.is_empty() && report.not_examined.is_empty();
    Outcome {
        unconfirmed: false,
        refused: false,
        not_examined: unknown || !report.not_examined.is_empty(),
        left: report.reaches(run.fail_on),
        nothing: empty && !run.global.allow_empty,
    }
}
