//! Programs whose sessions look like those of another host, each with the sign by which its own are told apart.

use super::named::{Named, OTHER_HOST};
use crate::format::Rank;
use crate::format::signs::{has_all, has_strings, is_type, starts};
use crate::format::vocabulary::WordSet;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// A record of Claude Code's layout in a session of iFlow CLI, whose sessions have no bare UUID.
fn is_iflow_record(node: Node<'_>) -> bool {
    starts(node.get("sessionId"), "session-") && has_all(node, &["uuid", "parentUuid"])
}

/// A record of CodeBuddy Code, or of WorkBuddy.
fn is_codebuddy_record(node: Node<'_>) -> bool {
    let is_item = is_type(node, &["function_call_result", "function_call"])
        || is_type(node, &["message"]) && has_strings(node, &["role"]);
    is_item && has_strings(node, &["sessionId"])
}

/// A record of Qoder CLI 1.1.52, which writes the layout of Claude Code: its settings, and what an answer cost.
fn is_qoder_record(node: Node<'_>) -> bool {
    let is_settings = is_type(node, &["runtime-config"])
        && has_strings(node, &["sessionId"])
        && node.has_kind("timestamp", Kind::Number);
    is_settings || node.at(&["message", "usage", "original_credits"]).is_some()
}

/// A message of Command Code 1.64.0, which writes the layout of pi, and the blocks of Anthropic's messages.
fn is_command_code_message(node: Node<'_>) -> bool {
    is_type(node, &["message"])
        && node
            .at(&["message", "meta", "source"])
            .is_some_and(|source| source.kind() == Kind::String)
}

/// The start of a transcript of Copilot Chat in VS Code, which writes the layout of Copilot CLI
/// (`sessionTranscriptService.ts` of vscode-copilot-chat, March 2026).
fn is_copilot_chat_start(node: Node<'_>) -> bool {
    is_type(node, &["session.start"]) && node.at(&["data", "vscodeVersion"]).is_some()
}

/// A step of Antigravity (`brain/ID/.system_generated/logs/transcript.jsonl`).
fn is_antigravity_step(node: Node<'_>) -> bool {
    has_strings(node, &["source", "type", "status", "created_at"])
        && node.has_kind("step_index", Kind::Number)
}

pub(super) const ALL: &[Named] = &[
    Named {
        name: "a session of iFlow CLI",
        rank: Rank::Host,
        instead: OTHER_HOST,
        words: Some(WordSet::of(&["parentUuid:"])),
        sign: |s| s.any(is_iflow_record),
        explains: |node| has_strings(node, &["type"]),
    },
    Named {
        name: "a session of CodeBuddy Code",
        rank: Rank::Host,
        instead: OTHER_HOST,
        words: Some(WordSet::of(&["function_call_result", "function_call", "message"])),
        sign: |s| s.any(is_codebuddy_record),
        explains: |node| has_strings(node, &["type", "sessionId"]),
    },
    Named {
        name: "a session of Qoder CLI",
        rank: Rank::Signed,
        instead: OTHER_HOST,
        words: Some(WordSet::of(&["runtime-config", "original_credits:"])),
        sign: |s| s.any(is_qoder_record),
        explains: |node| has_strings(node, &["type"]),
    },
    Named {
        name: "a session of Command Code",
        rank: Rank::Signed,
        instead: OTHER_HOST,
        words: Some(WordSet::of(&["meta:{"])),
        sign: |s| s.any(is_command_code_message),
        explains: |node| has_strings(node, &["type", "id"]),
    },
    Named {
        name: "a transcript of Copilot Chat in VS Code",
        rank: Rank::Signed,
        instead: "VS Code never reads it: the chat is in chatSessions (@vscode-chat). It may have what an emptied chat has lost",
        words: Some(WordSet::of(&["session.start"])),
        sign: |s| s.any(is_copilot_chat_start),
        explains: |node| has_strings(node, &["type", "id"]) && has_all(node, &["data"]),
    },
    Named {
        name: "a transcript of Antigravity",
        rank: Rank::Host,
        instead: "it is a log of the conversation, which Antigravity keeps in another file",
        words: Some(WordSet::of(&["step_index:-"])),
        sign: |s| s.any(is_antigravity_step),
        explains: is_antigravity_step,
    },
];

/// A minimal sample of each.
#[cfg(test)]
pub(super) const SAMPLES: &[(&str, &str)] = &[
    (
        "a session of iFlow CLI",
        r#"{"type":"user","uuid":"a","parentUuid":null,"sessionId":"session-1","message":{"role":"user","content":"x"}}"#,
    ),
    (
        "a session of CodeBuddy Code",
        r#"{"type":"function_call_result","sessionId":"s","callId":"a","name":"Bash","output":{"type":"text","text":"x"}}"#,
    ),
    (
        "a session of CodeBuddy Code",
        r#"{"type":"message","sessionId":"s","role":"user","content":"x"}"#,
    ),
    (
        "a session of Qoder CLI",
        r#"{"type":"runtime-config","sessionId":"s","timestamp":1780000000000,"reasoningEffort":"high","contextWindow":200000}"#,
    ),
    (
        "a session of Command Code",
        concat!(
            r#"{"type":"session","version":3,"id":"s","timestamp":"2026-09-03T08:00:00.000Z","cwd":"/w"}"#,
            "\n",
            r#"{"type":"message","id":"aa11bb22","parentId":null,"timestamp":"2026-09-03T08:00:02.000Z","message":{"role":"user","content":[{"type":"text","text":"x"}],"meta":{"source":"user"}}}"#,
            "\n",
        ),
    ),
    (
        "a transcript of Copilot Chat in VS Code",
        r#"{"type":"session.start","data":{"sessionId":"s","version":1,"producer":"copilot-agent","copilotVersion":"0.51.1","vscodeVersion":"1.123.1","startTime":"2026-06-10T11:02:38.261Z"},"id":"a","timestamp":"2026-06-10T11:02:38.261Z","parentId":null}"#,
    ),
    (
        "a transcript of Antigravity",
        r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-09-01T10:00:00Z","content":"x"}"#,
    ),
];
