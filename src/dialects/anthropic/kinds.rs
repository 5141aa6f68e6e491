//! The kinds of content blocks: who may say them, and which members they have.

use crate::json::node::Node;
use crate::json::tape;
use crate::transcript::Role;

/// Who may say a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The model only.
    Assistant,
    /// The user only.
    User,
    /// Both.
    Anyone,
    /// Nobody: it stands inside results only.
    Nobody,
}

/// A kind of block.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Its `type`.
    pub name: &'static str,
    /// Who may say it.
    pub by: By,
    /// Members that it must have.
    pub needs: &'static [&'static str],
    /// Members that it may have besides; `None`: any.
    takes: Option<&'static [&'static str]>,
    /// It may stand inside a result.
    pub in_result: bool,
    /// What it is to a call of a tool that the provider runs inside its own answer.
    pub hosted: Option<Hosted>,
}

impl Kind {
    const fn new(name: &'static str, by: By, needs: &'static [&'static str]) -> Kind {
        Kind {
            name,
            by,
            needs,
            takes: None,
            in_result: false,
            hosted: None,
        }
    }

    const fn takes(self, takes: &'static [&'static str]) -> Kind {
        Kind {
            takes: Some(takes),
            ..self
        }
    }

    const fn inside(self) -> Kind {
        Kind {
            in_result: true,
            ..self
        }
    }

    const fn hosted(self, hosted: Hosted) -> Kind {
        Kind {
            hosted: Some(hosted),
            ..self
        }
    }

    /// Why it may not be in a message of this role, or inside a result (`None`).
    pub(crate) fn misplaced(&self, role: Option<Role>) -> Option<&'static str> {
        match (self.by, role.map(|role| role == Role::Assistant)) {
            (_, None) if self.in_result => None,
            (_, None) => Some("a block that is not allowed inside a tool result"),
            (By::Anyone, _) | (By::Assistant, Some(true)) | (By::User, Some(false)) => None,
            (By::Assistant, _) if self.name == "tool_use" => Some("tool call in a user message"),
            (By::Assistant, _) if self.name.contains("thinking") => {
                Some("thinking in a user message")
            }
            (By::Assistant, _) => Some("assistant block in a user message"),
            (By::User, _) => Some("tool result in an assistant message"),
            (By::Nobody, _) => Some("a block that is allowed only inside a tool result"),
        }
    }

    /// Whether a member with this key may be in a block of the kind.
    pub(crate) fn knows(&self, key: &[u8]) -> bool {
        let Some(takes) = self.takes else { return true };
        let mut known = self.needs.iter().chain(takes);
        key == b"type" || known.any(|known| known.as_bytes() == key)
    }
}

/// All kinds but the results of tools that the provider runs.
const KINDS: &[Kind] = &[
    Kind::new("text", By::Anyone, &["text"])
        .takes(&["cache_control", "citations"])
        .inside(),
    Kind::new("tool_use", By::Assistant, &["id", "name", "input"])
        .takes(&["cache_control", "caller"]),
    Kind::new("tool_result", By::User, &["tool_use_id"]).takes(&[
        "cache_control",
        "content",
        "is_error",
    ]),
    Kind::new("thinking", By::Assistant, &["thinking", "signature"]).takes(&[]),
    Kind::new("redacted_thinking", By::Assistant, &["data"]).takes(&[]),
    Kind::new("image", By::Anyone, &["source"])
        .takes(&["cache_control"])
        .inside(),
    Kind::new("document", By::Anyone, &["source"])
        .takes(&["cache_control", "citations", "context", "title"])
        .inside(),
    Kind::new("server_tool_use", By::Assistant, &["id", "name", "input"])
        .takes(&["cache_control", "caller"])
        .hosted(Hosted::Call),
    Kind::new(
        "mcp_tool_use",
        By::Assistant,
        &["id", "name", "input", "server_name"],
    )
    .takes(&["cache_control"])
    .hosted(Hosted::Call),
    Kind::new("mcp_tool_result", By::Assistant, &["tool_use_id"])
        .takes(&["cache_control", "content", "is_error"])
        .hosted(Hosted::Result),
    Kind::new("search_result", By::Anyone, &["content", "source", "title"])
        .takes(&["cache_control", "citations"])
        .inside(),
    Kind::new("container_upload", By::Anyone, &["file_id"]).takes(&["cache_control"]),
    Kind::new("compaction", By::Anyone, &["content"]),
    Kind::new("fallback", By::Anyone, &[]),
    Kind::new("mid_conv_system", By::Anyone, &[]),
    Kind::new("tool_reference", By::Nobody, &["tool_name"]).inside(),
];

/// The result of a tool that the provider runs: `web_search_tool_result` and its like.
const HOSTED_RESULT: Kind =
    Kind::new("…_tool_result", By::Assistant, &["tool_use_id", "content"]).hosted(Hosted::Result);

/// The kind with this `type`.
pub(crate) fn of(name: &[u8]) -> Option<&'static Kind> {
    let known = KINDS.iter().find(|kind| kind.name.as_bytes() == name);
    known.or_else(|| name.ends_with(b"_tool_result").then_some(&HOSTED_RESULT))
}

/// The kind of a block; `None` if it is not a block of this dialect.
pub(crate) fn kind(block: Node<'_>) -> Option<&'static Kind> {
    let name = block.get("type")?;
    of(&name.text_bytes()).filter(|_| name.kind() == tape::Kind::String)
}

/// The kind of a block of a message of this role, or of a result (`None`); or why it may not be there.
pub(crate) fn placed(block: Node<'_>, role: Option<Role>) -> Result<&'static Kind, &'static str> {
    let unknown = match role {
        Some(_) => "a block type that the API does not have",
        None => "a block that is not allowed inside a tool result",
    };
    let kind = kind(block).ok_or(unknown)?;
    kind.misplaced(role).map_or(Ok(kind), Err)
}

/// Whether a block is of this type.
pub(crate) fn is(block: Node<'_>, name: &str) -> bool {
    block.has_str("type", name)
}

/// What a block is to a call of a tool that the provider runs inside its own answer.
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
            of(b"web_search_tool_result").map(|kind| kind.by),
            Some(By::Assistant)
        );
        assert_eq!(of(b"tool_result").map(|kind| kind.by), Some(By::User));
        assert!(of(b"tool_call").is_none() && of(b"").is_none());
    }
}
