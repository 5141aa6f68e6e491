//! What people call the programs that write recordings.

/// A host as formats name it, and as a sentence names it. What is not listed is no program of its own: the recording is
/// a list that some program keeps.
const TITLES: &[(&str, &str)] = &[
    ("claude-code", "Claude Code"),
    ("codex", "Codex"),
    ("Codex", "Codex"),
    ("gemini-cli", "Gemini CLI"),
    ("openclaw", "OpenClaw"),
    ("openhands", "OpenHands"),
    ("pi", "pi"),
    ("langchain", "the LangChain application"),
    ("strands", "Strands"),
    ("trae-agent", "TRAE"),
];

/// A host as a sentence names it.
pub(crate) fn title(host: &str) -> &'static str {
    TITLES
        .iter()
        .find(|(name, _)| *name == host)
        .map_or("the application", |(_, title)| *title)
}

/// What becomes of a call that waits for its answer, by the name of the host or the format.
const PENDING: &[(&str, &str)] = &[
    (
        "claude-code",
        "Claude Code answers it with a placeholder when it resumes",
    ),
    ("codex", "Codex sends `aborted` in the place of its answer"),
    (
        "gemini-cli",
        "Gemini CLI does not answer it, and a resume fails until `repair --answer-pending`",
    ),
    (
        "langchain",
        "a graph runs it when it is resumed, whether or not it ran before",
    ),
    (
        "openhands",
        "the host runs it at the next run, whether or not it ran before",
    ),
    (
        "pi",
        "the host sends a placeholder in the place of its answer",
    ),
];

/// What becomes of a call that waits for its answer; "" where nothing is known. `format`: the name of the format.
pub(crate) fn pending(format: &str) -> &'static str {
    PENDING
        .iter()
        .find(|(name, _)| *name == format)
        .map_or("", |(_, text)| *text)
}

/// Whether a name is a host's.
#[cfg(test)]
pub(super) fn is_known(host: &str) -> bool {
    TITLES.iter().any(|(name, _)| *name == host)
}
