//! What is still said in a record that is cut off.

use super::node::Node;
use super::record::Record;
use super::tape::Kind;

/// Members with what a tool said.
const SAID: [&str; 7] = ["content", "error", "message", "output", "stderr", "stdout", "text"];

/// The texts of a result in the bytes of a record that is cut off, also the one that has no end.
pub(crate) fn said(bytes: Vec<u8>) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(record) = Record::parse(bytes) {
        add(record.root(), "", &mut texts);
    }
    texts
}

fn add(value: Node<'_>, key: &str, texts: &mut Vec<String>) {
    match value.kind() {
        Kind::Object => {
            for (name, member) in value.members() {
                add(member, &name.str().unwrap_or_default(), texts);
            }
        }
        Kind::Array => value.items().for_each(|item| add(item, key, texts)),
        Kind::String if SAID.contains(&key) => {
            let text = value.str().map(|text| text.into_owned());
            let text = text.unwrap_or_else(|| open_text(value));
            if !text.trim().is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        _ => {}
    }
}

/// The text of a string without an end.
pub(crate) fn open_text(value: Node<'_>) -> String {
    let raw = value.raw();
    let inside = raw.get(1..).unwrap_or_default();
    // The cut may have split an escape.
    let ends = (0..inside.len().min(LONGEST_ESCAPE)).map(|cut| &inside[..inside.len() - cut]);
    let mut closed = ends.map(|inside| [b"\"", inside, b"\""].concat());
    let text = closed.find_map(|bytes| {
        let record = Record::parse(bytes)?;
        let text = record.root().str().filter(|_| record.is_whole())?;
        Some(text.into_owned())
    });
    text.unwrap_or_default()
}

/// Bytes at the end of a string that the cut may have made useless.
const LONGEST_ESCAPE: usize = 12;

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn what_a_cut_record_says_is_read() {
        let cut = br#"{"id":"e1","observation":{"content":[{"type":"text","text":"one"},{"text":"two\nthr\u00"#;
        assert_eq!(said(cut.to_vec()), ["one", "two\nthr"]);
        assert!(said(b"{\"id\":\"e1\",\"tool_call_id\":\"c".to_vec()).is_empty());
    }
}
