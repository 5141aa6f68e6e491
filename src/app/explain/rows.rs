//! `explain` of a recording of many conversations: the row that was named, or those that are damaged.

use super::story::{Asked, Seen};
use crate::app::judge::rows_of;
use crate::app::reports::Telling;
use crate::app::{App, Result};
use crate::containers::ReadError;
use crate::engine::{Blame, CheckOptions, Judged, judge};
use crate::explain::error::{Decoded, Paste, blamed, decode};
use crate::explain::story::Options;
use crate::find::Found;
use crate::find::name_of;
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, many};
use crate::rows::{self, Row, Spot, Window};
use crate::transcript::Severity;

/// Rows that are told one by one.
const TOLD: usize = 5;

/// Explains them.
///
/// # Errors
/// The recording cannot be read, in words for the user.
pub(super) fn run(
    app: &App<'_>,
    options: &Options,
    asked: &Asked,
    found: &Found,
    live: bool,
    telling: &mut Telling,
) -> std::result::Result<Result<()>, ReadError> {
    let most = if app.style.detail == Detail::All || asked.records.id.is_some() {
        usize::MAX
    } else {
        TOLD
    };
    let mut told = 0;
    let mut left = 0;
    let mut done = Ok(());
    rows_of(app, found, live, &mut |seen| {
        let rows::Seen::Row {
            row,
            at,
            window,
            judged,
            ..
        } = seen
        else {
            return;
        };
        let named = asked
            .records
            .number
            .is_none_or(|number| row.line.or(row.index) == Some(number));
        let damaged = judged.at_least(Severity::Warning).next().is_some();
        if done.is_err() || !named || (!asked.some() && !damaged) {
            return;
        }
        if told >= most {
            left += 1;
            return;
        }
        let seen = Seen {
            found,
            entries: window,
            judged,
            live,
            row: Some((row, at)),
        };
        let one = match &asked.records.id {
            Some(_) => seen.records(app, None, asked, telling),
            None => seen.story(app, options, telling).map(|()| true),
        };
        match one {
            Ok(some) => told += usize::from(some),
            Err(error) => done = Err(error),
        }
    })?;
    if told == 0 && !asked.some() {
        app.say(
            Tone::Dim,
            &format!(
                "{}: no row is damaged",
                app.options.reader.path(&found.path)
            ),
        );
        return Ok(done);
    }
    if left > 0 {
        app.say(
            Tone::Dim,
            &format!("and {}; -v tells them", many(left, "more damaged row")),
        );
    }
    Ok(done)
}

/// Finds the rows that a pasted error is about, and hands each on.
///
/// # Errors
/// The recording cannot be read, in words for the user.
pub(in crate::app) fn decoded(
    app: &App<'_>,
    found: &Found,
    live: bool,
    paste: &Paste,
    each: &mut dyn FnMut(Meant<'_>),
) -> std::result::Result<(), ReadError> {
    let name = name_of(&found.path);
    rows_of(app, found, live, &mut |seen| {
        let rows::Seen::Row {
            row,
            at,
            window,
            judged,
            ..
        } = seen
        else {
            return;
        };
        let decoded = decode(paste, judged);
        let blame = match decoded.findings.is_empty() {
            // A text without a place says nothing of which row it means.
            true => blamed(&decoded, judged, &judged.context(0, window, &name, live))
                .filter(|own| !own.guess),
            false => None,
        };
        let ask = CheckOptions {
            live,
            blame,
            ..app.options.check.clone()
        };
        if ask.blame.is_some()
            && let Ok(judged) = judge(window, &name, &judged.claim, &ask)
        {
            let (decoded, blame) = (&decode(paste, &judged), ask.blame.as_ref());
            each(Meant {
                row,
                at,
                window,
                judged: &judged,
                decoded,
                blame,
            });
        } else if decoded.found {
            each(Meant {
                row,
                at,
                window,
                judged,
                decoded: &decoded,
                blame: None,
            });
        }
    })
}

/// A row that a pasted error is about.
pub(in crate::app) struct Meant<'a> {
    pub row: &'a Row,
    pub at: Spot,
    pub window: &'a Window<'a>,
    pub judged: &'a Judged,
    pub decoded: &'a Decoded<'a>,
    /// What the text blames in it, where no check can see that.
    pub blame: Option<&'a Blame>,
}
