//! `repair --error TEXT`: only what a pasted error names.

use crate::app::exit;
use crate::app::explain::rows;
use crate::app::plan::Planning;
use crate::app::reports::Telling;
use crate::app::{App, Error, Result, judge, owner};
use crate::engine::Blame;
use crate::explain::Explained;
use crate::explain::error::{Paste, account, blamed, decode, focus};
use crate::find::name_of;
use crate::find::{Finds, Found};
use crate::outputs::paint::Tone;
use crate::repair::Focus;

/// The plan, restricted to what the text names. `Err`: the exit status of a run that ends here, because the text names nothing that
/// could be repaired; what stands in the recording instead has been told.
///
/// # Errors
/// More than one recording was named, or the answer cannot be printed.
pub(crate) fn restrict(
    app: &App<'_>,
    finds: &Finds,
    paste: &Paste,
    plan: Planning,
) -> Result<std::result::Result<Planning, u8>> {
    let [located] = finds.found.as_slice() else {
        app.say_missed(finds);
        if finds.found.is_empty() {
            return Ok(Err(if finds.missed.is_empty() {
                exit::NOTHING
            } else {
                exit::NOT_EXAMINED
            }));
        }
        return Err(Error::usage(
            "--error is about one recording; name only that one",
        ));
    };
    let found = match located.open() {
        Ok(found) => found,
        Err(why) => {
            app.say_not_checked(&located.path, &why);
            return Ok(Err(exit::NOT_EXAMINED));
        }
    };
    let (found, world) = (&found, owner::Once::look());
    let path = app.options.reader.path(&found.path);
    if found.claim.conversations.are_rows() {
        return Ok(in_rows(app, found, &world, paste).map(|(focus, blame)| plan.of(focus, blame)));
    }
    let (judged, live) = match judge::judged(app, found, &world) {
        Ok(judged) => judged,
        Err(why) => {
            app.say_not_checked(&found.path, &why);
            return Ok(Err(exit::NOT_EXAMINED));
        }
    };
    let decoded = decode(paste, &judged);
    if let Some(focus) = focus(&decoded, &judged) {
        return Ok(Ok(plan.of(focus, None)));
    }
    let name = name_of(&found.path);
    if let Some(blame) = blamed(
        &decoded,
        &judged,
        &judged.context(0, &found.source, &name, live),
    ) && let Ok(judged) = judge::blamed(app, found, live, blame.clone())
        && let Some(focus) = focus(&decode(paste, &judged), &judged)
    {
        return Ok(Ok(plan.of(focus, Some(blame))));
    }
    let account = account(&found.path, &found.source, &judged, live, &decoded);
    let mut telling = Telling::default();
    app.tell(&mut telling, Explained::Error(Box::new(account)))?;
    app.end(telling)?;
    app.say(
        Tone::Bad,
        &format!("refused: {path}: the text names nothing in it that could be repaired"),
    );
    Ok(Err(exit::REFUSED))
}

/// What the error names in the rows of a recording, all of them together.
fn in_rows(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
    paste: &Paste,
) -> std::result::Result<(Focus, Option<Blame>), u8> {
    let path = app.options.reader.path(&found.path);
    let mut all = Focus::default();
    let live = judge::is_live(found, world);
    let mut blame: Option<Blame> = None;
    let read = rows::decoded(app, found, live, paste, &mut |meant| {
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
        app.say_not_checked(&found.path, &why);
        return Err(exit::NOT_EXAMINED);
    }
    if all.ids.is_empty() && all.codes.is_empty() {
        app.say(
            Tone::Bad,
            &format!("refused: {path}: the text names nothing in its rows that could be repaired"),
        );
        return Err(exit::REFUSED);
    }
    Ok((all, blame))
}
