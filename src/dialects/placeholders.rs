//! Placeholder texts that hosts and this program write for missing results.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::json::node::Node;
use crate::transcript::Origin;

/// The text of a placeholder result, which the model reads.
pub(crate) const NO_RESULT: &str = "Interrupted: no result was recorded; the tool may or may not have run. (inserted by transcript-doctor, TD101)";
/// The same where something of a result was recorded, which cannot be read.
pub(crate) const NOT_WHOLE: &str = "Interrupted: no complete result was recorded; the tool may or may not have finished. (inserted by transcript-doctor, TD101)";
/// The text of a result whose record is cut off, with what is left of what the tool said.
pub(crate) fn cut_off(said: &[String]) -> String {
    let said = said.join("\n");
    format!("{said}\n\n[{CUT_OFF}]")
}

/// The end of a result whose record is cut off.
pub(crate) const CUT_OFF: &str = "Interrupted: the record of this result was cut off here; the tool may or may not have finished. (inserted by transcript-doctor, TD101)";
/// The text of a result of a call for which nobody gave the approval that it needed.
pub(crate) const NEVER_APPROVED: &str =
    "The user never approved this call, so it did not run. (inserted by transcript-doctor, TD101)";
/// The text for an error result without content.
pub(crate) const NO_OUTPUT: &str = "(no output was recorded; inserted by transcript-doctor, TD406)";
/// The text that replaces a response that was never recorded.
pub(crate) const BRIDGE: &str = "(continue) (inserted by transcript-doctor, TD207)";
/// The content of a message of which nothing else is left.
pub(crate) const NO_CONTENT: &str = "(no content; inserted by transcript-doctor, TD401)";
/// The text of a first message that replaces a lost one.
pub(crate) const LOST_BEGINNING: &str =
    "(the beginning of this conversation was lost; inserted by transcript-doctor, TD206)";
/// All texts that this program writes on its own.
pub(crate) const OUR_TEXTS: [&str; 8] =
    [NO_RESULT, NOT_WHOLE, CUT_OFF, NEVER_APPROVED, NO_OUTPUT, BRIDGE, NO_CONTENT, LOST_BEGINNING];
/// The part of our placeholder by which it is recognized.
const OUR_MARK: &str = "inserted by transcript-doctor, TD101";

/// Complete texts of placeholders.
const WHOLE: &[&str] = &[
    "aborted",
    "Tool cancelled",
    "No tool output",
    "(empty result)",
    "Tool call interrupted or failed to complete.",
    "The tool call was interrupted before a result was produced.",
    "Tool was interrupted.",
    "Tool use was cancelled by the user",
];

/// Starts of placeholders.
const BEGINNINGS: &[&str] = &[
    "[Tool call interrupted:",
    "Interrupted: no result was recorded",
    "Tool execution was interrupted",
    "[Tool execution was interrupted]",
    "Tool execution aborted",
    "Tool execution result was not recorded",
    "The execution of this tool, or a previous tool was interrupted",
    "The tool execution result was lost due to context management truncation",
    "tool call was interrupted and did not produce a result",
    "Error: user cancelled assistant tool calling",
    "Task was interrupted before this tool call could be completed",
    "[migration] Tool result missing in legacy conversation history",
    "[tool result unavailable — session imported",
];

/// Starts and ends of placeholders with the name of a tool or the ID of a call between them.
const FRAMES: &[(&str, &str)] = &[
    ("Tool '", "' did not complete (session was interrupted)."),
    ("⚠️ Tool call to '", "Please retry if needed."),
    ("Tool call ", " was cancelled before it could be completed."),
    (
        "Tool call ",
        "did not complete - no result was recorded. It may have been cancelled or interrupted.",
    ),
    ("Tool call ", " could not be executed - arguments were malformed or truncated."),
    ("Tool call ", " was cancelled - another message came in before it could be completed."),
    ("[System: Tool execution skipped/interrupted by user. No result provided for tool '", "'.]"),
];

/// The bytes of a string in which its first characters are.
const START: u32 = 64;

/// Whether a placeholder may start with these raw bytes of a string. Characters as `\u` escapes, or that are not ASCII, need a
/// closer look. No placeholder starts with a character that has another escape.
fn may_start(mut raw: &[u8]) -> bool {
    // White space around a placeholder does not count.
    while let [b' ', rest @ ..] | [b'\\', b'n' | b't' | b'r', rest @ ..] = raw {
        raw = rest;
    }
    let Some(head) = raw.first_chunk::<4>() else {
        return true;
    };
    match head.iter().position(|byte| !((b' '..0x80).contains(byte) && *byte != b'\\')) {
        None => HEADS.contains(&u32::from_le_bytes(*head)),
        Some(at) => !matches!(raw.get(at..), Some([b'\\', escape, ..]) if *escape != b'u'),
    }
}

/// The first four bytes of all placeholders, as numbers: results are many, and this is asked of each.
const HEADS: [u32; WHOLE.len() + BEGINNINGS.len() + FRAMES.len()] = {
    let mut heads = [0; WHOLE.len() + BEGINNINGS.len() + FRAMES.len()];
    let mut at = 0;
    while at < heads.len() {
        let (beginning, framed) =
            (at.wrapping_sub(WHOLE.len()), at.wrapping_sub(WHOLE.len() + BEGINNINGS.len()));
        let start = if at < WHOLE.len() {
            WHOLE[at]
        } else if beginning < BEGINNINGS.len() {
            BEGINNINGS[beginning]
        } else {
            FRAMES[framed].0
        };
        let Some(head) = start.as_bytes().first_chunk() else {
            panic!("a placeholder of less than four bytes");
        };
        heads[at] = u32::from_le_bytes(*head);
        at += 1;
    }
    heads
};

static FIND_OUR_MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(OUR_MARK));

/// A longer text with our mark, in raw bytes, is a result that quotes the mark.
const LONGEST_MARKED: usize = 1024;

/// The part of a text that [`is_placeholder`] needs, as [`ends`] finds it. `None`: it cannot be a placeholder, which the first
/// bytes show for almost all texts.
pub(crate) fn ends_of(text: Node<'_>) -> Option<Cow<'_, str>> {
    if !may_start(&text.begin(START)?) && !is_ours(text) {
        return None;
    }
    ends(text)
}

fn is_ours(text: Node<'_>) -> bool {
    text.span().len() <= LONGEST_MARKED && FIND_OUR_MARK.find(&text.raw()).is_some()
}

/// A short text as a whole; of a long one its two ends, with our mark between them if the text has it. Results are long, and
/// placeholders are recognized by their ends. `None`: it is not a text.
pub(crate) fn ends(text: Node<'_>) -> Option<Cow<'_, str>> {
    // Bytes at each end. All frames are much shorter.
    const MOST: u32 = 192;
    let (start, end) = match text.ends(MOST)? {
        (whole, None) => return Some(whole),
        (start, Some(end)) => (start, end),
    };
    // White space around the text does not count, so it must not fill an end.
    if start.trim().len() < MOST as usize / 4 || end.trim().len() < MOST as usize / 4 {
        return text.str();
    }
    let mark = if is_ours(text) { OUR_MARK } else { "…" };
    Some(Cow::Owned([&start, mark, &end].concat()))
}

/// Whether the text of a result is a placeholder.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    WHOLE.contains(&text)
        || BEGINNINGS.iter().any(|start| text.starts_with(start))
        || FRAMES.iter().any(|(start, end)| {
            start.len() + end.len() <= text.len() && text.starts_with(start) && text.ends_with(end)
        })
        || FIND_OUR_MARK.find(text.as_bytes()).is_some()
}

/// Who wrote a result with this text.
pub(crate) fn origin(text: Option<Node<'_>>) -> Origin {
    let is_placeholder = text.and_then(ends_of).is_some_and(|text| is_placeholder(&text));
    if is_placeholder { Origin::Placeholder } else { Origin::Real }
}

/// The lengths of the host's own words at the start and the end of a placeholder; `None`: it is not a placeholder.
pub(crate) fn frame(text: &str) -> Option<(usize, usize)> {
    let inner = text.trim();
    let blank = (text.len() - text.trim_start().len(), text.len() - text.trim_end().len());
    let (front, back) = if WHOLE.contains(&inner) || OUR_TEXTS.contains(&inner) {
        (inner.len(), 0)
    } else if let Some(start) = BEGINNINGS.iter().find(|start| inner.starts_with(**start)) {
        (start.len(), 0)
    } else {
        FRAMES
            .iter()
            .find(|(start, end)| {
                start.len() + end.len() <= inner.len()
                    && inner.starts_with(start)
                    && inner.ends_with(end)
            })
            .map(|(start, end)| (start.len(), end.len()))?
    };
    Some((blank.0 + front, blank.1 + back))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_show_what_is_not_a_placeholder() {
        for raw in ["Tool", r" \n\tabor", r"\u0054ool", "\u{26a0} Tool", "[Tool", r"a\u0062", "abc"]
        {
            assert!(may_start(raw.as_bytes()), "{raw}");
        }
        for raw in [r#"{\"a\":1}"#, r"To\nol", r"\\\\ Tool", r#"\"Tool"#, "text", r"\nnone"] {
            assert!(!may_start(raw.as_bytes()), "{raw}");
        }
    }

    #[test]
    fn placeholders_are_known() {
        for stub in [
            "Tool 'a' did not complete (session was interrupted).",
            "Tool call f with id x was cancelled - another message came in before it could be completed.",
            "Tool was interrupted.",
            "aborted",
            "[Tool call interrupted: the session ended]",
            NO_RESULT,
            NOT_WHOLE,
        ] {
            assert!(is_placeholder(stub), "{stub}");
        }
        for real in [
            "Tool was interrupted. Then it said 42.",
            "the text 'Tool was interrupted.' was found",
            "aborted by user after 3.2s",
            "No tool output was needed.",
            "(empty result) of the query",
        ] {
            assert!(!is_placeholder(real), "{real}");
        }
    }
}
