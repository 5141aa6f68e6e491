//! From the options of the command line to what the engine is asked.

use super::Run;
use crate::cli::{PreferArg, StrategyArg, Treat, WriteStyleArg};
use crate::repair::{Policy, WriteStyle};
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

/// Which treatments may be taken.
pub fn policy(treat: &Treat) -> Policy {
    Policy {
        with_unsafe: treat.with_unsafe,
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
