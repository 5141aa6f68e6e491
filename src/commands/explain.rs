//! `explain`: the manual pages of the rules, the stories of recordings, single records.

use std::path::Path;

use clap::{Args, ValueEnum};

use crate::app::explain::Records;
use crate::app::reports::Telling;
use crate::app::{App, Asked, Error, Result, exit, explain};
use crate::cli::rule;
use crate::explain::Explained;
use crate::explain::record::Which;
use crate::explain::rule::Manual;
use crate::explain::story::Options;
use crate::explain::timeline::Timeline;
use crate::find::names::{self, Argument, ArgumentTarget, ParsedArgument};
use crate::find::surroundings::Surroundings;
use crate::outputs::Detail;
use crate::report::text::escape;
use crate::rules::{self, Rule};

/// The manual page of a rule, the story of a recording, or one record; reads only
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A rule: its code or its name; or a recording, by its path or the session's id: how it came to be as it is; or
    /// FILE:LINE, FOLDER:EVENT, ID:LINE: one record
    #[arg(value_name = "RULE|FILE|ID", required_unless_present_any = ["list", "error"])]
    pub what: Option<String>,
    /// Of a recording: the record or the call with this id, which may be shortened
    #[arg(value_name = "RECORD", conflicts_with_all = ["list", "call", "error", "around"])]
    pub id: Option<String>,
    /// List all rules
    #[arg(long)]
    pub list: bool,
    /// Of a recording: the records of the call with this id, which may be shortened
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub call: Option<String>,
    /// Of a recording: which records this error of a provider or a host means, as pasted; - reads it from standard input
    #[arg(long, value_name = "TEXT|-", conflicts_with_all = ["list", "call", "around"], allow_hyphen_values = true)]
    pub error: Option<String>,
    /// Of an error that names ids: search the sessions of all hosts, and FILE if there is one, for the recording
    #[arg(long, requires = "error")]
    pub find: bool,
    /// Of a recording: which records the timeline shows
    #[arg(long, value_name = "WHICH", default_value = "around")]
    pub timeline: TimelineArg,
    /// Records before and behind each one of the timeline
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub context: usize,
    /// The timeline around this line, event number or id, instead of around what happened
    #[arg(long, value_name = "LINE|ID")]
    pub around: Option<String>,
    /// Do not look for causes
    #[arg(long)]
    pub no_story: bool,
    /// Of a recording: judge each row of a JSONL file, or of an array, as a conversation of its own
    #[arg(long, conflicts_with = "list")]
    pub rows: bool,
}

/// Which records a timeline shows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TimelineArg {
    /// Every record
    All,
    /// Those involved, and some before and behind each
    #[default]
    Around,
    /// Calls and results
    Calls,
}

impl ExplainArgs {
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked {
            rows: self.rows,
            ..Asked::default()
        }
    }

    /// The single records that are meant, if not a whole story.
    fn records(&self, typed: &ParsedArgument) -> Records {
        let number = self.id.as_ref().and_then(|id| id.parse().ok());
        let call = self.call.as_ref().map(|id| (id.clone(), Which::Calls));
        let id = self.id.as_ref().filter(|_| number.is_none());
        Records {
            number: typed.record.or(number),
            id: call.or(id.map(|id| (id.clone(), Which::All))),
        }
    }

    fn story(&self, app: &App<'_>) -> Options {
        Options {
            timeline: match self.timeline {
                TimelineArg::All => Timeline::All,
                TimelineArg::Around => Timeline::Around,
                TimelineArg::Calls => Timeline::Calls,
            },
            context: self.context,
            around: self.around.clone(),
            stories: !self.no_story,
            whole_ids: app.style.detail == Detail::All || app.options.output.whole_ids,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// No recording and no rule has this name, or it cannot be printed.
pub(crate) fn run(app: &App<'_>, args: &ExplainArgs) -> Result<u8> {
    if args.list {
        return tell(
            app,
            Explained::Rules(rules::ALL.iter().map(|rule| Manual::of(rule)).collect()),
        );
    }
    if let Some(text) = &args.error {
        return explain::of_error(app, args.what.as_deref(), args.find, text);
    }
    let what = args.what.as_deref().unwrap_or_default();
    let typed = names::read(Path::new(what));
    let Some(rule) = rule_meant(&typed, args)? else {
        return explain::of_recording(app, &typed, args.records(&typed), &args.story(app));
    };
    tell(app, Explained::Rule(Manual::of(rule)))
}

/// Tells the only explanation of a run.
fn tell(app: &App<'_>, one: Explained) -> Result<u8> {
    let mut telling = Telling::default();
    app.tell(&mut telling, one)?;
    app.end(telling)?;
    Ok(exit::DONE)
}

/// The rule that a word means, where it is no path. `None`: it means a recording.
///
/// # Errors
/// It means neither.
fn rule_meant(typed: &ParsedArgument, args: &ExplainArgs) -> Result<Option<&'static Rule>> {
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
            Ok(ArgumentTarget::Path(_)) => Err(Error::usage(format!("{}: {why}", escape(word)))),
            _ => Ok(None),
        },
    }
}
