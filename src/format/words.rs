//! The text of records, which is read again because events do not keep it.

use super::{Format, FormatContext};
use crate::json::node::Node;
use crate::transcript::{PartId, PartKind};

/// The text of a result, which may be one of several parts of its record. `None`: it has none, or it cannot be found.
pub(crate) fn result_text(
    context: &FormatContext<'_>,
    format: &Format,
    part: PartId,
) -> Option<String> {
    if let Some(text) = text_of_block(context, format, part) {
        return Some(text);
    }
    let t = context.transcript;
    let event = t.part(part).event;
    let results = t.parts_of(event, PartKind::Result).count();
    if results == 1 { (format.text)(context, event) } else { None }
}

fn text_of_block(context: &FormatContext<'_>, format: &Format, part: PartId) -> Option<String> {
    let t = context.transcript;
    let event = t.part(part).event;
    let record = context.record(event).ok()?;
    let mut lists = format.traits.blocks.iter();
    let list = lists.find_map(|path| record.root().at(path))?;
    let at = t.event(event).parts.clone().position_of(part);
    block_text(list.items().nth(at)?)
}

/// The text of a result block, which is in the block or in the value of its only other key.
fn block_text(block: Node<'_>) -> Option<String> {
    let result =
        ["toolResult", "functionResponse"].iter().find_map(|key| block.get(key)).unwrap_or(block);
    let content = result.get("content").or_else(|| {
        let response = result.get("response")?;
        ["output", "result", "error", "content"].iter().find_map(|key| response.get(key))
    });
    words(content?)
}

/// A string, or the texts of a list of blocks, each on a line of its own.
pub(crate) fn words(content: Node<'_>) -> Option<String> {
    if let Some(text) = content.str() {
        return Some(text.into_owned());
    }
    let texts: Vec<String> =
        content.items().filter_map(|block| Some(block.string("text")?.into_owned())).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
