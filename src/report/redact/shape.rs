//! Checks whether a string has the shape of an ID, a name or a file name. Anything else is text.

/// Prefixes of well-known keys and tokens.
const PREFIXES: &[&str] = &[
    "sk-",
    "rk_live_",
    "sk_live_",
    "pk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "hf_",
    "npm_",
    "pypi-",
    "eyJ",
];

/// Words that announce a secret.
const TELLTALE: &[&str] = &["secret", "passw"];

/// Length from which a run of letters and digits looks like a key.
const LONG_RUN: usize = 32;
/// Most bytes of an ID, a name and a file name.
const ID: usize = 256;
const NAME: usize = 80;
const FILE: usize = 160;

/// Whether a word starts like a well-known key, and continues.
pub(crate) fn has_key_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| word.starts_with(prefix) && word.len() >= prefix.len() + 8)
}

/// Whether a run of letters and digits may be a key.
pub(crate) fn is_key(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    has_key_prefix(run) || (run.len() >= LONG_RUN && digits >= 4 && !run.contains(".."))
}

fn tells(word: &str) -> bool {
    let small = word.to_ascii_lowercase();
    TELLTALE.iter().any(|telltale| small.contains(telltale))
}

/// Whether a text is an ID as programs make them: without spaces, and not a secret key.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= ID
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"_-.:|+/=@#".contains(&c))
        && text.bytes().any(|c| c.is_ascii_alphanumeric())
        && !has_key_prefix(text)
        && !tells(text)
}

/// Whether a text is an identifier: the name of a tool, a kind, a member.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() <= NAME
        && text.bytes().next().is_some_and(|c| c.is_ascii_alphabetic() || b"_$".contains(&c))
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"_-.:/$".contains(&c))
        && !is_key(text)
        && !tells(text)
}

/// Whether a text is a word of a command line.
pub(crate) fn is_word(text: &str) -> bool {
    text.split(',').all(is_id)
}

/// Whether a text is a component of a path.
pub(crate) fn is_file(text: &str) -> bool {
    text.len() <= FILE
        && text.chars().all(|c| c.is_alphanumeric() || "_-.@+=,:#~".contains(c))
        && !has_key_prefix(text)
        && !tells(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_all_hosts_are_ids() {
        for id in [
            "toolu_01EvREYhc5WD2xswPAvEc8ir",
            "call_6Sg|fc_0b1c",
            "tooluse_y6Ma8-x",
            "functions.bash:0",
            "572b42e3-9d4c-4f1a-8e57-1d1f0a9f7e11",
            "7",
            "AbC+/9==",
        ] {
            assert!(is_id(id), "{id}");
        }
        for text in [
            "",
            "call me",
            "é",
            "sk-ant-api03-abcdefgh",
            "my-password-1",
            "a\n",
            "--",
            "MY_SECRET_7",
        ] {
            assert!(!is_id(text), "{text}");
        }
    }

    #[test]
    fn names_are_words_of_programs() {
        for name in [
            "terminal",
            "mcp__files__read",
            "ActionEvent",
            "multi_tool_use.parallel",
            "_x",
            "response_item/call",
        ] {
            assert!(is_name(name), "{name}");
        }
        for text in [
            "",
            "1st",
            "do it",
            "AKIAIOSFODNN7EXAMPLE",
            "0123456789abcdef0123456789abcdef",
            "x\u{202e}",
        ] {
            assert!(!is_name(text), "{text}");
        }
        assert!(!is_name("x0123456789abcdef0123456789abcdef"));
    }

    #[test]
    fn files_may_be_named_in_any_language() {
        for name in
            ["run-07.jsonl", "日本.json", "5f1c9d4c-0000.jsonl.gz", "..", "", "-home-x-shop"]
        {
            assert!(is_file(name), "{name}");
        }
        for text in ["my run.jsonl", "it's", "a\u{1b}", "ghp_0123456789abcdef.txt"] {
            assert!(!is_file(text), "{text}");
        }
    }
}
