//! `diff`: what `repair` would change or changed, or how two transcripts differ; reads only.

mod past;
mod two;

use std::io::{self, Seek, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use tempfile::SpooledTempFile;

use super::difference::{self, JudgedRecording};
use super::exit::RunOutcome;
use super::plan::{self, ChangedConversation, Planning, SourcePlan};
use super::repair::check_numbers;
use super::{App, Result, judge as judged};
use crate::bytes::overlay::Overlay;
use crate::bytes::source::Entries;
use crate::cli::FixArgs;
use crate::diff::records::{RecordComparison, stat};
use crate::engine::Judged;
use crate::find::name_of;
use crate::find::{Found, Missed};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{Detail, human};
use crate::repair::Policy;
use crate::report::model::{Applied, Conversation};
use crate::report::rows::entry;
use crate::rows;

pub(in crate::app) use past::opened;
pub(crate) use past::{PastRepair, run as past};
pub(crate) use two::run as two;

/// What `diff` compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffView {
    /// Bytes: a unified diff for patch and git apply
    Raw,
    /// Records by ID, their members by JSON pointer
    Records,
    /// The messages that the provider would receive
    Messages,
}

/// What of a difference is shown, and what it means.
pub(crate) struct DiffOptions {
    pub view: DiffView,
    /// Counts only.
    pub stat: bool,
    /// A difference is a failure.
    pub exit_code: bool,
}

impl DiffOptions {
    fn counts_only(&self, app: &App<'_>) -> bool {
        self.stat || app.options.output.counts_only
    }

    /// Whether records are shown that would be changed.
    fn shows_records(&self, app: &App<'_>) -> bool {
        self.view == DiffView::Records && !self.counts_only(app) && !is_report(app)
    }
}

/// What is kept in memory of what is shown, before it is written to a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// What `repair` would do.
pub(crate) fn planned(
    app: &App<'_>,
    options: &DiffOptions,
    fixes: &FixArgs,
    target: &PathBuf,
) -> Result<u8> {
    let (app, mut finds) = app.find(std::slice::from_ref(target))?;
    let app = &app.proposing(fixes.repeated());
    let policy = fixes.policy(app.options.format.is_some());
    let mut conversations = Vec::new();
    let mut outcome = RunOutcome::default();
    for located in &finds.found {
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => {
                finds.missed.push(Missed::new(&located.path, why));
                continue;
            }
        };
        let planning = Planning::new(app.options.check_at(&found.path), policy.clone());
        // What is shown of each row waits in a file: a plan that is refused as a whole shows nothing.
        let mut shown = tempfile::spooled_tempfile(IN_MEMORY);
        let shows_records = options.shows_records(app);
        let planned = plan::make_each(&found, planning, &app.options.reader, &mut |part| {
            if shows_records { part_of(app, part, &mut shown) } else { Ok(()) }
        });
        match planned {
            Ok(mut work) => {
                if finds.found.len() == 1 {
                    check_numbers(&work.planning.check.prefer, &work.before)?;
                }
                outcome.left |= options.exit_code && !work.patch.is_empty();
                let missed = std::mem::take(&mut work.missed).into_iter();
                finds.missed.extend(missed.map(|why| Missed::new(&found.path, why)));
                if !is_report(app) {
                    show(app, options, &policy, &work, &mut shown)?;
                }
                conversations.extend(entries(work));
            }
            Err(crate::repair::Refused::Read(error)) => {
                finds.missed.push(Missed::new(&found.path, error.to_string()));
            }
            Err(error) => {
                outcome.refused = true;
                app.say(Tone::Bad, &format!("{}: {error}", app.options.reader.path(&found.path)));
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

/// What would be changed in a conversation.
fn part_of(app: &App<'_>, part: ChangedConversation, out: &mut dyn Write) -> io::Result<()> {
    let place = app.read(part.before).place();
    writeln!(out, "{}", title(app, &place))?;
    part.records.write(RecordComparison::Repair, out, &app.style)
}

/// Whether a report is printed: a document, or nothing but the verdicts.
fn is_report(app: &App<'_>) -> bool {
    app.options.output.document || app.style.detail < Detail::Normal
}

/// The transcript's entries, with what would be done to it.
fn entries(work: SourcePlan<'_>) -> Vec<Conversation> {
    let applied = work.applied();
    let mut entries = work.before;
    if let Some(own) = entries.first_mut() {
        own.applied = Some(Applied { planned_only: true, ..applied });
        own.remarks.extend(work.remarks);
    }
    entries
}

fn show(
    app: &App<'_>,
    options: &DiffOptions,
    policy: &Policy,
    work: &SourcePlan<'_>,
    parts: &mut SpooledTempFile,
) -> Result<()> {
    let found = work.found;
    let path = app.options.reader.path(&found.path);
    if options.counts_only(app) {
        let path = paint(Tone::Strong, &path).to_string();
        return app.write(|out| {
            writeln!(out, "{path}: {}", stat(&work.counts, RecordComparison::Repair))
        });
    }
    match options.view {
        DiffView::Raw => {
            let shape = found.source.shape();
            let printed =
                difference::unified(app, found.source.path(), shape, &found.source, &work.patch);
            Ok(super::streams::quiet(printed)?)
        }
        DiffView::Records => app.write(|out| {
            parts.rewind()?;
            io::copy(parts, out)?;
            writeln!(out, "{}", stat(&work.counts, RecordComparison::Repair))?;
            if work.patch.is_empty() {
                human::undecided(&app.read(work.before.clone()), out, &app.shown_style())?;
            }
            human::sentences(&work.remarks, out, &app.style)
        }),
        DiffView::Messages => app.write(|out| match (work.judged(), work.after()) {
            (Some(before), Some(after)) => {
                let patched = Overlay::new(&found.source, &work.patch);
                requests(app, found, &path, [(&found.source, before), (&patched, after)], out)
            }
            _ => each_request(app, found, policy, out),
        }),
    }
}

fn title(app: &App<'_>, place: &str) -> String {
    const WHAT: &str = "  what repair would change";
    let place = app.style.path(place, WHAT.len());
    paint(Tone::Strong, &format!("{place}{WHAT}")).to_string()
}

type Judgment<'a> = (&'a dyn Entries, &'a Judged);

fn requests(
    app: &App<'_>,
    found: &Found,
    place: &str,
    both: [Judgment<'_>; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", title(app, place))?;
    let [old, new] = both.map(|(entries, judged)| JudgedRecording::new(entries, judged));
    let name = name_of(&found.path);
    let differs =
        difference::requests((old, new), (&name, &name), out, (&app.style, &app.options.reader))?;
    if differs { Ok(()) } else { writeln!(out, "the request stays the same") }
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
        &found.detection,
        &app.options.check,
        policy,
        &mut |examined| {
            if let rows::Examined::Conversation(own) = &examined
                && let Some(plan) = own.plan()
                && !plan.patch.is_empty()
                && done.is_ok()
            {
                let place = app.read(entry(&found.path, own, false)).place();
                let (window, judged) = (own.entries, own.judged());
                let patched = Overlay::new(window, &plan.patch);
                done =
                    requests(app, found, &place, [(window, judged), (&patched, plan.after())], out);
            }
        },
    );
    planned.map_err(io::Error::other)?;
    done
}
