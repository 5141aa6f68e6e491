//! Targets: what a provider refuses, as data. A new one is a file and a line in [`ALL`].

pub(crate) mod anthropic;
mod bedrock;
pub(crate) mod errors;
mod gemini;
mod mistral;
mod openai_chat;
mod openai_responses;

use crate::transcript::messages::Counting;
use crate::transcript::{Code, Severity};

/// A provider's interface that a conversation may be sent to.
#[derive(Debug)]
pub struct Target {
    /// As typed: `anthropic`.
    pub name: &'static str,
    /// As people say it.
    pub title: &'static str,
    /// How the index of an error text counts messages.
    pub counting: Counting,
    /// Longest call id, in bytes.
    pub longest_id: usize,
    /// Shortest call id, in bytes.
    pub shortest_id: usize,
    /// Longest call id that every deployment takes, in bytes.
    pub careful_id: usize,
    /// Bytes that call ids may have besides letters and digits; `None`: any.
    pub id_marks: Option<&'static str>,
    /// How it makes ids itself, here of an old one and a number; `None`: the old one is kept as far as it fits.
    pub made_id: Option<fn(&str, u64) -> String>,
    /// A call id may be used again by a later response.
    pub reuse_accepted: bool,
    /// Results may stand anywhere behind their call; else directly behind the calls of its response.
    pub results_anywhere: bool,
    /// A request may end with a message of the assistant, whatever the model.
    pub takes_final_answer: bool,
    /// What it needs of a request besides.
    pub needs: Needs,
    /// What the provider says, by rule; fragments of its own wording.
    pub texts: &'static [(Code, &'static str)],
    /// Where it differs from a rule's own severity.
    pub severity: &'static [(Code, Severity)],
    /// Beginnings of call ids that this provider gives.
    pub id_shapes: &'static [&'static str],
    /// Parts of model names that this provider serves.
    pub models: &'static [&'static str],
}

/// What a provider needs of a request. Start from [`Needs::NONE`]: it takes whatever the others mind.
#[derive(Copy, Clone, Debug)]
pub struct Needs {
    /// What names of tools are made of.
    pub tool_names: ToolNames,
    /// Who may speak first.
    pub first_message: FirstMessage,
    /// Messages are items: each thinking, call and result one of its own.
    pub items: bool,
    /// Models of which a call carries the signature of the thinking before it, by name.
    pub signs_calls: Option<fn(&str) -> bool>,
    /// An error result must say something.
    pub errors_say_something: bool,
    /// The arguments of a call are the text of an object; else the object itself.
    pub arguments_are_text: bool,
    /// Neighboring messages of one side are one, where a client writes them for this provider.
    pub merges_sides: bool,
}

impl Needs {
    /// None of them.
    pub(crate) const NONE: Needs = Needs {
        tool_names: ToolNames {
            marks: "_-",
            longest: 64,
        },
        first_message: FirstMessage::Any,
        items: false,
        signs_calls: None,
        errors_say_something: false,
        arguments_are_text: false,
        merges_sides: false,
    };
}

/// What names of tools are made of.
#[derive(Copy, Clone, Debug)]
pub struct ToolNames {
    /// Bytes besides letters and digits.
    pub marks: &'static str,
    /// Most bytes.
    pub longest: usize,
}

impl ToolNames {
    /// Whether a name may have this byte.
    pub(crate) fn takes_byte(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || self.marks.as_bytes().contains(&byte)
    }

    /// Whether this is the name of a tool.
    pub(crate) fn takes(self, name: &str) -> bool {
        !name.is_empty()
            && name.len() <= self.longest
            && name.bytes().all(|byte| self.takes_byte(byte))
    }
}

/// Who may speak first in a request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FirstMessage {
    /// Anybody.
    Any,
    /// The user only.
    User,
    /// The user, or words of the model: its calls need somebody before them.
    NoCalls,
}

/// All targets. The first is the one to fall back on.
pub const ALL: &[&Target] = &[
    &anthropic::ANTHROPIC,
    &openai_responses::OPENAI_RESPONSES,
    &openai_chat::OPENAI_CHAT,
    &bedrock::BEDROCK,
    &gemini::GEMINI,
    &mistral::MISTRAL,
];

/// The name of all of them at once.
pub(crate) const STRICTEST_NAME: &str = "strictest";

/// Those that judge where a recording must please everybody. Rules that most healthy recordings break are left out of it.
pub(crate) const STRICTEST: &[&Target] = &[
    &anthropic::ANTHROPIC,
    &openai_chat::OPENAI_CHAT,
    &bedrock::BEDROCK,
    &gemini::GEMINI,
    &mistral::WITH_ANY_IDS,
];

impl Target {
    /// Whether this provider takes a call id.
    pub fn takes_id(&self, id: &str) -> bool {
        (self.shortest_id..=self.longest_id).contains(&id.len())
            && id.bytes().all(|byte| self.takes_byte(byte))
    }

    fn takes_byte(&self, byte: u8) -> bool {
        self.id_marks
            .is_none_or(|marks| byte.is_ascii_alphanumeric() || marks.as_bytes().contains(&byte))
    }

    /// A call id in the place of `old`: for number 1 as near to it as may be, for others told apart by the number.
    pub fn new_id(&self, old: &str, number: u64) -> String {
        match self.made_id {
            Some(made) => made(old, number),
            None if number < 2 => self.fit_id(old),
            None => format!("{}_{number}", self.fit_id(old)),
        }
    }

    /// An id as this provider takes it: without blanks around it, `_` for what it refuses, no longer than it may be.
    pub fn fit_id(&self, id: &str) -> String {
        let takes = |c: char| {
            self.id_marks.is_none() || u8::try_from(c).is_ok_and(|byte| self.takes_byte(byte))
        };
        let fitting = |c: char| if takes(c) { c } else { '_' };
        let mut fit: String = id.trim().chars().map(fitting).collect();
        while fit.len() > self.longest_id {
            fit.pop();
        }
        fit
    }
}

/// A target by the name people type.
pub(crate) fn by_name(name: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.name == name).copied()
}

/// The target that serves a model of this name.
pub(crate) fn by_model(model: &str) -> Option<&'static Target> {
    let model = model.to_ascii_lowercase();
    ALL.iter()
        .find(|target| target.models.iter().any(|part| model.contains(part)))
        .copied()
}

/// The target that gives call ids of this shape.
pub(crate) fn by_call_id(id: &str) -> Option<&'static Target> {
    ALL.iter()
        .find(|target| target.id_shapes.iter().any(|shape| id.starts_with(shape)))
        .copied()
}
