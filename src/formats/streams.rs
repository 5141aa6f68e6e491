//! What hosts and servers stream or show beside a recording: known by name, and told where the conversation itself is.

use super::head::Head;
use super::unbuilt::{Sample, has_all, is_type};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Something that is no recording of a conversation.
pub struct Stream {
    /// What it is.
    pub name: &'static str,
    /// What to check in its place.
    pub instead: &'static str,
    is: fn(&Sample<'_>) -> bool,
}

/// The step from which on the shapes of formats are as common as these.
const STEP: u8 = 6;

/// What `codex exec --json` tells: no rollout.
fn is_codex_stream(node: Node<'_>) -> bool {
    (is_type(node, &["thread.started"]) && node.get("thread_id").is_some())
        || (is_type(node, &["item.started", "item.updated", "item.completed"])
            && node.at(&["item", "type"]).is_some())
}

/// What Claude Code tells a program that runs it: its session files spell `sessionId`, and have parents.
fn is_claude_stream(node: Node<'_>) -> bool {
    let told = is_type(node, &["assistant", "user"]) && has_all(node, &["message", "parent_tool_use_id"]);
    let begun = is_type(node, &["system"]) && has_all(node, &["subtype", "cwd"]);
    node.get("session_id").is_some() && (told || begun)
}

fn is_gemini_stream(node: Node<'_>) -> bool {
    let begun = is_type(node, &["init"]) && has_all(node, &["session_id", "model"]);
    begun || (is_type(node, &["tool_use"]) && has_all(node, &["tool_name", "tool_id", "parameters"]))
}

/// What a server streams, as one event each.
fn is_message_event(node: Node<'_>) -> bool {
    let begun = is_type(node, &["message_start"]) && node.get("message").is_some();
    begun || (is_type(node, &["content_block_start"]) && has_all(node, &["index", "content_block"]))
}

/// The log of what Kimi's interface shows, by either of its two shapes of records.
fn is_kimi_wire(node: Node<'_>) -> bool {
    let typed = |message: Node<'_>| has_all(message, &["type", "payload"]);
    (is_type(node, &["metadata"]) && node.get("protocol_version").is_some())
        || (node.get("timestamp").is_some() && node.get("message").is_some_and(typed))
}

/// What Cline's interface shows.
fn is_cline_view(node: Node<'_>) -> bool {
    let speaks = |word| is_type(node, &[word]) && node.get(word).is_some();
    node.get("ts").is_some() && (speaks("say") || speaks("ask"))
}

fn is_claude_record(node: Node<'_>) -> bool {
    has_all(node, &["uuid", "parentUuid", "sessionId", "message"])
}

/// What OpenAI's servers stream, as one event each.
fn is_openai_event(node: Node<'_>) -> bool {
    let chunk = node.get("object").is_some_and(|object| object.is_str("chat.completion.chunk"));
    let word = node.get("type").and_then(|word| word.str());
    let told = word.is_some_and(|word| word.starts_with("response."));
    (chunk && node.get("choices").is_some()) || (told && node.get("sequence_number").is_some())
}

/// Lines of a server's stream as they came, event by event.
fn is_event_text(start: &[u8]) -> bool {
    const FIELDS: &[&[u8]] = &[b"data:", b"event:", b"id:", b"retry:", b":"];
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let lines =
        || start.split(|byte| *byte == b'\n').map(|line| line.trim_ascii()).filter(|line| !line.is_empty());
    let is_field = |line: &[u8]| FIELDS.iter().any(|field| line.starts_with(field));
    // What is cut off at the end of the sample begins in it, but for a few letters.
    let whole = lines().count().saturating_sub(1).max(1);
    let holds = |line: &[u8]| {
        line.strip_prefix(b"data:")
            .is_some_and(|data| matches!(data.trim_ascii_start().first(), Some(b'{' | b'[')))
    };
    lines().take(whole).all(is_field) && lines().any(holds)
}

const ANSWER: &str =
    "one answer is no conversation: check the messages of the request, with the finished answer behind them";

/// All of them, in the order in which they are asked.
const ALL: &[Stream] = &[
    Stream {
        name: "a JSON array of Claude Code's records",
        instead: "check the session file that it was made of (@claude-code)",
        is: |s| s.first.is_some_and(|first| first.kind() == Kind::Array) && s.any(is_claude_record),
    },
    Stream {
        name: "a stream of codex exec --json",
        instead: "check the rollout that Codex kept of it (@codex)",
        is: |s| s.any(is_codex_stream),
    },
    Stream {
        name: "Claude Code's stream-json",
        instead: "check the session file that Claude Code kept of it (@claude-code)",
        is: |s| s.any(is_claude_stream),
    },
    Stream {
        name: "Gemini CLI's stream-json",
        instead: "check the chat that Gemini CLI kept of it (@gemini-cli)",
        is: |s| s.any(is_gemini_stream),
    },
    Stream { name: "events of Anthropic's Messages API", instead: ANSWER, is: |s| s.any(is_message_event) },
    Stream { name: "events of OpenAI's API", instead: ANSWER, is: |s| s.any(is_openai_event) },
    Stream { name: "the raw event stream of a server", instead: ANSWER, is: |s| is_event_text(s.start) },
    Stream {
        name: "Kimi's wire.jsonl",
        instead: "the conversation is in context.jsonl",
        is: |s| s.any(is_kimi_wire),
    },
    Stream {
        name: "Cline's ui_messages.json",
        instead: "the conversation is in api_conversation_history.json beside it",
        is: |s| s.any(is_cline_view),
    },
];

/// What a single file is, if it is one of these and no built format of an earlier step claims it.
pub fn recognise(head: &Head<'_>, claimed: Option<u8>) -> Option<&'static Stream> {
    let sample = Sample::of(head);
    let asked = claimed.is_none_or(|step| step >= STEP);
    ALL.iter().filter(|_| asked).find(|stream| (stream.is)(&sample))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};
    use crate::formats::{self, unbuilt};

    /// A recording of each, as short as it can be.
    const SAMPLES: &[(&str, &str)] = &[
        (
            "a JSON array of Claude Code's records",
            r#"[{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"x"}}]"#,
        ),
        ("a stream of codex exec --json", r#"{"type":"thread.started","thread_id":"a"}"#),
        (
            "Claude Code's stream-json",
            r#"{"type":"assistant","message":{"role":"assistant","content":[]},"parent_tool_use_id":null,"session_id":"s"}"#,
        ),
        ("Gemini CLI's stream-json", r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}"#),
        (
            "events of Anthropic's Messages API",
            r#"{"type":"message_start","message":{"role":"assistant","content":[]}}"#,
        ),
        ("Kimi's wire.jsonl", r#"{"timestamp":1.0,"message":{"type":"TurnBegin","payload":{}}}"#),
        ("Cline's ui_messages.json", r#"[{"ts":1,"type":"say","say":"text","text":"x"}]"#),
        (
            "events of OpenAI's API",
            r#"{"id":"a","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"x"}}]}"#,
        ),
        ("events of OpenAI's API", r#"{"type":"response.created","sequence_number":0,"response":{}}"#),
        ("the raw event stream of a server", "event: message_start\ndata: {\"type\":\"message_start\"}\n\n"),
        ("the raw event stream of a server", ": ping\r\n\r\ndata: {\"choices\":[]}\r\n\r\ndata: [DONE]\r\n"),
    ];

    fn known(text: &str) -> Option<&'static str> {
        let source = Source::memory("run.json", vec![("run.json".to_owned(), text.as_bytes().to_vec())]);
        let head = Head::of_file(&source, EntryId(0), "run.json").unwrap();
        let claimed = formats::recognise(&head, None).map(|claim| claim.format.step);
        assert!(unbuilt::recognise(&head, claimed).is_none(), "{text}");
        recognise(&head, claimed).map(|stream| stream.name)
    }

    #[test]
    fn each_is_known_by_its_name() {
        for (name, text) in SAMPLES {
            assert_eq!(known(text), Some(*name));
        }
        assert!(ALL.iter().all(|stream| SAMPLES.iter().any(|(name, _)| *name == stream.name)));
    }

    #[test]
    fn other_texts_are_no_stream() {
        for text in ["data: none\n", "id: 1\nname: x\n", "data: {}\nplain words\nmore\n", "words"] {
            assert_eq!(known(text), None, "{text}");
        }
    }
}
