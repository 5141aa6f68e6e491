//! Whether a string can only be what it is said to be: an id, a name, a file's name. What has another shape is text.

/// Beginnings of well-known keys and tokens.
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

/// Words that say what stands beside them.
const TELLTALE: &[&str] = &["secret", "passw"];

/// How many characters of one alphabet in a row look like a key.
const LONG_RUN: usize = 32;
/// Bytes of an id, of a name and of a file's name.
const ID: usize = 256;
const NAME: usize = 80;
const FILE: usize = 160;

/// Whether it begins as well-known keys do, and goes on.
pub(crate) fn has_key_prefix(word: &str) -> bool {
    PREFIXES
        .iter()
        .any(|prefix| word.starts_with(prefix) && word.len() >= prefix.len() + 8)
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

/// An id, as programs make them: no blanks, no key of somebody.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"_-.:|+/=@#".contains(&c);
    !text.is_empty()
        && text.len() <= ID
        && text.bytes().all(plain)
        && text.bytes().any(|c| c.is_ascii_alphanumeric())
        && !has_key_prefix(text)
        && !tells(text)
}

/// The name of a tool, a kind, a member: a word of a program.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"_-.:/$".contains(&c);
    text.len() <= NAME
        && text
            .bytes()
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || b"_$".contains(&c))
        && text.bytes().all(plain)
        && !is_key(text)
        && !tells(text)
}

/// A word of a command line.
pub(crate) fn is_word(text: &str) -> bool {
    text.split(',').all(is_id)
}

/// One component of a path.
pub(crate) fn is_file(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-.@+=,:#~".contains(c);
    text.len() <= FILE && text.chars().all(plain) && !has_key_prefix(text) && !tells(text)
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
        for name in [
            "run-07.jsonl",
            "日本.json",
            "5f1c9d4c-0000.jsonl.gz",
            "..",
            "",
            "-home-x-shop",
        ] {
            assert!(is_file(name), "{name}");
        }
        for text in [
            "my run.jsonl",
            "it's",
            "a\u{1b}",
            "ghp_0123456789abcdef.txt",
        ] {
            assert!(!is_file(text), "{text}");
        }
    }
}
