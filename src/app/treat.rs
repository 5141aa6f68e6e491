//! From the options of the command line to what the engine is asked.

use super::Run;
use crate::cli::{StrategyArg, Treat, WriteStyleArg};
use crate::formats;
use crate::repair::{Policy, WriteStyle};
use crate::report::redact::Is;
use crate::report::text::Shown;
use crate::rules::{Prefer, Strategy};

/// How findings are to be treated, for the engine and for the commands that are proposed next.
pub(crate) fn choose(run: &mut Run<'_>, treat: &Treat) {
    run.by_rows(treat.rows);
    (run.ask.prefer, run.ask.prefer_for) = (treat.prefer, treat.call.clone());
    run.ask.strategy = treat.strategy.into();
    if treat.strategy == StrategyArg::RemoveTurn {
        run.style
            .next
            .options
            .extend(["--strategy".into(), "remove-turn".into()]);
    }
    if treat.write_style == WriteStyleArg::Branch {
        run.style
            .next
            .options
            .extend(["--write-style".into(), "branch".into()]);
    }
}

/// The options that a command must repeat to do what a preview shows.
pub(crate) fn repeated(treat: &Treat) -> Vec<Shown> {
    let mut out: Vec<Shown> = Vec::new();
    let mut option = |set: bool, name: &'static str| out.extend(set.then(|| name.into()));
    option(treat.with_unsafe, "--unsafe");
    option(treat.answer_pending, "--answer-pending");
    if !treat.only.is_empty() {
        let codes: Vec<&str> = treat.only.iter().map(|rule| rule.code.as_str()).collect();
        out.extend(["--only".into(), Shown::new(codes.join(","))]);
    }
    let word = match treat.prefer {
        Prefer::Rank => None,
        Prefer::First => Some(Shown::from("first")),
        Prefer::Last => Some(Shown::from("last")),
        Prefer::Choice(number) => Some(Shown::new(number.to_string())),
    };
    out.extend(word.into_iter().flat_map(|word| ["--prefer".into(), word]));
    if let Some(call) = &treat.call {
        out.extend(["--call".into(), Shown::of(Is::Call, call.as_str())]);
    }
    out
}

/// Which treatments may be taken.
pub(crate) fn policy(run: &Run<'_>, treat: &Treat) -> Policy {
    Policy {
        with_unsafe: treat.with_unsafe,
        format_named: formats::by_name(&run.global.from).is_some(),
        only: treat.only.clone(),
        answer_pending: treat.answer_pending,
        focus: None,
        style: match treat.write_style {
            WriteStyleArg::InPlace => WriteStyle::InPlace,
            WriteStyleArg::Branch => WriteStyle::Branch,
        },
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
