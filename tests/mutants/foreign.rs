//! Files of programs that are not ours to judge, in the layout that these programs write. Words are invented.

/// Names, with the extension of the file, the members that are of that program alone, and bytes. A file that has lost all of
/// these members may be of anybody.
pub(crate) const ALL: &[(&str, &[&str], &str)] = &[
    // Haystack 2 `ChatMessage.to_dict`.
    (
        "foreign/haystack.json",
        &["tool_call", "tool_call_result"],
        r#"[{"role":"user","meta":{},"name":null,"content":[{"text":"how many bolts?"}]},
{"role":"assistant","meta":{},"name":null,"content":[{"tool_call":{"tool_name":"stock","arguments":{"item":"bolts"},"id":"call_1","extra":null}}]},
{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"twelve bolts","origin":{"tool_name":"stock","arguments":{"item":"bolts"},"id":"call_1","extra":null},"error":false}}]},
{"role":"assistant","meta":{},"name":null,"content":[{"text":"there are twelve"}]}]"#,
    ),
    // Chat Completions in camel case, as Mistral's library for TypeScript takes them.
    (
        "foreign/camel-case.json",
        &["toolCalls", "toolCallId"],
        r#"[{"role":"user","content":"how many bolts?"},
{"role":"assistant","toolCalls":[{"id":"call_1","function":{"name":"stock","arguments":"{\"item\":\"bolts\"}"}}]},
{"role":"tool","toolCallId":"call_1","content":"twelve bolts"},
{"role":"assistant","toolCalls":[{"id":"call_2","function":{"name":"stock","arguments":"{}"}}]},
{"role":"tool","toolCallId":"call_2","content":"nothing else"},
{"role":"assistant","content":"there are twelve"}]"#,
    ),
    // An export of Open WebUI, which has the messages a second time in a list.
    (
        "foreign/open-webui.json",
        &["childrenIds"],
        r#"[{"id":"a1","user_id":"u1","title":"Boxes","chat":{"title":"Boxes","models":["llama"],"history":{"messages":{"b1":{"id":"b1","parentId":null,"childrenIds":["b2"],"role":"user","content":"Count the boxes.","timestamp":1780000000},"b2":{"id":"b2","parentId":"b1","childrenIds":[],"role":"assistant","content":"Twelve boxes.","timestamp":1780000000}},"currentId":"b2"},"messages":[{"id":"b1","parentId":null,"childrenIds":["b2"],"role":"user","content":"Count the boxes.","timestamp":1780000000},{"id":"b2","parentId":"b1","childrenIds":[],"role":"assistant","content":"Twelve boxes.","timestamp":1780000000}]},"updated_at":1780000001,"created_at":1780000000}]"#,
    ),
    // An export of ChatGPT.
    (
        "foreign/chatgpt.json",
        &["mapping", "content_type"],
        r#"[{"title":"Boxes","create_time":1780000000.5,"update_time":1780000001.5,"mapping":{"r":{"id":"r","message":null,"parent":null,"children":["b1"]},"b1":{"id":"b1","message":{"id":"b1","author":{"role":"user","name":null,"metadata":{}},"create_time":1780000000.5,"content":{"content_type":"text","parts":["Count the boxes."]},"status":"finished_successfully"},"parent":"r","children":["b2"]},"b2":{"id":"b2","message":{"id":"b2","author":{"role":"assistant","name":null,"metadata":{}},"create_time":1780000000.5,"content":{"content_type":"text","parts":["Twelve boxes."]},"status":"finished_successfully"},"parent":"b1","children":[]}},"moderation_results":[],"current_node":"b2","conversation_id":"c1","id":"c1"}]"#,
    ),
    // Amp: a thread.
    (
        "foreign/amp/T-0af34c6a-3ff7-5733-a17b-ad029dfbec28.json",
        &["toolUseID", "agentMode"],
        r#"{"v":12,"id":"T-0af34c6a-3ff7-5733-a17b-ad029dfbec28","created":1772000000000,"title":"pots","agentMode":"smart","nextMessageId":4,"messages":[
{"role":"user","messageId":0,"content":[{"type":"text","text":"list the pots"}]},
{"role":"assistant","messageId":1,"content":[{"type":"text","text":"running a tool"},{"type":"tool_use","complete":true,"id":"toolu_01Amp","name":"Bash","input":{"cmd":"ls"}}],"state":{"type":"complete","stopReason":"tool_use"}},
{"role":"user","messageId":2,"content":[{"type":"tool_result","toolUseID":"toolu_01Amp","run":{"status":"done","result":{"output":"three pots","exitCode":0}}}]},
{"role":"assistant","messageId":3,"content":[{"type":"text","text":"there are three"}],"state":{"type":"complete","stopReason":"end_turn"}}],"env":{"initial":{"trees":[{"displayName":"x","uri":"file:///home/dev/demo"}]}},"meta":{"traces":[]}}"#,
    ),
    // AgentScope 1 `Msg.to_dict` in the memory of a session.
    (
        "foreign/agentscope.json",
        &["output"],
        r#"{"agent":{"memory":{"content":[{"id":"m1","name":"user","role":"user","content":"how many bolts?","metadata":{},"timestamp":"2026-03-01 10:00:00.000"},
{"id":"m2","name":"Friday","role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"stock","input":{"item":"bolts"}}],"metadata":{},"timestamp":"2026-03-01 10:00:01.000"},
{"id":"m3","name":"system","role":"system","content":[{"type":"tool_result","id":"call_1","name":"stock","output":[{"type":"text","text":"twelve bolts"}]}],"metadata":{},"timestamp":"2026-03-01 10:00:02.000"},
{"id":"m4","name":"Friday","role":"assistant","content":[{"type":"text","text":"there are twelve"}],"metadata":{},"timestamp":"2026-03-01 10:00:03.000"}]}}}"#,
    ),
    // AgentScope: the messages alone.
    (
        "foreign/agentscope-messages.json",
        &["output"],
        r#"[{"id":"m1","name":"user","role":"user","content":"how many bolts?","metadata":{},"timestamp":"2026-03-01 10:00:00.000"},
{"id":"m2","name":"Friday","role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"stock","input":{"item":"bolts"}}],"metadata":{},"timestamp":"2026-03-01 10:00:01.000"},
{"id":"m3","name":"system","role":"system","content":[{"type":"tool_result","id":"call_1","name":"stock","output":[{"type":"text","text":"twelve bolts"}]}],"metadata":{},"timestamp":"2026-03-01 10:00:02.000"},
{"id":"m4","name":"Friday","role":"assistant","content":[{"type":"text","text":"there are twelve"}],"metadata":{},"timestamp":"2026-03-01 10:00:03.000"}]"#,
    ),
    // neuron-ai `FileChatHistory`.
    (
        "foreign/neuron_ai.chat",
        &["callId", "tool_call_result"],
        r#"[{"role":"user","content":"how many bolts?"},
{"role":"assistant","content":"","type":"tool_call","tools":[{"name":"stock","description":"counts","inputs":{"item":"bolts"},"callId":"call_1","result":null}],"usage":{"input_tokens":10,"output_tokens":5}},
{"role":"user","content":"","type":"tool_call_result","tools":[{"name":"stock","description":"counts","inputs":{"item":"bolts"},"callId":"call_1","result":"twelve bolts"}]},
{"role":"assistant","content":"there are twelve"}]"#,
    ),
    // CodeBuddy: a session.
    (
        "foreign/codebuddy.jsonl",
        &["function_call", "function_call_result"],
        r#"{"type":"session_start","sessionId":"sess-1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/dev/demo","model":"m-1"}
{"type":"message","sessionId":"sess-1","timestamp":1777651201,"role":"user","content":"read a.py"}
{"type":"message","sessionId":"sess-1","timestamp":1777651202500,"role":"assistant","content":[{"type":"text","text":"I look at it"}]}
{"type":"function_call","sessionId":"sess-1","timestamp":1777651203000,"name":"read_file","arguments":{"path":"a.py"}}
{"type":"function_call_result","sessionId":"sess-1","timestamp":1777651203500,"name":"read_file","output":"print(1) it says"}
{"type":"message","sessionId":"sess-1","timestamp":1777651204,"role":"assistant","content":"it prints 1"}
"#,
    ),
    // Docent: a run of an agent.
    (
        "foreign/docent.json",
        &["parse_error", "transcripts"],
        r#"{"id":"run-1","name":null,"transcripts":[{"id":"t1","messages":[{"id":"m1","role":"user","content":"how many bolts?"},
{"id":"m2","role":"assistant","content":"I look","tool_calls":[{"id":"call_1","function":"stock","arguments":{"item":"bolts"},"type":"function","parse_error":null,"view":null}],"model":"m"},
{"id":"m3","role":"tool","content":"twelve bolts","tool_call_id":"call_1","function":"stock","error":null},
{"id":"m4","role":"assistant","content":"there are twelve","tool_calls":null,"model":"m"}],"metadata":{}}],"metadata":{"scores":{"ok":1}}}"#,
    ),
    // What any program logs.
    (
        "foreign/log.jsonl",
        &["level", "msg"],
        r#"{"level":"info","time":"2026-03-01T10:00:00Z","msg":"request","role":"user","id":"r1"}
{"level":"info","time":"2026-03-01T10:00:01Z","msg":"response","role":"assistant","id":"r1","content":[]}
{"level":"warn","time":"2026-03-01T10:00:02Z","msg":"slow tool","tool_call_id":"call_9"}
"#,
    ),
];

/// Whether the bytes of a fixture with this name have something that only its program writes.
pub(crate) fn has_sign(name: &str, bytes: &[u8]) -> bool {
    let is_own = |path: &str| path.rsplit('/').next() == Some(name);
    let (_, signs, _) = ALL.iter().find(|(path, ..)| is_own(path)).unwrap();
    let text = String::from_utf8_lossy(bytes);
    signs.iter().any(|sign| text.contains(&format!("\"{sign}\"")))
}
