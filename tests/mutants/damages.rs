//! What happens to transcripts: crashes, second writers, editors, careless tools. One damage is one function and one line
//! in [`ALL`]; which place it hits is random, and it says whether it found one.

use std::ops::Range;

use crate::random::Random;
use crate::spots::{Kind, Shape, string};
use crate::support::Files;

type Damage = fn(&mut Files, &mut Random) -> bool;

/// By name. A name is part of what reproduces a mutant, so it stays.
pub(crate) const ALL: &[(&str, Damage)] = &[
    ("lost-record", lost_record),
    ("double", double),
    ("swapped", swapped),
    ("moved", moved),
    ("glued", glued),
    ("cut-and-glued", cut_and_glued),
    ("cut-record", cut_record),
    ("cut-end", cut_end),
    ("lost-beginning", lost_beginning),
    ("torn", torn),
    ("nul-run", nul_run),
    ("nul-over", nul_over),
    ("bom", bom),
    ("raw-newline", raw_newline),
    ("bad-utf8", bad_utf8),
    ("byte", byte),
    ("lost-bytes", lost_bytes),
    ("crlf", crlf),
    ("no-last-newline", no_last_newline),
    ("lost-result", lost_result),
    ("lost-batch", lost_batch),
    ("again-later", again_later),
    ("other-result", other_result),
    ("new-id", new_id),
    ("swapped-ids", swapped_ids),
    ("emptied", emptied),
    ("null", null),
    ("lost-member", lost_member),
    ("renamed", renamed),
    ("text-elsewhere", text_elsewhere),
    ("nested", nested),
    ("encoded", encoded),
    ("arguments", arguments),
    ("new-member", new_member),
    ("outside", outside),
    ("lost-file", lost_file),
    ("copied-file", copied_file),
    ("copy-beside", copy_beside),
    ("swapped-files", swapped_files),
    ("emptied-file", emptied_file),
    ("mixed-in", mixed_in),
];

/// Damages that may turn what another program wrote into what one of ours writes.
pub(crate) const MAKE_OURS: &[&str] = &["renamed", "text-elsewhere", "lost-member", "mixed-in"];

/// A record: a line, or an object in a list.
#[derive(Clone)]
struct Unit {
    at: Range<usize>,
    is_line: bool,
    /// The list that it is in.
    list: Option<usize>,
}

/// The bytes of any file. Those of a conversation are hit more often than the others.
fn any_file<'a>(files: &'a mut Files, random: &mut Random) -> Option<&'a mut Vec<u8>> {
    let names: Vec<String> = files.keys().cloned().collect();
    files.get_mut(random.pick(&names)?)
}

fn units(shape: &Shape) -> Vec<Unit> {
    let lines = shape.lines.iter().map(|line| Unit { at: line.clone(), is_line: true, list: None });
    let items = (0..shape.spots.len()).filter(|number| shape.is_item(*number));
    let items = items.map(|number| Unit {
        at: shape.spots[number].at.clone(),
        is_line: false,
        list: shape.spots[number].parent,
    });
    lines.chain(items).collect()
}

/// The records of the conversation: the lines, or the objects of the longest list.
fn records(shape: &Shape) -> Vec<Unit> {
    let all = units(shape);
    if !shape.lines.is_empty() {
        return all.into_iter().filter(|unit| unit.is_line).collect();
    }
    let size = |list: Option<usize>| all.iter().filter(|unit| unit.list == list).count();
    let longest = all.iter().map(|unit| unit.list).max_by_key(|list| size(*list));
    let in_longest = |unit: &Unit| Some(unit.list) == longest;
    all.iter().filter(|unit| in_longest(unit)).cloned().collect()
}

/// Any record; in one of four cases, one in a record.
fn any_unit(shape: &Shape, random: &mut Random) -> Option<Unit> {
    let from = if random.once_in(4) { units(shape) } else { records(shape) };
    random.pick(&from).cloned()
}

/// A record and another one of its list.
fn two_units(shape: &Shape, random: &mut Random) -> Option<(Unit, Unit)> {
    let first = any_unit(shape, random)?;
    let mut others = units(shape);
    others.retain(|unit| {
        (unit.is_line, unit.list) == (first.is_line, first.list) && unit.at != first.at
    });
    Some((first, random.pick(&others)?.clone()))
}

/// What has to go with a record: the comma.
fn with_comma(bytes: &[u8], unit: &Unit) -> Range<usize> {
    if unit.is_line {
        return unit.at.clone();
    }
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
    let behind = bytes[unit.at.end..].iter().take_while(is_blank).count() + unit.at.end;
    if bytes.get(behind) == Some(&b',') {
        return unit.at.start..behind + 1;
    }
    let before = bytes[..unit.at.start].iter().rev().take_while(is_blank).count();
    let before = unit.at.start - before;
    match bytes[..before].last() {
        Some(b',') => before - 1..unit.at.end,
        _ => unit.at.clone(),
    }
}

fn text_of(bytes: &[u8], unit: &Unit) -> Vec<u8> {
    bytes[unit.at.clone()].to_vec()
}

/// Puts a record before another one.
fn put(bytes: &mut Vec<u8>, before: &Unit, mut text: Vec<u8>) {
    if !before.is_line {
        text.push(b',');
    } else if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    bytes.splice(before.at.start..before.at.start, text);
}

fn lost_record(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let unit = any_unit(&Shape::of(bytes), random);
        unit.map(|unit| bytes.drain(with_comma(bytes, &unit)).count()).is_some()
    })
}

fn double(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = any_unit(&shape, random) else {
            return false;
        };
        let text = text_of(bytes, &unit);
        let place = two_units(&shape, random).map_or(unit.clone(), |(_, other)| other);
        let place =
            if place.is_line == unit.is_line && place.list == unit.list { place } else { unit };
        put(bytes, &place, text);
        true
    })
}

fn swapped(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let Some((one, other)) = two_units(&Shape::of(bytes), random) else {
            return false;
        };
        let (first, last) = if one.at.start < other.at.start { (one, other) } else { (other, one) };
        let (head, tail) = (text_of(bytes, &first), text_of(bytes, &last));
        bytes.splice(last.at, head);
        bytes.splice(first.at, tail);
        true
    })
}

fn moved(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let Some((unit, place)) = two_units(&Shape::of(bytes), random) else {
            return false;
        };
        let text = text_of(bytes, &unit);
        if place.at.start < unit.at.start {
            bytes.drain(with_comma(bytes, &unit));
            put(bytes, &place, text);
        } else {
            put(bytes, &place, text);
            bytes.drain(with_comma(bytes, &unit));
        }
        true
    })
}

fn glued(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = random.pick(&records(&shape)).cloned() else {
            return false;
        };
        let end = if unit.is_line {
            bytes[unit.at.clone()].ends_with(b"\n").then(|| unit.at.end - 1)
        } else {
            (bytes.get(unit.at.end) == Some(&b',')).then_some(unit.at.end)
        };
        end.map(|at| bytes.remove(at)).is_some()
    })
}

/// A kill in the middle of a record, and the next process appends.
fn cut_and_glued(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = random.pick(&records(&shape)).cloned() else {
            return false;
        };
        let from = unit.at.start + 1 + random.below(unit.at.len().saturating_sub(1));
        bytes.drain(from..unit.at.end);
        true
    })
}

fn cut_record(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = random.pick(&records(&shape)).cloned() else {
            return false;
        };
        let from = unit.at.start + 1 + random.below(unit.at.len().saturating_sub(1));
        let is_ended = unit.is_line && bytes[unit.at.clone()].ends_with(b"\n");
        let to = unit.at.end - usize::from(is_ended);
        bytes.drain(from.min(to)..to);
        true
    })
}

fn cut_end(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let last = records(&shape).last().map(|unit| unit.at.start);
        let from = last.unwrap_or_default().min(bytes.len());
        let from = from + random.below(bytes.len() - from);
        bytes.truncate(from);
        from > 0
    })
}

fn lost_beginning(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = random.pick(&records(&shape)).cloned() else {
            return false;
        };
        let first = records(&shape)[0].at.start;
        bytes.drain(first..unit.at.start);
        unit.at.start > first
    })
}

/// Any place in a record.
fn place(bytes: &[u8], random: &mut Random) -> Option<usize> {
    let unit = random.pick(&records(&Shape::of(bytes))).cloned();
    let at = unit.map_or(0..bytes.len(), |unit| unit.at);
    (!at.is_empty()).then(|| at.start + random.below(at.len()))
}

fn torn(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let at = place(bytes, random);
        at.map(|at| bytes.insert(at, b'\n')).is_some()
    })
}

fn nul_run(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let at = match random.pick(&records(&shape)) {
            Some(unit) if random.once_in(2) => Some(unit.at.start),
            _ => place(bytes, random),
        };
        let run = vec![0; 1 + random.below(40)];
        at.map(|at| bytes.splice(at..at, run).count()).is_some()
    })
}

fn nul_over(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let Some(at) = place(bytes, random) else {
            return false;
        };
        let end = (at + 1 + random.below(200)).min(bytes.len());
        bytes[at..end].fill(0);
        true
    })
}

fn bom(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let starts = records(&Shape::of(bytes));
        let starts = starts.iter().map(|unit| unit.at.start);
        let starts: Vec<usize> = [0, 0].into_iter().chain(starts).collect();
        let at = random.pick(&starts).copied().unwrap_or_default();
        bytes.splice(at..at, *b"\xEF\xBB\xBF");
        true
    })
}

/// The literals of texts that are not empty.
fn texts(bytes: &[u8], shape: &Shape) -> Vec<Range<usize>> {
    let spots = shape.spots.iter();
    let texts = spots.filter(|spot| spot.kind == Kind::Text && spot.at.len() > 2);
    let _ = bytes;
    texts.map(|spot| spot.at.clone()).collect()
}

/// A place in a text.
fn in_text(bytes: &[u8], random: &mut Random) -> Option<usize> {
    let at = random.pick(&texts(bytes, &Shape::of(bytes))).cloned()?;
    let at = at.start + 1 + random.below(at.len() - 1);
    // Not in the middle of an escape.
    (bytes[at - 1] != b'\\').then_some(at)
}

fn raw_newline(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let at = in_text(bytes, random);
        let raw = [b'\n', b'\t', 1][random.below(3)];
        at.map(|at| bytes.insert(at, raw)).is_some()
    })
}

fn bad_utf8(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let at = in_text(bytes, random);
        let raw = [0xFF, 0xC3, 0xED][random.below(3)];
        at.map(|at| bytes.insert(at, raw)).is_some()
    })
}

fn byte(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let at = random.below(bytes.len());
        let new = u8::try_from(random.below(256)).unwrap_or_default();
        bytes.get_mut(at).map(|byte| *byte = new).is_some()
    })
}

fn lost_bytes(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let from = random.below(bytes.len());
        let to = (from + 1 + random.below(300)).min(bytes.len());
        bytes.drain(from..to).count() > 0
    })
}

fn crlf(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let ended = lines.flat_map(|line| match line.strip_suffix(b"\n") {
            Some(line) => [line, b"\r\n"].concat(),
            None => line.to_vec(),
        });
        *bytes = ended.collect();
        true
    })
}

fn no_last_newline(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let is_ended = bytes.ends_with(b"\n");
        bytes.truncate(bytes.len() - usize::from(is_ended));
        is_ended
    })
}

/// Words that results of tools have in some format.
const RESULTS: &[&str] = &[
    "\"tool_result\"",
    "\"role\":\"tool\"",
    "\"role\": \"tool\"",
    "_call_output\"",
    "toolResult",
    "functionResponse",
    "function_response",
    "Observation\"",
    "\"observation\"",
    "\"type\":\"tool\"",
    "\"type\": \"tool\"",
    "execution_complete",
    "toolResponse",
    "tool_call_response",
];

/// Whether a record is a result of a tool, or has one in it.
pub(crate) fn is_result(text: &[u8]) -> bool {
    RESULTS.iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}

fn results(bytes: &[u8], shape: &Shape) -> Vec<Unit> {
    let mut all = units(shape);
    // The largest that are not everything.
    all.retain(|unit| is_result(&bytes[unit.at.clone()]) && unit.at.len() < bytes.len() - 2);
    all
}

fn lost_result(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let unit = random.pick(&results(bytes, &Shape::of(bytes))).cloned();
        unit.map(|unit| bytes.drain(with_comma(bytes, &unit)).count()).is_some()
    })
}

/// A result, and those next to it.
fn lost_batch(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(first) = random.pick(&results(bytes, &shape)).cloned() else {
            return false;
        };
        let mut siblings = units(&shape);
        siblings.retain(|unit| (unit.is_line, unit.list) == (first.is_line, first.list));
        let from = siblings.iter().position(|unit| unit.at == first.at);
        let run = siblings.iter().skip(from.unwrap_or_default());
        let run: Vec<Unit> =
            run.take_while(|unit| is_result(&bytes[unit.at.clone()])).cloned().collect();
        for unit in run.iter().rev() {
            bytes.drain(with_comma(bytes, unit));
        }
        !run.is_empty()
    })
}

/// A result is written once more, further on.
fn again_later(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = random.pick(&results(bytes, &shape)).cloned() else {
            return false;
        };
        let mut later = units(&shape);
        later.retain(|other| {
            (other.is_line, other.list) == (unit.is_line, unit.list)
                && other.at.start > unit.at.start
        });
        let text = text_of(bytes, &unit);
        let place = random.pick(&later).cloned().unwrap_or(unit);
        put(bytes, &place, text);
        true
    })
}

/// The same call has a second result with another text.
fn other_result(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = random.pick(&results(bytes, &shape)).cloned() else {
            return false;
        };
        let mut text = text_of(bytes, &unit);
        let inner = Shape::of(&text);
        let longest = texts(&text, &inner)
            .into_iter()
            .filter(|at| text[at.clone()].contains(&b' '))
            .max_by_key(ExactSizeIterator::len);
        let Some(longest) = longest else {
            return false;
        };
        text.splice(longest, b"\"quite another answer of the tool\"".to_vec());
        put(bytes, &unit, text);
        true
    })
}

fn ends_like_id(key: &str) -> bool {
    ["id", "Id", "ID", "uuid", "Uuid"].iter().any(|end| key.ends_with(end))
}

/// The literals of values whose keys are those of ids.
fn ids(bytes: &[u8], shape: &Shape) -> Vec<Range<usize>> {
    let spots = shape.spots.iter();
    let ids = spots.filter(|spot| {
        let key = spot.key.clone().and_then(|key| string(&bytes[key])).unwrap_or_default();
        spot.kind == Kind::Text && ends_like_id(&key)
    });
    ids.map(|spot| spot.at.clone()).collect()
}

fn new_id(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let at = random.pick(&ids(bytes, &Shape::of(bytes))).cloned();
        let id = format!("\"call_{:016x}\"", random.next());
        at.map(|at| bytes.splice(at, id.into_bytes()).count()).is_some()
    })
}

fn swapped_ids(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let ids = ids(bytes, &Shape::of(bytes));
        let (Some(one), Some(other)) = (random.pick(&ids).cloned(), random.pick(&ids).cloned())
        else {
            return false;
        };
        let value = bytes[other].to_vec();
        bytes.splice(one, value);
        true
    })
}

/// Any member: the numbers of spots that have a key.
fn any_member(shape: &Shape, random: &mut Random) -> Option<usize> {
    let numbers: Vec<usize> =
        (0..shape.spots.len()).filter(|number| shape.spots[*number].key.is_some()).collect();
    random.pick(&numbers).copied()
}

fn emptied(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(number) = any_member(&shape, random) else {
            return false;
        };
        let spot = &shape.spots[number];
        let empty: &[u8] = match spot.kind {
            Kind::Object => b"{}",
            Kind::Array => b"[]",
            Kind::Text => b"\"\"",
            Kind::Other => b"0",
        };
        bytes.splice(spot.at.clone(), empty.to_vec());
        true
    })
}

fn null(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let number = any_member(&shape, random);
        let at = number.map(|number| shape.spots[number].at.clone());
        at.map(|at| bytes.splice(at, b"null".to_vec()).count()).is_some()
    })
}

fn lost_member(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(spot) = any_member(&shape, random).map(|number| &shape.spots[number]) else {
            return false;
        };
        let start = spot.key.clone().map_or(spot.at.start, |key| key.start);
        let unit = Unit { at: start..spot.at.end, is_line: false, list: None };
        bytes.drain(with_comma(bytes, &unit));
        true
    })
}

/// The same word in the other spelling.
fn respelled(word: &str) -> String {
    if let Some(at) = word.find('_') {
        let (head, tail) = word.split_at(at);
        let mut tail = tail[1..].chars();
        let first = tail.next().map(|first| first.to_ascii_uppercase());
        return head.chars().chain(first).chain(tail).collect();
    }
    if word.contains(|letter: char| letter.is_ascii_uppercase()) {
        let spelled = word.chars().flat_map(|letter| {
            let mark = letter.is_ascii_uppercase().then_some('_');
            mark.into_iter().chain([letter.to_ascii_lowercase()])
        });
        return spelled.collect();
    }
    format!("{word}_")
}

fn renamed(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let number = any_member(&shape, random);
        let Some(key) = number.and_then(|number| shape.spots[number].key.clone()) else {
            return false;
        };
        let Some(word) = string(&bytes[key.clone()]) else {
            return false;
        };
        let everywhere = random.once_in(3);
        let new = format!("\"{}\"", respelled(&word)).into_bytes();
        let old = bytes[key.clone()].to_vec();
        let same = shape
            .spots
            .iter()
            .filter_map(|spot| spot.key.clone())
            .filter(|other| *other == key || (everywhere && bytes[other.clone()] == old[..]));
        for place in same.collect::<Vec<_>>().into_iter().rev() {
            bytes.splice(place, new.clone());
        }
        true
    })
}

/// Members that other programs have for a text.
const ELSEWHERE: &[&str] =
    &["text", "parts", "contents", "message", "output", "value", "images", "run", "result"];

/// The text of a message lies in another member, and where it was, is nothing.
fn text_elsewhere(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let holds_text = |number: &usize| {
            let spot = &shape.spots[*number];
            let key = spot.key.clone().and_then(|key| string(&bytes[key]));
            let word = key.unwrap_or_default();
            spot.at.len() > 2
                && matches!(spot.kind, Kind::Text | Kind::Array | Kind::Object)
                && ["content", "text", "output", "parts", "message", "result"].contains(&&*word)
        };
        let all: Vec<usize> = (0..shape.spots.len()).filter(holds_text).collect();
        let Some(spot) = random.pick(&all).map(|number| &shape.spots[*number]) else {
            return false;
        };
        let Some(other) = random.pick(ELSEWHERE) else {
            return false;
        };
        let key = spot.key.clone().unwrap_or_default();
        let empty: &[u8] = match (spot.kind, random.below(3)) {
            (_, 0) => b"null",
            (Kind::Text, _) => b"\"\"",
            (Kind::Array, _) => b"[]",
            _ => b"{}",
        };
        let (old, value) = (bytes[key.clone()].to_vec(), bytes[spot.at.clone()].to_vec());
        let new = if random.once_in(3) {
            format!("\"{other}\":").into_bytes()
        } else {
            [&old, &b":"[..], empty, format!(",\"{other}\":").as_bytes()].concat()
        };
        bytes.splice(key.start..spot.at.end, [new, value].concat());
        true
    })
}

/// A value is put into an object of its own.
fn nested(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(number) = any_member(&shape, random) else {
            return false;
        };
        let at = shape.spots[number].at.clone();
        let value = bytes[at.clone()].to_vec();
        let word = *random.pick(ELSEWHERE).unwrap_or(&"value");
        let new = [format!("{{\"{word}\":").as_bytes(), &value, b"}"].concat();
        bytes.splice(at, new);
        true
    })
}

fn literal(text: &[u8]) -> Vec<u8> {
    serde_json::to_vec(&String::from_utf8_lossy(text)).unwrap_or_default()
}

/// A value is written as a string that holds its JSON.
fn encoded(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(number) = any_member(&shape, random) else {
            return false;
        };
        let at = shape.spots[number].at.clone();
        let new = literal(&bytes[at.clone()]);
        bytes.splice(at, new);
        true
    })
}

/// The arguments of a call, as broken streams leave them.
fn arguments(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let is_them = |number: &usize| {
            let spot = &shape.spots[*number];
            let key = spot.key.clone().and_then(|key| string(&bytes[key]));
            let word = key.unwrap_or_default();
            ["arguments", "input", "args", "rawInput", "function_args"].contains(&&*word)
        };
        let all: Vec<usize> = (0..shape.spots.len()).filter(is_them).collect();
        let Some(spot) = random.pick(&all).map(|number| &shape.spots[*number]) else {
            return false;
        };
        let literally = &bytes[spot.at.clone()];
        let own = string(literally).unwrap_or_else(|| String::from_utf8_lossy(literally).into());
        let cut = own.char_indices().nth(own.chars().count() / 2);
        let text = match random.below(7) {
            0 => format!("{{}}{own}"),
            1 => format!("{own}{own}"),
            2 => format!("```json\n{own}\n```"),
            3 => String::from_utf8_lossy(&literal(own.as_bytes())).into(),
            4 => own[..cut.map_or(0, |(at, _)| at)].to_owned(),
            5 => format!("{own}}}"),
            _ => own.replace('"', "'"),
        };
        bytes.splice(spot.at.clone(), literal(text.as_bytes()));
        true
    })
}

fn new_member(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let objects: Vec<usize> = (0..shape.spots.len())
            .filter(|number| {
                shape.spots[*number].kind == Kind::Object && shape.inside(*number).next().is_some()
            })
            .collect();
        let Some(number) = random.pick(&objects) else {
            return false;
        };
        let word = random.pick(ELSEWHERE).unwrap_or(&"value");
        let value = ["\"a text that only lies here\"", "[]", "null", "{\"a\":[1,2]}"];
        let value = value[random.below(value.len())];
        let at = shape.spots[*number].at.start + 1;
        bytes.splice(at..at, format!("\"{word}\":{value},").into_bytes());
        true
    })
}

/// Damage of a document outside its longest list.
fn outside(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        if !shape.lines.is_empty() || shape.spots.is_empty() {
            return false;
        }
        let records = records(&shape);
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return false;
        };
        let places: Vec<usize> =
            (1..bytes.len()).filter(|at| *at < first.at.start || *at > last.at.end).collect();
        let Some(at) = random.pick(&places).copied() else {
            return false;
        };
        let with: &[u8] = [&b"\0\0\0\0"[..], b"\n", b"\xFF", b"{", b","][random.below(5)];
        bytes.splice(at..at, with.to_vec());
        true
    })
}

/// The name of any file of several.
fn name(files: &Files, random: &mut Random) -> Option<String> {
    let names: Vec<String> = files.keys().cloned().collect();
    (names.len() > 1).then(|| random.pick(&names).cloned())?
}

fn lost_file(files: &mut Files, random: &mut Random) -> bool {
    name(files, random).is_some_and(|name| files.remove(&name).is_some())
}

/// `cp event-00005… event-00003…`: a file has the bytes of another one.
fn copied_file(files: &mut Files, random: &mut Random) -> bool {
    let (Some(from), Some(to)) = (name(files, random), name(files, random)) else {
        return false;
    };
    let bytes = files[&from].clone();
    from != to && files.insert(to, bytes).is_some()
}

/// A file is there twice, under a second name.
fn copy_beside(files: &mut Files, random: &mut Random) -> bool {
    let Some(from) = name(files, random) else {
        return false;
    };
    let (stem, end) = from.rsplit_once('.').unwrap_or((&from, ""));
    let copy = match random.below(3) {
        0 => format!("{stem} (copy).{end}"),
        1 => format!("{stem}-1.{end}"),
        _ => from.replacen("0000", "0001", 1),
    };
    let bytes = files[&from].clone();
    files.insert(copy, bytes).is_none()
}

fn swapped_files(files: &mut Files, random: &mut Random) -> bool {
    let (Some(one), Some(other)) = (name(files, random), name(files, random)) else {
        return false;
    };
    let (first, second) = (files[&one].clone(), files[&other].clone());
    files.insert(one, second);
    files.insert(other, first);
    true
}

fn emptied_file(files: &mut Files, random: &mut Random) -> bool {
    name(files, random).is_some_and(|name| files.insert(name, Vec::new()).is_some())
}

/// A record of another program: of its log, or of another session.
fn mixed_in(files: &mut Files, random: &mut Random) -> bool {
    any_file(files, random).is_some_and(|bytes| {
        let shape = Shape::of(bytes);
        let Some(unit) = random.pick(&records(&shape)).cloned() else {
            return false;
        };
        let foreign = [
            &b"{\"level\":\"info\",\"msg\":\"a line of a log that came between\"}"[..],
            b"{}",
            b"[]",
            b"null",
            b"\"a string alone\"",
            b"WARN not JSON at all",
        ];
        let text = foreign[random.below(foreign.len())].to_vec();
        put(bytes, &unit, text);
        true
    })
}
