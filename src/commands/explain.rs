//! `explain`: the manual pages of the rules, the stories of recordings, single records.

use std::path::Path;

use anyhow::Result;

use crate::app::reports::Telling;
use crate::app::{Run, Usage, exit, explain};
use crate::cli::{Explain, rule};
use crate::explain::Explained;
use crate::explain::rule::Manual;
use crate::find::names::{self, Argument, ArgumentTarget, ParsedArgument};
use crate::find::surroundings::Surroundings;
use crate::report::text::escape;
use crate::rules::{self, Rule};

/// Runs the command.
///
/// # Errors
/// No recording and no rule has this name, or it cannot be printed.
pub(crate) fn run(run: &mut Run<'_>, args: &Explain) -> Result<u8> {
    if args.list {
        return tell(
            run,
            Explained::Rules(rules::ALL.iter().map(|rule| Manual::of(rule)).collect()),
        );
    }
    if let Some(text) = &args.error {
        return explain::of_error(run, args, text);
    }
    let what = args.what.as_deref().unwrap_or_default();
    let typed = names::read(Path::new(what));
    let Some(rule) = rule_meant(&typed, args)? else {
        return explain::of_recording(run, args, &typed);
    };
    tell(run, Explained::Rule(Manual::of(rule)))
}

/// Tells the only explanation of a run.
fn tell(run: &Run<'_>, one: Explained) -> Result<u8> {
    let mut telling = Telling::default();
    run.tell(&mut telling, one)?;
    run.end(telling)?;
    Ok(exit::DONE)
}

/// The rule that a word means, where it is no path. `None`: it means a recording.
///
/// # Errors
/// It means neither.
fn rule_meant(typed: &ParsedArgument, args: &Explain) -> Result<Option<&'static Rule>> {
    let ParsedArgument {
        word: Argument::Id(word),
        record: None,
    } = typed
    else {
        return Ok(None);
    };
    if args.call.is_some() || args.id.is_some() {
        return Ok(None);
    }
    match rule(word) {
        Ok(rule) => Ok(Some(rule)),
        // No rule has a name like that: it is a path that does not exist, and is told so.
        Err(_) if word.contains('.') => Ok(None),
        Err(why) => match names::look_up(&typed.word, &Surroundings::system()) {
            Ok(ArgumentTarget::Path(_)) => Err(Usage(format!("{}: {why}", escape(word))).into()),
            _ => Ok(None),
        },
    }
}
