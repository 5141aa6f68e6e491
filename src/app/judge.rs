//! Recordings, judged, and their report.

use std::collections::HashMap;

use super::error::NotChecked;
use super::exit::Outcome;
use super::{App, owner, parallel};
use crate::containers::ReadError;
use crate::engine::{self, Blame, CheckOptions, Judged, judge};
use crate::find::name_of;
use crate::find::{Finds, Found, Located, Missed};
use crate::live::Readings;
use crate::report::build::conversation;
use crate::report::fold::folded;
use crate::report::model::{Conversation, Report, Selection, Verdict};
use crate::report::rows::{Sheet, Told};
use crate::report::text::Shown;
use crate::rows;
use crate::transcript::Transcript;

/// The report entries of all transcripts found. `finds` collects what could not be read.
pub(crate) fn all(app: &App<'_>, finds: &mut Finds) -> Vec<Conversation> {
    let world = owner::Once::look();
    let open =
        |located: &Located| -> Result<Told, NotChecked> { Ok(one(app, &located.open()?, &world)?) };
    let judged = parallel::each(app.options.jobs, &finds.found, |located| located.size, open);
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

/// The entries of a recording.
///
/// # Errors
/// It cannot be read.
pub(super) fn one(app: &App<'_>, found: &Found, world: &owner::Once) -> Result<Told, ReadError> {
    if found.claim.conversations.are_rows() {
        let live = is_live(found, world);
        let mut sheet =
            Sheet::new(&found.path, found.claim.format, live).with_every_row(app.every_row());
        rows_of(app, found, live, &mut |seen| sheet.add(&seen))?;
        return Ok(sheet.finish());
    }
    let (judged, live) = judged(app, found, world)?;
    let mut told = folded(conversation(&found.path, &found.source, &judged, live));
    told.remarks.extend(told.hint.clone());
    Ok(Told {
        conversations: vec![told],
        missed: Vec::new(),
    })
}

/// Whether somebody is writing a recording of many conversations.
pub(super) fn is_live(found: &Found, world: &owner::Once) -> bool {
    owner::of(world, found, &Transcript::default(), Readings::Once).is_live()
}

/// Every row of a recording, judged.
///
/// # Errors
/// It cannot be read.
pub(super) fn rows_of(
    app: &App<'_>,
    found: &Found,
    live: bool,
    each: rows::Each<'_>,
) -> Result<(), ReadError> {
    let ask = CheckOptions {
        live,
        ..app.options.check.clone()
    };
    let name = name_of(&found.path);
    rows::judge(&found.source, &name, &found.claim, &ask, each)
}

/// A recording, judged, and whether somebody is writing it.
///
/// # Errors
/// It cannot be read.
pub(super) fn judged(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
) -> Result<(Judged, bool), ReadError> {
    let name = name_of(&found.path);
    let judge = |ask: &CheckOptions| judge(&found.source, &name, &found.claim, ask);
    let mut judged = judge(&app.options.check)?;
    let live = owner::of(world, found, &judged.transcript, Readings::Once).is_live();
    if live {
        // What looks torn may be a record that is just being written.
        judged = judge(&CheckOptions {
            live,
            ..app.options.check.clone()
        })?;
    }
    Ok((judged, live))
}

/// As [`judged`], asked again with what a text blames.
pub(super) fn blamed(
    app: &App<'_>,
    found: &Found,
    live: bool,
    blame: Blame,
) -> Result<Judged, ReadError> {
    let ask = CheckOptions {
        live,
        blame: Some(blame),
        ..app.options.check.clone()
    };
    judge(&found.source, &name_of(&found.path), &found.claim, &ask)
}

/// The report of a run over these finds.
pub(crate) fn report(app: &App<'_>, mut conversations: Vec<Conversation>, finds: &Finds) -> Report {
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
    let engine::Selection { select, ignore } = app.options.check.selection.clone();
    let selection =
        (!select.is_empty() || !ignore.is_empty()).then_some(Selection { select, ignore });
    Report {
        selection,
        ..Report::new(conversations, missed, skipped)
    }
}

/// What the findings of a report come to.
pub(crate) fn outcome(app: &App<'_>, report: &Report) -> Outcome {
    let unknown = report
        .conversations
        .iter()
        .any(|c| c.verdict == Verdict::Unknown);
    let empty = report.conversations.is_empty() && report.not_examined.is_empty();
    Outcome {
        unconfirmed: false,
        refused: false,
        not_examined: unknown || !report.not_examined.is_empty(),
        left: report.reaches(app.options.fail_on),
        nothing: empty && !app.options.allow_empty,
    }
}
