//! `explain --error TEXT --find`: the sessions that a pasted error is about.

use std::path::PathBuf;

use super::error::{TellOf, Told, by_itself, tell};
use crate::app::exit::RunOutcome;
use crate::app::reports::Explanations;
use crate::app::{App, Result};
use crate::explain::error::{Paste, Searched, meaning};
use crate::find::Finds;
use crate::find::search::WordSearch;
use crate::outputs::many;
use crate::outputs::paint::Tone;

/// Sessions that are checked for what causes a text without an ID.
const NEWEST: usize = 20;

/// Searches for the IDs of a text, or else, if it names no call, for what causes it. If no session has any, this explains the
/// text alone.
///
/// # Errors
/// The command line cannot be done, or the answer cannot be printed.
pub(super) fn run(app: &App<'_>, what: Option<&str>, (typed, paste): (&str, &Paste)) -> Result<u8> {
    let mut meaning = meaning(paste);
    if meaning.read.no_damage {
        return by_itself(app, meaning);
    }
    let named: Vec<PathBuf> = what.iter().map(PathBuf::from).collect();
    if let Some((own, finds)) = with_ids(app, &named, &paste.needles())? {
        let answered = told(&own, &finds, (typed, paste), TellOf::WithIds)?;
        if let Some(status) = answered {
            return Ok(status);
        }
        meaning.searched = Some(Searched::Ids);
    }
    if !meaning.rules.is_empty() && meaning.read.ids.is_empty() {
        let (own, finds) = with_cause(app, &named)?;
        let answered = told(&own, &finds, (typed, paste), TellOf::WithCause)?;
        if let Some(status) = answered {
            return Ok(status);
        }
        if !finds.found.is_empty() {
            meaning.searched = Some(Searched::Causes);
        }
    }
    by_itself(app, meaning)
}

/// Says what the text means in these. The answer is the exit status, if something was found.
///
/// # Errors
/// An answer cannot be printed.
fn told(app: &App<'_>, finds: &Finds, text: (&str, &Paste), wanted: TellOf) -> Result<Option<u8>> {
    let mut explanations = Explanations::default();
    let Told { is_answered, not_examined, .. } = tell(app, finds, text, wanted, &mut explanations)?;
    if wanted == TellOf::WithCause {
        let checked = many(finds.found.len() as u64, "transcript");
        let found = if is_answered { "" } else { ": none has one" };
        app.say(
            Tone::Dim,
            &format!("searched the newest {checked} for a problem that causes this error{found}"),
        );
    }
    if !is_answered {
        return Ok(None);
    }
    app.finish(explanations)?;
    let outcome = RunOutcome {
        not_examined: not_examined || !finds.missed.is_empty(),
        ..RunOutcome::default()
    };
    Ok(Some(outcome.status()))
}

/// The transcripts that hold an ID of the text, among those of all hosts and those that were named. `None`: the text names none.
///
/// # Errors
/// A name means nothing.
fn with_ids<'a>(
    app: &App<'a>,
    named: &[PathBuf],
    needles: &[String],
) -> Result<Option<(App<'a>, Finds)>> {
    let Some(words) = WordSearch::new(needles) else {
        return Ok(None);
    };
    let (mut own, mut finds, searched) = app.search(named, &words)?;
    if finds.found.is_empty()
        && let Some(words) = WordSearch::with_wildcards(needles)
    {
        (own, finds, _) = app.search(named, &words)?;
    }
    if !finds.missed.is_empty() {
        app.say_missed(&finds);
    }
    let sessions = many(searched, "transcript");
    let holds = match finds.found.len() {
        0 => "none contains an ID of the error".to_owned(),
        1 => "1 contains an ID of the error".to_owned(),
        many => format!("{many} contain an ID of the error"),
    };
    app.say(Tone::Dim, &format!("searched {sessions}: {holds}"));
    Ok(Some((own, finds)))
}

/// What was named, or else the newest transcripts.
///
/// # Errors
/// A name means nothing.
fn with_cause<'a>(app: &App<'a>, named: &[PathBuf]) -> Result<(App<'a>, Finds)> {
    if named.is_empty() { app.newest(NEWEST) } else { app.find(named) }
}
