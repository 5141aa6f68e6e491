//! The messages that are left after the host has read the whole file.

use hashbrown::HashMap;

use super::own;
use crate::transcript::{EventId, Id, Role, State, Transcript};

/// A message of the history.
#[derive(Clone, Debug)]
pub(super) struct GeminiMessage {
    /// Its record: the last one with its ID.
    pub event: EventId,
    /// The earlier records, which it replaces; the first of them determines its place.
    pub before: Vec<EventId>,
}

/// The host's view of the chat.
#[derive(Default)]
pub(super) struct GeminiHistory {
    /// The messages in order.
    pub messages: Vec<GeminiMessage>,
    /// Messages that a rewind or a new list removed.
    pub forgotten: Vec<EventId>,
    /// Rewinds to a message that does not exist, with the number of messages that they forget.
    pub lost: Vec<(EventId, u32)>,
    /// Whether the file names both the session and the project.
    pub is_loaded: bool,
}

impl GeminiHistory {
    /// Reads all records. In `lines`, a later record of an ID replaces the earlier one; in a
    /// document, each one counts.
    pub(super) fn of(t: &Transcript, lines: bool) -> GeminiHistory {
        let mut history = GeminiHistory::default();
        let mut places: HashMap<Id, usize> = HashMap::new();
        let (mut session, mut project) = (false, false);
        for event in t.events.ids() {
            let record = t.event(event);
            session |= t.has(event, own::SESSION);
            project |= t.has(event, own::PROJECT);
            // Only what the host could read changes the chat.
            if !matches!(record.state, State::Whole | State::Recovered)
                || record.role == Role::HostState
            {
                continue;
            }
            if t.has(event, own::REPLACES) {
                history.forget(0);
                places.clear();
            } else if let Some(to) = t.fact_id(event, own::REWINDS) {
                let at = places.get(&to).copied();
                if at.is_none() {
                    history.lost.push((event, history.messages.len() as u32));
                }
                for gone in history.forget(at.unwrap_or(0)) {
                    if let Some(id) = t.event(gone).id {
                        places.remove(&id);
                    }
                }
            } else if record.kind.is_some() && (record.id.is_some() || !lines) {
                match record.id.filter(|_| lines).and_then(|id| places.get(&id)) {
                    Some(at) => {
                        let message = &mut history.messages[*at];
                        message.before.push(message.event);
                        message.event = event;
                    }
                    None => {
                        if let Some(id) = record.id {
                            places.insert(id, history.messages.len());
                        }
                        history.messages.push(GeminiMessage { event, before: Vec::new() });
                    }
                }
            }
        }
        history.is_loaded = session && (project || !lines);
        history
    }

    /// Removes the messages from this index on.
    fn forget(&mut self, at: usize) -> Vec<EventId> {
        let gone: Vec<EventId> = self.messages.drain(at..).map(|message| message.event).collect();
        self.forgotten.extend(&gone);
        gone
    }
}
