//! `repair --error TEXT`: only what a pasted error names.

use anyhow::Result;

use crate::app::exit;
use crate::app::explain::rows;
use crate::app::reports::Telling;
use crate::app::{Run, Usage, judge, owner};
use crate::engine::Blame;
use crate::explain::Explained;
use crate::explain::error::{Paste, account, blamed, decode, focus};
use crate::find::name_of;
use crate::find::{Finds, Found};
use crate::outputs::paint::Tone;
use crate::repair::Focus;

/// What the repair is restricted to. `Err`: the exit status of a run that ends here, because the text names nothing that
/// could be repaired; what stands in the recording instead has been told.
///
/// # Errors
/// More than one recording was named, or the answer cannot be printed.
pub(crate) fn restrict(
    run: &mut Run<'_>,
    finds: &Finds,
    paste: &Paste,
) -> Result<std::result::Result<Focus, u8>> {
    let [located] = finds.found.as_slice() else {
        run.say_missed(finds);
        if finds.found.is_empty() {
            return Ok(Err(if finds.missed.is_empty() {
                exit::NOTHING
            } else {
                exit::NOT_EXAMINED
            }));
        }
        return Err(Usage("--error is about one recording; name only that one".to_owned()).into());
    };
    let found = match located.open() {
        Ok(found) => found,
        Err(why) => {
            run.say_not_checked(&located.path, &why);
            return Ok(Err(exit::NOT_EXAMINED));
        }
    };
    let (found, world) = (&found, owner::Once::look());
    let path = run.reader.path(&found.path);
    if found.claim.conversations.are_rows() {
        return Ok(in_rows(run, found, &world, paste));
    }
    let (judged, live) = match judge::judged(run, found, &world) {
        Ok(judged) => judged,
        Err(why) => {
            run.say_not_checked(&found.path, &why);
            return Ok(Err(exit::NOT_EXAMINED));
        }
    };
    let decoded = decode(paste, &judged);
    if let Some(focus) = focus(&decoded, &judged) {
        return Ok(Ok(focus));
    }
    let name = name_of(&found.path);
    if let Some(blame) = blamed(
        &decoded,
        &judged,
        &judged.context(0, &found.source, &name, live),
    ) && let Ok(judged) = judge::blamed(run, found, live, blame.clone())
        && let Some(focus) = focus(&decode(paste, &judged), &judged)
    {
        run.ask.blame = Some(blame);
        return Ok(Ok(focus));
    }
    let account = account(&found.path, &found.source, &judged, live, &decoded);
    let mut telling = Telling::default();
    run.tell(&mut telling, Explained::Error(Box::new(account)))?;
    run.end(telling)?;
    run.say(
        Tone::Bad,
        &format!("refused: {path}: the text names nothing in it that could be repaired"),
    );
    Ok(Err(exit::REFUSED))
}

/// What the error names in the rows of a recording, all of them together.
fn in_rows(
    run: &mut Run<'_>,
    found: &Found,
    world: &owner::Once,
    paste: &Paste,
) -> std::result::Result<Focus, u8> {
    let path = run.reader.path(&found.path);
    let mut all = Focus::default();
    let live = judge::is_live(found, world);
    let mut blame: Option<Blame> = None;
    let read = rows::decoded(run, found, live, paste, &mut |meant| {
        if let Some(own) = focus(meant.decoded, meant.judged) {
            all.ids.extend(own.ids);
            all.codes.extend(own.codes);
        }
        if let Some(own) = meant.blame {
            match &mut blame {
                Some(all) => all.spots.extend(&own.spots),
                None => blame = Some(own.clone()),
            }
        }
    });
    if let Err(why) = read {
        run.say_not_checked(&found.path, &why);
        return Err(exit::NOT_EXAMINED);
    }
    if all.ids.is_empty() && all.codes.is_empty() {
        run.say(
            Tone::Bad,
            &format!("refused: {path}: the text names nothing in its rows that could be repaired"),
        );
        return Err(exit::REFUSED);
    }
    run.ask.blame = blame;
    Ok(all)
}
