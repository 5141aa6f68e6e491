//! `explain FILE`, `explain FILE:LINE`, `explain FILE --call ID`: a recording, or one of its records.

use anyhow::Result;

use super::exit::{self, Outcome};
use super::repair::work;
use super::reports::Telling;
use super::{Run, Usage, check, explain_rows, owner};
use crate::bytes::source::Entries;
use crate::cli::{Explain, TimelineArg};
use crate::diff::records::{Row, What};
use crate::engine::{Ask, Judged};
use crate::explain::Explained;
use crate::explain::planned::{Planned, Step};
use crate::explain::record;
use crate::explain::story::{self, Options};
use crate::explain::timeline::Timeline;
use crate::find::Found;
use crate::find::names::Typed;
use crate::outputs::Detail;
use crate::repair::Policy;
use crate::report::model::Applied;
use crate::report::rows::settle;
use crate::report::text::{Shown, escape};
use crate::rows::Spot;
use crate::transcript::Severity;

/// Records that a tried repair names, at most.
const STEPS: usize = 40;

/// Runs the command.
///
/// # Errors
/// There is no such record, or it cannot be printed.
pub fn run(run: &mut Run<'_>, args: &Explain, typed: &Typed) -> Result<u8> {
    run.by_rows(args.rows);
    let finds = run.find_typed(std::slice::from_ref(typed))?;
    run.say_missed(&finds);
    let mut outcome = Outcome {
        not_examined: !finds.missed.is_empty(),
        nothing: finds.found.is_empty() && !run.global.allow_empty,
        ..Outcome::default()
    };
    let records = typed.record.is_some() || args.call.is_some();
    let mut telling = Telling::default();
    let world = owner::Once::look();
    for located in &finds.found {
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => {
                outcome.not_examined = true;
                run.say_not_checked(&located.path, &why);
                continue;
            }
        };
        let found = &found;
        if found.claim.conversations.are_rows() {
            let live = check::is_live(found, &world);
            match explain_rows::run(run, args, typed, found, live, &mut telling) {
                Ok(done) => done?,
                Err(why) => {
                    outcome.not_examined = true;
                    run.say_not_checked(&found.path, &why);
                }
            }
            continue;
        }
        match check::judged(run, found, &world) {
            Ok((judged, live)) => {
                let seen = Seen { found, entries: &found.source, judged: &judged, live, row: None };
                if records {
                    seen.records(run, args, typed, &mut telling)?;
                } else {
                    seen.story(run, args, &mut telling)?;
                }
            }
            Err(why) => {
                outcome.not_examined = true;
                run.say_not_checked(&found.path, &why);
            }
        }
    }
    if records && telling.is_empty() && !finds.found.is_empty() {
        let what = match (&args.call, typed.record) {
            (Some(id), _) => format!("no record holds the call {}", escape(id)),
            (None, number) => format!("there is no record {}", number.unwrap_or_default()),
        };
        let name = run.style.next.names.first().map(Shown::whole).unwrap_or_default();
        return Err(Usage(format!("{name}: {what}")).into());
    }
    run.end(telling)?;
    if outcome.nothing && finds.missed.is_empty() {
        return Ok(exit::NOTHING);
    }
    Ok(outcome.status())
}

/// A recording that is explained.
pub(super) struct Seen<'a> {
    pub found: &'a Found,
    /// Its bytes; of a row those of the row.
    pub entries: &'a dyn Entries,
    pub judged: &'a Judged,
    /// Somebody is writing it.
    pub live: bool,
    /// Which row it is, and where.
    pub row: Option<(&'a crate::rows::Row, Spot)>,
}

impl Seen<'_> {
    /// Tells its story.
    pub(super) fn story(&self, run: &Run<'_>, args: &Explain, telling: &mut Telling) -> Result<()> {
        let options = Options {
            timeline: match args.timeline {
                TimelineArg::All => Timeline::All,
                TimelineArg::Around => Timeline::Around,
                TimelineArg::Calls => Timeline::Calls,
            },
            context: args.context,
            around: args.around.clone(),
            stories: !args.no_story,
            whole_ids: run.style.detail == Detail::All || run.output.name == "json",
        };
        let path = &self.found.path;
        run.tell_each(telling, || {
            let mut account = story::account(path, self.entries, self.judged, self.live, &options);
            if let Some((row, at)) = self.row {
                settle(&mut account.conversation, row, at);
            }
            // Of one of many rows the plan is that of the whole recording.
            account.planned = if self.row.is_none() && run.tries() { self.planned(run) } else { None };
            Explained::Story(Box::new(account))
        })
    }

    /// What a repair would do, tried; `None`: no plan could be made.
    fn planned(&self, run: &Run<'_>) -> Option<Planned> {
        let ask = Ask { live: self.live, ..run.ask.clone() };
        let work = work::make(self.found, &ask, &Policy::default()).ok()?;
        let rows = || work.parts.iter().flat_map(|part| &part.records.rows).filter(|row| row.place.is_some());
        let step = |row: &Row| Step {
            what: match row.what {
                What::Parked(_) => "park",
                What::Inserted(_) => "insert",
                What::Moved(..) => "move",
                What::Changed(..) => "change",
            },
            place: row.place.filter(|_| !matches!(row.what, What::Inserted(_))),
            kind: row.kind.clone(),
            id: row.id.clone(),
        };
        let after = work.after()?;
        let mut left: Vec<&'static str> = Vec::new();
        for finding in after.at_least(Severity::Warning) {
            if !left.contains(&finding.rule.code) {
                left.push(finding.rule.code);
            }
        }
        Some(Planned {
            counts: Applied { planned_only: true, ..work.counts.clone() },
            steps: rows().take(STEPS).map(step).collect(),
            more: rows().count().saturating_sub(STEPS),
            verdict: after.verdict,
            left,
        })
    }

    /// Tells what is known of the records that were asked for. The flag: there were some.
    pub(super) fn records(
        &self,
        run: &Run<'_>,
        args: &Explain,
        typed: &Typed,
        telling: &mut Telling,
    ) -> Result<bool> {
        let numbered = typed.record.map(|number| record::find_number(self.judged, number));
        let called = args.call.as_ref().map(|id| record::find_call(self.judged, id));
        let events = match (numbered, called) {
            (Some(numbered), Some(called)) => {
                called.into_iter().filter(|event| numbered.contains(event)).collect()
            }
            (numbered, called) => numbered.or(called).unwrap_or_default(),
        };
        if events.is_empty() {
            return Ok(false);
        }
        let known = record::known(&self.found.path, self.entries, self.judged, self.live, &events);
        run.tell(telling, Explained::Records(known))?;
        Ok(true)
    }
}
