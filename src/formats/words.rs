//! What a record says in words: read again, because facts keep no text.

use super::{Format, FormatContext};
use crate::json::node::Node;
use crate::transcript::{PartId, PartKind};

/// What a result says, also where it is one of several parts of its record. `None`: nothing, or nobody could tell.
pub(crate) fn result_text(
    context: &FormatContext<'_>,
    format: &Format,
    part: PartId,
) -> Option<String> {
    let t = context.transcript;
    let event = t.a_part(part).event;
    let parts = t.event(event).parts.clone();
    let at = parts.position_of(part);
    let block = || {
        let record = context.record(event).ok()?;
        let mut lists = format.traits.blocks.iter();
        let list = lists.find_map(|path| record.root().at(path))?;
        block_words(list.items().nth(at)?)
    };
    let alone = parts
        .filter(|part| t.a_part(*part).kind == PartKind::Result)
        .count()
        == 1;
    block().or_else(|| (format.text)(context, event).filter(|_| alone))
}

/// The text of a block that is a result: in the block, or in the value that its only other key has.
fn block_words(block: Node<'_>) -> Option<String> {
    let result = ["toolResult", "functionResponse"]
        .iter()
        .find_map(|key| block.get(key))
        .unwrap_or(block);
    let said = result.get("content").or_else(|| {
        let response = result.get("response")?;
        ["output", "result", "error", "content"]
            .iter()
            .find_map(|key| response.get(key))
    });
    words(said?)
}

/// A string, or the texts of a list of blocks, on lines of their own.
pub(super) fn words(content: Node<'_>) -> Option<String> {
    if let Some(text) = content.str() {
        return Some(text.into_owned());
    }
    let texts: Vec<String> = content
        .items()
        .filter_map(|block| Some(block.string("text")?.into_owned()))
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
