//! Targets: what each provider rejects, as data. A new target is a file and a line in [`ALL`].

mod anthropic;
mod bedrock;
pub(crate) mod errors;
mod gemini;
mod mistral;
mod names;
mod openai_chat;
mod openai_responses;

pub(crate) use anthropic::refuses_prefill;
use names::letters;
pub(crate) use names::{Documents, ToolNames};

use crate::transcript::messages::Counting;
use crate::transcript::{Code, Severity};

/// An API of a provider that a conversation may be sent to.
#[derive(Debug)]
pub struct Target {
    /// Name as typed: `anthropic`.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// How message indices in error texts are counted.
    pub counting: Counting,
    /// Longest tool-call ID, in bytes.
    pub longest_id: usize,
    /// Shortest tool-call ID, in bytes.
    pub shortest_id: usize,
    /// Longest tool-call ID that every deployment accepts, in bytes.
    pub careful_id: usize,
    /// Characters that tool-call IDs may contain besides letters and digits; `None` for any.
    pub id_marks: Option<&'static str>,
    /// Makes an ID in the provider's own style from an old one and a number; `None` keeps the old
    /// one as far as it fits.
    pub made_id: Option<fn(&str, u64) -> String>,
    /// Whether a later response may reuse a tool-call ID.
    pub reuse_accepted: bool,
    /// Whether results may follow anywhere after their call, rather than directly after the calls
    /// of its response.
    pub results_anywhere: bool,
    /// Whether a request may end with an assistant message, whatever the model.
    pub takes_final_answer: bool,
    /// The interface: clients write a new request for each.
    pub interface: Interface,
    /// Its other requirements for requests.
    pub needs: Needs,
    /// What the provider says, by rule: fragments of its own messages.
    pub texts: &'static [(Code, &'static str)],
    /// Severities that differ from those of the rules.
    pub severity: &'static [(Code, Severity)],
    /// What only this provider rejects: other servers with its interface accept it.
    pub alone: &'static [Code],
    /// Prefixes of the tool-call IDs that this provider makes.
    pub id_shapes: &'static [&'static str],
    /// Parts of the names of models that this provider serves.
    pub models: &'static [&'static str],
    /// Parts of the names of models that other providers serve with its interface.
    pub models_of_others: &'static [&'static str],
}

/// The target for a model.
#[derive(Copy, Clone, Debug)]
pub struct Serving {
    pub target: &'static Target,
    /// Whether the provider serves the model, rather than another one with the same interface.
    pub is_own: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Messages of Anthropic.
    Messages,
    /// Responses of OpenAI.
    Responses,
    /// Chat Completions.
    Chat,
    /// Chat Completions as Mistral takes them.
    MistralChat,
    /// Converse of Amazon Bedrock.
    Converse,
    /// Contents of Gemini.
    Contents,
}

/// Requirements of a provider for requests. [`Needs::NONE`] accepts everything.
#[derive(Copy, Clone, Debug)]
pub struct Needs {
    pub tool_names: ToolNames,
    /// Which messages may come first.
    pub first_message: FirstMessage,
    /// Which roles may follow which.
    pub roles: Roles,
    /// Whether each thinking block, call and result is an item of its own.
    pub items: bool,
    /// Whether a model of this name requires calls to carry the signature of the thinking before them.
    pub signs_calls: Option<fn(&str) -> bool>,
    /// Whether a model of this name rejects reasoning with content for people. `None`: no model is known to.
    pub hides_reasoning: Option<fn(&str) -> bool>,
    /// Whether a model of this name accepts a system message after a user turn. `None`: no model accepts one.
    pub takes_system_after_user: Option<fn(&str) -> bool>,
    /// Whether an error result must have content.
    pub errors_say_something: bool,
    /// How the arguments of a call are written.
    pub arguments: Arguments,
    /// Parts of the names of models whose servers parse the arguments, and reject the whole conversation if they cannot.
    pub parses_arguments: &'static [&'static str],
    /// Models whose servers want the thinking of their answers back.
    pub wants_thinking: &'static [WantsThinking],
    /// Whether an assistant message with an empty text and no calls is rejected.
    pub answers_say_something: bool,
    /// Whether texts of only white space are rejected.
    pub no_blank_texts: bool,
    /// Whether blocks without data, and messages without blocks, are rejected.
    pub blocks_have_data: bool,
    /// Whether results must have the name of their tool in addition to an ID.
    pub results_name_tools: bool,
    /// Whether a user message must not directly follow a result, and system messages must come first.
    pub strict_order: bool,
    /// Whether clients merge adjacent messages of one role for this provider.
    pub merges_sides: bool,
    /// How many images a request may have; `None`: no known limit.
    pub most_images: Option<MostImages>,
    /// What it requires of the documents of a request; `None`: nothing that is known.
    pub documents: Option<Documents>,
    /// Whether an image is a URL, of the web or with the data.
    pub images_are_urls: bool,
    /// Whether a call must have its type, and the name of who speaks only some characters.
    pub checks_members: bool,
}

impl Needs {
    /// No requirements, and common tool names.
    pub(crate) const NONE: Needs = Needs {
        tool_names: ToolNames { marks: "_-", longest: 64 },
        first_message: FirstMessage::Any,
        roles: Roles::Any,
        items: false,
        signs_calls: None,
        hides_reasoning: None,
        takes_system_after_user: None,
        errors_say_something: false,
        arguments: Arguments::Object,
        parses_arguments: &[],
        wants_thinking: &[],
        answers_say_something: false,
        no_blank_texts: false,
        blocks_have_data: false,
        results_name_tools: false,
        strict_order: false,
        merges_sides: false,
        most_images: None,
        documents: None,
        images_are_urls: false,
        checks_members: false,
    };
}

/// A model whose server wants the thinking of its answers with tool calls back.
#[derive(Copy, Clone, Debug)]
pub struct WantsThinking {
    /// A part of its name.
    pub model: &'static str,
    /// It wants that of the other answers of the same turn, too.
    pub whole_turns: bool,
}

/// How many images a request may have. It depends on the model.
#[derive(Copy, Clone, Debug)]
pub struct MostImages {
    /// For models with a small context window.
    pub small_window: u32,
    /// For all other models.
    pub any_window: u32,
    /// Whether a model of this name has a small context window. False if that is not known.
    pub has_small_window: fn(&str) -> bool,
}

/// Which roles may follow which in a request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Roles {
    /// Any role after any other.
    Any,
    /// User and assistant alternate.
    Alternate,
    /// Calls are only allowed in a turn of the model that directly follows one of the user, and results only in a user turn.
    CallsAfterUser,
}

/// How the arguments of a call are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Arguments {
    Object,
    /// As the text of an object.
    Text,
    ObjectOrText,
}

/// Which messages may come first in a request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FirstMessage {
    Any,
    /// A user message.
    User,
    /// A user message, or text of the model, but no calls.
    NoCalls,
}

/// All targets, with the fallback first.
pub const ALL: &[&Target] = &[
    &anthropic::ANTHROPIC,
    &openai_responses::OPENAI_RESPONSES,
    &openai_chat::OPENAI_CHAT,
    &bedrock::BEDROCK,
    &gemini::GEMINI,
    &mistral::MISTRAL,
];

/// The name that selects all of them at once.
pub(crate) const STRICTEST_NAME: &str = "strictest";

/// The targets that [`STRICTEST_NAME`] checks against. Rules that most healthy transcripts break
/// are left out.
pub(crate) const STRICTEST: &[&Target] = &[
    &anthropic::ANTHROPIC,
    &openai_chat::OPENAI_CHAT,
    &bedrock::BEDROCK,
    &gemini::GEMINI,
    &mistral::WITH_ANY_IDS,
];

impl Target {
    /// What is said of something that only this provider rejects, if nothing shows that it is the one.
    pub(crate) fn doubt(&self) -> String {
        format!("; {} would reject it", self.title)
    }

    /// Whether this provider accepts a tool-call ID.
    pub fn takes_id(&self, id: &str) -> bool {
        (self.shortest_id..=self.longest_id).contains(&id.len())
            && id.bytes().all(|byte| self.takes_byte(byte))
    }

    /// What is wrong with a tool call ID that is not valid.
    pub(crate) fn id_refusal(&self, id: &str) -> String {
        let marks = self.id_marks.filter(|_| !id.bytes().all(|byte| self.takes_byte(byte)));
        match marks {
            Some(marks) => format!("tool call IDs with other characters than {}", letters(marks)),
            None if self.shortest_id == self.longest_id => {
                format!("tool call IDs that do not have {} characters", self.longest_id)
            }
            None => format!("tool call IDs of more than {} characters", self.longest_id),
        }
    }

    fn takes_byte(&self, byte: u8) -> bool {
        self.id_marks
            .is_none_or(|marks| byte.is_ascii_alphanumeric() || marks.as_bytes().contains(&byte))
    }

    /// A tool-call ID to replace `old`. Number 1 stays as close to it as possible; higher numbers
    /// make it distinct.
    pub fn new_id(&self, old: &str, number: u64) -> String {
        match self.made_id {
            Some(made) => made(old, number),
            None if number < 2 => self.fit_id(old),
            None => format!("{}_{number}", self.fit_id(old)),
        }
    }

    /// Fits an ID to the rules of this provider: trims it, replaces rejected characters by `_`, and
    /// cuts it to the longest length.
    pub fn fit_id(&self, id: &str) -> String {
        let mut fit: String =
            id.trim().chars().map(|c| if self.takes_char(c) { c } else { '_' }).collect();
        while fit.len() > self.longest_id {
            fit.pop();
        }
        fit
    }

    fn takes_char(&self, c: char) -> bool {
        self.id_marks.is_none() || u8::try_from(c).is_ok_and(|byte| self.takes_byte(byte))
    }
}

/// The target with this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.name == name).copied()
}

/// How sentences name a target, or all of them: `Anthropic`.
pub(crate) fn title(name: &'static str) -> &'static str {
    match by_name(name) {
        Some(target) => target.title,
        None if name == STRICTEST_NAME => "all providers",
        None => name,
    }
}

/// The target for a model with this name.
pub(crate) fn serving(model: &str) -> Option<Serving> {
    let model = model.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| model.contains(part));
    ALL.iter().find_map(|target| {
        let is_own = has(target.models);
        (is_own || has(target.models_of_others)).then_some(Serving { target, is_own })
    })
}

/// The target that serves a model with this name.
pub(crate) fn by_model(model: &str) -> Option<&'static Target> {
    Some(serving(model)?.target)
}

/// The target that makes tool-call IDs with the prefix of `id`.
pub(crate) fn by_call_id(id: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.id_shapes.iter().any(|shape| id.starts_with(shape))).copied()
}
