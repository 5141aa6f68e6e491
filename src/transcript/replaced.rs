//! Ids that another program replaced: a mark such as `[REDACTED]` in the place of an id, or one id on most records.
//!
//! They tell nothing apart, so they are read as if they had never been shared: each record gets an id of its own with the
//! same text, the parent of a record is the one before it, and the results of a batch answer its calls in order. What is
//! said of such records is said once, and no repair rests on it.

use std::collections::VecDeque;

use hashbrown::HashSet;

use super::event::{LinkKind, PartKind, Role, State, attr};
use super::facts::Transcript;
use super::ids::Id;
use super::index::EventId;

/// Records that one id must be on, and of more than one kind, before it may be a placeholder: hosts write a record twice,
/// and programs resume a session with ids that were there.
pub const FEWEST_RECORDS: usize = 3;
/// Of the records with an id, one in so many must have such an id.
pub const ONE_ID_IN: usize = 2;
/// How long masks are: `xxx` is a name, too, and more than a UUID is an id that somebody made too long.
const MASK: std::ops::RangeInclusive<usize> = 4..=40;

/// What programs that redact call what they do, in small letters.
const WORDS: &[&str] = &["redact", "anonymi", "saniti", "scrubbed", "masked"];
/// What they put around their marks.
const FRAMES: &[(char, char)] = &[('[', ']'), ('<', '>'), ('(', ')'), ('{', '}')];
/// Of what they make masks.
const MASKS: &[char] = &['x', 'X', '*', '#', '•', '█'];
/// Bytes at the end of a line in which its mark is looked for.
const LONGEST_MARK: usize = 80;

/// What was replaced in a conversation.
#[derive(Default, Debug)]
pub struct Replaced {
    /// Records with an id, a parent, a time, a call or a tool that was replaced, in order.
    pub events: Vec<EventId>,
    /// Most ids of records were.
    pub most: bool,
    /// What stands for the replaced ids of calls.
    calls: HashSet<Id>,
    /// What stands for the replaced names of tools.
    tools: HashSet<Id>,
}

impl Replaced {
    /// Whether nothing was.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether something in a record was.
    pub fn has(&self, event: EventId) -> bool {
        self.events.binary_search(&event).is_ok()
    }

    /// Whether the name of a tool was.
    pub fn has_tool(&self, name: Id) -> bool {
        self.tools.contains(&name)
    }

    /// Whether the id of a call was.
    pub fn has_call(&self, id: Id) -> bool {
        self.calls.contains(&id)
    }
}

/// Whether a text stands in the place of an id or a name: `[REDACTED_UUID]`, `call_XXXXXXXX`.
pub(crate) fn is_mark(text: &str) -> bool {
    let text = text.trim();
    let behind = text.rsplit_once('_').map_or(text, |(_, behind)| behind);
    let says_so = text
        .get(..8)
        .is_some_and(|start| start.eq_ignore_ascii_case("redacted"));
    says_so || inside(text).is_some_and(has_word) || is_mask(behind)
}

/// What a text holds that is all in brackets: no host writes such ids.
fn inside(text: &str) -> Option<&str> {
    // Almost all ids: no bracket is such a letter.
    if text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return None;
    }
    FRAMES
        .iter()
        .find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close))
}

/// Whether a line that stops in its middle ends in a mark: what took the rest of it was no crash.
pub(crate) fn ends_in_mark(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let end =
        String::from_utf8_lossy(&line[line.len().saturating_sub(LONGEST_MARK)..]).into_owned();
    let last = FRAMES
        .iter()
        .find_map(|(open, close)| end.strip_suffix(*close)?.rsplit_once(*open));
    let mask: String = end
        .chars()
        .rev()
        .take_while(|letter| matches!(letter, '█' | '*'))
        .collect();
    last.is_some_and(|(_, inside)| has_word(inside)) || is_mask(&mask)
}

fn has_word(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// `XXXX`, `****-****`.
fn is_mask(text: &str) -> bool {
    let mut letters = text.chars().filter(|letter| *letter != '-');
    let Some(first) = letters.next().filter(|first| MASKS.contains(first)) else {
        return false;
    };
    let rest = letters.try_fold(1, |count, letter| (letter == first).then_some(count + 1));
    rest.is_some_and(|count| MASK.contains(&count))
}

/// Nothing but zeros where its version and its variant may not stand.
fn is_zero_uuid(text: &str) -> bool {
    const SHAPE: &str = "00000000-0000-v000-v000-000000000000";
    let fits = |(letter, shape): (char, char)| match shape {
        'v' => letter.is_ascii_hexdigit(),
        _ => letter == shape,
    };
    text.len() == SHAPE.len() && text.chars().zip(SHAPE.chars()).all(fits)
}

/// Finds what was replaced, and reads it as if each id were its own.
pub(crate) fn settle(t: &mut Transcript) {
    let marks = marks(t);
    let (mut gone, most) = shared(t, &marks);
    gone.iter_mut()
        .zip(&marks)
        .for_each(|(gone, is_mark)| *gone |= is_mark);
    let timed = t.is_known(attr::TIME_REPLACED);
    if !timed && !gone.contains(&true) {
        return;
    }
    let mut events: Vec<EventId> = records(t, &gone);
    let calls = calls(t, &marks, &mut events);
    let mut tools = HashSet::new();
    for part in &t.parts {
        let tool = part
            .tool
            .filter(|tool| marks.get(tool.slot()) == Some(&true));
        events.extend(tool.map(|_| part.event));
        tools.extend(tool);
    }
    let marked = |event: &EventId| t.attr_of(*event, attr::TIME_REPLACED).is_some();
    events.extend(t.events.ids().filter(marked));
    events.sort_unstable();
    events.dedup();
    t.replaced = Replaced {
        events,
        most,
        calls,
        tools,
    };
}

/// By number of an id: whether it is a mark. One in brackets that says nothing more must be there often; so must the UUID of
/// zeros, which is where counting begins.
fn marks(t: &Transcript) -> Vec<bool> {
    let mut used = vec![0; t.ids.len()];
    let own = t.events.iter().filter_map(|event| event.id);
    own.chain(t.parts.iter().filter_map(|part| part.id))
        .for_each(|id| used[id.slot()] += 1);
    let is_blank = |text: &str| inside(text).is_some() || is_zero_uuid(text);
    let is_often = |id: Id| used[id.slot()] >= FEWEST_RECORDS && is_blank(t.ids.get(id));
    t.ids
        .all()
        .map(|id| is_mark(t.ids.get(id)) || is_often(id))
        .collect()
}

/// By number of an id: whether it is on most records, as no host writes it. And whether most ids are such ones, or marks.
fn shared(t: &Transcript, marks: &[bool]) -> (Vec<bool>, bool) {
    type Speaker = (Role, Option<Id>);
    let mut on: Vec<(usize, Option<Speaker>, bool)> = vec![(0, None, false); t.ids.len()];
    let (mut all, mut marked) = (0, 0);
    let read = |event: &EventId| matches!(t.event(*event).state, State::Whole | State::Recovered);
    for event in t.with_inner().filter(read) {
        let record = t.event(event);
        let Some(id) = record.id.filter(|id| !t.ids.is_empty(*id)) else {
            continue;
        };
        let (count, first, differs) = &mut on[id.slot()];
        all += 1;
        marked += usize::from(marks[id.slot()]);
        *count += 1;
        if record.role.is_sent() {
            let speaker = (record.role, record.kind);
            *differs |= *first.get_or_insert(speaker) != speaker;
        }
    }
    let is_shared = |(count, _, differs): &(usize, _, bool)| *differs && *count >= FEWEST_RECORDS;
    let of_shared: usize = on.iter().filter(|on| is_shared(on)).map(|on| on.0).sum();
    let is_most = |some: usize| some > 0 && some * ONE_ID_IN >= all;
    let shared = match is_most(of_shared) {
        true => on.iter().map(is_shared).collect(),
        false => vec![false; on.len()],
    };
    (shared, is_most(of_shared) || is_most(marked))
}

/// Gives the records their own ids, and the one before them as their parent. Those that had another id, or another parent.
fn records(t: &mut Transcript, gone: &[bool]) -> Vec<EventId> {
    let is_gone = |id: Option<Id>| id.filter(|id| gone.get(id.slot()) == Some(&true));
    let mut events = Vec::new();
    // Sub-agents may write between the records of the main conversation.
    let mut before: [Option<Id>; 2] = [None; 2];
    let mut leaves = Vec::new();
    for no in t.events.ids() {
        let side = usize::from(t.attr_of(no, attr::SIDE).is_some());
        let event = &mut t.events[no];
        if event.role != Role::HostState
            && let Some(id) = is_gone(event.id)
        {
            event.id = Some(t.ids.another(id));
            events.push(no);
        }
        for link in event.links.clone() {
            let link = &mut t.links[link as usize];
            if is_gone(link.to).is_none() {
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
        let is_read = matches!(event.state, State::Whole | State::Recovered);
        if is_read && event.role != Role::HostState && event.within.is_none() && event.id.is_some()
        {
            before[side] = event.id;
        }
    }
    for leaf in leaves {
        for link in t.events[leaf].links.clone() {
            let link = &mut t.links[link as usize];
            if link.kind == LinkKind::Leaf && link.to.is_none() {
                link.to = before[0];
            }
        }
    }
    events
}

/// Gives calls whose ids are marks ids of their own, and the same ones to the results behind them, in order.
fn calls(t: &mut Transcript, marks: &[bool], events: &mut Vec<EventId>) -> HashSet<Id> {
    let is_mark = |id: Option<Id>| id.filter(|id| marks.get(id.slot()) == Some(&true));
    let mut own = HashSet::new();
    let mut open: VecDeque<(Id, Id)> = VecDeque::new();
    let mut answered = false;
    for no in t.parts.ids() {
        let part = &mut t.parts[no];
        let Some(id) = is_mark(part.id) else { continue };
        let new = match part.kind {
            PartKind::Call | PartKind::Hosted => {
                // What the batch before did not answer stays open.
                if std::mem::take(&mut answered) {
                    open.clear();
                }
                let new = t.ids.another(id);
                open.push_back((id, new));
                new
            }
            PartKind::Result => {
                answered = true;
                let at = open.iter().position(|(other, _)| *other == id);
                at.and_then(|at| open.remove(at))
                    .map_or_else(|| t.ids.another(id), |(_, new)| new)
            }
            _ => continue,
        };
        part.id = Some(new);
        part.sent_id = part.sent_id.map(|sent| {
            if is_mark(Some(sent)).is_some() {
                new
            } else {
                sent
            }
        });
        own.insert(new);
        events.push(part.event);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_known() {
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
    fn a_line_ends_in_a_mark_or_in_a_text() {
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
