//! Calls and results in plain text, as some prompts and training data have them. They cannot be paired, but the way such
//! texts start and end shows that the conversation uses tools.

/// The start of the note about such a conversation.
pub(crate) const CALLS_IN_TEXTS: &str = "tool calls are plain text here";

/// How a program writes calls and their results into texts.
struct Dialect {
    /// A description for people.
    name: &'static str,
    /// Whether a text of the model may be a call.
    is_call: fn(&str) -> bool,
    /// Whether the text after a call (first) is its result (second).
    is_result: fn(&str, &str) -> bool,
    /// Whether a text is certainly a call, even without a result.
    is_certain: fn(&str) -> bool,
}

/// How results start, whatever the call looks like.
const RESULTS: &[&str] = &[
    "<tool_response",
    "<tool_result",
    "<function_result",
    "<observation>",
    "EXECUTION RESULT of [",
    "OBSERVATION:\n",
    "OBSERVATION:\r\n",
];

/// Tokens of chat templates, which users do not type.
const TOKENS: &[&str] =
    &["[TOOL_CALLS]", "<|python_tag|>", "<|tool_call", "<｜tool▁call", "<functioncall>"];

const ALL: &[Dialect] = &[
    Dialect {
        name: "<tool_call> tags",
        is_call: |text| has_line(text, "<tool_call>"),
        is_result: |_, text| begins(text, RESULTS),
        is_certain: |text| has_line(text, "<tool_call>") && ends(text, "</tool_call>"),
    },
    Dialect {
        name: "<function_calls> tags",
        is_call: is_invoked,
        is_result: |_, text| begins(text, RESULTS),
        // The end may be missing because it was a stop word.
        is_certain: |text| {
            is_invoked(text) && (ends(text, "</function_calls>") || ends(text, "</invoke>"))
        },
    },
    Dialect {
        name: "<function=…> tags",
        is_call: |text| has_line(text, "<function="),
        is_result: |_, text| begins(text, RESULTS),
        is_certain: |text| has_line(text, "<function=") && ends(text, "</function>"),
    },
    Dialect {
        name: "Action and Observation lines",
        is_call: |text| has_line(text, "Action:"),
        is_result: |_, text| begins(text, &["Observation:"]) || begins(text, RESULTS),
        is_certain: |text| {
            begins(text, &["Thought:", "Question:"])
                && ["Action:", "Action Input:", "Observation:"]
                    .iter()
                    .all(|word| has_line(text, word))
        },
    },
    Dialect {
        name: "XML tags",
        is_call: |text| last_element(text).is_some(),
        is_result: |call, text| {
            begins(text, RESULTS) || last_element(call).is_some_and(|name| is_titled(text, name))
        },
        is_certain: |_| false,
    },
    Dialect {
        name: "commands in fenced blocks",
        is_call: |text| text.contains("```") || has_line(text, "<code>"),
        is_result: |call, text| {
            let thinks = has_line(call, "Thought:") || has_line(call, "THOUGHT:");
            begins(text, &["<returncode>"])
                || begins(text, RESULTS)
                || (thinks && begins(text, &["Observation:"]))
                || ends(text, "\nbash-$")
        },
        is_certain: |_| false,
    },
    Dialect {
        name: "keystrokes for a terminal",
        is_call: |text| text.contains("\"keystrokes\"") || text.contains("<keystrokes"),
        is_result: |_, text| {
            begins(
                text,
                &["New Terminal Output:", "Current Terminal Screen:", "Current terminal state:"],
            )
        },
        is_certain: |_| false,
    },
    Dialect {
        name: "tokens of the model's template",
        is_call: |text| TOKENS.iter().any(|token| has_line(text, token)),
        is_result: |_, text| {
            begins(text, &["[TOOL_RESULTS]", "FUNCTION RESPONSE:"]) || begins(text, RESULTS)
        },
        is_certain: |text| TOKENS.iter().any(|token| has_line(text, token)),
    },
];

/// Whether a text of the model may be a call, so that the text after it is worth reading.
pub(crate) fn may_be_call(text: &str) -> bool {
    ALL.iter().any(|dialect| (dialect.is_call)(text))
}

/// The dialect of a call, given the text after it. `None`: it is not a call, or that is not certain.
pub(crate) fn dialect(call: &str, next: Option<&str>) -> Option<&'static str> {
    ALL.iter()
        .find(|dialect| {
            (dialect.is_certain)(call)
                || ((dialect.is_call)(call)
                    && next.is_some_and(|text| (dialect.is_result)(call, text)))
        })
        .map(|dialect| dialect.name)
}

/// Whether a text begins as one that answers a call of this tool: `[read_file for 'a.rs'] Result:`.
pub(crate) fn is_titled(text: &str, tool: &str) -> bool {
    let rest = text.trim_start().strip_prefix('[');
    let rest = rest.and_then(|rest| rest.strip_prefix(tool));
    let line = rest.and_then(|rest| rest.lines().next());
    line.is_some_and(|line| line.contains("] Result:"))
}

fn begins(text: &str, words: &[&str]) -> bool {
    let text = text.trim_start();
    words.iter().any(|word| text.starts_with(word))
}

fn ends(text: &str, word: &str) -> bool {
    text.trim_end().ends_with(word)
}

/// Whether a line starts with this word.
fn has_line(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    })
}

fn is_invoked(text: &str) -> bool {
    has_line(text, "<function_calls>") && text.contains("<invoke name=")
}

/// The name of the XML element at the end of the text, if its start tag is at the start of a line.
fn last_element(text: &str) -> Option<&str> {
    let rest = text.trim_end().strip_suffix('>')?;
    let (_, name) = rest.rsplit_once("</")?;
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'));
    (is_name && has_line(text, &format!("<{name}>"))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_known_by_the_call_and_its_answer() {
        for (call, answer, name) in [
            ("<tool_call>\n{\"name\":\"f\"}\n</tool_call>", None, "<tool_call> tags"),
            (
                "I look.\n<tool_call>{\"name\":\"f\"}</tool_call>\nWait.",
                Some("<tool_response>\n1\n</tool_response>"),
                "<tool_call> tags",
            ),
            (
                "<function_calls>\n<invoke name=\"f\">\n</invoke>\n</function_calls>",
                Some("<function_results>1</function_results>"),
                "<function_calls> tags",
            ),
            (
                "<function=bash>\n<parameter=c>ls</parameter>\n</function>",
                None,
                "<function=…> tags",
            ),
            (
                "Thought: look\nAction: search\nAction Input: x",
                Some("Observation: 3"),
                "Action and Observation lines",
            ),
            (
                "Thought: look\nAction: search\nAction Input: x\nObservation: 3\nFinal Answer: 3",
                None,
                "Action and Observation lines",
            ),
            (
                "<read_file>\n<path>a</path>\n</read_file>",
                Some("[read_file for 'a'] Result:\nx"),
                "XML tags",
            ),
            ("<execute_bash>\nls\n</execute_bash>", Some("OBSERVATION:\na"), "XML tags"),
            (
                "THOUGHT: look\n```bash\nls\n```",
                Some("<returncode>0</returncode>\n<output>a</output>"),
                "commands in fenced blocks",
            ),
            (
                "{\"commands\":[{\"keystrokes\":\"ls\\n\"}]}",
                Some("New Terminal Output:\na"),
                "keystrokes for a terminal",
            ),
            ("[TOOL_CALLS][{\"name\":\"f\"}]", None, "tokens of the model's template"),
        ] {
            assert_eq!(dialect(call, answer), Some(name), "{call}");
            assert!(may_be_call(call), "{call}");
        }
    }

    #[test]
    fn talk_about_tools_and_code_is_not_a_call() {
        for (text, next) in [
            ("Use ```ls```.", Some("Observation: that fails")),
            ("The model writes `<tool_call>` and then JSON.", Some("<tool_response> comes next?")),
            ("```\n<tool_call>{}</tool_call>\n```\nis what it writes.", Some("thanks")),
            ("Action: none needed, I think.", Some("ok")),
            ("<b>\nHello\n</b>", Some("[b] Results: none")),
            ("Run:\n```\nls\n```", Some("$ ls\na")),
            ("", None),
        ] {
            assert_eq!(dialect(text, next), None, "{text}");
        }
    }
}
