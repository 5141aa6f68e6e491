//! `explain FILE --error TEXT`: from a pasted error to the records.

use std::cmp::Reverse;
use std::path::Path;

use super::{meant, paste, repaired, search};
use crate::app::exit::{self, RunOutcome};
use crate::app::reports::Explanations;
use crate::app::{App, Error, Result, copies, owner};
use crate::containers::ReadError;
use crate::explain::Explained;
use crate::explain::error::{ErrorAccount, Meaning, Paste, meaning};
use crate::explain::story::ProposedCommand;
use crate::find::{Finds, Found};
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, many};
use crate::report::text::escape;

/// What to type next where the text alone leads to a finding.
const PREVIEW: Option<ProposedCommand> =
    Some(ProposedCommand { command: "repair", options: &["-n", "--unsafe"] });

/// Rows that are shown one by one.
const ROWS: usize = 5;
/// Sessions that are shown, where only the kind of damage leads to them.
const SESSIONS: usize = 3;

/// Runs the command. Of several transcripts only those are shown for which something is found.
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
    if find {
        return search::run(app, named, (typed, &paste));
    }
    let Some(named) = named else {
        return by_itself(app, meaning(&paste));
    };
    let (app, finds) = app.find(&[named.into()])?;
    app.say_missed(&finds);
    let mut explanations = Explanations::default();
    let told = tell(&app, &finds, (typed, &paste), TellOf::Named, &mut explanations)?;
    if told.searched > 0 && !told.is_answered {
        let says = match told.searched {
            1 => "this transcript has no such problem".to_owned(),
            searched => format!("none of these {searched} transcripts has such a problem"),
        };
        app.say(Tone::Warn, &says);
    }
    app.finish(explanations)?;
    let allowed = finds.found.is_empty() && app.options.allow_empty;
    let outcome = RunOutcome {
        not_examined: !finds.missed.is_empty() || told.not_examined,
        nothing: !told.any_found && !allowed,
        ..RunOutcome::default()
    };
    Ok(outcome.status())
}

/// Which transcripts are shown.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum TellOf {
    /// Those that were named: of the only one also that nothing was found in it.
    Named,
    /// Those in which something was found, or else those that have an ID of the text.
    WithIds,
    /// Those with damage that causes the text.
    WithCause,
}

/// What came of transcripts.
#[derive(Default)]
pub(super) struct Told {
    pub searched: u64,
    pub any_found: bool,
    pub is_answered: bool,
    /// One could not be read, and that was said.
    pub not_examined: bool,
}

/// Says what the text means in these transcripts: in the order in which they were named, or else damaged and newest first.
///
/// # Errors
/// An answer cannot be printed.
pub(super) fn tell(
    app: &App<'_>,
    finds: &Finds,
    (typed, paste): (&str, &Paste),
    wanted: TellOf,
    explanations: &mut Explanations,
) -> Result<Told> {
    let world = owner::Once::default();
    let mut told = Told::default();
    let mut all = Vec::new();
    let alone = finds.found.len() == 1;
    for located in &finds.found {
        let found = located.open().map_err(|why| why.to_string());
        let own = found.and_then(|found| {
            accounts(app, &found, &world, paste, (alone, wanted)).map_err(|why| why.to_string())
        });
        match own {
            Ok(own) => {
                told.searched += 1;
                told.any_found |= own.is_found;
                told.is_answered |= !own.accounts.is_empty();
                all.push((own, located.modified()));
            }
            Err(why) => {
                told.not_examined = true;
                app.say_not_checked(&located.path, &why);
            }
        }
    }
    if wanted == TellOf::WithIds && told.any_found {
        all.retain(|(own, _)| own.is_found);
    }
    if wanted != TellOf::Named {
        all.retain(|(own, _)| !own.accounts.is_empty());
        all.sort_by_key(|(own, modified)| {
            let is_damaged = own.accounts.iter().any(|account| !account.findings.is_empty());
            (!is_damaged, Reverse(*modified))
        });
    }
    let most = match app.style.detail {
        _ if wanted != TellOf::WithCause => usize::MAX,
        Detail::All => usize::MAX,
        _ => SESSIONS,
    };
    let more = all.len().saturating_sub(most);
    for (Accounts { accounts, left, by_text, .. }, _) in all.into_iter().take(most) {
        // No other command sees it.
        let own =
            if by_text { app.proposing(["--error".into(), typed.into()]) } else { app.clone() };
        for account in accounts {
            own.explain(explanations, Explained::Error(Box::new(account)))?;
        }
        if left > 0 {
            let more = many(left, "more row");
            app.say(Tone::Dim, &format!("and {more}; -v shows them"));
        }
    }
    if more > 0 {
        let more = many(more as u64, "more session");
        app.say(Tone::Dim, &format!("and {more}; -v shows them"));
    }
    Ok(told)
}

/// An error text that was pasted where a name belongs, and what it says.
pub(crate) struct PastedName {
    paste: Paste,
    meaning: Meaning,
}

/// Endings of names of files.
const FILES: &[&str] = &[".json", ".jsonl", ".ndjson", ".db", ".gz", ".zst", ".zip", ".eval"];

impl PastedName {
    /// `None`: the word is no such text.
    pub(crate) fn read(what: &str) -> Option<PastedName> {
        let is_file = FILES.iter().any(|ending| what.ends_with(ending));
        if is_file || Path::new(what).exists() {
            return None;
        }
        let own = PastedName::of(what);
        let words = what.split_whitespace().count();
        let is_text = match words {
            0 => false,
            1 => own.is_exact() || own.paste.is_id(),
            2 | 3 => own.is_exact(),
            _ => true,
        };
        is_text.then_some(own)
    }

    /// The same of words that a shell split. A text that is not known must say that it is an error.
    pub(crate) fn of_words(text: &str) -> Option<PastedName> {
        let own = PastedName::of(text);
        let is_error = || ["rror", "xception"].iter().any(|word| text.contains(word));
        (text.split_whitespace().nth(2).is_some() && (own.is_exact() || is_error())).then_some(own)
    }

    fn of(text: &str) -> PastedName {
        let paste = Paste::read(text);
        PastedName { meaning: meaning(&paste), paste }
    }

    /// Whether it is a known text, none of whose words is missing.
    fn is_exact(&self) -> bool {
        !self.meaning.read.speaker.is_empty() && !self.meaning.read.is_alike
    }

    /// Explains the text, which is `typed`: in the sessions that have its IDs, or what causes it.
    ///
    /// # Errors
    /// As [`run`].
    pub(crate) fn explain(self, app: &App<'_>, typed: &str) -> Result<u8> {
        search::run(app, None, (typed, &self.paste))
    }
}

/// Says what the text says, without a transcript.
pub(super) fn by_itself(app: &App<'_>, meaning: Meaning) -> Result<u8> {
    let known = !meaning.read.speaker.is_empty();
    let is_found = match meaning.searched {
        Some(_) => app.options.allow_empty,
        None => known,
    };
    let mut explanations = Explanations::default();
    app.explain(&mut explanations, Explained::Meaning(meaning))?;
    app.finish(explanations)?;
    Ok(if is_found { exit::DONE } else { exit::NOTHING })
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

/// `alone`: no other transcript is meant.
///
/// # Errors
/// The transcript cannot be read.
fn accounts(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
    paste: &Paste,
    (alone, wanted): (bool, TellOf),
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
        let is_found =
            meant.decoded.found || mended.is_some() || meant.row.is_some() && meant.blame.is_some();
        let is_told = match wanted {
            TellOf::Named => is_found || meant.row.is_none() && alone,
            TellOf::WithIds => is_found || meant.row.is_none() && meant.decoded.has_ids(),
            TellOf::WithCause => !meant.decoded.findings.is_empty() || mended.is_some(),
        };
        if !is_told {
            return;
        }
        all.is_found |= is_found;
        if meant.row.is_some() && all.accounts.len() >= most {
            all.left += 1;
            return;
        }
        let mut account = meant.account();
        let layout = &meant.judged.detection.layout;
        copies::name_if_needed(&mut account.conversation, found, layout, &app.options.check);
        if let Some(head) = mended {
            account.found = true;
            account.repaired_by = Some(head.op);
            account.says = format!(
                "Repaired by operation {} on {}; restart what still shows the error. {after}",
                head.op,
                head.moment()
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
