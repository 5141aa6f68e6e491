//! What the shape of a call's id shows: who made it, and whether it only counts.

/// Whose ids look like this.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Maker {
    /// `toolu_…`
    Anthropic,
    /// `tooluse_…`
    Bedrock,
    /// `call_…`
    OpenAi,
    /// `functions.NAME:N`
    Kimi,
    /// `chatcmpl-tool-…`
    Vllm,
}

/// Beginnings of ids; those that say nothing of their maker, such as plain UUIDs, are not listed.
const BEGINNINGS: &[(&str, Maker)] = &[
    ("toolu_", Maker::Anthropic),
    ("tooluse_", Maker::Bedrock),
    ("call_", Maker::OpenAi),
    ("functions.", Maker::Kimi),
    ("chatcmpl-tool-", Maker::Vllm),
];

/// Whose id this is, by its shape.
pub(super) fn maker(id: &str) -> Option<Maker> {
    // Ids that only count are given by many servers.
    if counts(id) && !id.starts_with("functions.") {
        return None;
    }
    BEGINNINGS
        .iter()
        .find(|(beginning, _)| id.trim_start().starts_with(beginning))
        .map(|(_, maker)| *maker)
}

/// Whether an id is a small number, with or without a word in front: `call_0`, `functions.bash:3`, `7`.
pub(super) fn counts(id: &str) -> bool {
    let word = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = id.len() - word.len();
    (1..=4).contains(&digits) && !word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_tell_the_maker() {
        assert_eq!(maker("toolu_01AbC"), Some(Maker::Anthropic));
        assert_eq!(maker("tooluse_y6Ma8"), Some(Maker::Bedrock));
        assert_eq!(maker("call_9f3a|fc_12"), Some(Maker::OpenAi));
        assert_eq!(maker("functions.bash:3"), Some(Maker::Kimi));
        assert_eq!(maker("call_0"), None);
        assert_eq!(maker("6be77f2e-ccd7-4469-80fa-a5afe69efd9e"), None);
    }

    #[test]
    fn numbers_count() {
        for id in ["call_0", "functions.bash:3", "7", "exec-12", "Read:158"] {
            assert!(counts(id), "{id}");
        }
        for id in [
            "",
            "call_",
            "toolu_01A",
            "call_a1b2",
            "call_1234567890",
            "x1:2",
        ] {
            assert!(!counts(id), "{id}");
        }
    }
}
