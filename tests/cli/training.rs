//! Rows for training and evaluation: what stops a trainer fails a check.

use crate::bench::Bench;

/// A row of messages.
fn row(messages: &[&str]) -> String {
    format!(r#"{{"messages":[{}]}}"#, messages.join(","))
}

const ASK: &str = r#"{"role":"user","content":"How many bolts?"}"#;
const ANSWER: &str = r#"{"role":"assistant","content":"Four."}"#;
const RESULT: &str = r#"{"role":"tool","tool_call_id":"call_1","content":"4"}"#;

/// A message with a call.
fn call(name: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_1","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}]}}"#
    )
}

/// The findings above a note, as code, severity and line.
fn findings(bench: &Bench, args: &[&str]) -> Vec<(String, String, u64)> {
    let ran = bench.run(&[&["check", "--format", "json"], args].concat()).json();
    let mut found = Vec::new();
    for own in ran["conversations"].as_array().unwrap() {
        for finding in own["findings"].as_array().unwrap() {
            let text = |name: &str| finding[name].as_str().unwrap().to_owned();
            if finding["severity"] != "note" {
                let line = own["row"]["line"].as_u64().unwrap_or(0);
                found.push((text("code"), text("severity"), line));
            }
        }
    }
    found
}

fn found(code: &str, severity: &str, line: u64) -> (String, String, u64) {
    (code.to_owned(), severity.to_owned(), line)
}

#[test]
fn torn_arguments_fail_in_rows() {
    let bench = Bench::new();
    let healthy = row(&[ASK, &call("stock", r#"{"item":"bolts"}"#), RESULT, ANSWER]);
    let torn = row(&[ASK, &call("stock", r#"{"item":"bol"#), RESULT, ANSWER]);
    bench.write("rows.jsonl", format!("{healthy}\n{torn}\n{healthy}\n"));
    assert_eq!(findings(&bench, &["rows.jsonl"]), [found("TD403", "error", 2)]);
    bench.run(&["check", "rows.jsonl"]).exits(1);
    // A single conversation may go on with a server that does not parse them.
    bench.write("one.json", &torn);
    assert_eq!(findings(&bench, &["one.json"]), [found("TD403", "warning", 0)]);
    let batch = |row: &str, id: u32| {
        format!(
            r#"{{"custom_id":"r{id}","method":"POST","url":"/v1/chat/completions","body":{row}}}"#
        )
    };
    bench.write("batch.jsonl", format!("{}\n{}\n", batch(&healthy, 1), batch(&torn, 2)));
    assert_eq!(findings(&bench, &["batch.jsonl"]), [found("TD403", "warning", 2)]);
}

#[test]
fn what_llama_factory_cannot_parse_fails() {
    let bench = Bench::new();
    let row = |call: &str, tools: &str| {
        let texts = [call, tools].map(|text| serde_json::to_string(text).unwrap());
        format!(
            r#"{{"conversations":[{{"from":"human","value":"hi"}},{{"from":"function_call","value":{}}},{{"from":"observation","value":"4"}},{{"from":"gpt","value":"Four."}}],"tools":{}}}"#,
            texts[0], texts[1]
        )
    };
    let (whole, tools) = (r#"{"name":"stock","arguments":{}}"#, r#"[{"name":"stock"}]"#);
    let rows = [
        row(whole, tools),
        row(r#"{"name":"stock","argum"#, tools),
        row(&format!("<think>four?</think>\n[{whole}]"), ""),
        row(whole, r#"[{"name":"sto"#),
    ];
    bench.write("rows.jsonl", rows.join("\n") + "\n");
    let wanted = [found("TD403", "error", 2), found("TD013", "error", 4)];
    assert_eq!(findings(&bench, &["rows.jsonl"]), wanted);
    bench.run(&["repair", "-o", "copy.jsonl", "rows.jsonl"]);
    assert!(
        !bench.path("copy.jsonl").exists() || bench.read("copy.jsonl") == bench.read("rows.jsonl")
    );
}

#[test]
fn a_row_without_messages_is_a_warning() {
    let bench = Bench::new();
    let healthy = row(&[ASK, ANSWER]);
    bench.write("rows.jsonl", format!("{healthy}\n{}\n{healthy}\n", row(&[])));
    assert_eq!(findings(&bench, &["rows.jsonl"]), [found("TD013", "warning", 2)]);
    bench.run(&["check", "rows.jsonl"]).exits(0).says("a row without messages");
    // A row that is something else is none.
    bench.write("rows.jsonl", format!("{healthy}\n{{\"meta\":[]}}\n{healthy}\n"));
    assert_eq!(findings(&bench, &["rows.jsonl"]), []);
}

#[test]
fn a_preferred_answer_follows_no_open_call() {
    let bench = Bench::new();
    let row = |messages: &[&str]| {
        let messages = messages.join(",");
        format!(
            r#"{{"input":{{"messages":[{messages}],"tools":[],"parallel_tool_calls":true}},"preferred_output":[{ANSWER}],"non_preferred_output":[{{"role":"assistant","content":"Many."}}]}}"#
        )
    };
    let asks = call("stock", "{}");
    bench.write("rows.jsonl", format!("{}\n{}\n", row(&[ASK, &asks, RESULT]), row(&[ASK, &asks])));
    let wanted = [found("TD101", "fatal", 2), found("TD101", "fatal", 2)];
    assert_eq!(findings(&bench, &["rows.jsonl"]), wanted);
    let json = bench.run(&["check", "--format", "json", "rows.jsonl"]).json();
    assert_eq!(json["conversations"][0]["format"], "openai-chat");
}

/// A row that declares a tool.
fn declaring(call: &str) -> String {
    let tools = r#"[{"type":"function","function":{"name":"stock","parameters":{"type":"object","properties":{"item":{"type":"string","enum":["bolts","nuts"]},"most":{"type":["integer","null"]},"in":{"type":"array","items":{"type":"string"}}},"required":["item"]}}}]"#;
    let messages = [ASK, call, RESULT, ANSWER].join(",");
    format!(r#"{{"tools":{tools},"messages":[{messages}]}}"#)
}

#[test]
fn calls_fit_the_tools_that_a_row_declares() {
    let bench = Bench::new();
    let rows: Vec<String> = [
        ("stock", r#"{"item":"bolts"}"#, ""),
        ("stock", r#"{"item":"nuts","most":4.0,"in":["a"],"more":true}"#, ""),
        ("stock", r#"{"item":"nuts","most":null}"#, ""),
        ("stocks", r#"{"item":"bolts"}"#, "does not declare"),
        ("stock", "{}", "requires"),
        ("stock", r#"{"item":"screws"}"#, "none of the values"),
        ("stock", r#"{"item":"nuts","most":4.5}"#, "another type"),
        ("stock", r#"{"item":"nuts","in":["a",4]}"#, "another type"),
    ]
    .iter()
    .map(|(name, arguments, _)| declaring(&call(name, arguments)))
    .collect();
    bench.write("rows.jsonl", rows.join("\n") + "\n");
    let wanted: Vec<_> = (4..=8).map(|line| found(UNDECLARED, "warning", line)).collect();
    assert_eq!(findings(&bench, &["rows.jsonl"]), wanted);
    bench.run(&["check", "rows.jsonl"]).exits(0);
    bench.run(&["check", "--fail-on", "warning", "rows.jsonl"]).exits(1);
    // A request may go on with other tools than it began with.
    let request = rows[3].replacen('{', r#"{"model":"gpt-5","#, 1);
    bench.write("rows.jsonl", format!("{request}\n{request}\n"));
    assert_eq!(findings(&bench, &["rows.jsonl"]), []);
    // Some data sets keep the list as JSON text.
    let text = rows[3].split_once(r#","messages""#).unwrap();
    let tools = serde_json::to_string(text.0.strip_prefix(r#"{"tools":"#).unwrap()).unwrap();
    let row = format!(r#"{{"tools":{tools},"messages"{}"#, text.1);
    bench.write("rows.jsonl", format!("{row}\n{}\n", rows[0]));
    assert_eq!(findings(&bench, &["rows.jsonl"]), [found(UNDECLARED, "warning", 1)]);
}

/// The rule about calls that do not fit.
const UNDECLARED: &str = "TD413";

#[test]
fn each_request_of_a_batch_has_an_id_of_its_own() {
    let bench = Bench::new();
    let body = row(&[ASK]);
    let line = |id: &str| {
        format!(
            r#"{{"custom_id":"{id}","method":"POST","url":"/v1/chat/completions","body":{body}}}"#
        )
    };
    bench.write("batch.jsonl", [line("a"), line("b"), line("a"), line("c")].join("\n") + "\n");
    assert_eq!(findings(&bench, &["batch.jsonl"]), [found("TD306", "error", 3)]);
    let ran = bench.run(&["check", "batch.jsonl"]).exits(1);
    ran.says("the `custom_id` of line 1 once more");
    assert_eq!(findings(&bench, &["--ignore", "TD306", "batch.jsonl"]), []);
    bench.write("batch.jsonl", [line("a"), line("b"), line("c")].join("\n") + "\n");
    assert_eq!(findings(&bench, &["batch.jsonl"]), []);
}
