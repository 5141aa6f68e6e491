//! Which fixes are taken, and how: options that commands with a plan share.

use clap::{Args, ValueEnum};

use super::values;
use crate::repair::{Policy, WriteStyle};
use crate::report::redact::Is;
use crate::report::text::Shown;
use crate::rules::{Prefer, Rule, Strategy};

/// Which treatments are taken.
#[derive(Clone, Debug, Default, Args)]
pub struct FixArgs {
    /// Also take treatments that need a guess or give up content; with --from even where they change more than 5 records
    /// and a tenth of all, answer more than 5 turns and half of all, or change more than 5 rows and half of all
    #[arg(long = "unsafe")]
    pub with_unsafe: bool,
    /// Take only treatments of these rules: codes or names, separated by commas
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = values::rule)]
    pub only: Vec<&'static Rule>,
    /// Answer calls that still wait at the end, too
    #[arg(long)]
    pub answer_pending: bool,
    /// Which of several results of a call is kept: the best (rank), the first, the last, or the one
    /// with this number among the choices that check shows
    #[arg(long, value_name = "rank|first|last|NUMBER", default_value = "rank", hide_default_value = true, value_parser = values::prefer)]
    pub prefer: Prefer,
    /// Prefer so for this call only: its id, as printed, or its beginning
    #[arg(long, value_name = "ID", requires = "prefer")]
    pub call: Option<String>,
    /// What is done about calls without a result
    #[arg(long, value_name = "HOW", default_value = "least-loss")]
    pub strategy: StrategyArg,
    /// How a repair is written; a branch only where records name their parents (pi, OpenClaw)
    #[arg(long, value_name = "STYLE", default_value = "in-place")]
    pub write_style: WriteStyleArg,
    /// Judge each row of a JSONL file, or of an array, as a conversation of its own
    #[arg(long)]
    pub rows: bool,
}

/// What is done about calls without a result.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StrategyArg {
    /// A marked error result answers each
    #[default]
    LeastLoss,
    /// The model's turn goes with all its calls and their results; needs --unsafe
    RemoveTurn,
}

/// How a repair is written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WriteStyleArg {
    /// Records change, move and go where they are
    #[default]
    InPlace,
    /// The file keeps every record, and the repaired end is appended as a new branch
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
            out.extend(["--call".into(), Shown::of(Is::Call, call.as_str())]);
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
