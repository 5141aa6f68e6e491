//! Streams of hosts and servers, which are not transcripts. They are recognized, so that users learn where the transcript is.

use super::named::{Named, OTHER_HOST};
use super::{clones, exports, unread};
use crate::format::Rank;
use crate::format::head::Sample;
use crate::format::signs::{has_all, has_strings, is_role, is_type, starts};
use crate::format::vocabulary::WordSet;
use crate::hosts::{openhands, openhands_v0};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// The stream of Claude Code to a program that runs it. Its session files have `sessionId` and parents instead.
fn is_claude_stream(node: Node<'_>) -> bool {
    let is_message =
        is_type(node, &["assistant", "user"]) && has_all(node, &["message", "parent_tool_use_id"]);
    let is_start = is_type(node, &["system"]) && has_all(node, &["subtype", "cwd"]);
    node.get("session_id").is_some() && (is_message || is_start)
}

fn is_gemini_stream(node: Node<'_>) -> bool {
    let is_start = is_type(node, &["init"]) && has_all(node, &["session_id", "model"]);
    is_start
        || (is_type(node, &["tool_use"]) && has_all(node, &["tool_name", "tool_id", "parameters"]))
}

/// An event that Anthropic's servers stream.
fn is_message_event(node: Node<'_>) -> bool {
    let is_start = is_type(node, &["message_start"]) && node.get("message").is_some();
    is_start
        || (is_type(node, &["content_block_start"]) && has_all(node, &["index", "content_block"]))
}

/// The log of Kimi CLI's user interface. Kimi Code has a file of this name, too, which is a format of its own.
fn is_kimi_wire(node: Node<'_>) -> bool {
    node.get("timestamp").is_some()
        && node.get("message").is_some_and(|message| has_all(message, &["type", "payload"]))
}

/// A message or a part of one in the storage folder of opencode, which has a file for each.
fn is_opencode_file(node: Node<'_>) -> bool {
    let id = node.string("id").unwrap_or_default();
    has_strings(node, &["sessionID"])
        && (id.starts_with("msg_") && is_role(node, &["user", "assistant"])
            || id.starts_with("prt_") && has_strings(node, &["messageID", "type"]))
}

/// The log of Cline's user interface.
fn is_cline_view(node: Node<'_>) -> bool {
    let mut speaks = ["say", "ask"].iter();
    node.get("ts").is_some()
        && speaks.any(|word| is_type(node, &[word]) && node.get(word).is_some())
}

/// A document that is a single event of either version.
fn is_openhands_event(node: Node<'_>) -> bool {
    openhands::is_known_event(node) || openhands_v0::is_event(node)
}

fn is_autogen_team(node: Node<'_>) -> bool {
    is_type(node, &["TeamState"]) && node.get("agent_states").is_some()
}

/// What the SDK keeps of a run that waits for an approval.
fn is_run_state(node: Node<'_>) -> bool {
    has_all(node, &["$schemaVersion", "generated_items", "model_responses"])
}

fn is_ag_ui_event(node: Node<'_>) -> bool {
    (is_type(node, &["RUN_STARTED"]) && node.get("threadId").is_some())
        || (is_type(node, &["TOOL_CALL_START"]) && node.get("toolCallId").is_some())
        || (is_type(node, &["TEXT_MESSAGE_START"]) && node.get("messageId").is_some())
}

/// Whether a value's type has one of these prefixes.
fn begins(node: Node<'_>, words: &[&str]) -> bool {
    let kind = node.string("type");
    kind.is_some_and(|kind| words.iter().any(|word| kind.starts_with(word)))
}

fn is_one_of(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().any(|key| node.get(key).is_some())
}

fn is_claude_record(node: Node<'_>) -> bool {
    has_all(node, &["uuid", "parentUuid", "sessionId", "message"])
}

/// A message of Amp, which numbers them.
fn is_amp_message(node: Node<'_>) -> bool {
    has_all(node, &["role", "messageId", "content"])
}

/// A message of AgentScope: it has all of its members, and a local time.
fn is_agentscope_message(node: Node<'_>) -> bool {
    let time = node.string("timestamp");
    let is_local = time.is_some_and(|time| time.as_bytes().get(10) == Some(&b' '));
    is_local
        && has_strings(node, &["id", "name", "role"])
        && has_all(node, &["content", "metadata"])
}

/// What an old client of OpenHands sent in with a thumb up or down.
fn is_openhands_feedback(node: Node<'_>) -> bool {
    has_strings(node, &["feedback", "permissions"]) && node.get("trajectory").is_some()
}

/// An event that OpenAI's servers stream.
fn is_openai_event(node: Node<'_>) -> bool {
    let chunk = node.has_str("object", "chat.completion.chunk");
    let word = node.string("type");
    let is_response = word.is_some_and(|word| word.starts_with("response."));
    (chunk && node.get("choices").is_some())
        || (is_response && node.get("sequence_number").is_some())
}

/// The raw lines of a server's event stream.
fn is_event_text(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let lines = || {
        start
            .split(|byte| *byte == b'\n')
            .map(|line| line.trim_ascii())
            .filter(|line| !line.is_empty())
    };
    if !is_field(start.trim_ascii_start()) {
        return false;
    }
    // The last line may be cut off, so it only counts if it is the only one.
    let whole = lines().count().saturating_sub(1).max(1);
    lines().take(whole).all(is_field)
        && lines().any(|line| {
            line.strip_prefix(b"data:")
                .is_some_and(|data| matches!(data.trim_ascii_start().first(), Some(b'{' | b'[')))
        })
}

fn is_field(line: &[u8]) -> bool {
    const FIELDS: &[&[u8]] = &[b"data:", b"event:", b"id:", b"retry:", b":"];
    FIELDS.iter().any(|field| line.starts_with(field))
}

const ANSWER: &str = "one response is not a conversation: check the messages of the request, \
    followed by the response";

const RANK: Rank = Rank::Api;

const ALL: &[Named] = &[
    Named {
        name: "one event of an OpenHands conversation",
        rank: Rank::Host,
        instead: "one event is not a conversation: check the folder or the list that it is from",
        words: Some(WordSet::of(&["kind:", "action:", "observation:"])),
        // A log that is named as one may have a single event: the prompt, or what a repair left.
        sign: |s| s.alone && !s.name.ends_with(".jsonl") && s.first.is_some_and(is_openhands_event),
        explains: is_openhands_event,
    },
    Named {
        name: "a thread of Amp",
        rank: Rank::Host,
        instead: OTHER_HOST,
        words: Some(WordSet::of(&["messageId:-"])),
        sign: |s| {
            s.first.is_some_and(|first| {
                let is_named =
                    starts(first.get("id"), "T-") || first.get("nextMessageId").is_some();
                is_named && has_all(first, &["v", "messages"])
            }) && s.any(is_amp_message)
        },
        explains: is_amp_message,
    },
    Named {
        name: "messages of AgentScope",
        rank: Rank::Host,
        instead: OTHER_HOST,
        words: Some(WordSet::of(&["timestamp:-"])),
        sign: |s| s.path.is_some() && s.half(is_agentscope_message),
        explains: is_agentscope_message,
    },
    Named {
        name: "feedback on an OpenHands conversation",
        rank: Rank::Host,
        instead: "its trajectory has messages of the client between the events: check the conversation that it is about",
        words: Some(WordSet::of(&["feedback:"])),
        sign: |s| s.any(is_openhands_feedback),
        explains: is_openhands_feedback,
    },
    Named {
        name: "OpenTelemetry spans",
        rank: RANK,
        instead: "no span has messages of a request (gen_ai.input.messages)",
        words: Some(WordSet::of(&["resourceSpans:"])),
        sign: |s| s.first_has("resourceSpans"),
        explains: |node| is_one_of(node, &["scopeSpans", "resourceSpans"]),
    },
    Named {
        name: "a JSON array of Claude Code's records",
        rank: RANK,
        instead: "check the session file that it was made from (@claude-code)",
        words: Some(WordSet::of(&["parentUuid:"])),
        sign: |s| {
            s.first.is_some_and(|first| first.kind() == Kind::Array) && s.any(is_claude_record)
        },
        explains: |node| {
            has_strings(node, &["type"]) && is_one_of(node, &["uuid", "sessionId", "leafUuid"])
        },
    },
    Named {
        name: "Claude Code's stream-json",
        rank: RANK,
        instead: "check the session file that Claude Code kept of it (@claude-code)",
        words: Some(WordSet::of(&["session_id:"])),
        sign: |s| s.any(is_claude_stream),
        explains: |node| {
            has_strings(node, &["type", "session_id"]) && node.get("parentUuid").is_none()
        },
    },
    Named {
        name: "Gemini CLI's stream-json",
        rank: RANK,
        instead: "check the chat that Gemini CLI kept of it (@gemini-cli)",
        words: Some(WordSet::of(&["init", "tool_use"])),
        sign: |s| s.any(is_gemini_stream),
        explains: |node| {
            is_type(node, &["init", "message", "tool_use", "tool_result", "result", "error"])
        },
    },
    Named {
        name: "events of Anthropic's Messages API",
        rank: RANK,
        instead: ANSWER,
        words: Some(WordSet::of(&["message_start", "content_block_start"])),
        sign: |s| s.any(is_message_event),
        explains: |node| begins(node, &["message_", "content_block_", "ping", "error"]),
    },
    Named {
        name: "events of OpenAI's API",
        rank: RANK,
        instead: ANSWER,
        words: Some(WordSet::of(&["choices:", "response."])),
        sign: |s| s.any(is_openai_event),
        explains: |node| is_openai_event(node) || begins(node, &["response."]),
    },
    Named {
        name: "the raw event stream of a server",
        rank: RANK,
        instead: ANSWER,
        words: None,
        sign: |s| is_event_text(s.start),
        explains: |_| true,
    },
    Named {
        name: "the wire.jsonl of Kimi CLI",
        rank: RANK,
        instead: "the conversation is in context.jsonl",
        words: Some(WordSet::of(&["payload:"])),
        sign: |s| s.any(is_kimi_wire),
        explains: |node| is_kimi_wire(node) || is_type(node, &["metadata"]),
    },
    Named {
        name: "one file of opencode's storage folder",
        rank: RANK,
        instead: "name that folder: it has a file for each message and each part of one",
        words: Some(WordSet::of(&["sessionID:"])),
        sign: |s| s.alone && s.first.is_some_and(is_opencode_file),
        explains: is_opencode_file,
    },
    Named {
        name: "Cline's ui_messages.json",
        rank: RANK,
        instead: "the conversation is in api_conversation_history.json next to it",
        words: Some(WordSet::of(&["say", "ask"])),
        sign: |s| s.any(is_cline_view),
        explains: is_cline_view,
    },
    Named {
        name: "the state of an AutoGen team",
        rank: Rank::Host,
        instead: "write the state of each agent in `agent_states` to a file of its own, and check that",
        words: Some(WordSet::of(&["agent_states:"])),
        sign: |s| s.first.is_some_and(is_autogen_team),
        explains: is_autogen_team,
    },
    Named {
        name: "a run state of the OpenAI Agents SDK",
        rank: Rank::Host,
        instead: "it has each item several times: check the session of the run",
        words: Some(WordSet::of(&["$schemaVersion:"])),
        sign: |s| s.first.is_some_and(is_run_state),
        explains: is_run_state,
    },
    Named {
        name: "events of AG-UI",
        rank: RANK,
        instead: "check the messages of the run (`messages` of its input, or of a MESSAGES_SNAPSHOT)",
        words: Some(WordSet::of(&["RUN_STARTED", "TOOL_CALL_START", "TEXT_MESSAGE_START"])),
        sign: |s| s.any(is_ag_ui_event),
        explains: |node| {
            begins(node, &["RUN_", "STEP_", "TEXT_MESSAGE_", "TOOL_CALL_", "STATE_", "REASONING_"])
        },
    },
];

/// The ranks of all that is only known by name.
pub(super) fn ranks() -> impl Iterator<Item = Rank> {
    all().map(|named| named.rank)
}

/// What a transcript may be of all that is only known by name.
pub(super) fn possible(head: &Sample<'_>) -> impl Iterator<Item = &'static Named> {
    all().filter(|named| head.may_have(named.words.as_ref()))
}

fn all() -> impl Iterator<Item = &'static Named> {
    ALL.iter().chain(clones::ALL).chain(exports::ALL).chain(unread::ALL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};
    use crate::detect::candidates::{Detected, Recognized, detect};
    use crate::hosts;
    use crate::json::scan::{ScanMode, scan};

    fn samples() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        SAMPLES.iter().chain(clones::SAMPLES).chain(exports::SAMPLES).chain(unread::SAMPLES)
    }

    /// A minimal sample of each.
    const SAMPLES: &[(&str, &str)] = &[
        (
            "OpenTelemetry spans",
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"chat","attributes":[]}]}]}]}"#,
        ),
        (
            "a JSON array of Claude Code's records",
            r#"[{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"x"}}]"#,
        ),
        (
            "one event of an OpenHands conversation",
            r#"{"id":"a","timestamp":"t","source":"agent","kind":"PauseEvent"}"#,
        ),
        (
            "one event of an OpenHands conversation",
            r#"{"id":0,"timestamp":"t","source":"user","action":"message","args":{"content":"x"}}"#,
        ),
        (
            "the state of an AutoGen team",
            r#"{"type":"TeamState","version":"1.0.0","agent_states":{"a":{"type":"ChatAgentContainerState"}}}"#,
        ),
        (
            "a run state of the OpenAI Agents SDK",
            r#"{"$schemaVersion":"1.21","original_input":"x","model_responses":[],"generated_items":[]}"#,
        ),
        ("events of AG-UI", r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#),
        (
            "a thread of Amp",
            r#"{"v":12,"id":"T-1","messages":[{"role":"user","messageId":0,"content":[{"type":"text","text":"x"}]}]}"#,
        ),
        (
            "messages of AgentScope",
            r#"[{"id":"a","name":"user","role":"user","content":"x","metadata":null,"timestamp":"2026-03-01 10:00:00.000"}]"#,
        ),
        (
            "feedback on an OpenHands conversation",
            r#"[{"version":"1.0","feedback":"positive","permissions":"public","trajectory":[{"action":"message","content":"x"}]}]"#,
        ),
        (
            "Claude Code's stream-json",
            r#"{"type":"assistant","message":{"role":"assistant","content":[]},"parent_tool_use_id":null,"session_id":"s"}"#,
        ),
        (
            "Gemini CLI's stream-json",
            r#"{"type":"init","timestamp":"t","session_id":"s","model":"m"}"#,
        ),
        (
            "events of Anthropic's Messages API",
            r#"{"type":"message_start","message":{"role":"assistant","content":[]}}"#,
        ),
        (
            "the wire.jsonl of Kimi CLI",
            r#"{"timestamp":1.0,"message":{"type":"TurnBegin","payload":{}}}"#,
        ),
        (
            "one file of opencode's storage folder",
            r#"{"type":"text","text":"Hi","id":"prt_1","sessionID":"ses_1","messageID":"msg_1"}"#,
        ),
        (
            "one file of opencode's storage folder",
            "{\n  \"id\": \"msg_1\",\n  \"sessionID\": \"ses_1\",\n  \"role\": \"user\"\n}\n",
        ),
        ("Cline's ui_messages.json", r#"[{"ts":1,"type":"say","say":"text","text":"x"}]"#),
        (
            "events of OpenAI's API",
            r#"{"id":"a","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"x"}}]}"#,
        ),
        (
            "events of OpenAI's API",
            r#"{"type":"response.created","sequence_number":0,"response":{}}"#,
        ),
        (
            "the raw event stream of a server",
            "event: message_start\ndata: {\"type\":\"message_start\"}\n\n",
        ),
        (
            "the raw event stream of a server",
            ": ping\r\n\r\ndata: {\"choices\":[]}\r\n\r\ndata: [DONE]\r\n",
        ),
    ];

    fn known(text: &str) -> Option<&'static str> {
        let source =
            Source::memory("run.json", vec![("run.json".to_owned(), text.as_bytes().to_vec())]);
        let head = Sample::of_file(&source, EntryId(0), "run.json").unwrap();
        match detect(&head) {
            Detected::Is(Recognized::Named(named)) => Some(named.name),
            _ => None,
        }
    }

    #[test]
    fn each_is_recognized() {
        for (name, text) in samples() {
            assert_eq!(known(text), Some(*name));
        }
        let has_sample = |named: &Named| {
            let mut samples = samples();
            samples.any(|(name, _)| *name == named.name)
        };
        assert!(all().all(has_sample));
    }

    #[test]
    fn other_texts_are_not_streams() {
        for text in ["data: none\n", "id: 1\nname: x\n", "data: {}\nplain words\nmore\n", "words"] {
            assert_eq!(known(text), None, "{text}");
        }
    }

    #[test]
    fn few_formats_are_asked_about_a_row_of_a_chat() {
        let text = concat!(
            r#"{"id":"a","messages":[{"role":"system","content":"a"},{"role":"user","content":"a"},"#,
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","#,
            r#""function":{"name":"a","arguments":"{}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"a","name":"a","content":"a"}],"#,
            r#""tools":[{"type":"function","function":{"name":"a","description":"a","#,
            r#""parameters":{"type":"object","properties":{},"required":[]}}}],"#,
            r#""model":"a","temperature":0,"metadata":{"source":"a"}}"#
        );
        let text = text.as_bytes();
        let tape = scan(text, ScanMode::Line);
        let found = WordSet::of_records(Node::root(&tape, &text).into_iter());
        let may_be = |words: &Option<WordSet>| words.is_none_or(|words| found.meets(&words));
        let formats = hosts::ALL.iter().filter(|format| may_be(&format.traits.words));
        let formats: Vec<&str> = formats.map(|format| format.name).collect();
        assert_eq!(
            formats,
            [
                "pi",
                "langchain",
                "claude-code",
                "openai-chat",
                "codex",
                "codex-exec",
                "langgraph-checkpoints"
            ]
        );
        let named = all().filter(|named| may_be(&named.words));
        let named: Vec<&str> = named.map(|named| named.name).collect();
        // They look at the first bytes only.
        assert_eq!(named, ["the raw event stream of a server", "the chat history of Aider"]);
    }
}
