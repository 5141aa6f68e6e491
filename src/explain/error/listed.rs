//! Parses the calls in a Python list, as LangGraph prints them: `[{'name': 'f', 'args': {'id':
//! 'x'}, 'id': 'ID', 'type': 'tool_call'}]`.

/// The calls in a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListedCalls {
    /// Their IDs, in order. IDs that a terminal wrapped are joined.
    pub ids: Vec<String>,
    /// Whether a call had no ID.
    pub nameless: bool,
}

/// Most lists tried per level: each is read to its end.
const TRIED: usize = 8;

/// The first list of calls in a text; its end may be missing. `levels` is the text after each level
/// of unquoting. The first level with a list counts, because deeper ones no longer show which quote
/// ends a string.
pub(super) fn calls(levels: &[String]) -> ListedCalls {
    let mut lists = levels.iter().flat_map(|level| {
        // Skip what a traceback printed before.
        let level = level.find("AIMessages").map_or(level.as_str(), |at| &level[at..]);
        let lists = level.match_indices('[').map(|(at, _)| &level[at + 1..]);
        lists.filter(|list| list.trim_start().starts_with('{')).take(TRIED).map(read)
    });
    lists.find(|list| *list != ListedCalls::default()).unwrap_or_default()
}

/// Reads the text after the `[`. Only members of the calls themselves count, not those of their
/// arguments.
fn read(text: &str) -> ListedCalls {
    let mut found = ListedCalls::default();
    let mut chars = text.chars();
    let (mut depth, mut key, mut id) = (1_u32, String::new(), None);
    // A string that becomes a key if a colon follows.
    let mut word = None;
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let string = string(&mut chars, c);
                if depth == 2 && key == "id" {
                    id = Some(string);
                    key.clear();
                } else if depth == 2 {
                    word = Some(string);
                }
            }
            ':' if depth == 2 => key = word.take().unwrap_or_default(),
            ',' if depth == 2 => key.clear(),
            'N' | 'n' if depth == 2 && key == "id" => {
                found.nameless = true;
                key.clear();
            }
            '{' | '[' | '(' => depth = depth.saturating_add(1),
            '}' | ']' | ')' => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    found.ids.extend(id.take());
                    key.clear();
                }
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    found.ids.extend(id);
    found
}

/// Reads a string up to its quote, without the white space around line breaks in it.
fn string(chars: &mut std::str::Chars<'_>, quote: char) -> String {
    let mut out = String::new();
    while let Some(c) = chars.next().filter(|c| *c != quote) {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out.lines().map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        calls(&[text.to_owned()]).ids
    }

    #[test]
    fn only_the_ids_of_the_calls_count() {
        let text = r#"[{'name': 'f', 'args': {'id': 'no', 'note': "it's } 'id': 'no'", 'n': [{'id': 'no'}]}, 'id': 'a.b:c', 'type': 'tool_call'}, {'name': 'g', 'args': {}, 'id': 'b', 'type': 'tool_call'}]. 'id': 'no'"#;
        assert_eq!(ids(text), ["a.b:c", "b"]);
        assert_eq!(ids(r#"[{"name": "f", "args": {}, "id": "a", "type": "tool_call"}]"#), ["a"]);
    }

    #[test]
    fn broken_and_cut_lists() {
        assert_eq!(ids("[{'name': 'f', 'id': 'toolu_\n   01', 'type': 'to"), ["toolu_01"]);
        assert!(
            calls(&["[{'name': 'f', 'args': {}, 'id': None, 'type': 'tool_call'}]".to_owned()])
                .nameless
        );
        assert_eq!(ids("nothing [1, 2] here"), Vec::<String>::new());
        for text in ["[{", "[{'", "[{'id':", "[{'id': 'a\\", "[{}}}}]"] {
            assert!(ids(text).len() <= 1);
        }
    }

    #[test]
    fn the_outermost_level_that_has_a_list_counts() {
        let levels = [
            r"[{\'args\': {\'s\': \'it\\\'s\'}, \'id\': \'a\'}]",
            r"[{'args': {'s': 'it\'s'}, 'id': 'a'}]",
        ];
        assert_eq!(calls(&levels.map(str::to_owned)).ids, ["a"]);
    }
}
