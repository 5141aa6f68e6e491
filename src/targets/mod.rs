//! Targets: what a provider refuses, as data. A new one is a file and a line in [`ALL`].

mod anthropic;
mod openai_chat;

use crate::transcript::Severity;

/// A provider's interface that a conversation may be sent to.
#[derive(Debug)]
pub struct Target {
    /// As typed: `anthropic`.
    pub name: &'static str,
    /// As people say it.
    pub title: &'static str,
    /// Neighbouring user and tool messages count as one, neighbouring assistant messages too.
    pub merges_turns: bool,
    /// System messages count in the index of an error text.
    pub counts_system: bool,
    /// Longest call id, in bytes.
    pub longest_id: usize,
    /// Call ids are of letters, digits, `_` and `-` only.
    pub plain_ids: bool,
    /// A call id may be used again by a later response.
    pub reuse_accepted: bool,
    /// What the provider says, by rule; fragments of its own wording.
    pub texts: &'static [(&'static str, &'static str)],
    /// Where it differs from a rule's own severity.
    pub severity: &'static [(&'static str, Severity)],
    /// Beginnings of call ids that this provider gives.
    pub id_shapes: &'static [&'static str],
    /// Parts of model names that this provider serves.
    pub models: &'static [&'static str],
}

/// All targets. The first is the one to fall back on.
pub const ALL: &[&Target] = &[&anthropic::ANTHROPIC, &openai_chat::OPENAI_CHAT];

impl Target {
    /// Whether this provider takes a call id.
    pub fn takes_id(&self, id: &str) -> bool {
        id.len() <= self.longest_id && (!self.plain_ids || id.bytes().all(is_plain))
    }

    /// An id as this provider takes it: without blanks around it, `_` for what it refuses, no longer than it may be.
    pub fn fit_id(&self, id: &str) -> String {
        let fitting = |c: char| if self.plain_ids && !(c.is_ascii() && is_plain(c as u8)) { '_' } else { c };
        let mut fit: String = id.trim().chars().map(fitting).collect();
        while fit.len() > self.longest_id {
            fit.pop();
        }
        fit
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A target by the name people type.
pub fn by_name(name: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.name == name).copied()
}

/// The target that serves a model of this name.
pub fn by_model(model: &str) -> Option<&'static Target> {
    let model = model.to_ascii_lowercase();
    ALL.iter().find(|target| target.models.iter().any(|part| model.contains(part))).copied()
}

/// The target that gives call ids of this shape.
pub fn by_call_id(id: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.id_shapes.iter().any(|shape| id.starts_with(shape))).copied()
}
