//! Counts the messages of a request as a target does.

use std::num::NonZeroU32;

use super::event::Role;
use super::request::{Message, Request, Sent};
use crate::transcript::index::IndexVec;

/// How a provider counts messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Counting {
    /// A system prompt counts as a message.
    pub system: bool,
    /// Neighboring messages of one side count as one.
    pub merges_turns: bool,
}

/// Fills in the messages of the request. `joined` says whether the host writes two neighboring items into one message.
/// The target may merge more of them: Anthropic counts neighboring user and tool messages as one.
pub(crate) fn count(
    request: &mut Request,
    events: usize,
    by: Counting,
    joined: impl Fn(&Sent, &Sent) -> bool,
) {
    count_as_sent(request, events, by, SystemPrompt::Recorded, |before, next| {
        joined(before, next) || (by.merges_turns && side(before.role) == side(next.role))
    });
}

/// Whether two items are from the same record. Many hosts write these into one message.
pub(crate) fn are_one_record(before: &Sent, next: &Sent) -> bool {
    before.event == next.event
}

/// Where the system prompt of a request is from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SystemPrompt {
    /// The transcript has it, if there is one.
    Recorded,
    /// The host adds one that is not in the transcript.
    AddedByHost,
}

/// Like [`count`], for a host that sends its messages unmerged.
pub(crate) fn count_as_sent(
    request: &mut Request,
    events: usize,
    by: Counting,
    prompt: SystemPrompt,
    joined: impl Fn(&Sent, &Sent) -> bool,
) {
    request.message_of = IndexVec::filled(events, None);
    request.messages.clear();
    request.messages.reserve(request.order.len());
    if prompt == SystemPrompt::AddedByHost && by.system {
        request.messages.push(Message { role: Role::System, items: 0..0 });
    }
    let mut before: Option<&Sent> = None;
    for (position, sent) in request.order.iter().enumerate() {
        if sent.role == Role::Nobody || (sent.role == Role::System && !by.system) {
            continue;
        }
        let position = position as u32;
        let same = before.is_some_and(|before| joined(before, sent));
        match request.messages.last_mut().filter(|_| same) {
            Some(message) => message.items.end = position + 1,
            None => {
                request.messages.push(Message { role: sent.role, items: position..position + 1 })
            }
        }
        if !sent.summary {
            request.message_of[sent.event] = NonZeroU32::new(request.messages.len() as u32);
        }
        before = Some(sent);
    }
}

/// The side of the conversation that a role is on: tools speak for the user.
pub(crate) fn side(role: Role) -> Role {
    if role == Role::Tool { Role::User } else { role }
}
