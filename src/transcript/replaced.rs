//! IDs that another program replaced: with a mark such as `[REDACTED]`, or with one ID for most records.
//!
//! Such IDs do not identify anything. Each record gets an ID of its own with the same text, its parent is the record
//! before it, and the results of a batch answer its calls in order. This is reported once, and no fix depends on it.

use std::collections::VecDeque;

use hashbrown::HashSet;

use super::conversation::Transcript;
use super::event::{LinkKind, PartKind, Role, State};
use super::facts;
use super::ids::Id;
use super::index::{EventId, IndexVec};

/// Records of more than one kind must share an ID this often before it counts as replaced: hosts write a record twice,
/// and resumed sessions repeat IDs.
pub const FEWEST_RECORDS: usize = 3;
/// At least one in this many records with an ID must have such an ID.
pub const ONE_ID_IN: usize = 2;
/// The length of masks. `xxx` may be a name, and what is longer than a UUID is a real ID that is too long.
const MASK: std::ops::RangeInclusive<usize> = 4..=40;

/// What redaction programs call their work, in lower case.
const WORDS: &[&str] = &["redact", "anonymi", "saniti", "scrubbed", "masked"];
/// The brackets around their marks.
const BRACKETS: &[(char, char)] = &[('[', ']'), ('<', '>'), ('(', ')'), ('{', '}')];
/// The letters of masks.
const MASK_LETTERS: &[char] = &['x', 'X', '*', '#', '•', '█'];
/// A mark at the end of a line is within this many bytes.
const LONGEST_MARK: usize = 80;

/// The IDs that were replaced in a conversation.
#[derive(Default, Debug)]
pub struct Replaced {
    /// The records in which an ID, a parent, a time, a call ID or a tool name was replaced, in order.
    pub events: Vec<EventId>,
    /// Most IDs of records were replaced.
    pub most: bool,
    /// The new IDs for replaced call IDs.
    calls: HashSet<Id>,
    /// The replaced names of tools.
    tools: HashSet<Id>,
}

impl Replaced {
    /// Whether nothing was replaced.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether anything in a record was replaced.
    pub fn has(&self, event: EventId) -> bool {
        self.events.binary_search(&event).is_ok()
    }

    /// Whether the name of a tool was replaced.
    pub fn has_tool(&self, name: Id) -> bool {
        self.tools.contains(&name)
    }

    /// Whether the ID of a call was replaced.
    pub fn has_call(&self, id: Id) -> bool {
        self.calls.contains(&id)
    }
}

/// Whether a text is a mark instead of an ID or a name: `[REDACTED_UUID]`, `call_XXXXXXXX`.
pub(crate) fn is_mark(text: &str) -> bool {
    if !can_be_mark(text.as_bytes()) {
        return false;
    }
    let text = text.trim();
    let suffix = text.rsplit_once('_').map_or(text, |(_, suffix)| suffix);
    let starts_with_word =
        text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("redacted"));
    starts_with_word || in_brackets(text).is_some_and(has_word) || is_mask(suffix)
}

/// Whether the first and the last byte are those of a mark. They rarely are, and every ID is asked.
fn can_be_mark(text: &[u8]) -> bool {
    let (Some(first), Some(last)) = (text.first(), text.last()) else {
        return false;
    };
    matches!(first, b'r' | b'R' | b'\t'..=b' ' | 0x80..)
        || matches!(last, b']' | b'>' | b')' | b'}' | b'x' | b'X' | b'*' | b'#' | b'-' | b'\t'..=b' ' | 0x80..)
}

/// The inside of a text that is all in brackets. No host writes such IDs.
fn in_brackets(text: &str) -> Option<&str> {
    // The common case, without a search.
    if text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return None;
    }
    BRACKETS.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close))
}

/// Whether a line that is cut off ends with a mark. Then a redaction program cut it, not a crash.
pub(crate) fn ends_in_mark(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let end =
        String::from_utf8_lossy(&line[line.len().saturating_sub(LONGEST_MARK)..]).into_owned();
    let last =
        BRACKETS.iter().find_map(|(open, close)| end.strip_suffix(*close)?.rsplit_once(*open));
    let mask: String = end.chars().rev().take_while(|letter| matches!(letter, '█' | '*')).collect();
    last.is_some_and(|(_, inside)| has_word(inside)) || is_mask(&mask)
}

fn has_word(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// `XXXX`, `****-****`.
fn is_mask(text: &str) -> bool {
    let mut letters = text.chars().filter(|letter| *letter != '-');
    let Some(first) = letters.next().filter(|first| MASK_LETTERS.contains(first)) else {
        return false;
    };
    let rest = letters.try_fold(1, |count, letter| (letter == first).then_some(count + 1));
    rest.is_some_and(|count| MASK.contains(&count))
}

/// A UUID whose digits are all zero, except for those of its version and variant.
fn is_zero_uuid(text: &str) -> bool {
    const SHAPE: &str = "00000000-0000-v000-v000-000000000000";
    text.len() == SHAPE.len()
        && text.chars().zip(SHAPE.chars()).all(|(letter, shape)| match shape {
            'v' => letter.is_ascii_hexdigit(),
            _ => letter == shape,
        })
}

/// Finds the replaced IDs and gives each record and each call an ID of its own.
pub(crate) fn resolve(t: &mut Transcript) {
    if !t.is_known(facts::TIME_REPLACED)
        && !t.ids.all().any(|id| {
            let text = t.ids.get(id);
            is_mark(text) || is_blank(text)
        })
        && !is_any_repeated(t)
    {
        return;
    }
    let marks = find_marks(t);
    let (mut replaced, most) = find_shared(t, &marks);
    replaced.iter_mut().zip(&marks).for_each(|(replaced, is_mark)| *replaced |= is_mark);
    let timed = t.is_known(facts::TIME_REPLACED);
    if !timed && !replaced.iter().any(|is| *is) {
        return;
    }
    let mut events: Vec<EventId> = separate_records(t, &replaced);
    let calls = separate_calls(t, &marks, &mut events);
    let mut tools = HashSet::new();
    for part in &t.parts {
        let tool = part.tool.filter(|tool| marks.get(*tool) == Some(&true));
        events.extend(tool.map(|_| part.event));
        tools.extend(tool);
    }
    events.extend(t.events.ids().filter(|event| t.has(*event, facts::TIME_REPLACED)));
    events.sort_unstable();
    events.dedup();
    t.replaced = Replaced { events, most, calls, tools };
}

/// Whether a text is no ID: one in brackets, or the UUID of zeros.
fn is_blank(text: &str) -> bool {
    in_brackets(text).is_some() || is_zero_uuid(text)
}

/// For each ID, whether it is a mark. Other IDs in brackets must occur often to count; so must the UUID of zeros, because
/// some hosts count up from it. A whole UUID is no mark.
fn find_marks(t: &Transcript) -> IndexVec<Id, bool> {
    let mut used = t.ids.table(0);
    let own = t.events.iter().filter_map(|event| event.id);
    own.chain(t.parts.iter().filter_map(|part| part.id)).for_each(|id| used[id] += 1);
    t.ids
        .all()
        .map(|id| {
            (!t.ids.is_uuid(id) && is_mark(t.ids.get(id)))
                || (used[id] >= FEWEST_RECORDS && is_blank(t.ids.get(id)))
        })
        .collect()
}

/// Whether any ID is on as many records as a replaced one at least is. Of most transcripts, none is.
fn is_any_repeated(t: &Transcript) -> bool {
    let mut used = t.ids.table(0_u32);
    t.events.iter().filter_map(|event| event.id).any(|id| {
        let used = &mut used[id];
        *used += 1;
        *used as usize >= FEWEST_RECORDS
    })
}

/// For each ID, whether it is on most records, which no host does. And whether most IDs of records are such IDs or marks.
fn find_shared(t: &Transcript, marks: &IndexVec<Id, bool>) -> (IndexVec<Id, bool>, bool) {
    type Speaker = (Role, Option<Id>);
    let mut on: IndexVec<Id, (usize, Option<Speaker>, bool)> = t.ids.table((0, None, false));
    let (mut all, mut marked) = (0, 0);
    for event in t
        .with_inner()
        .filter(|event| matches!(t.event(*event).state, State::Whole | State::Recovered))
    {
        let record = t.event(event);
        let Some(id) = record.id.filter(|id| !t.ids.is_empty(*id)) else {
            continue;
        };
        let (count, first, differs) = &mut on[id];
        all += 1;
        marked += usize::from(marks[id]);
        *count += 1;
        if record.role.is_sent() {
            let speaker = (record.role, record.kind);
            *differs |= *first.get_or_insert(speaker) != speaker;
        }
    }
    let is_shared = |(count, _, differs): &(usize, _, bool)| *differs && *count >= FEWEST_RECORDS;
    let of_shared: usize = on.iter().filter(|on| is_shared(on)).map(|on| on.0).sum();
    let is_most = |some: usize| some > 0 && some * ONE_ID_IN >= all;
    let shared =
        if is_most(of_shared) { on.iter().map(is_shared).collect() } else { t.ids.table(false) };
    (shared, is_most(of_shared) || is_most(marked))
}

/// Gives each record with a replaced ID an ID of its own, and the record before it as its parent. Returns the records that
/// this changed.
fn separate_records(t: &mut Transcript, replaced: &IndexVec<Id, bool>) -> Vec<EventId> {
    let if_replaced = |id: Option<Id>| id.filter(|id| replaced.get(*id) == Some(&true));
    let mut events = Vec::new();
    // Sub-agents may write between the records of the main conversation.
    let mut before: [Option<Id>; 2] = [None; 2];
    let mut leaves = Vec::new();
    for no in t.events.ids() {
        let side = usize::from(t.has(no, facts::SIDE));
        let event = &mut t.events[no];
        if event.role != Role::HostState
            && let Some(id) = if_replaced(event.id)
        {
            event.id = Some(t.ids.duplicate(id));
            events.push(no);
        }
        for link in t.link_range(no) {
            let link = &mut t.links[link];
            if if_replaced(link.to).is_none() {
                continue;
            }
            link.to = None;
            match (link.kind, before[side]) {
                (LinkKind::Parent, Some(before)) => link.to = Some(before),
                (LinkKind::Parent, None) => link.kind = LinkKind::Root,
                (LinkKind::Leaf, _) => leaves.push(no),
                _ => {}
            }
            events.push(no);
        }
        let event = &t.events[no];
        let is_read = matches!(event.state, State::Whole | State::Recovered);
        if is_read && event.role != Role::HostState && event.within.is_none() && event.id.is_some()
        {
            before[side] = event.id;
        }
    }
    for leaf in leaves {
        for link in t.link_range(leaf) {
            let link = &mut t.links[link];
            if link.kind == LinkKind::Leaf && link.to.is_none() {
                link.to = before[0];
            }
        }
    }
    events
}

/// Gives calls whose IDs are marks IDs of their own, and the same IDs to the results after them, in order.
fn separate_calls(
    t: &mut Transcript,
    marks: &IndexVec<Id, bool>,
    events: &mut Vec<EventId>,
) -> HashSet<Id> {
    let if_mark = |id: Option<Id>| id.filter(|id| marks.get(*id) == Some(&true));
    let mut own = HashSet::new();
    let mut open: VecDeque<(Id, Id)> = VecDeque::new();
    let mut answered = false;
    for no in t.parts.ids() {
        let part = &mut t.parts[no];
        let Some(id) = if_mark(part.id) else { continue };
        let new = match part.kind {
            PartKind::Call | PartKind::Hosted => {
                // Calls of the previous batch without a result stay open.
                if std::mem::take(&mut answered) {
                    open.clear();
                }
                let new = t.ids.duplicate(id);
                open.push_back((id, new));
                new
            }
            PartKind::Result => {
                answered = true;
                let at = open.iter().position(|(other, _)| *other == id);
                at.and_then(|at| open.remove(at))
                    .map_or_else(|| t.ids.duplicate(id), |(_, new)| new)
            }
            _ => continue,
        };
        part.id = Some(new);
        part.sent_id =
            part.sent_id.map(|sent| if if_mark(Some(sent)).is_some() { new } else { sent });
        own.insert(new);
        events.push(part.event);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_recognized() {
        for mark in [
            "[REDACTED]",
            "[REDACTED_UUID]",
            "<redacted>",
            "REDACTED",
            "redacted-id",
            "XXXX",
            "toolu_XXXXXXXXXXXX",
            "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
            "****",
        ] {
            assert!(is_mark(mark), "{mark}");
        }
        assert!(is_zero_uuid("00000000-0000-4000-8000-000000000000"));
        for id in [
            "",
            "[",
            "[object Object]",
            "<tool>",
            "xxx",
            "call_0",
            "0",
            "0000",
            "toolu_01EvREYhc5WD2",
            "toolu_redo",
            "read",
            "mask",
            "00000000-0000-4000-8000-000000000000",
            "functions.bash:3",
        ] {
            assert!(!is_mark(id), "{id}");
        }
    }

    #[test]
    fn a_mark_at_the_end_of_a_line_is_recognized() {
        for line in [
            r#"{"content":"bed 0 belongs to [REDACTED_EMAIL_ADDRESS]"#,
            "{\"a\":\"<redacted>\r\n",
            "{\"key\":\"****",
        ] {
            assert!(ends_in_mark(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            r#"{"content":"bed 0 belongs to"#,
            r#"{"content":"see list[0]"#,
            r#"{"a":"[REDACTED] and"#,
        ] {
            assert!(!ends_in_mark(line.as_bytes()), "{line}");
        }
    }
}
