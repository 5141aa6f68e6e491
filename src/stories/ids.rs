//! What the shape of a call ID shows: who made it, and whether it is just a counter.

/// Who makes IDs of this shape.
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

/// Prefixes of IDs. IDs that do not show their maker, such as plain UUIDs, are not listed.
const PREFIXES: &[(&str, Maker)] = &[
    ("toolu_", Maker::Anthropic),
    ("tooluse_", Maker::Bedrock),
    ("call_", Maker::OpenAi),
    ("functions.", Maker::Kimi),
    ("chatcmpl-tool-", Maker::Vllm),
];

/// The maker of an ID, by its shape.
pub(super) fn maker(id: &str) -> Option<Maker> {
    // Many servers use plain counters.
    if is_counter(id) && !id.starts_with("functions.") {
        return None;
    }
    PREFIXES.iter().find(|(prefix, _)| id.trim_start().starts_with(prefix)).map(|(_, maker)| *maker)
}

/// Whether an ID is a small number, with or without a prefix: `call_0`, `functions.bash:3`, `7`.
pub(super) fn is_counter(id: &str) -> bool {
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
            assert!(is_counter(id), "{id}");
        }
        for id in ["", "call_", "toolu_01A", "call_a1b2", "call_1234567890", "x1:2"] {
            assert!(!is_counter(id), "{id}");
        }
    }
}
