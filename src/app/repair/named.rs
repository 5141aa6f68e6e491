//! `repair --error TEXT`: only what a pasted error names.

use crate::app::exit;
use crate::app::explain::meant::{self, MeantConversation};
use crate::app::plan::Planning;
use crate::app::reports::Explanations;
use crate::app::{App, Error, Result, owner};
use crate::engine::Blame;
use crate::explain::Explained;
use crate::explain::error::{ErrorAccount, Paste, focus};
use crate::find::Finds;
use crate::outputs::paint::Tone;
use crate::repair::Focus;

/// The plan, restricted to what the text names. `Err`: the exit status of a run that ends here, because the text names nothing that
/// could be repaired; what is in the transcript instead has been shown.
///
/// # Errors
/// More than one transcript was named, or the answer cannot be printed.
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
        return Err(Error::usage("--error is about one transcript; name only that one"));
    };
    let found = match located.open() {
        Ok(found) => found,
        Err(why) => {
            app.say_not_checked(&located.path, &why);
            return Ok(Err(exit::NOT_EXAMINED));
        }
    };
    let (found, world) = (&found, owner::Once::default());
    let mut named = NamedByError::default();
    let read = meant::each(app, found, &world, paste, true, &mut |meant| named.add(meant));
    if let Err(why) = read {
        app.say_not_checked(&found.path, &why);
        return Ok(Err(exit::NOT_EXAMINED));
    }
    let NamedByError { focus, blame, whole } = named;
    if !focus.ids.is_empty() || !focus.codes.is_empty() {
        return Ok(Ok(plan.of(focus, blame)));
    }
    let place = if whole.is_some() { "it" } else { "its rows" };
    if let Some(account) = whole {
        let mut explanations = Explanations::default();
        app.explain(&mut explanations, Explained::Error(account))?;
        app.finish(explanations)?;
    }
    let path = app.options.reader.path(&found.path);
    app.say(
        Tone::Bad,
        &format!("refused: {path}: the text names nothing in {place} that can be repaired"),
    );
    Ok(Err(exit::REFUSED))
}

/// What the error names in all conversations of a transcript together.
#[derive(Default)]
struct NamedByError {
    focus: Focus,
    blame: Option<Blame>,
    /// What the error means in a conversation that is the whole transcript, where it names nothing in it.
    whole: Option<Box<ErrorAccount>>,
}

impl NamedByError {
    fn add(&mut self, meant: MeantConversation<'_>) {
        match focus(meant.decoded, meant.judged) {
            Some(own) => {
                self.focus.ids.extend(own.ids);
                self.focus.codes.extend(own.codes);
            }
            None if meant.row.is_none() => self.whole = Some(Box::new(meant.account())),
            None => {}
        }
        if let Some(own) = meant.blame {
            match &mut self.blame {
                Some(all) => all.positions.extend(&own.positions),
                None => self.blame = Some(own.clone()),
            }
        }
    }
}
