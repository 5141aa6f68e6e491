//! `explain FILE --error TEXT`: from a pasted error to the records.

use std::path::{Path, PathBuf};

use super::{meant, paste};
use crate::app::exit::{self, RunOutcome};
use crate::app::reports::Explanations;
use crate::app::{App, Error, Result, owner};
use crate::containers::ReadError;
use crate::explain::Explained;
use crate::explain::error::{ErrorAccount, Paste, meaning};
use crate::explain::story::ProposedCommand;
use crate::find::search::WordSearch;
use crate::find::{Finds, Found};
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, many};
use crate::report::text::escape;

/// What to type next where the text alone leads to a finding.
const PREVIEW: Option<ProposedCommand> = Some(ProposedCommand {
    command: "repair",
    options: &["-n", "--unsafe"],
});

/// Rows that are told one by one.
const ROWS: usize = 5;

/// Runs the command. Of several recordings only those are told for which something is found.
///
/// # Errors
/// The command line cannot be done, or the answer cannot be printed.
pub(crate) fn run(app: &App<'_>, what: Option<&str>, find: bool, typed: &str) -> Result<u8> {
    let named = what;
    let what = what.unwrap_or_default();
    if what != "-" && !Path::new(what).exists() && crate::cli::rule(what).is_ok() {
        return Err(Error::usage(format!(
            "{}: an error text is looked up in a transcript, not in a rule",
            escape(what)
        )));
    }
    let paste = paste::read(typed, what == "-")?;
    if named.is_none() && !find {
        return by_itself(app, &paste);
    }
    let (mut app, finds) = match find {
        false => app.find(&[what.into()])?,
        true => match search(app, named, &paste)? {
            Some(found) => found,
            None => return Ok(exit::NOTHING),
        },
    };
    if !find || !finds.missed.is_empty() {
        app.say_missed(&finds);
    }
    let world = owner::Once::default();
    let mut outcome = RunOutcome {
        not_examined: !finds.missed.is_empty(),
        ..RunOutcome::default()
    };
    let mut explanations = Explanations::default();
    let mut any_found = false;
    let alone = finds.found.len() == 1;
    for located in &finds.found {
        let found = match located.open() {
            Ok(found) => found,
            Err(why) => {
                outcome.not_examined = true;
                app.say_not_checked(&located.path, &why);
                continue;
            }
        };
        let found = &found;
        let Accounts {
            accounts,
            left,
            by_text,
            is_found,
        } = match accounts(&app, found, &world, &paste, (alone, find)) {
            Ok(all) => all,
            Err(why) => {
                outcome.not_examined = true;
                app.say_not_checked(&found.path, &why);
                continue;
            }
        };
        if by_text {
            // No other command sees it.
            app = app.proposing(["--error".into(), typed.into()]);
        }
        any_found |= is_found;
        for account in accounts {
            app.explain(&mut explanations, Explained::Error(Box::new(account)))?;
        }
        if left > 0 {
            let more = many(left, "more row");
            app.say(Tone::Dim, &format!("and {more}; -v shows them"));
        }
    }
    let has_rows = finds
        .found
        .iter()
        .any(|found| found.detection.conversations.are_rows());
    if (finds.found.len() > 1 || has_rows) && !any_found {
        let transcripts = many(finds.found.len() as u64, "transcript");
        app.say(
            Tone::Warn,
            &format!("nothing matches the text in {transcripts}"),
        );
    }
    app.finish(explanations)?;
    let allowed = finds.found.is_empty() && app.options.allow_empty;
    outcome.nothing = !any_found && !allowed;
    Ok(outcome.status())
}

/// Whether a word is the text of an error that was pasted where a name belongs.
pub(crate) fn is_error_text(what: &str) -> bool {
    let has_words = what.split_whitespace().nth(2).is_some();
    has_words && !Path::new(what).exists() && !meaning(&Paste::read(what)).read.speaker.is_empty()
}

/// Explains such a text: in the sessions that have its IDs, or alone if it has none.
///
/// # Errors
/// As [`run`].
pub(crate) fn of_error_text(app: &App<'_>, text: &str) -> Result<u8> {
    let is_searchable = meaning(&Paste::read(text)).searchable;
    run(app, None, is_searchable, text)
}

/// Tells what the text says, without a recording.
fn by_itself(app: &App<'_>, paste: &Paste) -> Result<u8> {
    let meaning = meaning(paste);
    let known = !meaning.read.speaker.is_empty();
    let mut explanations = Explanations::default();
    app.explain(&mut explanations, Explained::Meaning(meaning))?;
    app.finish(explanations)?;
    Ok(if known { exit::DONE } else { exit::NOTHING })
}

/// The recordings that hold an id of the text, among those of all hosts and those that were named. `None`: the text names no
/// id, and that was said.
fn search<'a>(
    app: &App<'a>,
    what: Option<&str>,
    paste: &Paste,
) -> Result<Option<(App<'a>, Finds)>> {
    let needles = paste.needles();
    let Some(words) = WordSearch::new(&needles) else {
        app.say(
            Tone::Warn,
            "the text has no ID to search for; name a transcript",
        );
        return Ok(None);
    };
    let named: Vec<PathBuf> = what.iter().map(PathBuf::from).collect();
    let (mut own, mut finds, searched) = app.search(&named, &words)?;
    if finds.found.is_empty()
        && let Some(words) = WordSearch::with_wildcards(&needles)
    {
        (own, finds, _) = app.search(&named, &words)?;
    }
    let sessions = many(searched, "transcript");
    app.say(
        Tone::Dim,
        &format!(
            "searched {sessions}: {} with an ID from the text",
            finds.found.len()
        ),
    );
    Ok(Some((own, finds)))
}

/// What the error means in the conversations of a transcript.
#[derive(Default)]
struct Accounts {
    /// A few of those that it is about.
    accounts: Vec<ErrorAccount>,
    /// How many more rows there are.
    left: u64,
    /// The text alone leads to a finding.
    by_text: bool,
    /// Something was found for the text.
    is_found: bool,
}

/// `alone`: no other transcript is meant. `find`: nobody named it.
///
/// # Errors
/// The transcript cannot be read.
fn accounts(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
    paste: &Paste,
    (alone, find): (bool, bool),
) -> Result<Accounts, ReadError> {
    let mut all = Accounts::default();
    let most = match app.style.detail {
        Detail::All => usize::MAX,
        _ => ROWS,
    };
    meant::each(app, found, world, paste, alone, &mut |meant| {
        let found = meant.decoded.found || meant.row.is_some() && meant.blame.is_some();
        // Of the only transcript also that nothing was found in it.
        if !found && (meant.row.is_some() || find || !alone) {
            return;
        }
        all.is_found |= found;
        if meant.row.is_some() && all.accounts.len() >= most {
            all.left += 1;
            return;
        }
        let mut account = meant.account();
        if meant.blame.is_some() && !meant.decoded.findings.is_empty() {
            all.by_text = true;
            account.next = PREVIEW;
        }
        all.accounts.push(account);
    })?;
    Ok(all)
}
