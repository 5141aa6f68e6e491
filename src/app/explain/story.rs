//! `explain FILE`, `explain FILE:LINE`, `explain FILE --call ID`: a transcript, or one of its records.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::app::copies;
use crate::app::error::NotChecked;
use crate::app::exit::{self, RunOutcome};
use crate::app::plan::{self, Planning};
use crate::app::progress::Progress;
use crate::app::reports::Explanations;
use crate::app::{App, Error, Result, judge, owner, parallel, place};
use crate::engine::CheckOptions;
use crate::explain::Explained;
use crate::explain::planned::{Planned, PlannedStep};
use crate::explain::record::{self, Which};
use crate::explain::story::{self, ExplainOptions};
use crate::find::names::ParsedArgument;
use crate::find::{Finds, Found, Located, Missed};
use crate::journal::Journal;
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, many};
use crate::repair::Policy;
use crate::report::model::{Applied, Conversation, Verdict};
use crate::report::places;
use crate::report::rows::set_places;
use crate::report::text::{Shown, escape};
use crate::rows::{Examined, OneConversation};
use crate::transcript::{Code, Severity};

/// Rows that are shown one by one.
const SHOWN: usize = 5;
/// Steps of a tried repair that are named, at most.
const STEPS: usize = 40;

/// Runs the command.
///
/// # Errors
/// There is no such record, or it cannot be printed.
pub(crate) fn run(
    app: &App<'_>,
    typed: &ParsedArgument,
    records: MeantRecords,
    options: &ExplainOptions,
) -> Result<u8> {
    let (app, finds) = app.find_typed(std::slice::from_ref(typed))?;
    app.say_missed(&finds);
    let mut outcome = RunOutcome {
        not_examined: !finds.missed.is_empty(),
        nothing: finds.found.is_empty() && !app.options.allow_empty,
        ..RunOutcome::default()
    };
    let mut asked = AskedStory { records, fits: RefCell::default() };
    let mut explanations = Explanations::default();
    outcome.not_examined |= each(&app, options, &asked, &finds, &mut explanations)?;
    if explanations.is_empty() && asked.some() && !finds.found.is_empty() {
        // No record has exactly this ID, so it may be a shortened one.
        let name = app.style.next.names.first().cloned();
        let name = app.read(name).map(|name| name.whole()).unwrap_or_default();
        let fits = std::mem::take(&mut *asked.fits.borrow_mut());
        match fits.into_iter().collect::<Vec<Shown>>().as_slice() {
            [one] => {
                asked.records.id =
                    asked.records.id.map(|(_, which)| (one.exact().to_owned(), which));
                outcome.not_examined |= each(&app, options, &asked, &finds, &mut explanations)?;
            }
            [] => return Err(Error::usage(format!("{name}: {}", asked.is_missing()))),
            several => {
                let several = candidates(app.read(several.to_vec()));
                return Err(Error::usage(format!("{name}: {several}")));
            }
        }
    }
    app.finish(explanations)?;
    if outcome.nothing && finds.missed.is_empty() {
        return Ok(exit::NOTHING);
    }
    Ok(outcome.status())
}

/// Explains the damaged sessions of the project that the run was started in. `None`: it has no sessions.
///
/// # Errors
/// An explanation cannot be printed.
pub(crate) fn of_project(app: &App<'_>, options: &ExplainOptions) -> Result<Option<u8>> {
    let Some((app, mut finds)) = app.find_project() else {
        return Ok(None);
    };
    let world = owner::Once::default();
    let progress = Progress::start(&app, "Checked", finds.found.iter().map(|located| located.size));
    let explained = parallel::each(
        app.options.jobs,
        &finds.found,
        |located| located.size,
        |located| {
            let stories = damaged(&app, options, &world, located);
            progress.add(located.size);
            stories
        },
    );
    drop(progress);
    let mut explanations = Explanations::default();
    for (located, explained) in finds.found.iter().zip(explained) {
        match explained {
            Ok(stories) => {
                stories.into_iter().try_for_each(|story| app.explain(&mut explanations, story?))?
            }
            Err(why) => finds.missed.push(Missed::new(&located.path, why)),
        }
    }
    app.say_missed(&finds);
    if explanations.is_empty() {
        let sessions = many(finds.found.len() as u64, "session");
        app.say(Tone::Good, &format!("{sessions} of this project, none of them damaged"));
    }
    app.finish(explanations)?;
    let outcome = RunOutcome { not_examined: !finds.missed.is_empty(), ..RunOutcome::default() };
    Ok(Some(outcome.status()))
}

/// The stories of what is damaged in a session.
///
/// # Errors
/// It cannot be read.
fn damaged(
    app: &App<'_>,
    options: &ExplainOptions,
    world: &owner::Once,
    located: &Located,
) -> Result<Vec<Result<Explained>>, NotChecked> {
    let found = located.open()?;
    let mut stories = Vec::new();
    judge::each(app, &found, world, 1, &mut |examined, live| {
        if let Examined::Conversation(own) = &examined
            && own.judged().verdict > Verdict::Pending
        {
            let found = &found;
            stories.push(Explaining { found, own, live }.account(app, options));
        }
    })?;
    Ok(stories)
}

/// IDs that are listed where several are meant.
const LISTED: usize = 20;

/// That several IDs are meant, and which.
fn candidates(ids: Vec<Shown>) -> String {
    let mut out = format!("matches {}; type more of it", many(ids.len() as u64, "id"));
    ids.iter().take(LISTED).for_each(|id| out.push_str(&format!("\n  {}", id.whole())));
    if let Some(more) = ids.len().checked_sub(LISTED).filter(|more| *more > 0) {
        out.push_str(&format!("\n  and {more} more"));
    }
    out
}

/// The single records that are meant, if not a whole story.
pub(crate) struct MeantRecords {
    /// By their number.
    pub number: Option<u64>,
    /// By an ID.
    pub id: Option<(String, Which)>,
}

/// The same, and what an ID may be the beginning of.
struct AskedStory {
    pub records: MeantRecords,
    /// What the ID may stand for, where nothing has exactly this one.
    fits: RefCell<BTreeSet<Shown>>,
}

impl AskedStory {
    /// Whether single records are asked for.
    fn some(&self) -> bool {
        self.records.number.is_some() || self.records.id.is_some()
    }

    /// That there is nothing like it.
    fn is_missing(&self) -> String {
        match (&self.records.id, self.records.number) {
            (Some((id, Which::Calls)), _) => format!("no record has the tool call {}", escape(id)),
            (Some((id, Which::All)), _) => {
                format!("no record or tool call has the ID {}", escape(id))
            }
            (None, number) => format!("there is no record {}", number.unwrap_or_default()),
        }
    }
}

/// Explains each recording. The flag: one could not be looked at, and that was said.
fn each(
    app: &App<'_>,
    options: &ExplainOptions,
    asked: &AskedStory,
    finds: &Finds,
    explanations: &mut Explanations,
) -> Result<bool> {
    let mut missed = false;
    let world = owner::Once::default();
    for located in &finds.found {
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => {
                missed = true;
                app.say_not_checked(&located.path, &why);
                continue;
            }
        };
        let mut rows = ExplainedRows::default();
        let mut done = Ok(());
        let read = judge::each(app, &found, &world, app.options.jobs, &mut |examined, live| {
            if let (Ok(()), Examined::Conversation(own)) = (&done, &examined) {
                let explained = Explaining { found: &found, own, live };
                done = explained.print(app, options, asked, &mut rows, explanations);
            }
        });
        if let Err(why) = read {
            missed = true;
            app.say_not_checked(&found.path, &why);
            continue;
        }
        if rows.printed == 0 && !asked.some() {
            let path = app.options.reader.path(&found.path);
            app.say(Tone::Dim, &format!("{path}: no row is damaged"));
        } else if rows.left > 0 {
            let left = many(rows.left, "more damaged row");
            app.say(Tone::Dim, &format!("and {left}; -v shows them"));
        }
        done?;
    }
    Ok(missed)
}

/// What became of the conversations of a transcript.
#[derive(Default)]
struct ExplainedRows {
    printed: usize,
    left: u64,
}

/// A conversation that is explained.
struct Explaining<'a> {
    found: &'a Found,
    own: &'a OneConversation<'a>,
    /// Somebody is writing the transcript.
    live: bool,
}

impl Explaining<'_> {
    /// Tells of it what was asked for: of a row, if that is the one or damaged.
    fn print(
        &self,
        app: &App<'_>,
        options: &ExplainOptions,
        asked: &AskedStory,
        rows: &mut ExplainedRows,
        explanations: &mut Explanations,
    ) -> Result<()> {
        let MeantRecords { number, id } = &asked.records;
        let mut number = *number;
        if let Some((row, _)) = self.own.row {
            // The number of a record there is that of the row.
            let own = row.line.or(row.index);
            let is_named = number.take().is_none_or(|number| own == Some(number));
            let judged = self.own.judged();
            let is_damaged = judged.at_least(Severity::Warning).next().is_some();
            if !is_named || (!asked.some() && !is_damaged) {
                return Ok(());
            }
            if rows.printed >= SHOWN && app.style.detail < Detail::All && id.is_none() {
                rows.left += 1;
                return Ok(());
            }
        }
        let printed = if number.is_some() || id.is_some() {
            self.records(app, number, asked, explanations)?
        } else {
            app.explain(explanations, self.account(app, options)?)?;
            true
        };
        rows.printed += usize::from(printed);
        Ok(())
    }

    /// Its story.
    fn account(&self, app: &App<'_>, options: &ExplainOptions) -> Result<Explained> {
        self.is_around(app, options)?;
        let path = &self.found.path;
        let (entries, judged) = (self.own.entries, self.own.judged());
        let is_repaired = Journal::standard().is_some_and(|journal| {
            journal.latest_undoable(path).is_ok_and(|entry| entry.is_some())
        });
        let options = &ExplainOptions { is_repaired, ..options.clone() };
        let mut account = story::account(path, entries, judged, self.live, options);
        place::look_for_folder(&mut account.conversation);
        let check = CheckOptions { live: self.live, ..app.options.check.clone() };
        let layout = &judged.detection.layout;
        copies::name_if_needed(&mut account.conversation, self.found, layout, &check);
        let only = std::slice::from_mut(&mut account.conversation);
        judge::limit(app, self.found, only);
        places::locate(only, &self.found.source);
        if app.tries() {
            judge::set_stored(only, &self.found.source);
        }
        if let Some((row, at)) = self.own.row {
            set_places(&mut account.conversation, row, at);
        }
        // Of one of many rows the plan is that of the whole transcript.
        account.planned = if self.own.row.is_none() && app.tries() {
            self.planned(app, &account.conversation)
        } else {
            None
        };
        Ok(Explained::Story(Box::new(account)))
    }

    /// Refuses a place for the timeline that is not there, or may be several.
    fn is_around(&self, app: &App<'_>, options: &ExplainOptions) -> Result<()> {
        let Some(word) = options
            .around
            .as_deref()
            .filter(|word| record::find(self.own.judged(), word).is_empty())
        else {
            return Ok(());
        };
        let why = match &record::fitting(self.own.judged(), word, Which::All)[..] {
            // Another row may have it.
            [] if self.own.row.is_some() => return Ok(()),
            [] => format!("there is no record {}", escape(word)),
            several => candidates(app.read(several.to_vec())),
        };
        Err(Error::usage(format!("{}: {why}", app.options.reader.path(&self.found.path))))
    }

    /// What a repair of this conversation would do, tried; `None`: no plan could be made.
    fn planned(&self, app: &App<'_>, before: &Conversation) -> Option<Planned> {
        let check = CheckOptions { live: self.live, ..app.options.check.clone() };
        let planning = Planning::new(check, Policy::default());
        let work = plan::make(self.found, planning, &app.options.reader).ok()?;
        let after = work.after()?;
        let mut left: Vec<Code> = Vec::new();
        for finding in after.at_least(Severity::Warning) {
            if !left.contains(&finding.rule.code) {
                left.push(finding.rule.code);
            }
        }
        let actions = || before.findings.iter().flat_map(|own| &own.resolution.fix.actions);
        let taken = work.parts.iter().flat_map(|part| &part.taken);
        let mut steps: Vec<PlannedStep> = Vec::new();
        for step in taken.flat_map(|taken| &taken.steps) {
            let known = actions().find(|action| action.step.says == step.says);
            let text = known.and_then(|action| action.text.clone());
            steps.push(PlannedStep { says: step.says.clone(), text });
        }
        Some(Planned {
            counts: Applied { planned_only: true, ..work.counts.clone() },
            more: steps.len().saturating_sub(STEPS),
            steps: steps.into_iter().take(STEPS).collect(),
            verdict: after.verdict,
            left,
        })
    }

    /// Tells what is known of the records that were asked for, those of them with this number. The flag: there were some.
    fn records(
        &self,
        app: &App<'_>,
        number: Option<u64>,
        asked: &AskedStory,
        explanations: &mut Explanations,
    ) -> Result<bool> {
        let numbered = number.map(|number| record::find_number(self.own.judged(), number));
        let named = asked.records.id.as_ref().map(|(id, which)| {
            match record::find_id(self.own.judged(), id, *which) {
                found if !found.is_empty() || *which == Which::Calls => found,
                _ => record::find_row(self.own.judged(), self.own.entries, id),
            }
        });
        if let (Some([]), Some((id, which))) = (named.as_deref(), &asked.records.id) {
            asked.fits.borrow_mut().extend(record::fitting(self.own.judged(), id, *which));
        }
        let events = match (numbered, named) {
            (Some(numbered), Some(named)) => {
                named.into_iter().filter(|event| numbered.contains(event)).collect()
            }
            (numbered, named) => numbered.or(named).unwrap_or_default(),
        };
        if events.is_empty() {
            return Ok(false);
        }
        let known = record::known(
            &self.found.path,
            self.own.entries,
            self.own.judged(),
            self.live,
            &events,
        );
        app.explain(explanations, Explained::Records(known))?;
        Ok(true)
    }
}
