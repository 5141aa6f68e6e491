//! Which fixes are taken, and how: options that commands with a plan share.

use clap::{Args, ValueEnum};

use super::values;
use crate::repair::{Policy, WriteStyle};
use crate::report::redact::StringKind;
use crate::report::text::Shown;
use crate::rules::{Prefer, Rule, Strategy};

/// Heading of these options.
const FIXES: &str = "Which fixes to apply";

/// Which fixes are applied.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = FIXES)]
pub(crate) struct FixArgs {
    /// Also apply fixes that guess or lose content
    ///
    /// A repair that changes many records is refused, because another program may have written the file. Together with
    /// --from, this option repairs it anyway.
    #[arg(long = "unsafe", help_heading = None)]
    pub with_unsafe: bool,
    /// Apply only fixes of these rules, separated by commas
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = values::rule, help_heading = None)]
    pub only: Vec<&'static Rule>,
    /// Also answer tool calls that still wait at the end
    #[arg(long, hide_short_help = true)]
    pub answer_pending: bool,
    /// Which of several results of a call to keep: the best (rank), the first, the last, or the
    /// one with this number among the choices that check lists
    #[arg(long, value_name = "rank|first|last|NUMBER", default_value = "rank", hide_default_value = true,
          value_parser = values::prefer, hide_short_help = true)]
    pub prefer: Prefer,
    /// Use --prefer for the call with this ID only; it may be shortened
    #[arg(long, value_name = "ID", requires = "prefer", hide_short_help = true)]
    pub call: Option<String>,
    /// How to fix tool calls without results
    #[arg(long, value_name = "HOW", default_value = "least-loss", hide_short_help = true)]
    pub strategy: StrategyArg,
    /// How to write a repair
    #[arg(long, value_name = "STYLE", default_value = "in-place", hide_short_help = true)]
    pub write_style: WriteStyleArg,
    /// Treat each row of JSONL or of an array as a conversation
    #[arg(long, hide_short_help = true)]
    pub rows: bool,
}

/// How tool calls without results are fixed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyArg {
    /// Insert a placeholder result that says what happened
    #[default]
    LeastLoss,
    /// Remove the turn of the model with all its calls and results; needs --unsafe
    RemoveTurn,
}

/// How a repair is written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WriteStyleArg {
    /// Edit records where they are
    #[default]
    InPlace,
    /// Keep every record, and append what is repaired as a new branch (pi, OpenClaw)
    Branch,
}

impl FixArgs {
    /// Which fixes may be taken. `format_named`: the user says which format it is.
    pub(crate) fn policy(&self, format_named: bool) -> Policy {
        Policy {
            with_unsafe: self.with_unsafe,
            format_named,
            only: self.only.clone(),
            answer_pending: self.answer_pending,
            focus: None,
            style: match self.write_style {
                WriteStyleArg::InPlace => WriteStyle::InPlace,
                WriteStyleArg::Branch => WriteStyle::Branch,
            },
            is_draft: false,
        }
    }

    /// The options that decide what every command finds and proposes, as they are typed.
    pub(crate) fn always_repeated(&self) -> Vec<Shown> {
        let mut out: Vec<Shown> = Vec::new();
        if self.strategy == StrategyArg::RemoveTurn {
            out.extend(["--strategy".into(), "remove-turn".into()]);
        }
        if self.write_style == WriteStyleArg::Branch {
            out.extend(["--write-style".into(), "branch".into()]);
        }
        out
    }

    /// The options that a command must repeat to do what a preview shows.
    pub(crate) fn repeated(&self) -> Vec<Shown> {
        let mut out: Vec<Shown> = Vec::new();
        let mut option = |set: bool, name: &'static str| out.extend(set.then(|| name.into()));
        option(self.with_unsafe, "--unsafe");
        option(self.answer_pending, "--answer-pending");
        if !self.only.is_empty() {
            let codes: Vec<&str> = self.only.iter().map(|rule| rule.code.as_str()).collect();
            out.extend(["--only".into(), Shown::new(codes.join(","))]);
        }
        let word = match self.prefer {
            Prefer::Rank => None,
            Prefer::First => Some(Shown::from("first")),
            Prefer::Last => Some(Shown::from("last")),
            Prefer::Choice(number) => Some(Shown::new(number.to_string())),
        };
        out.extend(word.into_iter().flat_map(|word| ["--prefer".into(), word]));
        if let Some(call) = &self.call {
            out.extend(["--call".into(), Shown::of(StringKind::Call, call.as_str())]);
        }
        out
    }
}

impl From<StrategyArg> for Strategy {
    fn from(how: StrategyArg) -> Strategy {
        match how {
            StrategyArg::LeastLoss => Strategy::LeastLoss,
            StrategyArg::RemoveTurn => Strategy::RemoveTurn,
        }
    }
}
