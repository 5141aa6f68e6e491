//! The options of a check: the provider, the client, and the rules.

use super::habits::Habits;
use super::target::TargetFrom;
use crate::format::Client;
use crate::format::blamed::Blame;
use crate::rules::{Finding, Preference, Rule, Strategy};
use crate::targets::{self, Target};
use crate::transcript::Confidence;

/// Options for judging a conversation.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The provider to judge for; `None` for the one that the transcript names.
    pub target: Option<TargetChoice>,
    /// How this target was found before the transcript was changed; `None`: the user typed it.
    pub found_by: Option<TargetFrom>,
    /// The kind of client to judge for, if the host has several; `None` for all of them.
    pub client: Option<Client>,
    /// Which rules count.
    pub selection: RuleSelection,
    /// Which of several results to keep, and of which calls. The first entry that names a call
    /// counts.
    pub prefer: Vec<Preference>,
    /// What to do about calls without a result.
    pub strategy: Strategy,
    /// A process is writing the transcript.
    pub live: bool,
    /// Who wrote a record before this time, in microseconds since 1970, has ended. `None`: unknown.
    pub ended_before: Option<i64>,
    /// Why the host does not offer the transcript to its users, although it is where it looks. `None`: it does, or unknown.
    pub left_out: Option<&'static str>,
    /// A fault that an error text of a provider names, and that no check can see.
    pub blame: Option<Blame>,
    /// What is known of the habits of the program that wrote the file.
    pub habits: Habits,
    /// Threads for one file: for its rows, or for the lines of a large file.
    pub jobs: usize,
}

/// The provider to judge a conversation for.
#[derive(Copy, Clone, Debug)]
pub enum TargetChoice {
    At(&'static Target),
    /// All providers: what one of them rejects is a finding.
    Strictest,
}

impl TargetChoice {
    /// Parses the name of a target.
    pub fn by_name(name: &str) -> Option<TargetChoice> {
        if name == targets::STRICTEST_NAME {
            return Some(TargetChoice::Strictest);
        }
        targets::by_name(name).map(TargetChoice::At)
    }

    /// The name that the command line takes.
    pub fn name(self) -> &'static str {
        match self {
            TargetChoice::At(target) => target.name,
            TargetChoice::Strictest => targets::STRICTEST_NAME,
        }
    }
}

/// Which rules count: codes, names, or prefixes of codes.
#[derive(Clone, Debug)]
pub struct RuleSelection {
    /// Only these rules; all if empty.
    pub select: Vec<String>,
    /// These rules as well.
    pub extend_select: Vec<String>,
    /// Not these rules.
    pub ignore: Vec<String>,
    /// Only findings of at least this confidence.
    pub min_confidence: Confidence,
}

impl Default for RuleSelection {
    fn default() -> RuleSelection {
        RuleSelection {
            select: Vec::new(),
            extend_select: Vec::new(),
            ignore: Vec::new(),
            min_confidence: Confidence::Guess,
        }
    }
}

impl RuleSelection {
    /// Whether a finding counts.
    pub(super) fn admits_finding(&self, finding: &Finding) -> bool {
        finding.confidence >= self.min_confidence && self.admits(finding.rule)
    }

    /// Whether a rule counts. The longest matching word decides, as in ruff: `--select TD1 --ignore
    /// TD104`.
    pub fn admits(&self, rule: &Rule) -> bool {
        let longest =
            |words: &[String]| words.iter().filter(|word| names(word, rule)).map(String::len).max();
        let selected = longest(&self.select).max(longest(&self.extend_select));
        match (selected, longest(&self.ignore)) {
            (None, None) => self.select.is_empty(),
            (None, Some(_)) => false,
            (Some(_), None) => true,
            (Some(select), Some(ignore)) => select > ignore,
        }
    }
}

/// Whether a word names a rule: its code, a prefix of its code, or its name.
pub(crate) fn names(word: &str, rule: &Rule) -> bool {
    let code = rule
        .code
        .as_str()
        .get(..word.len())
        .is_some_and(|beginning| beginning.eq_ignore_ascii_case(word));
    (code && word.len() >= 2) || rule.name == word
}
