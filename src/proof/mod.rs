//! Why something recorded may be removed: each removal has a reason of a closed list, which is proved on the bytes, whatever
//! the rule believes. A fix without a proof is not safe.
//!
//! What a host does (which of two results it sends, which turns it never sends) is data of its format. Names of members are
//! only those of the envelope.

mod answered;
mod contents;
mod edited;
mod parts;
mod removal;
mod unread;

use std::cell::OnceCell;

use aho_corasick::AhoCorasick;
use hashbrown::{HashMap, HashSet};
use serde::{Serialize, Serializer};

pub(crate) use contents::{Contents, TextKey, is_id, is_label};

use crate::format::{Format, FormatContext};
use crate::rules::Finding;
use crate::transcript::{Action, Applicability, Code, EventId, Fix, PartId, Request};

/// Why something recorded may be removed or overwritten.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// An equal value stays.
    Copy,
    /// The text is one that hosts insert.
    Placeholder,
    /// No member outside of the envelope holds anything.
    Nothing,
    /// Bytes that no reader of the format accepts, without the result of an open call.
    Fragment,
    /// Another result of the same call stays, and the host ranks it higher or sends only that one.
    Outranked,
    /// The same value stays in a second member.
    Derived,
    /// It carries no text.
    Mark,
    /// The host rebuilds it.
    Rebuilt,
    /// The host never sends it, and no open call could take it.
    NeverSent,
    /// A result that no call of the conversation could take.
    Unanswerable,
    /// The user said so.
    Chosen,
}

impl Reason {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Reason::Copy => "copy",
            Reason::Placeholder => "placeholder",
            Reason::Nothing => "nothing",
            Reason::Fragment => "fragment",
            Reason::Outranked => "outranked",
            Reason::Derived => "derived",
            Reason::Mark => "mark",
            Reason::Rebuilt => "rebuilt",
            Reason::NeverSent => "never sent",
            Reason::Unanswerable => "unanswerable",
            Reason::Chosen => "chosen",
        }
    }

    /// It for people, as part of a sentence.
    pub(crate) fn says(self) -> &'static str {
        match self {
            Reason::Copy => "an equal one stays",
            Reason::Placeholder => "it is a placeholder",
            Reason::Nothing => "there is nothing in it",
            Reason::Fragment => "it is a fragment that nothing can read",
            Reason::Outranked => "another result of the call counts for the host",
            Reason::Derived => "the same value stays in another member",
            Reason::Mark => "it does not contain text",
            Reason::Rebuilt => "the host writes it anew",
            Reason::NeverSent => "the host never sends it",
            Reason::Unanswerable => "no call could have this result",
            Reason::Chosen => "you chose it",
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// What the proof of an action found.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// It removes nothing that was recorded.
    Keeps,
    /// It removes these texts, with a reason.
    Removes(Reason, Contents),
    /// There is no reason for what it removes.
    None,
    /// The placeholder that it writes is refuted: this record may hold the result.
    Refuted(EventId),
}

/// A conversation with its bytes, and one request.
pub(crate) struct Case<'a> {
    pub context: &'a FormatContext<'a>,
    pub request: &'a Request,
    pub format: &'static Format,
    unreadable: OnceCell<Vec<EventId>>,
    shown_ids: OnceCell<HashMap<String, Vec<EventId>>>,
    unread_ids: OnceCell<HashSet<String>>,
    calls_in_caches: OnceCell<HashSet<PartId>>,
    /// Searches for the IDs of all calls without a result at once. `None`: they are too many for that.
    open_ids: OnceCell<Option<AhoCorasick>>,
    /// Found once, because a transcript may have as many results without a call as records.
    paired: OnceCell<parts::PairedParts>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(
        context: &'a FormatContext<'a>,
        request: &'a Request,
        format: &'static Format,
    ) -> Case<'a> {
        Case {
            context,
            request,
            format,
            unreadable: OnceCell::new(),
            shown_ids: OnceCell::new(),
            unread_ids: OnceCell::new(),
            calls_in_caches: OnceCell::new(),
            open_ids: OnceCell::new(),
            paired: OnceCell::new(),
        }
    }

    /// The proof of an action of a fix.
    pub(crate) fn prove(&self, finding: &Finding, fix: &Fix, action: &Action) -> Proof {
        let proof = removal::prove(self, finding, fix, action);
        let is_chosen = finding.is_chosen || fix.applicability > Applicability::Safe;
        match proof {
            Proof::None | Proof::Refuted(_) if is_chosen => {
                Proof::Removes(Reason::Chosen, removal::removed(self, action))
            }
            proof => proof,
        }
    }
}

/// Whether a finding has a safe fix that needs a proof.
pub(crate) fn may_need(finding: &Finding) -> bool {
    let mut safe = finding.fixes.iter().filter(|fix| fix.applicability == Applicability::Safe);
    safe.any(|fix| {
        fix.actions.iter().any(|action| {
            matches!(
                action,
                Action::EditBytes { .. }
                    | Action::Remove(_)
                    | Action::RemovePart(_)
                    | Action::Bypass(_)
                    | Action::AnswerCall { .. }
            )
        })
    }) || finding.consequences.iter().any(may_need)
}

/// Makes fixes unsafe that remove something recorded without a proven reason, and says so.
pub(crate) fn keep_proven(case: &Case<'_>, finding: &mut Finding) {
    let mut unproven = Vec::new();
    for (number, fix) in finding.fixes.iter().enumerate() {
        if fix.applicability > Applicability::Safe {
            continue;
        }
        let proofs = fix.actions.iter().map(|action| case.prove(finding, fix, action));
        if let Some(proof) =
            proofs.into_iter().find(|proof| matches!(proof, Proof::None | Proof::Refuted(_)))
        {
            unproven.push((number, proof));
        }
    }
    let code = finding.rule.code;
    let is_said = matches!(code, Code::UnansweredCall | Code::TornTail | Code::GluedRecords);
    for (number, proof) in unproven {
        finding.fixes[number].applicability = Applicability::Unsafe;
        if let (Proof::Refuted(event), true) = (proof, is_said) {
            let t = case.context.transcript;
            let place = format!("{} {}", t.unit(event), t.event(event).place().number());
            let says = format!("; its result may be in {place}");
            if !finding.message.ends_with(&says) {
                finding.message.to_mut().push_str(&says);
            }
        }
    }
    for consequence in &mut finding.consequences {
        keep_proven(case, consequence);
    }
}
