//! Formats that are known by name and not read yet: said so, never judged as their neighbour.

use super::head::Head;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// A format that is not built.
pub struct Unbuilt {
    /// Its name.
    pub name: &'static str,
    /// When it is asked, as [`Format::step`](super::Format::step).
    pub step: u8,
    /// Whether a recording is one: by its first value, or by all that were looked at.
    is: fn(&Sample<'_>) -> bool,
}

/// Elements of a list that are looked at.
const LOOK: usize = 20;

/// What is looked at: the first value, and the records or the elements of the document's list.
pub(super) struct Sample<'a> {
    /// The first value.
    pub first: Option<Node<'a>>,
    items: Vec<Node<'a>>,
    /// The first bytes of a line file.
    pub start: &'a [u8],
}

impl<'a> Sample<'a> {
    /// Of this head.
    pub fn of(head: &'a Head<'_>) -> Sample<'a> {
        let lines: Vec<Node<'a>> = head.nodes().collect();
        let root = head.root().or_else(|| lines.first().copied().filter(|_| lines.len() == 1));
        let list = root.and_then(|root| match root.kind() {
            Kind::Array => Some(root),
            _ => ["messages", "contents", "history", "items", "input"].iter().find_map(|key| root.get(key)),
        });
        let items = match list {
            Some(list) if list.kind() == Kind::Array => list.items().take(LOOK).collect(),
            _ => lines.clone(),
        };
        Sample { first: root.or(lines.first().copied()), items, start: &head.start }
    }

    fn first_has(&self, key: &str) -> bool {
        self.first.is_some_and(|first| first.get(key).is_some())
    }

    /// Whether a value that is looked at is so.
    pub fn any(&self, test: impl Fn(Node<'a>) -> bool) -> bool {
        self.items.iter().any(|item| test(*item))
    }

    /// Whether some block of some message is of one of these types.
    fn any_block(&self, types: &[&str]) -> bool {
        self.any(|item| {
            let content = item.get("content").or_else(|| item.at(&["message", "content"]));
            content.is_some_and(|content| content.items().any(|block| is_type(block, types)))
        })
    }
}

/// Whether a value is of one of these types.
pub(super) fn is_type(node: Node<'_>, types: &[&str]) -> bool {
    node.get("type").is_some_and(|kind| types.iter().any(|wanted| kind.is_str(wanted)))
}

/// Whether a value has all of these members.
pub(super) fn has_all(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().all(|key| node.get(key).is_some())
}

fn starts(node: Option<Node<'_>>, with: &str) -> bool {
    node.and_then(|node| node.str()).is_some_and(|text| text.starts_with(with))
}

/// A message of langchain's own: its forms are told apart there.
fn is_langchain(node: Node<'_>) -> bool {
    node.get("lc").is_some() || is_type(node, &["ai", "human", "AIMessageChunk", "HumanMessageChunk"])
}

fn typed_parts(node: Node<'_>) -> bool {
    let list = node.get("role").and(node.get("parts")).filter(|parts| parts.kind() == Kind::Array);
    let mut parts = list.into_iter().flat_map(|list| list.items()).peekable();
    parts.peek().is_some() && parts.all(|part| part.get("type").is_some())
}

/// Anthropic's blocks in messages of its two roles.
fn is_anthropic(sample: &Sample<'_>) -> bool {
    let body = sample.first.is_some_and(|first| has_all(first, &["messages", "max_tokens"]));
    let calls = sample.any(|item| item.get("tool_calls").is_some() || is_langchain(item));
    let roles = sample
        .any(|item| item.get("role").is_some_and(|role| role.is_str("assistant") || role.is_str("user")));
    let own = ["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"];
    roles
        && !calls
        && (sample.any_block(&own) || (body && !sample.any(|item| item.get("tool_call_id").is_some())))
}

fn is_cline(sample: &Sample<'_>) -> bool {
    let stamped = sample.any(|item| has_all(item, &["role", "content", "ts"]));
    is_anthropic(sample)
        && (stamped || sample.first.is_some_and(|first| has_all(first, &["version", "messages"])))
}

/// All of them, in the order in which they are asked.
const ALL: &[Unbuilt] = &[
    Unbuilt { name: "copilot-cli", step: 2, is: |s| s.first.is_some_and(|f| is_type(f, &["session.start"])) },
    Unbuilt {
        name: "goose",
        step: 2,
        is: |s| {
            (s.first_has("working_dir") && !s.first_has("role"))
                || s.any_block(&["toolRequest", "toolResponse"])
        },
    },
    Unbuilt {
        name: "qwen-code",
        step: 3,
        is: |s| {
            s.any(|item| {
                has_all(item, &["uuid", "parentUuid", "sessionId"])
                    && item.at(&["message", "parts"]).is_some()
            })
        },
    },
    Unbuilt {
        name: "mini-swe-agent",
        step: 4,
        is: |s| {
            s.first_has("trajectory_format")
                || s.first
                    .is_some_and(|f| f.at(&["info", "exit_status"]).is_some() && f.get("messages").is_some())
        },
    },
    Unbuilt { name: "atif", step: 4, is: |s| starts(s.first.and_then(|f| f.get("schema_version")), "ATIF-") },
    Unbuilt {
        name: "opencode",
        step: 4,
        is: |s| starts(s.first.and_then(|f| f.at(&["info", "id"])), "ses_"),
    },
    Unbuilt {
        name: "swe-agent",
        step: 4,
        is: |s| s.first.is_some_and(|f| has_all(f, &["trajectory", "history"])),
    },
    Unbuilt { name: "otel-genai", step: 4, is: |s| s.first_has("resourceSpans") },
    Unbuilt { name: "kimi-cli", step: 5, is: |s| s.any(|item| starts(item.get("role"), "_")) },
    Unbuilt { name: "ai-sdk-ui", step: 6, is: |s| s.any(typed_parts) },
    Unbuilt { name: "cline-roo", step: 6, is: is_cline },
];

/// The format that a single file is recorded in, if it is one of these and no built format of an earlier step claims it.
pub fn recognise(head: &Head<'_>, claimed: Option<u8>) -> Option<&'static Unbuilt> {
    let sample = Sample::of(head);
    let earlier = |unbuilt: &&Unbuilt| match claimed {
        // The last step holds shapes that shade into each other: there the special ones are asked before the general.
        Some(step) => unbuilt.step < step || (unbuilt.step == step && step >= 6),
        None => true,
    };
    ALL.iter().filter(earlier).find(|unbuilt| (unbuilt.is)(&sample))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Source};
    use crate::formats;

    /// A recording of each, as short as it can be.
    const SAMPLES: &[(&str, &str)] = &[
        ("copilot-cli", r#"{"type":"session.start","data":{},"id":"a","timestamp":"t","parentId":null}"#),
        ("goose", r#"{"working_dir":"/w","description":"d"}"#),
        (
            "qwen-code",
            r#"{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[]}}"#,
        ),
        (
            "mini-swe-agent",
            r#"{"trajectory_format":"mini-swe-agent-1","info":{},"messages":[{"role":"user","content":"x"}]}"#,
        ),
        ("atif", r#"{"schema_version":"ATIF-v1.4","agent":{},"steps":[]}"#),
        ("opencode", r#"{"info":{"id":"ses_1"},"messages":[]}"#),
        ("swe-agent", r#"{"trajectory":[],"history":[{"role":"user","content":"x"}]}"#),
        ("otel-genai", r#"{"resourceSpans":[]}"#),
        ("kimi-cli", r#"{"role":"_checkpoint","id":0}"#),
        ("ai-sdk-ui", r#"[{"id":"a","role":"user","parts":[{"type":"text","text":"x"}]}]"#),
        (
            "cline-roo",
            r#"[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}],"ts":1}]"#,
        ),
    ];

    #[test]
    fn each_is_known_by_its_name_and_judged_as_no_other() {
        for (name, text) in SAMPLES {
            let source = Source::memory("run.json", vec![("run.json".to_owned(), text.as_bytes().to_vec())]);
            let head = Head::of_file(&source, EntryId(0), "run.json").unwrap();
            let claimed = formats::recognise(&head, None).map(|claim| claim.format.step);
            assert_eq!(recognise(&head, claimed).map(|unbuilt| unbuilt.name), Some(*name));
        }
        assert!(ALL.iter().all(|unbuilt| SAMPLES.iter().any(|(name, _)| *name == unbuilt.name)));
        assert!(
            ALL.iter().all(|unbuilt| formats::by_name(unbuilt.name).is_none()),
            "a built format is listed"
        );
    }
}
