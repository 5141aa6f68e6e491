//! From the options of the command line to what the engine is asked.

use crate::cli::{PreferArg, Treat};
use crate::repair::Policy;
use crate::rules::Prefer;

/// Which treatments may be taken.
pub fn policy(treat: &Treat) -> Policy {
    Policy {
        with_unsafe: treat.with_unsafe,
        only: treat.only.clone(),
        answer_pending: treat.answer_pending,
        focus: None,
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
