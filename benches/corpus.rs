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

    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

const WORDS: &[&str] = &[
    "agent", "tool", "result", "session", "error", "parse", "token", "stream", "buffer", "retry",
    "index", "cache", "worker", "thread", "build", "test", "module", "path", "file", "line",
    "column", "value", "string", "number", "object", "array", "field", "schema", "event",
    "message", "output", "server", "timeout", "branch", "commit",
];
const WIDE: &[&str] =
    &["会話記録を修復する", "Gespräch", "naïve café", "Москва", "😀🚀", "✅", "❌", "→"];
const TOOLS: &[&str] = &["terminal", "file_editor", "browser", "think"];

/// At least `size` bytes of text, not yet quoted: code, logs and prose.
fn text(random: &mut Random, size: usize) -> String {
    let mut text = String::with_capacity(size + 100);
    while text.len() < size {
        let (a, b) = (random.pick(WORDS), random.pick(WORDS));
        let indent = "    ".repeat(random.below(4));
        // Writing to a string cannot fail.
        let _ = match random.below(12) {
            0..3 => writeln!(text, "{indent}let {a}_{b} = {b}.get(\"{a}\", {});", random.below(99)),
            3..5 => writeln!(
                text,
                "{indent}if {a} is None and \"{b}\" in {a}_{b}[{}]:",
                random.below(9)
            ),
            5 => writeln!(text, "\u{1b}[32mINFO\u{1b}[0m {}: {a} {b} {a}", random.below(10_000)),
            6..8 => writeln!(
                text,
                "src/{a}/{b}.rs:{}:{}: {b} {a}",
                random.below(2000),
                random.below(80)
            ),
            8 => writeln!(text, "{}\t{a}\\{b}\t{}", random.below(2000), random.pick(WIDE)),
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
    (0..size).map(|_| char::from(DIGITS[random.below(64)])).collect()
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

/// Many short texts, few long ones: a mean of about 1.6 KB a line.
fn size(random: &mut Random) -> usize {
    let most = if random.below(100) < 93 { 1_500 } else { 40_000 };
    40 + random.below(most) * random.below(most) / most
}

/// Writes a piece of a file.
type Write = fn(&mut Writer);

/// How an agent writes its conversations: one record a line.
pub(crate) struct Dialect {
    /// As it is typed.
    pub name: &'static str,
    /// What a conversation begins with.
    begin: Write,
    user: fn(&mut Writer, &str),
    call: fn(&mut Writer, &Call),
    result: fn(&mut Writer, &Call, &str),
    /// What a conversation ends with, and how many turns it has; `None`: it never ends.
    end: Option<(Write, usize)>,
}

/// All dialects. The text of each is quoted as its host does it.
pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "claude-code",
        begin: |_| {},
        user: claude_user,
        call: claude_call,
        result: claude_result,
        end: None,
    },
    Dialect {
        name: "codex",
        begin: codex_begin,
        user: codex_user,
        call: codex_call,
        result: codex_result,
        end: None,
    },
    Dialect {
        name: "openhands",
        begin: |_| {},
        user: openhands_user,
        call: openhands_call,
        result: openhands_result,
        end: None,
    },
    Dialect {
        name: "pi",
        begin: pi_begin,
        user: pi_user,
        call: pi_call,
        result: pi_result,
        end: None,
    },
    Dialect {
        name: "openai-chat",
        begin: |_| {},
        user: chat_user,
        call: chat_call,
        result: chat_result,
        end: None,
    },
    Dialect {
        name: "rows",
        begin: |w| w.out.push_str("{\"messages\": ["),
        user: |w, text| w.item(chat_user, text),
        call: |w, call| {
            w.out.push_str(", ");
            chat_call(w, call);
            w.unwrap_line();
        },
        result: |w, call, text| {
            w.out.push_str(", ");
            chat_result(w, call, text);
            w.unwrap_line();
        },
        end: Some((|w| w.out.push_str("]}\n"), 30)),
    },
];

/// A call of a tool.
struct Call {
    tool: &'static str,
    /// 22 letters and digits.
    id: String,
    /// The arguments, a JSON object.
    arguments: String,
    /// The id of the record that holds it.
    record: String,
}

/// A file that is being made up.
struct Writer {
    random: Random,
    out: String,
    /// Seconds since the first record.
    clock: usize,
    /// The id of the record before.
    parent: Option<String>,
    session: String,
}

impl Writer {
    fn time(&mut self) -> String {
        self.clock += 1;
        let (day, hour) = (self.clock / 86_400 % 28 + 1, self.clock / 3600 % 24);
        format!(
            "2026-02-{day:02}T{hour:02}:{:02}:{:02}.{:03}Z",
            self.clock / 60 % 60,
            self.clock % 60,
            self.random.below(1000)
        )
    }

    /// A new id, and that of the record before as JSON.
    fn chain(&mut self, id: String) -> (String, String) {
        let parent = self.parent.replace(id.clone());
        (id, parent.map_or("null".to_owned(), |id| format!("\"{id}\"")))
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// A message as an item of a list.
    fn item(&mut self, write: fn(&mut Writer, &str), text: &str) {
        if self.out.ends_with('}') {
            self.out.push_str(", ");
        }
        write(self, text);
        self.unwrap_line();
    }

    /// An item of a list has no line of its own.
    fn unwrap_line(&mut self) {
        self.out.pop();
    }
}

fn claude(w: &mut Writer, kind: &str, message: &str, more: &str) {
    let id = id(&mut w.random);
    let ((id, parent), time, session) = (w.chain(id), w.time(), w.session.clone());
    w.line(&format!(
        "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/work\",\"sessionId\":\"{session}\",\"version\":\"2.1.20\",\"gitBranch\":\"main\",\"type\":\"{kind}\",\"message\":{message},{more}\"uuid\":\"{id}\",\"timestamp\":\"{time}\"}}"
    ));
}

fn claude_user(w: &mut Writer, text: &str) {
    let message = format!("{{\"role\":\"user\",\"content\":{}}}", quoted(text));
    claude(w, "user", &message, "");
}

fn claude_call(w: &mut Writer, call: &Call) {
    let message = format!(
        "{{\"model\":\"claude-sonnet-4-5\",\"id\":\"msg_01{id}\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"toolu_01{id}\",\"name\":\"{tool}\",\"input\":{arguments}}}],\"stop_reason\":\"tool_use\",\"stop_sequence\":null,\"usage\":{{\"input_tokens\":5,\"cache_read_input_tokens\":5000,\"output_tokens\":90}}}}",
        id = call.id,
        tool = call.tool,
        arguments = call.arguments
    );
    claude(w, "assistant", &message, "\"requestId\":\"req_011\",");
}

fn claude_result(w: &mut Writer, call: &Call, text: &str) {
    let text = quoted(text);
    let message = format!(
        "{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"toolu_01{}\",\"type\":\"tool_result\",\"content\":{text},\"is_error\":false}}]}}",
        call.id
    );
    let more = format!(
        "\"toolUseResult\":{{\"stdout\":{text},\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}},"
    );
    claude(w, "user", &message, &more);
}

fn codex(w: &mut Writer, kind: &str, payload: &str) {
    let time = w.time();
    w.line(&format!("{{\"timestamp\":\"{time}\",\"type\":\"{kind}\",\"payload\":{payload}}}"));
}

fn codex_begin(w: &mut Writer) {
    let payload = format!(
        "{{\"id\":\"{}\",\"timestamp\":\"2026-02-01T00:00:00.000Z\",\"cwd\":\"/work\",\"originator\":\"codex_cli_rs\",\"cli_version\":\"0.98.0\",\"source\":\"cli\",\"model_provider\":\"openai\"}}",
        w.session
    );
    codex(w, "session_meta", &payload);
}

fn codex_user(w: &mut Writer, text: &str) {
    let text = quoted(text);
    let item = format!(
        "{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":{text}}}]}}"
    );
    codex(w, "response_item", &item);
    let event = format!("{{\"type\":\"user_message\",\"message\":{text},\"images\":[]}}");
    codex(w, "event_msg", &event);
}

fn codex_call(w: &mut Writer, call: &Call) {
    let item = format!(
        "{{\"type\":\"function_call\",\"name\":\"{}\",\"arguments\":{},\"call_id\":\"call_{}\"}}",
        call.tool,
        quoted(&call.arguments),
        call.id
    );
    codex(w, "response_item", &item);
}

fn codex_result(w: &mut Writer, call: &Call, text: &str) {
    let item = format!(
        "{{\"type\":\"function_call_output\",\"call_id\":\"call_{}\",\"output\":{}}}",
        call.id,
        quoted(text)
    );
    codex(w, "response_item", &item);
}

fn openhands(w: &mut Writer, id: &str, source: &str, rest: &str) {
    let time = w.time();
    let time = time.trim_end_matches('Z');
    w.line(&format!(
        "{{\"id\": \"{id}\", \"timestamp\": \"{time}\", \"source\": \"{source}\", {rest}}}"
    ));
}

fn openhands_user(w: &mut Writer, text: &str) {
    let id = id(&mut w.random);
    let rest = format!(
        "\"llm_message\": {{\"role\": \"user\", \"content\": [{{\"cache_prompt\": false, \"type\": \"text\", \"text\": {}}}]}}, \"activated_skills\": [], \"kind\": \"MessageEvent\"",
        quoted(text)
    );
    openhands(w, &id, "user", &rest);
}

fn openhands_call(w: &mut Writer, call: &Call) {
    let thought = text(&mut w.random, 200);
    let rest = format!(
        "\"thought\": [{{\"type\": \"text\", \"text\": {thought}}}], \"thinking_blocks\": [], \"action\": {{\"arguments\": {input}, \"kind\": \"TerminalAction\"}}, \"tool_name\": \"{tool}\", \"tool_call_id\": \"toolu_01{id}\", \"tool_call\": {{\"id\": \"toolu_01{id}\", \"name\": \"{tool}\", \"arguments\": {arguments}, \"origin\": \"completion\"}}, \"llm_response_id\": \"chatcmpl-{id}\", \"kind\": \"ActionEvent\"",
        thought = quoted(&thought),
        input = call.arguments,
        tool = call.tool,
        id = call.id,
        arguments = quoted(&call.arguments)
    );
    openhands(w, &call.record, "agent", &rest);
}

fn openhands_result(w: &mut Writer, call: &Call, text: &str) {
    let id = id(&mut w.random);
    let rest = format!(
        "\"tool_name\": \"{}\", \"tool_call_id\": \"toolu_01{}\", \"observation\": {{\"content\": [{{\"cache_prompt\": false, \"type\": \"text\", \"text\": {}}}], \"is_error\": false, \"exit_code\": 0, \"kind\": \"TerminalObservation\"}}, \"action_id\": \"{}\", \"kind\": \"ObservationEvent\"",
        call.tool,
        call.id,
        quoted(text),
        call.record
    );
    openhands(w, &id, "environment", &rest);
}

fn pi_begin(w: &mut Writer) {
    let line = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{}\",\"timestamp\":\"2026-02-01T00:00:00.000Z\",\"cwd\":\"/work\"}}",
        w.session
    );
    w.line(&line);
}

fn pi(w: &mut Writer, message: &str) {
    let id = format!("{:08x}", w.random.below(1 << 31));
    let ((id, parent), time) = (w.chain(id), w.time());
    w.line(&format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"{time}\",\"message\":{{{message},\"timestamp\":1769904000000}}}}"
    ));
}

fn pi_user(w: &mut Writer, text: &str) {
    let text = quoted(text);
    pi(w, &format!("\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":{text}}}]"));
}

fn pi_call(w: &mut Writer, call: &Call) {
    let message = format!(
        "\"role\":\"assistant\",\"content\":[{{\"type\":\"toolCall\",\"id\":\"toolu_01{}\",\"name\":\"{}\",\"arguments\":{}}}],\"api\":\"anthropic-messages\",\"provider\":\"anthropic\",\"model\":\"claude-sonnet-4-5\",\"usage\":{{\"input\":5,\"output\":90,\"cacheRead\":5000,\"cacheWrite\":0,\"cost\":{{\"total\":0.01}}}},\"stopReason\":\"toolUse\"",
        call.id, call.tool, call.arguments
    );
    pi(w, &message);
}

fn pi_result(w: &mut Writer, call: &Call, text: &str) {
    let message = format!(
        "\"role\":\"toolResult\",\"toolCallId\":\"toolu_01{}\",\"toolName\":\"{}\",\"content\":[{{\"type\":\"text\",\"text\":{}}}],\"isError\":false",
        call.id,
        call.tool,
        quoted(text)
    );
    pi(w, &message);
}

fn chat_user(w: &mut Writer, text: &str) {
    let text = ascii(text);
    w.line(&format!("{{\"role\": \"user\", \"content\": {text}}}"));
}

fn chat_call(w: &mut Writer, call: &Call) {
    w.line(&format!(
        "{{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{{\"id\": \"call_{}\", \"type\": \"function\", \"function\": {{\"name\": \"{}\", \"arguments\": {}}}}}]}}",
        call.id,
        call.tool,
        ascii(&call.arguments)
    ));
}

fn chat_result(w: &mut Writer, call: &Call, text: &str) {
    w.line(&format!(
        "{{\"role\": \"tool\", \"tool_call_id\": \"call_{}\", \"content\": {}}}",
        call.id,
        ascii(text)
    ));
}

/// A JSON string as Python writes it by default.
fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in quoted(text).chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// The dialect of this name.
pub(crate) fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

/// Healthy conversations: at least `bytes` of them, whole lines. The same seed gives the same bytes.
pub(crate) fn lines(dialect: &Dialect, seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let session = id(&mut random);
    let mut w = Writer {
        random,
        out: String::with_capacity(bytes + 200_000),
        clock: 0,
        parent: None,
        session,
    };
    let (end, turns): (Write, usize) = dialect.end.unwrap_or((|_| {}, usize::MAX));
    while w.out.len() < bytes {
        (dialect.begin)(&mut w);
        for _ in 0..turns {
            turn(dialect, &mut w);
            if dialect.end.is_none() && w.out.len() >= bytes {
                break;
            }
        }
        end(&mut w);
    }
    w.out.into_bytes()
}

/// What a person asks for, and the calls that the agent makes for it.
fn turn(dialect: &Dialect, w: &mut Writer) {
    let length = size(&mut w.random);
    let asked = text(&mut w.random, length);
    (dialect.user)(w, &asked);
    for _ in 0..=w.random.below(16) {
        let command = text(&mut w.random, 60);
        let call = Call {
            tool: w.random.pick(TOOLS),
            id: base64(&mut w.random, 22).replace(['+', '/'], "x"),
            arguments: format!("{{\"command\": {}, \"timeout\": 99}}", quoted(&command)),
            record: id(&mut w.random),
        };
        (dialect.call)(w, &call);
        let length = size(&mut w.random);
        let output = text(&mut w.random, length);
        (dialect.result)(w, &call, &output);
    }
}
