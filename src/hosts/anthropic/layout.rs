//! The containers of plain messages: arrays, request bodies inside other objects, lines.

use std::borrow::Cow;

use crate::bytes::source::EntryId;
use crate::containers::{Layout, PathStep};
use crate::dialects::anthropic::kinds;
use crate::format::head::Sample;
use crate::format::plain::sampled;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Members that may contain the body of a request.
const HOLDERS: &[&str] =
    &["request", "body", "params", "kwargs", "input", "inputBodyJson", "data", "json_data"];
/// The maximum depth of a body.
const DEEPEST: usize = 3;

/// A body and its path.
pub(super) struct RequestBody<'a> {
    /// The object with `messages`.
    pub body: Node<'a>,
    /// The path from the document to its messages.
    pub way: Vec<PathStep>,
}

/// Finds the body in a logged object, at most three levels deep.
pub(super) fn body(root: Node<'_>) -> Option<RequestBody<'_>> {
    let (mut node, mut way) = (root, Vec::new());
    for _ in 0..=DEEPEST {
        if node.has_kind("messages", Kind::Array) {
            way.push(PathStep::Key("messages"));
            return Some(RequestBody { body: node, way });
        }
        let (key, inner) =
            HOLDERS.iter().find_map(|key| Some((*key, node.get_kind(key, Kind::Object)?)))?;
        way.push(PathStep::Key(key));
        node = inner;
    }
    None
}

/// Finds the messages, if one of their blocks, IDs or members is a sign of this API.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    find(head, &|body, list| {
        // Proxies accept Chat Completions requests for any model. In these, the instructions are the first message, while
        // this API takes such messages only after a turn of the user.
        body.is_some_and(|body| {
            is_request(body, list().next().is_some_and(|first| first.has_str("role", "system")))
        }) || list().any(has_sign)
    })
}

/// Whether a message is one of this API, without anything of another API.
pub(super) fn explains(message: Node<'_>) -> bool {
    is_message(message) && !is_other(message)
}

/// Finds messages without a sign of any API: messages of the two roles with only strings or texts.
pub(super) fn unsigned(head: &Sample<'_>) -> Option<Layout> {
    find(head, &|_, list| {
        list().all(|message| {
            let only =
                message.members().all(|(key, _)| key.is_str("role") || key.is_str("content"));
            // A value that is not a block is damage, which says nothing about the API.
            message.is_open()
                || only
                    && message.get("content").is_none_or(|content| {
                        content
                            .items()
                            .all(|block| block.kind() != Kind::Object || kinds::is(block, "text"))
                    })
        })
    })
}

/// Whether messages are of this format, given the body around them and their elements.
type Test<'t> = &'t dyn for<'a> Fn(
    Option<Node<'a>>,
    &dyn Fn() -> Box<dyn Iterator<Item = Node<'a>> + 'a>,
) -> bool;

fn find(head: &Sample<'_>, test: Test<'_>) -> Option<Layout> {
    // A cut-off line may only have a sign.
    head.list(
        |entry, root| document(entry, root, test),
        || {
            head.nodes().any(|node| !node.is_open() && is_message(node))
                && test(None, &|| Box::new(head.nodes()))
        },
    )
}

fn document(entry: EntryId, root: Node<'_>, test: Test<'_>) -> Option<Layout> {
    if root.kind() == Kind::Array {
        return holds(None, root, test).then(|| Layout::array(entry));
    }
    let found = body(root)?;
    let list = found.body.get("messages")?;
    holds(Some(found.body), list, test).then(|| Layout::enclosed(entry, found.way))
}

fn holds(body: Option<Node<'_>>, list: Node<'_>, test: Test<'_>) -> bool {
    let (mut all, mut own) = (0, 0);
    for item in elements(list) {
        all += 1;
        own += usize::from(is_message(item));
    }
    // A cut-off or broken message among others does not matter.
    own > 0 && 2 * own >= all && test_list(body, list, test)
}

fn test_list<'a>(body: Option<Node<'a>>, list: Node<'a>, test: Test<'_>) -> bool {
    test(body, &|| Box::new(elements(list)))
}

fn elements<'a>(list: Node<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    sampled(list).filter(|item| !item.is_open())
}

/// Whether a value is a message: an object with a role of this API, or without a role but with blocks.
pub(super) fn is_message(node: Node<'_>) -> bool {
    if ["user", "assistant", "system"].iter().any(|role| node.has_str("role", role)) {
        return node.get("content").is_some() || node.members().count() == 1;
    }
    // A fragment of a message may start with one of its blocks.
    let missing = node.get("role").is_none_or(|role| role.is_null()) && node.get("type").is_none();
    missing && node.get("content").is_some_and(|content| content.kind() != Kind::Object)
}

/// Whether only this API accepts a body. It requires `max_tokens`; the name of a model alone only shows who answered. The
/// end of a cut-off body may be lost. `instructed`: the first message has the role `system`.
fn is_request(body: Node<'_>, instructed: bool) -> bool {
    let limited = body.get("max_tokens").is_some() || body.is_open();
    let own = body.get("system").is_some()
        || (!instructed && body.string("model").is_some_and(|m| m.contains("claude")));
    (limited && own) || body.get("anthropic_version").is_some()
}

/// Whether a message has blocks or IDs that only this API has.
fn has_sign(message: Node<'_>) -> bool {
    const BLOCKS: &[&str] = &[
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "document",
    ];
    message.items_of("content").any(|block| {
        BLOCKS.iter().any(|name| kinds::is(block, name))
            || (kinds::is(block, "image") && block.get("source").is_some())
            || ["id", "tool_use_id"].iter().any(|key| is_id(block.string(key)))
    })
}

/// Whether a value is an ID as only this API makes it.
fn is_id(value: Option<Cow<'_, str>>) -> bool {
    value.is_some_and(|id| id.starts_with("toolu_") || id.starts_with("srvtoolu_"))
}

/// Whether a message is of another API, or of a host with a format of its own.
fn is_other(message: Node<'_>) -> bool {
    const KEYS: &[&str] =
        &["tool_calls", "tool_call_id", "parts", "lc", "ts", "uuid", "sessionId", "call_id"];
    const ROLES: &[&str] = &["tool", "developer", "function"];
    KEYS.iter().any(|key| message.get(key).is_some())
        || message.get("role").is_some_and(|role| ROLES.iter().any(|other| role.is_str(other)))
}
