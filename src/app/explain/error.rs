//! `explain FILE --error TEXT`: from a pasted error to the records.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::paste;
use super::rows::{self, Meant};
use crate::app::exit::{self, Outcome};
use crate::app::reports::Telling;
use crate::app::{Run, Usage, judge, owner};
use crate::cli::Explain;
use crate::explain::Explained;
use crate::explain::error::{Paste, account, blamed, decode, meaning};
use crate::explain::story::Command;
use crate::find::name_of;
use crate::find::search::WordSearch;
use crate::find::{Finds, Found};
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, many};
use crate::report::rows::settle;
use crate::report::text::escape;

/// What to type next where the text alone leads to a finding.
const PREVIEW: Option<Command> = Some(Command {
    command: "repair",
    options: &["-n", "--unsafe"],
});

/// Rows that are told one by one.
const ROWS: usize = 5;

/// Runs the command. Of several recordings only those are told for which something is found.
///
/// # Errors
/// The command line cannot be done, or the answer cannot be printed.
pub(crate) fn run(run: &mut Run<'_>, args: &Explain, typed: &str) -> Result<u8> {
    let what = args.what.as_deref().unwrap_or_default();
    if what != "-" && !Path::new(what).exists() && crate::cli::rule(what).is_ok() {
        return Err(Usage(format!(
            "{}: an error is looked up in a recording, not in a rule",
            escape(what)
        ))
        .into());
    }
    let paste = paste::read(typed, what == "-")?;
    if args.what.is_none() && !args.find {
        return by_itself(run, &paste);
    }
    run.by_rows(args.rows);
    let finds = match args.find {
        false => run.find(&[what.into()])?,
        true => match search(run, args, &paste)? {
            Some(finds) => finds,
            None => return Ok(exit::NOTHING),
        },
    };
    if !args.find || !finds.missed.is_empty() {
        run.say_missed(&finds);
    }
    let world = owner::Once::look();
    let mut outcome = Outcome {
        not_examined: !finds.missed.is_empty(),
        ..Outcome::default()
    };
    let mut telling = Telling::default();
    let mut told = false;
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
            let live = judge::is_live(found, &world);
            match each_row(run, found, live, (&paste, typed), &mut telling) {
                Ok(more) => told |= more?,
                Err(why) => {
                    outcome.not_examined = true;
                    run.say_not_checked(&found.path, &why);
                }
            }
            continue;
        }
        let (mut judged, live) = match judge::judged(run, found, &world) {
            Ok(judged) => judged,
            Err(why) => {
                outcome.not_examined = true;
                run.say_not_checked(&found.path, &why);
                continue;
            }
        };
        let mut decoded = decode(&paste, &judged);
        let name = name_of(&found.path);
        let blame = blamed(
            &decoded,
            &judged,
            &judged.context(0, &found.source, &name, live),
        );
        let mut asked_again = false;
        if let [_] = finds.found.as_slice()
            && let Some(blame) = blame
            && let Ok(again) = judge::blamed(run, found, live, blame)
        {
            judged = again;
            decoded = decode(&paste, &judged);
            asked_again = decoded.found;
        }
        if decoded.found || (finds.found.len() == 1 && !args.find) {
            let mut account = account(&found.path, &found.source, &judged, live, &decoded);
            if asked_again && !decoded.findings.is_empty() {
                // No other command sees it.
                run.style
                    .next
                    .options
                    .extend(["--error".into(), typed.into()]);
                account.next = PREVIEW;
            }
            run.tell(&mut telling, Explained::Error(Box::new(account)))?;
            told |= decoded.found;
        }
    }
    let has_rows = finds
        .found
        .iter()
        .any(|found| found.claim.conversations.are_rows());
    if (finds.found.len() > 1 || has_rows) && !told {
        let recordings = many(finds.found.len() as u64, "recording");
        run.say(
            Tone::Warn,
            &format!("nothing was found for the text in {recordings}"),
        );
    }
    run.end(telling)?;
    let allowed = finds.found.is_empty() && run.global.allow_empty;
    outcome.nothing = !told && !allowed;
    Ok(outcome.status())
}

/// Tells what the text says, without a recording.
fn by_itself(run: &Run<'_>, paste: &Paste) -> Result<u8> {
    let meaning = meaning(paste);
    let known = !meaning.read.speaker.is_empty();
    let mut telling = Telling::default();
    run.tell(&mut telling, Explained::Meaning(meaning))?;
    run.end(telling)?;
    Ok(if known { exit::DONE } else { exit::NOTHING })
}

/// The recordings that hold an id of the text, among those of all hosts and those that were named. `None`: the text names no
/// id, and that was said.
fn search(run: &mut Run<'_>, args: &Explain, paste: &Paste) -> Result<Option<Finds>> {
    let needles = paste.needles();
    let Some(words) = WordSearch::new(&needles) else {
        run.say(
            Tone::Warn,
            "the text names no id, so no recording can be searched for; name one",
        );
        return Ok(None);
    };
    let named: Vec<PathBuf> = args.what.iter().map(PathBuf::from).collect();
    let (mut finds, searched) = run.search(&named, &words)?;
    if finds.found.is_empty()
        && let Some(words) = WordSearch::with_wildcards(&needles)
    {
        (finds, _) = run.search(&named, &words)?;
    }
    let sessions = many(searched, "recording");
    run.say(
        Tone::Dim,
        &format!(
            "searched {sessions}: {} with an id of the text",
            finds.found.len()
        ),
    );
    Ok(Some(finds))
}

/// The rows that the error is about, a few of them. The inner flag: there were some.
fn each_row(
    run: &mut Run<'_>,
    found: &Found,
    live: bool,
    (paste, typed): (&Paste, &str),
    telling: &mut Telling,
) -> std::result::Result<Result<bool>, String> {
    let (mut left, mut by_text, mut accounts) = (0_u64, false, Vec::new());
    let most = if run.style.detail == Detail::All {
        usize::MAX
    } else {
        ROWS
    };
    rows::decoded(run, found, live, paste, &mut |meant| {
        let Meant {
            row,
            at,
            window,
            judged,
            decoded,
            blame,
        } = meant;
        if accounts.len() >= most {
            left += 1;
            return;
        }
        let mut account = account(&found.path, window, judged, live, decoded);
        settle(&mut account.conversation, row, at);
        if blame.is_some() && !decoded.findings.is_empty() {
            by_text = true;
            account.next = PREVIEW;
        }
        accounts.push(account);
    })?;
    if by_text {
        run.style
            .next
            .options
            .extend(["--error".into(), typed.into()]);
    }
    let told = !accounts.is_empty();
    let mut accounts = accounts
        .into_iter()
        .map(|account| Explained::Error(Box::new(account)));
    let done = accounts.try_for_each(|account| run.tell(telling, account));
    if left > 0 {
        run.say(
            Tone::Dim,
            &format!("and {}; -v tells them", many(left, "more row")),
        );
    }
    Ok(done.map(|()| told))
}
