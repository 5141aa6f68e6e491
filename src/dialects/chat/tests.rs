use super::*;
use crate::json::scan::{ScanMode, scan};

fn with<R>(text: &str, look: impl FnOnce(Node<'_>) -> R) -> R {
    let bytes = text.as_bytes();
    let tape = scan(bytes, ScanMode::Document);
    look(Node::root(&tape, &bytes).unwrap())
}

#[test]
fn messages_of_other_shapes_are_not_owned() {
    for text in [
        r#"{"role":"user","content":"x"}"#,
        r#"{"role":"assistant","content":null,"tool_calls":[]}"#,
        r#"{"role":null,"tool_call_id":"a","content":"x"}"#,
        r#"{"role":"assistant-subagent-1","content":"x"}"#,
    ] {
        assert!(with(text, owns), "{text}");
    }
    for text in [
        r#"{"role":"human","content":"x"}"#,
        r#"{"role":"_checkpoint","content":"x"}"#,
        r#"{"role":"user","content":[{"text":"x"}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}"#,
        r#"{"role":"user","parts":[{"text":"x"}]}"#,
        r#"{"content":"x"}"#,
    ] {
        assert!(!with(text, owns), "{text}");
    }
}

#[test]
fn the_id_of_a_call_makes_a_result_of_an_unknown_role() {
    let kind = |text: &str| {
        with(text, |node| pieces(&ChatMessage::of(node)).first().map(|piece| piece.kind))
    };
    for (text, wanted) in [
        (r#"{"role":"tool","content":"x"}"#, PartKind::Result),
        (r#"{"role":null,"tool_call_id":"a","content":"x"}"#, PartKind::Result),
        (r#"{"role":"assistant-subagent-1","tool_call_id":"a","content":"x"}"#, PartKind::Result),
        (r#"{"role":"assistant-subagent-1","content":"x"}"#, PartKind::Text),
        (r#"{"role":"user","tool_call_id":"a","content":"x"}"#, PartKind::Text),
    ] {
        assert_eq!(kind(text), Some(wanted), "{text}");
    }
}

#[test]
fn a_block_that_repeats_a_call_is_a_place_of_it() {
    let text = r#"{"role":"assistant","content":[{"type":"text","text":"t"},
            {"type":"tool_call","tool_call_id":"a","name":"f","arguments":{"x":1}}],
            "tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    with(text, |node| {
        let pieces = pieces(&ChatMessage::of(node));
        let kinds: Vec<PartKind> = pieces.iter().map(|piece| piece.kind).collect();
        assert_eq!(kinds, [PartKind::Text, PartKind::Call]);
        assert_eq!((pieces[1].ids.len(), pieces[1].homes.len()), (2, 2));
    });
}
