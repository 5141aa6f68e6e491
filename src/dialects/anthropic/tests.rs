use super::*;
use crate::json::scan::{Mode, scan};
use crate::transcript::Flaws;

const ASSISTANT: Manner = Manner {
    role: Role::Assistant,
    many_images: false,
};
const USER: Manner = Manner {
    role: Role::User,
    ..ASSISTANT
};

fn with<R>(message: &str, look: impl Fn(Node<'_>) -> R) -> R {
    let bytes = message.as_bytes();
    let tape = scan(bytes, Mode::Document);
    look(Node::root(&tape, &bytes).unwrap())
}

fn codes(message: &str, manner: &Manner) -> Vec<&'static str> {
    with(message, |root| {
        let found = judge(root, manner);
        let flaws = root
            .get("content")
            .map(|content| look(content, manner.role).flaws);
        let has_flaws = flaws.is_none_or(|flaws| flaws != Flaws::NONE);
        assert!(has_flaws || found.is_empty(), "{message}");
        found.iter().map(|damage| damage.code.as_str()).collect()
    })
}

/// The message after the first treatment of its only damage.
fn treated(message: &str, manner: &Manner) -> (&'static str, Applicability, String) {
    let (code, class, mut changes) = with(message, |root| {
        let mut found = judge(root, manner);
        assert_eq!(found.len(), 1, "{found:?}");
        let damage = found.remove(0);
        let (class, changes) = damage.fixes[0].clone();
        (damage.code, class, changes)
    });
    changes.sort_by_key(|change| (change.at.start, change.at.end));
    assert!(
        changes
            .windows(2)
            .all(|pair| pair[0].at.end <= pair[1].at.start),
        "{changes:?}"
    );
    let mut new = message.as_bytes().to_vec();
    for change in changes.iter().rev() {
        new.splice(
            change.at.start as usize..change.at.end as usize,
            change.with.iter().copied(),
        );
    }
    let new = String::from_utf8(new).unwrap();
    assert_eq!(codes(&new, manner), Vec::<&str>::new(), "{new}");
    (code.as_str(), class, new)
}

fn mended(content: &str, manner: &Manner) -> (&'static str, Applicability, String) {
    let role = if manner.role == Role::Assistant {
        "assistant"
    } else {
        "user"
    };
    let start = format!(r#"{{"role": "{role}", "content": "#);
    let (code, class, new) = treated(&format!("{start}{content}}}"), manner);
    let new = new
        .strip_prefix(start.as_str())
        .and_then(|new| new.strip_suffix('}'))
        .unwrap();
    (code, class, new.to_owned())
}

#[track_caller]
fn safe(content: &str, manner: &Manner, code: &'static str, wanted: &str) {
    assert_eq!(
        mended(content, manner),
        (code, Applicability::Safe, wanted.to_owned())
    );
}

#[track_caller]
fn guessed(content: &str, manner: &Manner, code: &'static str, wanted: &str) {
    assert_eq!(
        mended(content, manner),
        (code, Applicability::Unsafe, wanted.to_owned())
    );
}

#[test]
fn names_have_a_length() {
    let call = |name: &str| {
        format!(r#"[{{"type": "tool_use", "id": "a", "name": "{name}", "input": {{}}}}]"#)
    };
    guessed(&call(""), &ASSISTANT, "TD404", &call("unknown"));
    guessed(
        &call(&"a b".repeat(80)),
        &ASSISTANT,
        "TD404",
        &call(&"a_b".repeat(80)[..64]),
    );
    safe(
        &call(&format!("f{}", " ".repeat(200))),
        &ASSISTANT,
        "TD404",
        &call("f"),
    );
    assert!(
        codes(
            &format!(r#"{{"content": {}}}"#, call("any name: é")),
            &ASSISTANT
        )
        .is_empty()
    );
}

#[test]
fn what_is_inside_results_is_judged() {
    let result = |rest: &str| format!(r#"[{{"type": "tool_result", "tool_use_id": "a"{rest}}}]"#);
    for fine in [
        "",
        r#", "content": []"#,
        r#", "content": " ""#,
        r#", "content": [{"type": "text", "text": " "}]"#,
    ] {
        assert!(
            codes(&format!(r#"{{"content": {}}}"#, result(fine)), &USER).is_empty(),
            "{fine}"
        );
    }
    safe(
        &result(r#", "content": {"type": "text", "text": "x"}"#),
        &USER,
        "TD013",
        &result(r#", "content": [{"type": "text", "text": "x"}]"#),
    );
    guessed(
        &result(r#", "content": [{"type": "thinking", "thinking": "x"}]"#),
        &USER,
        "TD410",
        &result(r#", "content": [{"type": "text", "text": "x"}]"#),
    );
}

#[test]
fn foreign_blocks_and_members_are_told() {
    let text = |text: &str| format!(r#"[{{"type": "text", "text": "{text}"}}]"#);
    guessed(
        r#"[{"type": "output_text", "text": "x"}]"#,
        &ASSISTANT,
        "TD410",
        &text("x"),
    );
    guessed(
        r#"[{"type": "thinking", "thinking": "x"}]"#,
        &USER,
        "TD410",
        &text("x"),
    );
    safe(
        r#"[{"type": "text", "text": "x", "id": null}]"#,
        &USER,
        "TD410",
        &text("x"),
    );
    guessed(
        r#"[{"type": "text", "text": "x", "id": 0}]"#,
        &USER,
        "TD410",
        &text("x"),
    );
    for code in [
        (
            r#"[{"type":"tool_use","id":"a","name":"f","input":{}}]"#,
            &USER,
        ),
        (r#"[{"type":"tool_result","tool_use_id":"a"}]"#, &ASSISTANT),
    ] {
        assert_eq!(
            codes(&format!(r#"{{"content":{}}}"#, code.0), code.1),
            ["TD410"]
        );
    }
    assert_eq!(
        codes(r#"{"content":[7,{"type":"text","text":7}]}"#, &USER),
        ["TD013", "TD013"]
    );
    assert_eq!(codes(r#"{"content":7}"#, &USER), ["TD013"]);
}

#[test]
fn media_are_what_they_say() {
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mMQaPiAFTEMLQkASvNgAbCw2zUAAAAASUVORK5CYII=";
    let image = |kind: &str, data: &str| {
        format!(
            r#"[{{"type": "image", "source": {{"type": "base64", "media_type": "{kind}", "data": "{data}"}}}}]"#
        )
    };
    let good = image("image/png", PNG);
    safe(&image("image/jpeg", PNG), &USER, "TD408", &good);
    safe(
        &image("png", &format!("data:image/png;base64,{PNG}")),
        &USER,
        "TD408",
        &good,
    );
    safe(
        &image("image/png", ""),
        &USER,
        "TD408",
        r#"[{"type": "text", "text": "(no content)"}]"#,
    );
    let removed =
        r#"[{"type": "text", "text": "[image removed by transcript-doctor: it is not an image]"}]"#;
    guessed(
        &image("image/png", "PGh0bWw+NDA0PC9odG1sPg=="),
        &USER,
        "TD408",
        removed,
    );
    guessed(&image("image/png", &PNG[..40]), &USER, "TD408", removed);
    assert!(codes(&format!(r#"{{"content": {good}}}"#), &USER).is_empty());
    let url = r#"{"content":[{"type":"image","source":{"type":"url","url":"https://example.invalid/a"}}]}"#;
    assert!(codes(url, &USER).is_empty());
}

#[test]
fn halves_of_hosted_pairs_are_found_in_their_turn() {
    let turn = [
        r#"[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]"#,
        r#"[{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},
            {"type":"web_search_tool_result","tool_use_id":"srvtoolu_2","content":[]},
            {"type":"server_tool_use","id":"srvtoolu_3","name":"web_search","input":{}}]"#,
    ];
    let tapes = turn.map(|text| scan(text.as_bytes(), Mode::Document));
    let bytes = turn.map(str::as_bytes);
    let nodes: Vec<Node<'_>> = tapes
        .iter()
        .zip(&bytes)
        .map(|(tape, bytes)| Node::root(tape, bytes).unwrap())
        .collect();
    let found = hosted::halves(&nodes);
    let told: Vec<_> = found
        .iter()
        .map(|half| (half.message, half.block, half.id.as_str()))
        .collect();
    assert_eq!(told, [(1, 1, "srvtoolu_2"), (1, 2, "srvtoolu_3")]);
}

#[test]
fn ids_of_hosted_calls_are_renamed_with_their_results() {
    let pair = |id: &str| {
        format!(
            r#"[{{"type": "server_tool_use", "id": "{id}", "name": "s", "input": {{}}}}, {{"type": "s_tool_result", "tool_use_id": "{id}", "content": []}}]"#
        )
    };
    safe(
        &pair("toolu-1"),
        &ASSISTANT,
        "TD405",
        &pair("srvtoolu_toolu_1"),
    );
}
