//! `explain FILE --error TEXT`: from a pasted error to the records.

use std::path::{Path, PathBuf};

use super::{meant, paste, repaired};
use crate::app::exit::{self, RunOutcome};
use crate::app::reports::Explanations;
use crate::app::{App, Error, Result, owner};
use crate::containers::ReadError;
use crate::explain::Explained;
use crate::explain::error::{ErrorAccount, Meaning, Paste, meaning};
use crate::explain::story::ProposedCommand;
use crate::find::search::WordSearch;
use crate::find::{Finds, Found};
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, many};
use crate::report::text::escape;

/// What to type next where the text alone leads to a finding.
const PREVIEW: Option<ProposedCommand> =
    Some(ProposedCommand { command: "repair", options: &["-n", "--unsafe"] });

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
        return by_itself(app, meaning(&paste));
    }
    of_paste(app, named, find, (typed, &paste))
}

/// Runs the command for a text that was read.
fn of_paste(
    app: &App<'_>,
    named: Option<&str>,
    find: bool,
    (typed, paste): (&str, &Paste),
) -> Result<u8> {
    let (mut app, finds) = if find {
        match search(app, named, paste)? {
            Some(found) => found,
            None => return Ok(exit::NOTHING),
        }
    } else {
        app.find(&[named.unwrap_or_default().into()])?
    };
    if !find || !finds.missed.is_empty() {
        app.say_missed(&finds);
    }
    let world = owner::Once::default();
    let mut outcome =
        RunOutcome { not_examined: !finds.missed.is_empty(), ..RunOutcome::default() };
    let mut explanations = Explanations::default();
    let (mut any_found, mut is_answered, mut searched) = (false, false, 0);
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
        let Accounts { accounts, left, by_text, is_found } =
            match accounts(&app, found, &world, paste, (alone, find)) {
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
        is_answered |= !accounts.is_empty();
        searched += 1;
        for account in accounts {
            app.explain(&mut explanations, Explained::Error(Box::new(account)))?;
        }
        if left > 0 {
            let more = many(left, "more row");
            app.say(Tone::Dim, &format!("and {more}; -v shows them"));
        }
    }
    if searched > 0 && !is_answered {
        let transcripts = many(searched, "transcript");
        app.say(Tone::Warn, &format!("nothing matches the text in {transcripts}"));
    }
    app.finish(explanations)?;
    let allowed = finds.found.is_empty() && app.options.allow_empty;
    outcome.nothing = !any_found && !allowed;
    Ok(outcome.status())
}

/// An error text that was pasted where a name belongs, and what it says.
pub(crate) struct PastedName {
    paste: Paste,
    meaning: Meaning,
}

impl PastedName {
    /// `None`: the word is no such text.
    pub(crate) fn read(what: &str) -> Option<PastedName> {
        what.split_whitespace().nth(2).filter(|_| !Path::new(what).exists())?;
        let paste = Paste::read(what);
        let meaning = meaning(&paste);
        let is_known = !meaning.read.speaker.is_empty();
        is_known.then_some(PastedName { paste, meaning })
    }

    /// Explains the text, which is `typed`: in the sessions that have its IDs, or alone if it has none.
    ///
    /// # Errors
    /// As [`run`].
    pub(crate) fn explain(self, app: &App<'_>, typed: &str) -> Result<u8> {
        if self.meaning.searchable {
            of_paste(app, None, true, (typed, &self.paste))
        } else {
            by_itself(app, self.meaning)
        }
    }
}

/// Tells what the text says, without a recording.
fn by_itself(app: &App<'_>, meaning: Meaning) -> Result<u8> {
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
        app.say(Tone::Warn, "the text has no ID to search for; name a transcript");
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
        &format!("searched {sessions}: {} with an ID from the text", finds.found.len()),
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
        let is_mended = meant.row.is_none() && meant.decoded.findings.is_empty();
        let mended = Some(()).filter(|()| is_mended);
        let mended = mended.and_then(|()| repaired::by(app, found, world, paste));
        let after = meant.judged.detection.format.after_write;
        let found =
            meant.decoded.found || mended.is_some() || meant.row.is_some() && meant.blame.is_some();
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
        if let Some(head) = mended {
            account.found = true;
            account.says = format!(
                "Repaired by operation {} on {}; restart what still shows the error. {after}",
                head.op,
                head.moment().replace('T', " ")
            )
            .into();
        }
        if meant.blame.is_some() && !meant.decoded.findings.is_empty() {
            all.by_text = true;
            account.next = PREVIEW;
        }
        all.accounts.push(account);
    })?;
    Ok(all)
}
