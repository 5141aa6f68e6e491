use super::*;
use crate::json::scan::{ScanMode, scan};

fn with<R>(text: &str, look: impl Fn(Node<'_>) -> R) -> R {
    let bytes = text.as_bytes();
    look(Node::root(&scan(bytes, ScanMode::Document), &bytes).unwrap())
}

#[test]
fn kinds_are_kept_apart() {
    let sort_of = |text: &str| with(text, |item| sort(item).map(|sort| format!("{sort:?}")));
    let is = |text: &str, wanted: &str| {
        assert!(
            sort_of(text).unwrap_or_default().starts_with(wanted),
            "{text}: {:?}",
            sort_of(text)
        );
    };
    is(r#"{"type":"function_call","call_id":"a"}"#, "Call");
    is(r#"{"type":"tool_search_call","call_id":null,"execution":"client"}"#, "Server");
    is(r#"{"type":"tool_search_call","call_id":"a","execution":"client"}"#, "Call");
    is(r#"{"type":"tool_search_call","call_id":"a","execution":"server"}"#, "Server");
    is(r#"{"type":"web_search_call"}"#, "Server");
    is(r#"{"type":"tool_search_output","call_id":null}"#, "Server");
    is(r#"{"type":"local_shell_call_output","call_id":"a"}"#, "Output");
    is(r#"{"role":"user","content":"x"}"#, "Message");
    assert_eq!(sort_of(r#"{"type":"tool_use"}"#), None);
    assert_eq!(sort_of(r#"{"type":7}"#), None);
}

#[test]
fn placeholders_and_answers() {
    let origin = |output: &str| {
        with(&format!(r#"{{"output":{output}}}"#), |item| origin(item.get("output")))
    };
    assert_eq!(origin(r#""aborted""#), Origin::Placeholder);
    assert_eq!(
        origin(r#"[{"type":"input_text","text":"aborted by user after 3.2s"}]"#),
        Origin::Placeholder
    );
    assert_eq!(origin(r#""aborted because of 7""#), Origin::Real);
    assert_eq!(origin("[]"), Origin::Real);
}

#[test]
fn ids_that_are_refused() {
    assert!(id_refusal("function_call", "call_1").is_some());
    assert!(id_refusal("message", "a.b").is_some());
    assert!(id_refusal("message", "anything-else").is_some());
    for (kind, id) in [
        ("function_call", "fc_1"),
        ("message", "msg_user_1"),
        ("function_call_output", "x"),
        ("item_reference", ""),
    ] {
        assert_eq!(id_refusal(kind, id), None, "{kind}");
    }
}
