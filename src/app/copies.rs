//! The file that a repair is proposed to be written to, where it cannot replace its transcript: a copy, or the script that
//! repairs a session in its database.

use super::only_copy::Replacing;
use super::plan;
use crate::bytes::patch::Patch;
use crate::bytes::source::SourceShape;
use crate::containers::Layout;
use crate::engine::CheckOptions;
use crate::find::{Found, name_of, store};
use crate::repair::Policy;
use crate::report::model::Conversation;
use crate::report::text::Shown;
use crate::rules::{Prefer, Preference};
use crate::transcript::Applicability;

/// What a repair would change.
pub(super) enum Proposed<'a> {
    Planned(&'a Patch),
    /// It is planned here, if that matters.
    Checked(&'a CheckOptions),
}

/// Names the copy or the script that a repair of these conversations has to be, because it cannot replace them, and the file
/// that they are part of.
pub(super) fn name(conversations: &mut [Conversation], found: &Found, proposed: &Proposed<'_>) {
    // The copy of standard input goes where its user lets standard output go.
    if found.path.as_os_str() == "-" {
        return;
    }
    let session = match found.source.shape() {
        SourceShape::Database => store::of_member(&found.path),
        _ => None,
    };
    let container = match (found.source.shape(), &session) {
        (_, Some((database, _))) => Some(Shown::path(database)),
        (SourceShape::Archive, _) => Some(Shown::path(&found.path)),
        _ => None,
    };
    let copy = match session {
        Some((_, session)) if has_script(conversations, found, proposed) => {
            format!("fix-{}", store::script_name(session))
        }
        // It becomes a document of its own.
        Some((_, session)) => format!("repaired-{}", store::document_name(session)),
        None => format!("repaired-{}", name_of(&found.path)),
    };
    for conversation in conversations {
        conversation.copy = Some(copy.clone());
        conversation.container.clone_from(&container);
        let findings = conversation.findings.iter_mut();
        for choice in findings.flat_map(|finding| &mut finding.resolution.choices) {
            choice.options.extend(["-o".into(), Shown::new(copy.as_str())]);
        }
    }
}

/// The same where a repair of a conversation, whose records are laid out like this, cannot replace its transcript.
pub(super) fn name_if_needed(
    conversation: &mut Conversation,
    found: &Found,
    layout: &Layout,
    check: &CheckOptions,
) {
    let mut replacing = Replacing::new(found);
    replacing.see_layout(layout);
    if replacing.only_copy().is_some() {
        name(std::slice::from_mut(conversation), found, &Proposed::Checked(check));
    }
}

/// Whether a script can repair a session in its database: it is tried, because a command that is printed has to work.
fn has_script(conversations: &[Conversation], found: &Found, proposed: &Proposed<'_>) -> bool {
    match proposed {
        Proposed::Planned(patch) => is_scripted(found, patch),
        Proposed::Checked(check) => {
            let patch = planned(conversations, found, check);
            patch.is_some_and(|patch| is_scripted(found, &patch))
        }
    }
}

fn is_scripted(found: &Found, patch: &Patch) -> bool {
    !patch.is_empty() && store::scripts(found, patch).is_ok()
}

/// The repair that is proposed for a session. `None`: nothing can be repaired.
fn planned(conversations: &[Conversation], found: &Found, check: &CheckOptions) -> Option<Patch> {
    let findings = || conversations.iter().flat_map(|own| &own.findings);
    let has = |wanted| findings().any(|own| own.resolution.fix.applicability == wanted);
    let has_choices = findings().any(|own| !own.resolution.choices.is_empty());
    let is_unsafe = !has(Applicability::Safe) && has(Applicability::Unsafe);
    if !has(Applicability::Safe) && !is_unsafe && !has_choices {
        return None;
    }
    let policy =
        Policy { with_unsafe: is_unsafe, answer_pending: has_choices, ..Policy::default() };
    let mut check = check.clone();
    if has_choices {
        check.prefer.push(Preference { keep: Prefer::First, call: None });
    }
    let name = name_of(&found.path);
    let outline =
        plan::outline(&found.source, &name, &found.detection, &check, &policy, None).ok()?;
    Some(outline.patch)
}
