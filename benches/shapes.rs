//! The most expensive shapes of damage in each format: synthetic, of any size.

/// A step of a conversation, for all formats. Numbers identify calls.
enum Step {
    User,
    /// One response of the model with these calls.
    Turn(Vec<usize>),
    Result(usize),
}

use Step::{Result, Turn, User};

/// A shape of damage.
pub(crate) struct Shape {
    /// Name on the command line.
    pub name: &'static str,
    steps: fn(usize) -> Vec<Step>,
    bend: Bend,
}

/// What happens to the records of a line file when they are written.
#[derive(PartialEq)]
enum Bend {
    /// Nothing.
    None,
    /// No line feeds between them.
    Glued,
    /// The second half of the last of each so many records is missing.
    Torn(usize),
    /// `n` empty lines are before the last record.
    Blank,
    /// Each record is repeated.
    Twice,
    /// Each record names a parent that does not exist.
    LostParents,
    /// Each record names the next one as its parent.
    Cycle,
    /// Each record names the first one as its parent.
    Star,
    /// The text of the first record consists of `n` lone surrogates.
    Surrogates,
    /// Each record contains nested lists.
    Deep,
}

/// All shapes.
pub(crate) const SHAPES: &[Shape] = &[
    Shape { name: "healthy", steps: answered, bend: Bend::None },
    Shape { name: "wide-unanswered", steps: wide_unanswered, bend: Bend::None },
    Shape { name: "wide-reversed", steps: wide_reversed, bend: Bend::None },
    Shape { name: "wide-late", steps: wide_late, bend: Bend::None },
    Shape { name: "many-unanswered", steps: many_unanswered, bend: Bend::None },
    Shape { name: "many-late", steps: many_late, bend: Bend::None },
    Shape { name: "many-orphans", steps: many_orphans, bend: Bend::None },
    Shape { name: "equal-ids", steps: equal_ids, bend: Bend::None },
    Shape { name: "equal-results", steps: equal_results, bend: Bend::None },
    Shape { name: "equal-calls", steps: equal_calls, bend: Bend::None },
    Shape { name: "glued", steps: answered, bend: Bend::Glued },
    Shape { name: "torn", steps: answered, bend: Bend::Torn(1) },
    Shape { name: "torn-between", steps: many_orphans, bend: Bend::Torn(2) },
    Shape { name: "torn-turns", steps: interrupted, bend: Bend::Torn(4) },
    Shape { name: "blank", steps: one_turn, bend: Bend::Blank },
    Shape { name: "twice", steps: answered, bend: Bend::Twice },
    Shape { name: "lost-parents", steps: answered, bend: Bend::LostParents },
    Shape { name: "cycle", steps: answered, bend: Bend::Cycle },
    Shape { name: "star", steps: answered, bend: Bend::Star },
    Shape { name: "surrogates", steps: one_turn, bend: Bend::Surrogates },
    Shape { name: "deep", steps: answered, bend: Bend::Deep },
];

fn answered(n: usize) -> Vec<Step> {
    let third = (n / 3).max(1);
    (0..third).flat_map(|call| [User, Turn(vec![call]), Result(call)]).collect()
}

/// The last record of each four is a prompt between turns.
fn interrupted(n: usize) -> Vec<Step> {
    (0..n / 4).flat_map(|call| [User, Turn(vec![call]), Result(call), User]).collect()
}

fn one_turn(_: usize) -> Vec<Step> {
    answered(3)
}

fn wide_unanswered(n: usize) -> Vec<Step> {
    vec![User, Turn((0..n).collect()), User]
}

fn wide_reversed(n: usize) -> Vec<Step> {
    let results = (0..n / 2).rev().map(Result);
    [User, Turn((0..n / 2).collect())].into_iter().chain(results).chain([User]).collect()
}

fn wide_late(n: usize) -> Vec<Step> {
    let results = (0..n / 2).map(Result);
    [User, Turn((0..n / 2).collect()), User].into_iter().chain(results).chain([User]).collect()
}

fn many_unanswered(n: usize) -> Vec<Step> {
    (0..n / 2).flat_map(|call| [User, Turn(vec![call])]).chain([User]).collect()
}

fn many_late(n: usize) -> Vec<Step> {
    (0..n / 4).flat_map(|call| [User, Turn(vec![call]), User, Result(call)]).chain([User]).collect()
}

fn many_orphans(n: usize) -> Vec<Step> {
    [User, Turn(vec![n + 1]), Result(n + 1)]
        .into_iter()
        .chain((0..n).map(Result))
        .chain([User])
        .collect()
}

fn equal_ids(n: usize) -> Vec<Step> {
    (0..n / 3).flat_map(|_| [User, Turn(vec![7]), Result(7)]).chain([User]).collect()
}

fn equal_results(n: usize) -> Vec<Step> {
    [User, Turn(vec![7])].into_iter().chain((0..n).map(|_| Result(7))).chain([User]).collect()
}

fn equal_calls(n: usize) -> Vec<Step> {
    vec![User, Turn(vec![7; n]), User]
}

/// A format that the shapes are written in.
pub(crate) struct Dress {
    /// The format's name.
    pub name: &'static str,
    /// Extension of its files.
    pub extension: &'static str,
    /// The records of a step; `{id}` and `{parent}` are replaced by the IDs of the record and its
    /// parent.
    records: fn(&Step, usize) -> Vec<String>,
    /// What comes before the first record.
    header: &'static str,
    lines: bool,
    tree: bool,
    /// Each user turn is a row of its own, in which its messages are.
    rows: bool,
}

/// All formats that are measured.
pub(crate) const FORMATS: &[Dress] = &[
    Dress {
        name: "claude-code",
        extension: "jsonl",
        records: claude_code,
        header: "",
        lines: true,
        tree: true,
        rows: false,
    },
    Dress {
        name: "claude-code-blocks",
        extension: "jsonl",
        records: claude_code_blocks,
        header: "",
        lines: true,
        tree: true,
        rows: false,
    },
    Dress {
        name: "pi",
        extension: "jsonl",
        records: pi,
        header: r#"{"type":"session","version":3,"id":"01970040-7a11-7c00-9d00-5e55104e0040","timestamp":"2026-02-25T06:13:20.000Z","cwd":"/srv"}"#,
        lines: true,
        tree: true,
        rows: false,
    },
    Dress {
        name: "openhands",
        extension: "jsonl",
        records: openhands,
        header: "",
        lines: true,
        tree: true,
        rows: false,
    },
    Dress {
        name: "codex",
        extension: "jsonl",
        records: codex,
        header: r#"{"timestamp":"2026-03-04T05:06:07.100Z","type":"session_meta","payload":{"id":"01930000-0000-7000-8000-000000000011","timestamp":"2026-03-04T05:06:07.000Z","cwd":"/srv","originator":"codex_cli_rs","cli_version":"0.98.0","source":"cli","model_provider":"openai"}}"#,
        lines: true,
        tree: false,
        rows: false,
    },
    Dress {
        name: "openai-chat",
        extension: "json",
        records: chat,
        header: "",
        lines: false,
        tree: false,
        rows: false,
    },
    Dress {
        name: "chat-lines",
        extension: "jsonl",
        records: chat,
        header: "",
        lines: true,
        tree: false,
        rows: false,
    },
    Dress {
        name: "rows",
        extension: "jsonl",
        records: chat,
        header: "",
        lines: true,
        tree: false,
        rows: true,
    },
    Dress {
        name: "anthropic-messages",
        extension: "json",
        records: anthropic,
        header: "",
        lines: false,
        tree: false,
        rows: false,
    },
    Dress {
        name: "bedrock-converse",
        extension: "json",
        records: converse,
        header: "",
        lines: false,
        tree: false,
        rows: false,
    },
    Dress {
        name: "openai-responses",
        extension: "json",
        records: responses,
        header: "",
        lines: false,
        tree: false,
        rows: false,
    },
    Dress {
        name: "gemini-contents",
        extension: "json",
        records: gemini,
        header: "",
        lines: false,
        tree: false,
        rows: false,
    },
    Dress {
        name: "langchain",
        extension: "json",
        records: langchain,
        header: "",
        lines: false,
        tree: false,
        rows: false,
    },
];

/// A transcript of about `n` records. `None` if the format cannot have this damage.
pub(crate) fn recording(format: &Dress, shape: &Shape, n: usize) -> Option<String> {
    let bends_tree = matches!(shape.bend, Bend::LostParents | Bend::Cycle | Bend::Star);
    let bends_lines = matches!(shape.bend, Bend::Glued | Bend::Torn(_) | Bend::Blank);
    if (bends_tree && !format.tree) || (bends_lines && !format.lines) {
        return None;
    }
    let steps = (shape.steps)(n);
    let records: Vec<String> =
        steps.iter().enumerate().flat_map(|(at, step)| (format.records)(step, at)).collect();
    let records = if format.rows { rows(&steps, &records) } else { records };
    let last = records.len();
    let mut out: Vec<String> = Vec::with_capacity(last + 1);
    out.extend((!format.header.is_empty()).then(|| format.header.to_owned()));
    for (at, record) in records.into_iter().enumerate() {
        let parent = match shape.bend {
            Bend::LostParents => Some(last + at),
            Bend::Cycle => Some((at + 1) % last),
            Bend::Star if at > 0 => Some(0),
            _ => at.checked_sub(1),
        };
        let parent =
            parent.map_or_else(|| "null".to_owned(), |parent| format!("\"{}\"", id(parent)));
        let record = record.replace("{id}", &id(at)).replace("{parent}", &parent);
        let text = match shape.bend {
            Bend::Surrogates if at == 0 => "\\ud83d".repeat(n),
            Bend::Deep => format!("{}{}", "[".repeat(400), "]".repeat(400)),
            _ => format!("text {at}"),
        };
        let mut record = match shape.bend {
            Bend::Deep => {
                record.replacen('{', &format!("{{\"x\":{text},"), 1).replace("{text}", "text")
            }
            _ => record.replace("{text}", &text),
        };
        if matches!(shape.bend, Bend::Torn(every) if at % every == every - 1) {
            record.truncate(record.len() / 2);
        }
        if shape.bend == Bend::Blank && at + 1 == last {
            record.insert_str(0, &"\n".repeat(n));
        }
        if shape.bend == Bend::Twice {
            out.push(record.clone());
        }
        out.push(record);
    }
    let between = if shape.bend == Bend::Glued { "" } else { "\n" };
    Some(if format.lines { out.join(between) + "\n" } else { format!("[{}]", out.join(",\n")) })
}

/// The messages of each user turn in a row. Each step is one message.
fn rows(steps: &[Step], messages: &[String]) -> Vec<String> {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for (step, message) in steps.iter().zip(messages) {
        match rows.last_mut() {
            Some(row) if !matches!(step, User) => row.push(message),
            _ => rows.push(vec![message]),
        }
    }
    // What follows shows that the calls before it were given up.
    let end = r#"{"role":"user","content":"next"}"#;
    let row = |messages: &Vec<&str>| format!(r#"{{"messages":[{},{end}]}}"#, messages.join(","));
    rows.iter().map(row).collect()
}

fn id(n: usize) -> String {
    format!("{n:08x}-0000-4000-8000-{n:012x}")
}

fn call(n: usize) -> String {
    format!("toolu_01{n:022}")
}

fn time(at: usize) -> String {
    format!(
        "2026-03-{:02}T{:02}:{:02}:{:02}.000Z",
        1 + at / 86_400 % 28,
        at / 3_600 % 24,
        at / 60 % 60,
        at % 60
    )
}

fn listed(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(",")
}

fn claude_code(step: &Step, at: usize) -> Vec<String> {
    match step {
        Turn(calls) => {
            calls.iter().map(|n| claude_line("assistant", &claude_turn(&[*n], at), at)).collect()
        }
        _ => claude_code_blocks(step, at),
    }
}

/// All calls of a response in one line.
fn claude_code_blocks(step: &Step, at: usize) -> Vec<String> {
    vec![match step {
        User => claude_line("user", r#"{"role":"user","content":"{text}"}"#, at),
        Turn(calls) => claude_line("assistant", &claude_turn(calls, at), at),
        Result(n) => {
            let id = call(*n);
            let message = format!(
                r#"{{"role":"user","content":[{{"tool_use_id":"{id}","type":"tool_result","content":"{{text}}"}}]}}"#
            );
            claude_line("user", &message, at)
        }
    }]
}

fn claude_turn(calls: &[usize], at: usize) -> String {
    let blocks = listed(calls.iter().map(|n| {
        format!(r#"{{"type":"tool_use","id":"{}","name":"Bash","input":{{}}}}"#, call(*n))
    }));
    format!(
        r#"{{"model":"claude-opus-4-8","id":"msg_{at}","type":"message","role":"assistant","content":[{blocks}],"stop_reason":"tool_use"}}"#
    )
}

fn claude_line(kind: &str, message: &str, at: usize) -> String {
    format!(
        r#"{{"parentUuid":{{parent}},"isSidechain":false,"userType":"external","cwd":"/srv","sessionId":"14aac2d2-89c0-5466-b219-1e8e3a5d1c1f","version":"2.1.150","type":"{kind}","message":{message},"uuid":"{{id}}","timestamp":"{}"}}"#,
        time(at)
    )
}

fn pi(step: &Step, at: usize) -> Vec<String> {
    let message = match step {
        User => r#"{"role":"user","content":[{"type":"text","text":"{text}"}]}"#.to_owned(),
        Turn(calls) => format!(
            r#"{{"role":"assistant","content":[{}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"toolUse"}}"#,
            listed(calls.iter().map(|n| format!(
                r#"{{"type":"toolCall","id":"{}","name":"bash","arguments":{{}}}}"#,
                call(*n)
            )))
        ),
        Result(n) => format!(
            r#"{{"role":"toolResult","toolCallId":"{}","toolName":"bash","content":[{{"type":"text","text":"{{text}}"}}],"isError":false}}"#,
            call(*n)
        ),
    };
    let time = time(at);
    vec![format!(
        r#"{{"type":"message","id":"{{id}}","parentId":{{parent}},"timestamp":"{time}","message":{message}}}"#
    )]
}

fn openhands(step: &Step, at: usize) -> Vec<String> {
    let event = |source: &str, rest: String| {
        let time = time(at);
        format!(
            r#"{{"id":"{{id}}","timestamp":"{}","source":"{source}","parent_id":{{parent}},{rest}}}"#,
            &time[..19]
        )
    };
    match step {
        User => vec![event(
            "user",
            r#""llm_message":{"role":"user","content":[{"type":"text","text":"{text}"}]},"kind":"MessageEvent""#.to_owned(),
        )],
        Turn(calls) => calls
            .iter()
            .map(|n| {
                let id = call(*n);
                event(
                    "agent",
                    format!(
                        r#""thought":[],"thinking_blocks":[],"action":{{"thought":"b","kind":"ThinkAction"}},"tool_name":"think","tool_call_id":"{id}","tool_call":{{"id":"{id}","name":"think","arguments":"{{}}","origin":"completion"}},"llm_response_id":"r{at}","kind":"ActionEvent""#
                    ),
                )
            })
            .collect(),
        Result(n) => vec![event(
            "environment",
            format!(
                r#""tool_name":"think","tool_call_id":"{}","observation":{{"content":[{{"type":"text","text":"{{text}}"}}],"is_error":false,"kind":"ThinkObservation"}},"action_id":{{parent}},"kind":"ObservationEvent""#,
                call(*n)
            ),
        )],
    }
}

fn codex(step: &Step, at: usize) -> Vec<String> {
    let item = |payload: String| {
        format!(r#"{{"timestamp":"{}","type":"response_item","payload":{payload}}}"#, time(at))
    };
    responses(step, at).into_iter().map(item).collect()
}

fn responses(step: &Step, _: usize) -> Vec<String> {
    match step {
        User => vec![
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"{text}"}]}"#
                .to_owned(),
        ],
        Turn(calls) => calls
            .iter()
            .map(|n| {
                format!(
                    r#"{{"type":"function_call","name":"exec_command","arguments":"{{}}","call_id":"{}"}}"#,
                    call(*n)
                )
            })
            .collect(),
        Result(n) => {
            vec![format!(r#"{{"type":"function_call_output","call_id":"{}","output":"{{text}}"}}"#, call(*n))]
        }
    }
}

fn chat(step: &Step, _: usize) -> Vec<String> {
    vec![match step {
        User => r#"{"role":"user","content":"{text}"}"#.to_owned(),
        Turn(calls) => format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#,
            listed(calls.iter().map(|n| format!(
                r#"{{"id":"{}","type":"function","function":{{"name":"bash","arguments":"{{}}"}}}}"#,
                call(*n)
            )))
        ),
        Result(n) => format!(r#"{{"role":"tool","tool_call_id":"{}","content":"{{text}}"}}"#, call(*n)),
    }]
}

fn anthropic(step: &Step, _: usize) -> Vec<String> {
    vec![match step {
        User => r#"{"role":"user","content":[{"type":"text","text":"{text}"}]}"#.to_owned(),
        Turn(calls) => {
            format!(
                r#"{{"role":"assistant","content":[{}]}}"#,
                listed(calls.iter().map(|n| format!(
                    r#"{{"type":"tool_use","id":"{}","name":"bash","input":{{}}}}"#,
                    call(*n)
                )))
            )
        }
        Result(n) => format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{}","content":"{{text}}"}}]}}"#,
            call(*n)
        ),
    }]
}

fn converse(step: &Step, _: usize) -> Vec<String> {
    vec![match step {
        User => r#"{"role":"user","content":[{"text":"{text}"}]}"#.to_owned(),
        Turn(calls) => format!(
            r#"{{"role":"assistant","content":[{}]}}"#,
            listed(calls.iter().map(|n| format!(
                r#"{{"toolUse":{{"toolUseId":"{}","name":"bash","input":{{}}}}}}"#,
                call(*n)
            )))
        ),
        Result(n) => format!(
            r#"{{"role":"user","content":[{{"toolResult":{{"toolUseId":"{}","content":[{{"text":"{{text}}"}}],"status":"success"}}}}]}}"#,
            call(*n)
        ),
    }]
}

fn gemini(step: &Step, _: usize) -> Vec<String> {
    vec![match step {
        User => r#"{"role":"user","parts":[{"text":"{text}"}]}"#.to_owned(),
        Turn(calls) => {
            format!(
                r#"{{"role":"model","parts":[{}]}}"#,
                listed(calls.iter().map(|n| format!(
                    r#"{{"functionCall":{{"id":"{}","name":"bash","args":{{}}}}}}"#,
                    call(*n)
                )))
            )
        }
        Result(n) => format!(
            r#"{{"role":"user","parts":[{{"functionResponse":{{"id":"{}","name":"bash","response":{{"output":"{{text}}"}}}}}}]}}"#,
            call(*n)
        ),
    }]
}

fn langchain(step: &Step, _: usize) -> Vec<String> {
    vec![match step {
        User => {
            r#"{"type":"human","data":{"content":"{text}","type":"human","id":"{id}"}}"#.to_owned()
        }
        Turn(calls) => {
            format!(
                r#"{{"type":"ai","data":{{"content":"","type":"ai","id":"{{id}}","tool_calls":[{}]}}}}"#,
                listed(calls.iter().map(|n| format!(
                    r#"{{"name":"bash","args":{{}},"id":"{}","type":"tool_call"}}"#,
                    call(*n)
                )))
            )
        }
        Result(n) => format!(
            r#"{{"type":"tool","data":{{"content":"{{text}}","type":"tool","id":"{{id}}","tool_call_id":"{}"}}}}"#,
            call(*n)
        ),
    }]
}
