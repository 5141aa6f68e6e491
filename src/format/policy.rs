//! How damage affects a host: rows of the policy that [`crate::rules`] evaluates.

use super::Host;
use crate::containers::Layout;
use crate::requests::Client;
use crate::targets::Target;
use crate::transcript::{Applicability, Code, Diagnostic, Severity, Within};

/// How the damage of a rule affects a host. The first row that applies decides.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PolicyRow {
    pub code: Code,
    when: AppliesWhen,
    /// The effect on the host.
    pub harm: Harm,
    /// Only for damage in this part of a record; `None`: any.
    within: Option<Within>,
    /// Only for damage with this applicability of its fix; `None`: any.
    applicability: Option<Applicability>,
    /// Only if this is between the records of a finding; `None`: anything.
    pub across: Option<Across>,
}

/// What may be between the records of a finding.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Across {
    /// A record of this kind.
    Kind(&'static str),
    /// An answer of the model that is sent, other than the one that the first record is part of.
    Answer,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppliesWhen {
    Always,
    /// The records are lines of a file.
    InLines,
    /// The records are a list in a document of the host.
    Enveloped,
    /// This kind of client builds the request.
    Client(Client),
    /// This kind of client builds the request for this target.
    ClientTo(Client, &'static str),
    /// This one of the hosts of the format wrote the transcript.
    Host(&'static Host),
    /// This one wrote it, and it is for this target.
    HostTo(&'static Host, &'static str),
    /// Messages of the provider are items.
    Items,
    /// The provider counts turns, not messages.
    MergedTurns,
}

/// The effect of damage on a host.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    Is(Severity),
    /// The host rejects the whole file, although it continues after similar damage.
    RefusesFile(Severity),
    /// The host drops or invents content in memory, so that the provider accepts it. What is sent is not what happened.
    Loses,
    /// The host corrects it in memory, so that the provider accepts it.
    Mends,
    /// Of several results of a call the host sends the first one. Nothing is lost if that is the one that counts.
    SendsFirst,
    /// The host leaves out what the provider would reject, which has this severity.
    LeavesOut(Severity),
    /// The host reads past it, and loses nothing.
    ReadsPast,
}

impl PolicyRow {
    /// The damage has this severity.
    pub(crate) const fn is(code: Code, severity: Severity) -> PolicyRow {
        PolicyRow::new(code, Harm::Is(severity))
    }

    /// The host rejects the whole file.
    pub(crate) const fn refuses_file(code: Code, severity: Severity) -> PolicyRow {
        PolicyRow::new(code, Harm::RefusesFile(severity))
    }

    /// The host drops or invents content.
    pub(crate) const fn loses(code: Code) -> PolicyRow {
        PolicyRow::new(code, Harm::Loses)
    }

    /// Of several results of a call the host sends the first one.
    pub(crate) const fn sends_first(code: Code) -> PolicyRow {
        PolicyRow::new(code, Harm::SendsFirst)
    }

    /// The host leaves out what the provider would reject.
    pub(crate) const fn leaves_out(code: Code, severity: Severity) -> PolicyRow {
        PolicyRow::new(code, Harm::LeavesOut(severity))
    }

    /// The host reads past it.
    pub(crate) const fn reads_past(code: Code) -> PolicyRow {
        PolicyRow::new(code, Harm::ReadsPast)
    }

    /// The host corrects what the provider would reject.
    pub(crate) const fn mends(code: Code) -> PolicyRow {
        PolicyRow::new(code, Harm::Mends)
    }

    const fn new(code: Code, harm: Harm) -> PolicyRow {
        PolicyRow {
            code,
            when: AppliesWhen::Always,
            harm,
            within: None,
            applicability: None,
            across: None,
        }
    }

    /// The row, only for what the host corrects across this.
    pub(crate) const fn across(self, across: Across) -> PolicyRow {
        let across = Some(across);
        PolicyRow { across, ..self }
    }

    /// The row, only when this applies.
    pub(crate) const fn when(self, when: AppliesWhen) -> PolicyRow {
        PolicyRow { when, ..self }
    }

    /// The row, only for damage in this part of a record.
    pub(crate) const fn of(self, within: Within) -> PolicyRow {
        let within = Some(within);
        PolicyRow { within, ..self }
    }

    /// The row, only for damage whose fix has this applicability.
    pub(crate) const fn fixed(self, applicability: Applicability) -> PolicyRow {
        let applicability = Some(applicability);
        PolicyRow { applicability, ..self }
    }

    /// Whether the row is for a diagnostic.
    pub(crate) fn is_for(&self, diagnostic: &Diagnostic) -> bool {
        let applicability = diagnostic.fixes.iter().map(|fix| fix.applicability).min();
        self.within.is_none_or(|within| within == diagnostic.within)
            && self.applicability.is_none_or(|own| Some(own) == applicability)
    }

    /// Whether the row applies.
    pub(crate) fn holds(
        &self,
        target: &Target,
        client: Client,
        host: &Host,
        layout: &Layout,
    ) -> bool {
        match self.when {
            AppliesWhen::Always => true,
            AppliesWhen::InLines => layout.is_lines(),
            AppliesWhen::Enveloped => matches!(layout, Layout::Items { envelope: true, .. }),
            AppliesWhen::Client(own) => client == own,
            AppliesWhen::ClientTo(own, name) => client == own && target.name == name,
            AppliesWhen::Host(own) => host == own,
            AppliesWhen::HostTo(own, name) => host == own && target.name == name,
            AppliesWhen::Items => target.needs.items,
            AppliesWhen::MergedTurns => target.counting.merges_turns,
        }
    }
}
