//! The detected format of a transcript.

use super::Format;
use crate::containers::{Layout, PathStep};
use crate::targets::Serving;

/// The detected format of a transcript, and where its records are.
#[derive(Clone, Debug)]
pub struct Detection {
    pub format: &'static Format,
    /// Where its records are, or its rows if it has many conversations.
    pub layout: Layout,
    /// How many conversations it has.
    pub conversations: ConversationCount,
    /// What else it may be, if its records have no sign of a format and the user named none.
    pub other: Option<Alternative>,
    /// Whether the format was detected from records, rather than named by the user or taken from a row.
    pub detected: bool,
    /// Whether it is a row of a file of conversations.
    pub is_row: bool,
    /// The target for the model of the agent, if the document around the conversation names it.
    pub serving: Option<Serving>,
}

impl Detection {
    /// Whether the messages are in the body of a recorded request: a line of a batch, a log of a proxy.
    pub(crate) fn is_request(&self) -> bool {
        const BODIES: &[&str] =
            &["body", "request", "kwargs", "params", "modelInput", "inputBodyJson", "json_data"];
        match &self.layout {
            Layout::Items { path, .. } => {
                path.iter().any(|step| matches!(step, PathStep::Key(key) if BODIES.contains(key)))
            }
            _ => false,
        }
    }

    /// One conversation of this format.
    pub fn new(format: &'static Format, layout: Layout) -> Detection {
        Detection {
            format,
            layout,
            conversations: ConversationCount::One,
            other: None,
            detected: false,
            is_row: false,
            serving: None,
        }
    }
}

/// How a transcript without a sign of its format is read if the user names a target.
#[derive(Copy, Clone, Debug)]
pub struct Alternative {
    /// The name of that target.
    pub target: &'static str,
    pub format: &'static Format,
}

/// How many conversations a transcript has.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ConversationCount {
    #[default]
    One,
    /// Each row is a conversation or something else.
    EachRow(RowFilter),
}

impl ConversationCount {
    /// Whether each row is a conversation.
    pub fn are_rows(self) -> bool {
        matches!(self, ConversationCount::EachRow(_))
    }

    /// Which rows count as conversations.
    pub fn filter(self) -> RowFilter {
        match self {
            ConversationCount::One => RowFilter::default(),
            ConversationCount::EachRow(filter) => filter,
        }
    }
}

/// Which rows of a file count as conversations.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum RowFilter {
    /// Those that look like one.
    #[default]
    Conversations,
    /// All, because the user said so.
    All,
}

/// Whether a transcript needs a sign of a format to be read as this format.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormatSign {
    Needed,
    /// No other format is possible.
    Optional,
}

impl FormatSign {
    pub(crate) fn needed_unless(named: Option<&'static Format>) -> FormatSign {
        match named {
            Some(_) => FormatSign::Optional,
            None => FormatSign::Needed,
        }
    }
}
