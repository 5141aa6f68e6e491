//! What a host makes of damage: rows of the policy that [`crate::rules`] evaluates.

use crate::requests::Client;
use crate::targets::Target;
use crate::transcript::{Code, Severity};

/// What a rule's damage is to a host. Of several rows the first that holds decides.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Row {
    /// The rule.
    pub code: Code,
    /// In which cases.
    when: When,
    /// What it is then.
    pub harm: Harm,
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

    /// The host puts right what the provider would refuse.
    pub(crate) const fn mends(code: Code) -> Row {
        Row::new(code, Harm::Mends)
    }

    const fn new(code: Code, harm: Harm) -> Row {
        Row {
            code,
            when: When::Always,
            harm,
        }
    }

    /// The row, in these cases only.
    pub(crate) const fn when(self, when: When) -> Row {
        Row { when, ..self }
    }

    /// Whether the row holds.
    pub(crate) fn holds(&self, target: &Target, client: Client, lines: bool) -> bool {
        match self.when {
            When::Always => true,
            When::InLines => lines,
            When::Client(own) => client == own,
            When::Items => target.needs.items,
        }
    }
}
