//! Facts from other sessions in the same folder.

use crate::formats::FormatContext;
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};

/// The working folder, if all readable headers of the other sessions agree on it.
pub(super) fn cwd(context: &FormatContext<'_>) -> Option<String> {
    let mut agreed: Option<String> = None;
    for line in context.entries.first_lines_beside(".jsonl") {
        let tape = scan(&line, ScanMode::Line);
        let text = line.as_slice();
        let Some(root) = Node::root(&tape, &text).filter(|root| super::layout::is_header(*root))
        else {
            continue;
        };
        let cwd = root.string("cwd")?.into_owned();
        if agreed.as_ref().is_some_and(|known| *known != cwd) {
            return None;
        }
        agreed = Some(cwd);
    }
    agreed
}
