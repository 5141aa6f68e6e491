//! Synthetic transcripts with the shapes and sizes of what agents write, and no real text.

use std::fmt::Write as _;

/// A generator of the same numbers in every run (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    /// Numbers that depend on nothing but the seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number from 0 to `bound` - 1; `bound` must not be 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(mixed).unwrap_or(0) % bound
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const WORDS: &[&str] = &[
    "agent", "tool", "result", "session", "error", "parse", "token", "stream", "buffer", "retry",
    "index", "cache", "worker", "thread", "build", "test", "module", "path", "file", "line",
    "column", "value", "string", "number", "object", "array", "field", "schema", "event",
    "message", "output", "server", "timeout", "branch", "commit",
];
const WIDE: &[&str] = &[
    "会話記録を修復する",
    "Gespräch",
    "naïve café",
    "Москва",
    "😀🚀",
    "✅",
    "❌",
    "→",
];
const TOOLS: &[&str] = &["terminal", "file_editor", "browser", "think"];

/// At least `size` bytes of text, not yet quoted: code, logs and prose.
fn text(random: &mut Random, size: usize) -> String {
    let mut text = String::with_capacity(size + 100);
    while text.len() < size {
        let (a, b) = (random.pick(WORDS), random.pick(WORDS));
        let indent = "    ".repeat(random.below(4));
        // Writing to a string cannot fail.
        let _ = match random.below(12) {
            0..3 => writeln!(
                text,
                "{indent}let {a}_{b} = {b}.get(\"{a}\", {});",
                random.below(99)
            ),
            3..5 => writeln!(
                text,
                "{indent}if {a} is None and \"{b}\" in {a}_{b}[{}]:",
                random.below(9)
            ),
            5 => writeln!(
                text,
                "\u{1b}[32mINFO\u{1b}[0m {}: {a} {b} {a}",
                random.below(10_000)
            ),
            6..8 => writeln!(
                text,
                "src/{a}/{b}.rs:{}:{}: {b} {a}",
                random.below(2000),
                random.below(80)
            ),
            8 => writeln!(
                text,
                "{}\t{a}\\{b}\t{}",
                random.below(2000),
                random.pick(WIDE)
            ),
            9 => writeln!(text),
            _ => writeln!(
                text,
                "{a} {b} {} {} {} {a}.",
                random.pick(WORDS),
                random.pick(WORDS),
                random.pick(WORDS)
            ),
        };
    }
    text
}

fn base64(random: &mut Random, size: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..size)
        .map(|_| char::from(DIGITS[random.below(64)]))
        .collect()
}

fn id(random: &mut Random) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        random.below(1 << 31),
        random.below(1 << 16),
        random.below(1 << 12),
        random.below(1 << 12),
        random.below(1 << 31)
    )
}

/// A quoted JSON string with raw non-ASCII characters, as Python writes it with
/// `ensure_ascii=False`.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Many short texts, few long ones: mean line about 1.6 KB, and now and then an image.
fn size(random: &mut Random) -> usize {
    let most = if random.below(100) < 93 {
        1_500
    } else {
        40_000
    };
    40 + random.below(most) * random.below(most) / most
}

/// Lines of one event each, at least `bytes` bytes in all.
pub(crate) fn lines(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let random = &mut random;
    let mut out = String::with_capacity(bytes + 2_000_000);
    let mut clock = 0;
    while out.len() < bytes {
        clock += 1;
        let head = format!(
            "{{\"id\": \"{}\", \"timestamp\": \"2026-02-01T{:02}:{:02}:{:02}.{:06}\", \"source\": ",
            id(random),
            clock / 3600 % 24,
            clock / 60 % 60,
            clock % 60,
            random.below(1_000_000)
        );
        let (tool, call, action) = (
            random.pick(TOOLS),
            base64(random, 22).replace(['+', '/'], "x"),
            id(random),
        );
        let thought = quoted(&text(random, 200));
        let command = format!(
            "{{\"command\": {}, \"timeout\": {}, \"is_input\": false, ",
            quoted(&text(random, 60)),
            random.below(99)
        );
        let arguments = quoted(&format!("{}\"path\": null}}", command));
        let length = size(random);
        let _ = match random.below(20) {
            0 => writeln!(
                out,
                "{head}\"user\", \"llm_message\": {{\"role\": \"user\", \"content\": [{{\"cache_prompt\": false, \"type\": \"text\", \"text\": {}}}]}}, \"activated_skills\": [], \"kind\": \"MessageEvent\"}}",
                quoted(&text(random, length))
            ),
            1..10 => writeln!(
                out,
                "{head}\"agent\", \"thought\": [{{\"type\": \"text\", \"text\": {thought}}}], \"thinking_blocks\": [], \"action\": {command}\"kind\": \"TerminalAction\"}}, \"tool_name\": \"{tool}\", \"tool_call_id\": \"toolu_01{call}\", \"tool_call\": {{\"id\": \"toolu_01{call}\", \"name\": \"{tool}\", \"arguments\": {arguments}, \"origin\": \"completion\"}}, \"llm_response_id\": \"chatcmpl-{call}\", \"kind\": \"ActionEvent\"}}"
            ),
            _ => {
                let content = if random.below(1500) == 0 {
                    let length = 200_000 + random.below(1_000_000);
                    format!(
                        "{{\"type\": \"image\", \"image_urls\": [\"data:image/png;base64,{}\"]}}",
                        base64(random, length)
                    )
                } else {
                    format!(
                        "{{\"cache_prompt\": false, \"type\": \"text\", \"text\": {}}}",
                        quoted(&text(random, length))
                    )
                };
                writeln!(
                    out,
                    "{head}\"environment\", \"tool_name\": \"{tool}\", \"tool_call_id\": \"toolu_01{call}\", \"observation\": {{\"content\": [{content}], \"is_error\": false, \"exit_code\": {}, \"kind\": \"TerminalObservation\"}}, \"action_id\": \"{action}\", \"kind\": \"ObservationEvent\"}}",
                    random.below(3)
                )
            }
        };
    }
    out.into_bytes()
}
