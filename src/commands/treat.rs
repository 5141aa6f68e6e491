//! From the options of the command line to what the engine is asked.

use super::Run;
use crate::cli::{PreferArg, StrategyArg, Treat, WriteStyleArg};
use crate::formats;
use crate::repair::{Policy, WriteStyle};
use crate::report::text::Shown;
use crate::rules::{Prefer, Strategy};

/// How findings are to be treated, for the engine and for the commands that are proposed next.
pub fn choose(run: &mut Run<'_>, treat: &Treat) {
    run.by_rows(treat.rows);
    run.ask.prefer = treat.prefer.into();
    run.ask.strategy = treat.strategy.into();
    if treat.strategy == StrategyArg::RemoveTurn {
        run.style.next.options.extend(["--strategy".into(), "remove-turn".into()]);
    }
    if treat.write_style == WriteStyleArg::Branch {
        run.style.next.options.extend(["--write-style".into(), "branch".into()]);
    }
}

/// The options that a command must repeat to do what a preview shows.
pub fn repeated(treat: &Treat) -> Vec<Shown> {
    let mut out: Vec<Shown> = Vec::new();
    let mut option = |set: bool, name: &'static str| out.extend(set.then(|| name.into()));
    option(treat.with_unsafe, "--unsafe");
    option(treat.answer_pending, "--answer-pending");
    if !treat.only.is_empty() {
        let codes: Vec<&str> = treat.only.iter().map(|rule| rule.code).collect();
        out.extend(["--only".into(), Shown::new(codes.join(","))]);
    }
    match treat.prefer {
        PreferArg::Rank => {}
        PreferArg::First => out.extend(["--prefer".into(), "first".into()]),
        PreferArg::Last => out.extend(["--prefer".into(), "last".into()]),
    }
    out
}

/// Which treatments may be taken.
pub fn policy(run: &Run<'_>, treat: &Treat) -> Policy {
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

impl From<PreferArg> for Prefer {
    fn from(which: PreferArg) -> Prefer {
        match which {
            PreferArg::Rank => Prefer::Rank,
            PreferArg::First => Prefer::First,
            PreferArg::Last => Prefer::Last,
        }
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
