//! The kinds of content blocks: in which messages they may be, and which members they have.

use crate::json::node::Node;
use crate::json::tape;
use crate::transcript::Role;

/// In which messages a block may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum AllowedIn {
    /// Only in assistant messages.
    Assistant,
    /// Only in user messages.
    User,
    /// In both.
    Anyone,
    /// Only inside results.
    Nobody,
}

#[derive(Debug)]
pub(crate) struct BlockKind {
    /// Its `type`.
    pub name: &'static str,
    /// In which messages it may be.
    pub allowed_in: AllowedIn,
    pub needs: &'static [&'static str],
    /// Its optional members; `None`: any.
    takes: Option<&'static [&'static str]>,
    /// Whether it may be inside a result.
    pub in_result: bool,
    /// Whether it is the call or the result of a tool that the provider runs.
    pub hosted: Option<Hosted>,
}

impl BlockKind {
    const fn new(
        name: &'static str,
        allowed_in: AllowedIn,
        needs: &'static [&'static str],
    ) -> BlockKind {
        BlockKind { name, allowed_in, needs, takes: None, in_result: false, hosted: None }
    }

    const fn takes(self, takes: &'static [&'static str]) -> BlockKind {
        BlockKind { takes: Some(takes), ..self }
    }

    const fn inside(self) -> BlockKind {
        BlockKind { in_result: true, ..self }
    }

    const fn hosted(self, hosted: Hosted) -> BlockKind {
        BlockKind { hosted: Some(hosted), ..self }
    }

    /// Why it must not be in a message of this role, or inside a result (`None`).
    pub(crate) fn misplaced(&self, role: Option<Role>) -> Option<&'static str> {
        match (self.allowed_in, role.map(|role| role == Role::Assistant)) {
            (_, None) if self.in_result => None,
            (_, None) => Some("a block that is not allowed inside a tool result"),
            (AllowedIn::Anyone, _)
            | (AllowedIn::Assistant, Some(true))
            | (AllowedIn::User, Some(false)) => None,
            (AllowedIn::Assistant, _) if self.name == "tool_use" => {
                Some("tool call in a user message")
            }
            (AllowedIn::Assistant, _) if self.name.contains("thinking") => {
                Some("thinking in a user message")
            }
            (AllowedIn::Assistant, _) => Some("assistant block in a user message"),
            (AllowedIn::User, _) => Some("tool result in an assistant message"),
            (AllowedIn::Nobody, _) => Some("a block that is allowed only inside a tool result"),
        }
    }

    /// Whether a block of this kind may have a member with this key.
    pub(crate) fn knows(&self, key: &[u8]) -> bool {
        let Some(takes) = self.takes else { return true };
        let mut known = self.needs.iter().chain(takes);
        key == b"type" || known.any(|known| known.as_bytes() == key)
    }
}

/// All kinds except the results of tools that the provider runs.
const KINDS: &[BlockKind] = &[
    BlockKind::new("text", AllowedIn::Anyone, &["text"])
        .takes(&["cache_control", "citations"])
        .inside(),
    BlockKind::new("tool_use", AllowedIn::Assistant, &["id", "name", "input"])
        .takes(&["cache_control", "caller"]),
    BlockKind::new("tool_result", AllowedIn::User, &["tool_use_id"]).takes(&[
        "cache_control",
        "content",
        "is_error",
    ]),
    BlockKind::new("thinking", AllowedIn::Assistant, &["thinking", "signature"]).takes(&[]),
    BlockKind::new("redacted_thinking", AllowedIn::Assistant, &["data"]).takes(&[]),
    BlockKind::new("image", AllowedIn::Anyone, &["source"]).takes(&["cache_control"]).inside(),
    BlockKind::new("document", AllowedIn::Anyone, &["source"])
        .takes(&["cache_control", "citations", "context", "title"])
        .inside(),
    BlockKind::new("server_tool_use", AllowedIn::Assistant, &["id", "name", "input"])
        .takes(&["cache_control", "caller"])
        .hosted(Hosted::Call),
    BlockKind::new("mcp_tool_use", AllowedIn::Assistant, &["id", "name", "input", "server_name"])
        .takes(&["cache_control"])
        .hosted(Hosted::Call),
    BlockKind::new("mcp_tool_result", AllowedIn::Assistant, &["tool_use_id"])
        .takes(&["cache_control", "content", "is_error"])
        .hosted(Hosted::Result),
    BlockKind::new("search_result", AllowedIn::Anyone, &["content", "source", "title"])
        .takes(&["cache_control", "citations"])
        .inside(),
    BlockKind::new("container_upload", AllowedIn::Anyone, &["file_id"]).takes(&["cache_control"]),
    BlockKind::new("compaction", AllowedIn::Anyone, &["content"]),
    BlockKind::new("fallback", AllowedIn::Anyone, &[]),
    BlockKind::new("mid_conv_system", AllowedIn::Anyone, &[]),
    BlockKind::new("tool_reference", AllowedIn::Nobody, &["tool_name"]).inside(),
];

/// The result of a tool that the provider runs, such as `web_search_tool_result`.
const HOSTED_RESULT: BlockKind =
    BlockKind::new("…_tool_result", AllowedIn::Assistant, &["tool_use_id", "content"])
        .hosted(Hosted::Result);

/// The kind with this `type`.
pub(crate) fn of(name: &[u8]) -> Option<&'static BlockKind> {
    let known = KINDS.iter().find(|kind| kind.name.as_bytes() == name);
    known.or_else(|| name.ends_with(b"_tool_result").then_some(&HOSTED_RESULT))
}

/// The kind of a block; `None` if it is not a block of this dialect.
pub(crate) fn kind(block: Node<'_>) -> Option<&'static BlockKind> {
    let name = block.get("type")?;
    of(&name.text_bytes()).filter(|_| name.kind() == tape::Kind::String)
}

/// The kind of a block in a message of this role, or in a result (`None`); or why it must not be there.
pub(crate) fn placed(
    block: Node<'_>,
    role: Option<Role>,
) -> Result<&'static BlockKind, &'static str> {
    let unknown = match role {
        Some(_) => "a block type that the API does not have",
        None => "a block that is not allowed inside a tool result",
    };
    let kind = kind(block).ok_or(unknown)?;
    kind.misplaced(role).map_or(Ok(kind), Err)
}

/// Whether a block has this type.
pub(crate) fn is(block: Node<'_>, name: &str) -> bool {
    block.has_str("type", name)
}

/// Whether a block is the call or the result of a tool that the provider runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hosted {
    Call,
    Result,
}

/// Whether a block belongs to a tool that the provider runs.
pub(crate) fn hosted(block: Node<'_>) -> Option<Hosted> {
    kind(block)?.hosted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_hosted_tools_are_known_by_their_ending() {
        assert_eq!(
            of(b"web_search_tool_result").map(|kind| kind.allowed_in),
            Some(AllowedIn::Assistant)
        );
        assert_eq!(of(b"tool_result").map(|kind| kind.allowed_in), Some(AllowedIn::User));
        assert!(of(b"tool_call").is_none() && of(b"").is_none());
    }
}
