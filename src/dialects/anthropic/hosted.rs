//! Calls of tools that the provider runs, and their results: both stand in one answer.

use crate::transcript::{Code, Role};
use hashbrown::HashMap;

use super::block::{Block, Key};
use super::kinds::{self, Hosted};
use super::{Damage, Manner};
use crate::json::alike::ObjectLayout;
use crate::json::cut;
use crate::json::node::Node;

/// A block that has no other half in its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    /// The number of the message among those of the turn, from 0.
    pub message: usize,
    /// Its block, from 0.
    pub block: u32,
    /// Which half it is.
    pub is: Hosted,
    /// The id that both should have; "" for none.
    pub id: String,
}

/// The halves that stand alone in a turn of the assistant, given the content of each of its messages, in order.
pub(crate) fn halves(turn: &[Node<'_>]) -> Vec<Half> {
    let mut open: HashMap<String, Half> = HashMap::new();
    let mut alone = Vec::new();
    for (message, content) in turn.iter().enumerate() {
        for (block, node) in (0_u32..).zip(content.items()) {
            let Some(is) = kinds::hosted(node) else {
                continue;
            };
            let key = if is == Hosted::Call {
                "id"
            } else {
                "tool_use_id"
            };
            let id = node
                .get(key)
                .and_then(|id| id.str())
                .unwrap_or_default()
                .into_owned();
            let half = Half {
                message,
                block,
                is,
                id: id.clone(),
            };
            match is {
                Hosted::Call => alone.extend(open.insert(id, half)),
                Hosted::Result if open.remove(&id).is_none() => alone.push(half),
                Hosted::Result => {}
            }
        }
    }
    alone.extend(open.into_values());
    alone.sort_by_key(|half| (half.message, half.block));
    alone
}

/// Whether a call has an ID that the provider refuses, or none.
pub(super) fn has_bad_id(block: &Block<'_>) -> bool {
    let is_bad = |id: Node<'_>| !id.str().is_some_and(|id| is_good(&id));
    block.is("server_tool_use") && block.get(Key::Id).is_none_or(is_bad)
}

/// Ids of such calls that the provider refuses: call and result of one message get another one together.
pub(super) fn ids(content: Node<'_>, manner: &Manner) -> Vec<Damage> {
    let mut found = Vec::new();
    if manner.role != Role::Assistant {
        return found;
    }
    let mut results: HashMap<String, Vec<Node<'_>>> = HashMap::new();
    for block in content
        .items()
        .filter(|block| kinds::hosted(*block) == Some(Hosted::Result))
    {
        let Some(id) = block.get("tool_use_id") else {
            continue;
        };
        results
            .entry(id.str().unwrap_or_default().into_owned())
            .or_default()
            .push(id);
    }
    for (at, block) in (0_u32..)
        .zip(content.items())
        .filter(|(_, block)| kinds::is(*block, "server_tool_use"))
    {
        let Some((member, id)) = block.get("id").and_then(|id| Some((id, id.str()?))) else {
            found.push(Damage::at(
                Code::MissingCallId,
                "server tool call without an id",
                at,
            ));
            continue;
        };
        if is_good(&id) {
            continue;
        }
        let damage = Damage::at(
            Code::BadCallId,
            "the id of a server tool call has characters that the provider rejects",
            at,
        );
        let quoted = ObjectLayout::of(&block.raw()).quote(&fit(&id));
        let quoted = String::from_utf8_lossy(&quoted);
        let own = results
            .get(id.as_ref())
            .map(Vec::as_slice)
            .unwrap_or_default();
        let places = std::iter::once(&member).chain(own);
        let changes = places.map(|place| cut::replace(*place, &quoted)).collect();
        found.push(if own.len() == 1 && !id.is_empty() {
            damage.safe(changes)
        } else {
            damage
        });
    }
    found
}

fn is_good(id: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    id.strip_prefix("srvtoolu_")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(legal))
}

/// `srvtoolu_` and the legal characters of the old id.
fn fit(id: &str) -> String {
    let id = id.trim();
    let rest = id.strip_prefix("srvtoolu_").unwrap_or(id);
    let legal: String = rest
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("srvtoolu_{legal}")
}
