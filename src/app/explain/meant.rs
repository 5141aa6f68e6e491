//! The conversations that a pasted error is about.

use crate::app::{App, judge, owner};
use crate::containers::ReadError;
use crate::engine::{self, Blame, CheckOptions, Judged};
use crate::explain::error::{Decoded, ErrorAccount, Paste, account, blamed, decode};
use crate::find::{Found, name_of};
use crate::report::rows::set_places;
use crate::rows::{Examined, OneConversation, Row, RowPlace};

/// A conversation, and what a pasted error means in it.
pub(in crate::app) struct MeantConversation<'a> {
    pub found: &'a Found,
    /// Which row it is, and where; `None`: it is the whole transcript.
    pub row: Option<(&'a Row, RowPlace)>,
    pub judged: &'a Judged,
    pub decoded: &'a Decoded<'a>,
    /// What the text blames in it, where no check can see that.
    pub blame: Option<&'a Blame>,
    conversation: &'a OneConversation<'a>,
    live: bool,
}

impl MeantConversation<'_> {
    /// What the error means in it, for a person.
    pub(in crate::app) fn account(&self) -> ErrorAccount {
        let entries = self.conversation.entries;
        let mut account = account(&self.found.path, entries, self.judged, self.live, self.decoded);
        if let Some((row, at)) = self.row {
            set_places(&mut account.conversation, row, at);
        }
        account
    }
}

/// Explains a pasted error for each conversation in a transcript. `alone`: no other transcript is searched for it.
///
/// # Errors
/// The transcript cannot be read.
pub(in crate::app) fn each(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
    paste: &Paste,
    alone: bool,
    each: &mut dyn FnMut(MeantConversation<'_>),
) -> Result<(), ReadError> {
    let name = name_of(&found.path);
    judge::each(app, found, world, app.options.jobs, &mut |examined, live| {
        let Examined::Conversation(own) = &examined else {
            return;
        };
        let judged = own.judged();
        let decoded = decode(paste, judged, own.entries);
        let meant = MeantConversation {
            found,
            row: own.row,
            judged,
            decoded: &decoded,
            blame: None,
            conversation: own,
            live,
        };
        let context = judged.context(0, own.entries, &name, live);
        let blame = Some(()).filter(|()| decoded.findings.is_empty());
        let blame = blame.and_then(|()| blamed(&decoded, judged, &context));
        let options = CheckOptions {
            live,
            blame: blame.filter(|blame| may_mean(own, blame, alone)),
            ..app.options.check.clone()
        };
        if options.blame.is_some()
            && let Ok(judged) = engine::judge(own.entries, &name, &judged.detection, &options)
        {
            let decoded = decode(paste, &judged, own.entries);
            each(MeantConversation {
                judged: &judged,
                decoded: &decoded,
                blame: options.blame.as_ref(),
                ..meant
            });
        } else {
            each(meant);
        }
    })
}

/// Whether a text may mean this conversation. A text without a place does not say which of several it means.
fn may_mean(own: &OneConversation<'_>, blame: &Blame, alone: bool) -> bool {
    match own.row {
        Some(_) => !blame.guess,
        None => alone,
    }
}
