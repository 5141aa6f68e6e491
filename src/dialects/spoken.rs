//! Calls and results that are plain text: dialects of prompts and of training data. Nothing in them can be paired, only
//! told apart from a conversation without tools, by how such texts begin and end.

/// How some program writes calls, and the answers to them, into texts.
struct Dialect {
    /// What it looks like, for people.
    name: &'static str,
    /// Whether the model's text asks for a tool.
    asks: fn(&str) -> bool,
    /// Whether the text behind it answers, given the text that asks.
    answers: fn(&str, &str) -> bool,
    /// Whether the text that asks can be nothing else, even where no answer stands behind it.
    alone: fn(&str) -> bool,
}

/// How texts that answer begin, whatever the call looks like.
const ANSWERS: &[&str] = &[
    "<tool_response",
    "<tool_result",
    "<function_result",
    "<observation>",
    "EXECUTION RESULT of [",
    "OBSERVATION:\n",
    "OBSERVATION:\r\n",
];

/// Tokens of models' own templates; no person types them.
const TOKENS: &[&str] = &[
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<|tool_call",
    "<｜tool▁call",
    "<functioncall>",
];

const ALL: &[Dialect] = &[
    Dialect {
        name: "<tool_call> tags",
        asks: |text| has_line(text, "<tool_call>"),
        answers: |_, text| begins(text, ANSWERS),
        alone: |text| has_line(text, "<tool_call>") && ends(text, "</tool_call>"),
    },
    Dialect {
        name: "<function_calls> tags",
        asks: is_invoked,
        answers: |_, text| begins(text, ANSWERS),
        // Where it ends may have been the word that stopped the model.
        alone: |text| {
            is_invoked(text) && (ends(text, "</function_calls>") || ends(text, "</invoke>"))
        },
    },
    Dialect {
        name: "<function=…> tags",
        asks: |text| has_line(text, "<function="),
        answers: |_, text| begins(text, ANSWERS),
        alone: |text| has_line(text, "<function=") && ends(text, "</function>"),
    },
    Dialect {
        name: "Action and Observation lines",
        asks: |text| has_line(text, "Action:"),
        answers: |_, text| begins(text, &["Observation:"]) || begins(text, ANSWERS),
        alone: |text| {
            begins(text, &["Thought:", "Question:"])
                && ["Action:", "Action Input:", "Observation:"]
                    .iter()
                    .all(|word| has_line(text, word))
        },
    },
    Dialect {
        name: "XML tags",
        asks: |text| last_element(text).is_some(),
        answers: |asks, text| {
            let titled = |name: &str| {
                let rest = text
                    .trim_start()
                    .strip_prefix('[')
                    .and_then(|rest| rest.strip_prefix(name));
                let line = rest.and_then(|rest| rest.lines().next());
                line.is_some_and(|line| line.contains("] Result:"))
            };
            begins(text, ANSWERS) || last_element(asks).is_some_and(titled)
        },
        alone: |_| false,
    },
    Dialect {
        name: "commands in fenced blocks",
        asks: |text| text.contains("```") || has_line(text, "<code>"),
        answers: |asks, text| {
            let thinks = has_line(asks, "Thought:") || has_line(asks, "THOUGHT:");
            begins(text, &["<returncode>"])
                || begins(text, ANSWERS)
                || (thinks && begins(text, &["Observation:"]))
                || ends(text, "\nbash-$")
        },
        alone: |_| false,
    },
    Dialect {
        name: "keystrokes for a terminal",
        asks: |text| text.contains("\"keystrokes\"") || text.contains("<keystrokes"),
        answers: |_, text| {
            begins(
                text,
                &[
                    "New Terminal Output:",
                    "Current Terminal Screen:",
                    "Current terminal state:",
                ],
            )
        },
        alone: |_| false,
    },
    Dialect {
        name: "tokens of the model's template",
        asks: |text| TOKENS.iter().any(|token| has_line(text, token)),
        answers: |_, text| {
            begins(text, &["[TOOL_RESULTS]", "FUNCTION RESPONSE:"]) || begins(text, ANSWERS)
        },
        alone: |text| TOKENS.iter().any(|token| has_line(text, token)),
    },
];

/// Whether the model's text may ask for a tool: worth a look at what stands behind it.
pub(crate) fn asks(text: &str) -> bool {
    ALL.iter().any(|dialect| (dialect.asks)(text))
}

/// The dialect in which this text of the model asks for a tool, given the text behind it. `None`: it does not, or not
/// clearly.
pub(crate) fn dialect(asks: &str, behind: Option<&str>) -> Option<&'static str> {
    let fits = |dialect: &&Dialect| {
        let answered = || behind.is_some_and(|text| (dialect.answers)(asks, text));
        (dialect.alone)(asks) || ((dialect.asks)(asks) && answered())
    };
    ALL.iter().find(fits).map(|dialect| dialect.name)
}

fn begins(text: &str, words: &[&str]) -> bool {
    let text = text.trim_start();
    words.iter().any(|word| text.starts_with(word))
}

fn ends(text: &str, word: &str) -> bool {
    text.trim_end().ends_with(word)
}

/// Whether a line begins with this.
fn has_line(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    })
}

fn is_invoked(text: &str) -> bool {
    has_line(text, "<function_calls>") && text.contains("<invoke name=")
}

/// The name of the element that ends the text and begins a line of it.
fn last_element(text: &str) -> Option<&str> {
    let rest = text.trim_end().strip_suffix('>')?;
    let (_, name) = rest.rsplit_once("</")?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-');
    let is_name = !name.is_empty() && name.len() <= 64 && name.bytes().all(plain);
    (is_name && has_line(text, &format!("<{name}>"))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_known_by_the_call_and_its_answer() {
        for (call, answer, name) in [
            (
                "<tool_call>\n{\"name\":\"f\"}\n</tool_call>",
                None,
                "<tool_call> tags",
            ),
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
            (
                "<execute_bash>\nls\n</execute_bash>",
                Some("OBSERVATION:\na"),
                "XML tags",
            ),
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
            (
                "[TOOL_CALLS][{\"name\":\"f\"}]",
                None,
                "tokens of the model's template",
            ),
        ] {
            assert_eq!(dialect(call, answer), Some(name), "{call}");
            assert!(asks(call), "{call}");
        }
    }

    #[test]
    fn talk_about_tools_and_code_is_no_call() {
        for (said, behind) in [
            ("Use ```ls```.", Some("Observation: that fails")),
            (
                "The model writes `<tool_call>` and then JSON.",
                Some("<tool_response> comes next?"),
            ),
            (
                "```\n<tool_call>{}</tool_call>\n```\nis what it writes.",
                Some("thanks"),
            ),
            ("Action: none needed, I think.", Some("ok")),
            ("<b>\nHello\n</b>", Some("[b] Results: none")),
            ("Run:\n```\nls\n```", Some("$ ls\na")),
            ("", None),
        ] {
            assert_eq!(dialect(said, behind), None, "{said}");
        }
    }
}
