//! What a host makes of damage: rows of the policy that [`crate::rules`] evaluates.

use crate::requests::Client;
use crate::targets::Target;
use crate::transcript::{Applicability, Code, Diagnostic, Severity, Within};

/// What a rule's damage is to a host. Of several rows the first that holds decides.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Row {
    /// The rule.
    pub code: Code,
    /// In which cases.
    when: When,
    /// What it is then.
    pub harm: Harm,
    /// How much of a record it is in; `None`: any.
    within: Option<Within>,
    /// Whether its fix is safe; `None`: any.
    class: Option<Applicability>,
}

/// In which cases a row holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// The records are lines of a file.
    InLines,
    /// This kind of client builds the request.
    Client(Client),
    /// The provider is one whose messages are items.
    Items,
    /// The provider counts turns, not messages.
    MergedTurns,
}

/// What damage is to a host.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    /// It is this bad.
    Is(Severity),
    /// The host refuses the whole file, although it reads on after other damage of this kind.
    RefusesFile(Severity),
    /// What the provider would refuse the host drops or makes up in memory: what is sent is not what happened.
    Loses,
    /// What the provider would refuse the host puts right in memory.
    Mends,
    /// The host leaves out what the provider would refuse, which is this bad.
    LeavesOut(Severity),
}

impl Row {
    /// The damage is this bad.
    pub(crate) const fn is(code: Code, severity: Severity) -> Row {
        Row::new(code, Harm::Is(severity))
    }

    /// The host refuses the whole file.
    pub(crate) const fn refuses_file(code: Code, severity: Severity) -> Row {
        Row::new(code, Harm::RefusesFile(severity))
    }

    /// The host drops or makes up what the provider would refuse.
    pub(crate) const fn loses(code: Code) -> Row {
        Row::new(code, Harm::Loses)
    }

    /// The host leaves out what the provider would refuse.
    pub(crate) const fn leaves_out(code: Code, severity: Severity) -> Row {
        Row::new(code, Harm::LeavesOut(severity))
    }

    /// The host puts right what the provider would refuse.
    pub(crate) const fn mends(code: Code) -> Row {
        Row::new(code, Harm::Mends)
    }

    const fn new(code: Code, harm: Harm) -> Row {
        Row {
            code,
            when: When::Always,
            harm,
            within: None,
            class: None,
        }
    }

    /// The row, in these cases only.
    pub(crate) const fn when(self, when: When) -> Row {
        Row { when, ..self }
    }

    /// The row, for damage that is in so much of a record.
    pub(crate) const fn of(self, within: Within) -> Row {
        let within = Some(within);
        Row { within, ..self }
    }

    /// The row, for damage whose fix is of this class.
    pub(crate) const fn fixed(self, class: Applicability) -> Row {
        let class = Some(class);
        Row { class, ..self }
    }

    /// Whether the row is for such damage.
    pub(crate) fn is_for(&self, diagnostic: &Diagnostic) -> bool {
        let class = diagnostic.fixes.iter().map(|fix| fix.class).min();
        self.within.is_none_or(|within| within == diagnostic.within)
            && self.class.is_none_or(|own| Some(own) == class)
    }

    /// Whether the row holds.
    pub(crate) fn holds(&self, target: &Target, client: Client, lines: bool) -> bool {
        match self.when {
            When::Always => true,
            When::InLines => lines,
            When::Client(own) => client == own,
            When::Items => target.needs.items,
            When::MergedTurns => target.counting.merges_turns,
        }
    }
}
