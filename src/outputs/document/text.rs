//! Words with a look.

use crate::outputs::paint::Tone;
use crate::transcript::{Code, Severity};

/// Words with a look.
pub(crate) type StyledText = Vec<StyledSpan>;

/// Some words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledSpan {
    pub text: String,
    pub look: Look,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// As the words around them.
    Plain,
    /// As code in a sentence.
    Code,
    /// As a name or a text of a transcript, or a command.
    Name,
    /// As a place in a file; the link to it, where the terminal knows links.
    Place(Option<String>),
    /// As important.
    Strong,
    /// As beside the point.
    Quiet,
    /// As a label of this meaning.
    Label(Tone),
    /// As the label of a finding: `fatal TD104`.
    Finding(Severity, Code),
    /// As a link to the part of this name.
    To(String),
}

impl StyledSpan {
    /// Words that look like that.
    pub(crate) fn new(look: Look, text: impl Into<String>) -> StyledSpan {
        StyledSpan { text: text.into(), look }
    }
}

/// A sentence: what stands between two backquotes is code.
pub(crate) fn prose(text: &str) -> StyledText {
    let parts: Vec<&str> = text.split('`').collect();
    // An odd one out is a character like others.
    if parts.len().is_multiple_of(2) {
        return vec![StyledSpan::new(Look::Plain, text)];
    }
    let mut spans = Vec::new();
    for (at, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let look = if at % 2 == 1 { Look::Code } else { Look::Plain };
        spans.push(StyledSpan::new(look, part));
    }
    spans
}

/// Whether a blank is before a span: labels and links stand apart from their neighbors.
pub(crate) fn apart(text: &[StyledSpan], at: usize) -> bool {
    let (Some(one), Some(before)) =
        (text.get(at), at.checked_sub(1).and_then(|before| text.get(before)))
    else {
        return false;
    };
    let joined = before.text.ends_with(' ') || one.text.starts_with([' ', ',', '.', ':']);
    (one.stands_apart() || before.stands_apart()) && !joined
}

impl StyledSpan {
    pub(super) fn stands_apart(&self) -> bool {
        matches!(self.look, Look::Label(_) | Look::Finding(..) | Look::To(_) | Look::Quiet)
    }
}
