//! `explain`: the manual pages of the rules, the stories of transcripts, single records.

use std::path::Path;

use clap::{Arg, Args, ValueEnum};

use super::help::{CommandExample, examples};
use super::sessions::NO_PROJECT;
use crate::app::explain::MeantRecords;
use crate::app::reports::Explanations;
use crate::app::{App, Error, Result, exit, explain};
use crate::cli::{
    AskedOptions, DetailArgs, DrawArgs, JobArgs, JudgeArgs, PagerArgs, PrintArgs, ReadArgs,
    TalkArgs, rule,
};
use crate::explain::Explained;
use crate::explain::record::Which;
use crate::explain::rule::Manual;
use crate::explain::story::ExplainOptions;
use crate::explain::timeline::Timeline;
use crate::find::names::{self, Argument, ArgumentTarget, ParsedArgument};
use crate::find::surroundings::Surroundings;
use crate::outputs::Detail;
use crate::report::text::escape;
use crate::rules::Rule;

/// Heading of the options that decide what the story of a transcript shows.
const STORY: &str = "What to show of a transcript";

const EXAMPLES: &[CommandExample] = &[
    ("explain session.jsonl", "See what happened, and whether it is safe to continue"),
    ("explain session.jsonl:4", "Explain line 4"),
    ("explain TD104", "Read the page of a rule"),
    ("explain --error - --find < error.txt", "Find the session that a pasted error is about"),
];

/// Explain a transcript, record, rule, or error message (read-only)
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES), mut_args(refusing))]
pub struct ExplainArgs {
    /// Rule, file, session ID, or a record as FILE:LINE or ID:LINE
    ///
    /// Without it, the damaged sessions of the project in the current folder are explained.
    #[arg(value_name = "RULE|FILE|ID")]
    pub what: Option<String>,
    /// ID of a record or tool call in FILE; it may be shortened
    #[arg(value_name = "RECORD", conflicts_with_all = ["call", "error", "around"])]
    pub id: Option<String>,
    /// Explain the tool call with this ID; it may be shortened
    #[arg(long, value_name = "ID", requires = "what")]
    pub call: Option<String>,
    /// Find what a pasted error is about (-: standard input)
    #[arg(long, value_name = "TEXT|-", conflicts_with_all = ["call", "around"], allow_hyphen_values = true)]
    pub error: Option<String>,
    /// Search the sessions of all hosts for the IDs in the error
    #[arg(long, requires = "error")]
    pub find: bool,
    /// Records in the timeline
    #[arg(long, value_name = "WHICH", default_value = "around", help_heading = STORY, hide_short_help = true)]
    pub timeline: TimelineArg,
    /// Records before and after each of them
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = STORY, hide_short_help = true)]
    pub context: usize,
    /// Show the timeline around this line, event number, or ID
    #[arg(long, value_name = "LINE|ID", help_heading = STORY, hide_short_help = true)]
    pub around: Option<String>,
    /// Do not look for causes
    #[arg(long, help_heading = STORY, hide_short_help = true)]
    pub no_story: bool,
    /// Treat each row of JSONL or of an array as a conversation
    #[arg(long, help_heading = STORY, hide_short_help = true)]
    pub rows: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    jobs: JobArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    talk: TalkArgs,
    #[command(flatten)]
    detail: DetailArgs,
    #[command(flatten)]
    draw: DrawArgs,
    #[command(flatten)]
    pager: PagerArgs,
}

/// Which records a timeline shows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TimelineArg {
    /// Every record
    All,
    /// Those involved, and some before and after each
    #[default]
    Around,
    /// Calls and results
    Calls,
}

impl ExplainArgs {
    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            read: self.read.clone(),
            judge: self.judge.clone(),
            jobs: self.jobs.jobs,
            print: self.print.clone(),
            talk: self.talk.clone(),
            detail: self.detail.clone(),
            draw: self.draw.clone(),
            paged: !self.pager.no_pager,
            rows: self.rows,
            ..AskedOptions::default()
        }
    }

    /// The single records that are meant, if not a whole story.
    fn records(&self, typed: &ParsedArgument) -> MeantRecords {
        let number = self.id.as_ref().and_then(|id| id.parse().ok());
        let call = self.call.as_ref().map(|id| (id.clone(), Which::Calls));
        let id = self.id.as_ref().filter(|_| number.is_none());
        MeantRecords {
            number: typed.record.or(number),
            id: call.or(id.or(typed.row.as_ref()).map(|id| (id.clone(), Which::All))),
        }
    }

    fn story(&self, app: &App<'_>) -> ExplainOptions {
        ExplainOptions {
            timeline: match self.timeline {
                TimelineArg::All => Timeline::All,
                TimelineArg::Around => Timeline::Around,
                TimelineArg::Calls => Timeline::Calls,
            },
            context: self.context,
            around: self.around.clone(),
            stories: !self.no_story,
            whole_ids: app.style.detail == Detail::All || app.options.output.whole_ids,
            is_repaired: false,
        }
    }
}

/// Says with which others an option does nothing, and what it needs.
fn refusing(option: Arg) -> Arg {
    match option.get_id().as_str() {
        "timeline" | "context" | "around" | "no_story" | "hyperlink" => {
            option.conflicts_with_all(["error", "call", "id"])
        }
        "width" => option.conflicts_with_all(["call", "id"]),
        "jobs" => option.requires("find"),
        _ => option,
    }
}

/// Runs the command.
///
/// # Errors
/// No transcript and no rule has this name, or it cannot be printed.
pub(crate) fn run(app: &App<'_>, args: &ExplainArgs) -> Result<u8> {
    if let Some(text) = &args.error {
        return explain::of_error(app, args.what.as_deref(), args.find, text);
    }
    let Some(what) = args.what.as_deref() else {
        let done = explain::of_project(app, &args.story(app))?;
        return done.ok_or_else(|| Error::usage(NO_PROJECT));
    };
    if let Some(pasted) = explain::PastedName::read(what)
        && !app.is_session(Path::new(what))
    {
        return pasted.explain(app, what);
    }
    let typed = names::read(Path::new(what));
    let Some(rule) = rule_meant(&typed, args)? else {
        return explain::of_recording(app, &typed, args.records(&typed), &args.story(app));
    };
    print(app, Explained::Rule(Manual::of(rule)))
}

/// Tells the only explanation of a run.
pub(super) fn print(app: &App<'_>, one: Explained) -> Result<u8> {
    let mut explanations = Explanations::default();
    app.explain(&mut explanations, one)?;
    app.finish(explanations)?;
    Ok(exit::DONE)
}

/// The rule that a word names, if it is not a path. `None`: it names a transcript.
///
/// # Errors
/// It means neither.
fn rule_meant(typed: &ParsedArgument, args: &ExplainArgs) -> Result<Option<&'static Rule>> {
    let ParsedArgument { word: Argument::Id(word), record: None, .. } = typed else {
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
