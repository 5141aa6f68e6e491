//! `explain FILE`, `explain FILE:LINE`, `explain FILE --call ID`: a recording, or one of its records.

use anyhow::Result;

use super::exit::{self, Outcome};
use super::reports::Telling;
use super::{Run, Usage, check, explain_rows, owner};
use crate::bytes::source::Entries;
use crate::cli::{Explain, TimelineArg};
use crate::engine::Judged;
use crate::explain::Explained;
use crate::explain::record;
use crate::explain::story::{self, Options};
use crate::explain::timeline::Timeline;
use crate::find::Found;
use crate::find::names::Typed;
use crate::outputs::Detail;
use crate::outputs::paint::Tone;
use crate::report::rows::settle;
use crate::report::text::{Shown, escape};
use crate::rows::{Row, Spot};

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
    let world = owner::Once::new(&finds.found);
    for found in &finds.found {
        if found.claim.conversations.are_rows() {
            let live = check::is_live(found, &world);
            match explain_rows::run(run, args, typed, found, live, &mut telling) {
                Ok(done) => done?,
                Err(why) => {
                    outcome.not_examined = true;
                    let path = Shown::path(&found.path).whole();
                    run.say(Tone::Warn, &format!("not examined: {path}: {why}"));
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
                let path = Shown::path(&found.path).whole();
                run.say(Tone::Warn, &format!("not examined: {path}: {why}"));
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
    run.end(&telling)?;
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
    pub row: Option<(&'a Row, Spot)>,
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
        let mut account = story::account(path, self.entries, self.judged, self.live, &options);
        if let Some((row, at)) = self.row {
            settle(&mut account.conversation, row, at);
        }
        run.tell(telling, Explained::Story(Box::new(account)))
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
