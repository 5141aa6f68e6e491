//! Paths in few columns.

use std::borrow::Cow;

use super::width::width;

/// What is left out of a path.
const GAP: &str = "…";

/// An escaped path in at most `columns`. Folders in its middle are left out first, those farthest from the file; then the middle
/// of its last name, because names of sessions differ at both ends.
pub(crate) fn fit_path(path: &str, columns: usize) -> Cow<'_, str> {
    if width(path) <= columns {
        return Cow::Borrowed(path);
    }
    let separator = if path.contains('/') { "/" } else { "\\" };
    let parts: Vec<&str> = path.split(separator).collect();
    let joined = |head: usize, tail: usize| {
        let mut shown = parts.get(..head).unwrap_or_default().to_vec();
        shown.push(GAP);
        shown.extend(parts.get(tail..).unwrap_or_default());
        shown.join(separator)
    };
    let fits = |head, tail| width(&joined(head, tail)) <= columns;
    let (mut head, mut tail) = (1, parts.len().saturating_sub(1));
    if !fits(head, tail) {
        head = 0;
    }
    if tail == 0 || !fits(head, tail) {
        return Cow::Owned(cut_middle(parts.last().unwrap_or(&path), columns));
    }
    while tail > head.saturating_add(1) && fits(head, tail - 1) {
        tail -= 1;
    }
    while head > 0 && tail > head.saturating_add(1) && fits(head.saturating_add(1), tail) {
        head += 1;
    }
    Cow::Owned(joined(head, tail))
}

/// The start and the end of a name, in at most `columns`.
fn cut_middle(name: &str, columns: usize) -> String {
    let room = columns.saturating_sub(width(GAP));
    let most = |chars: &mut dyn Iterator<Item = char>, columns: usize| {
        let mut kept = String::new();
        for c in chars {
            kept.push(c);
            if width(&kept) > columns {
                kept.pop();
                break;
            }
        }
        kept
    };
    let start = most(&mut name.chars(), room.saturating_sub(room / 2));
    let end = most(&mut name.chars().rev(), room / 2);
    let end: String = end.chars().rev().collect();
    format!("{start}{GAP}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_in_the_middle_go_first() {
        let path = "~/.claude/projects/-home-ana-shop/5f1c7e1a.jsonl:12";
        assert_eq!(fit_path(path, 60), path);
        assert_eq!(fit_path(path, 44), "~/.claude/…/-home-ana-shop/5f1c7e1a.jsonl:12");
        assert_eq!(fit_path(path, 40), "~/…/-home-ana-shop/5f1c7e1a.jsonl:12");
        assert_eq!(fit_path(path, 30), "~/.claude/…/5f1c7e1a.jsonl:12");
        assert_eq!(fit_path(path, 20), "…/5f1c7e1a.jsonl:12");
        assert_eq!(fit_path(path, 12), "5f1c7e…nl:12");
        assert_eq!(fit_path("/a/bc/def/g.json", 14), "/…/def/g.json");
        assert_eq!(fit_path(r"C:\a\long\x.json", 14), r"C:\a\…\x.json");
    }

    #[test]
    fn every_width_is_kept() {
        for path in ["~/日本/日本語日本語/x.jsonl", "one-name-only.jsonl", "/x", "a/b"] {
            for columns in 1..40 {
                let shown = fit_path(path, columns);
                assert!(width(&shown) <= columns, "{columns}: {shown}");
            }
        }
    }
}
