//! Texts that hosts, and this program, write in the place of a result that is not there.

/// What stands in an error result that had no content.
pub const NO_OUTPUT: &str = "(no output was recorded; inserted by transcript-doctor, TD406)";
/// By which a text of ours is known.
const OUR_MARK: &str = "inserted by transcript-doctor, TD101";

/// Beginnings and ends of the texts of LangChain's hosts, and what must stand between where that alone says little.
const STUBS: &[(&str, &str)] = &[
    ("Tool '", "' did not complete (session was interrupted)."),
    ("⚠️ Tool call to '", "Please retry if needed."),
    ("Tool call interrupted or failed to complete.", ""),
    ("Tool call ", " was cancelled before it could be completed."),
    ("Tool call ", "did not complete - no result was recorded. It may have been cancelled or interrupted."),
    ("Tool call ", " could not be executed - arguments were malformed or truncated."),
    ("Tool call ", " was cancelled - another message came in before it could be completed."),
    ("[System: Tool execution skipped/interrupted by user. No result provided for tool '", "'.]"),
    ("The tool call was interrupted before a result was produced.", ""),
    ("Tool was interrupted.", ""),
];

/// Whether a result's whole text is such a placeholder.
pub fn is_stub(text: &str) -> bool {
    let text = text.trim();
    let fits = |(start, end): &(&str, &str)| {
        let whole = start.len() + end.len() <= text.len() && text.starts_with(start) && text.ends_with(end);
        if end.is_empty() { text == *start } else { whole }
    };
    STUBS.iter().any(fits) || text.contains(OUR_MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_known_as_a_whole() {
        assert!(is_stub("Tool 'a' did not complete (session was interrupted)."));
        assert!(is_stub(
            "Tool call f with id x was cancelled - another message came in before it could be completed."
        ));
        assert!(is_stub("Tool was interrupted.") && is_stub(crate::formats::NO_RESULT));
        assert!(!is_stub("Tool was interrupted. Then it said 42."));
        assert!(!is_stub("the text 'Tool was interrupted.' was found"));
    }
}
