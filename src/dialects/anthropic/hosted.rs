//! The IDs of calls of tools that the provider runs.

use super::block::{BlockKey, ContentBlock};

/// Whether a call has no ID, or one that the provider rejects.
pub(super) fn has_bad_id(block: &ContentBlock<'_>) -> bool {
    block.is("server_tool_use")
        && block.get(BlockKey::Id).is_none_or(|id| !id.str().is_some_and(|id| is_good(&id)))
}

/// Whether the provider accepts an ID for such a call.
pub(crate) fn is_good(id: &str) -> bool {
    id.strip_prefix("srvtoolu_").is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// `srvtoolu_` and the valid characters of the old ID.
pub(crate) fn fit(id: &str) -> String {
    let id = id.trim();
    let rest = id.strip_prefix("srvtoolu_").unwrap_or(id);
    let legal: String =
        rest.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("srvtoolu_{legal}")
}
