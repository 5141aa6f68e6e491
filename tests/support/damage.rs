//! Random damage of a line file, as done by crashes, second writers, editors and careless tools.

use proptest::prelude::{Strategy, any, prop_oneof};

use super::Files;

/// One kind of damage. Numbers are taken modulo what exists.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    /// A line is lost.
    Drop(u16),
    /// A line is repeated further on.
    Double(u16, u16),
    /// A line is moved.
    Move(u16, u16),
    /// A line is truncated.
    Cut(u16, u16),
    /// The file is truncated.
    End(u16),
    /// A line is joined with the next one.
    Glue(u16),
    /// A line is truncated and joined with the next one.
    CutAndGlue(u16, u16),
    /// Some bytes of a line are missing.
    Lose(u16, u16, u8),
    /// A byte of a line is changed.
    Byte(u16, u16, u8),
    /// NUL bytes precede a line.
    Nul(u16, u8),
    /// A line consists of NUL bytes.
    AllNul(u16),
    /// A line feed is inside a line.
    Tear(u16, u16),
    /// A member that refers to something has the value of another line.
    Swap(u16, u16, u8),
    /// A member that refers to something is null.
    Null(u16, u8),
    /// A member that refers to something refers to nothing that exists.
    Stray(u16, u8),
    /// A copy of a line with its own ID.
    Again(u16, u16),
    /// All lines end in CR LF.
    Crlf,
    /// The last line has no line ending.
    Unended,
    /// A byte order mark precedes a line.
    Mark(u16),
    /// No line has a `parent_id`.
    Legacy,
}

/// Members that refer to something.
const NAMES: &[&str] = &[
    "id",
    "parent_id",
    "tool_call_id",
    "action_id",
    "llm_response_id",
    "timestamp",
    "kind",
    "uuid",
    "parentUuid",
    "parentId",
    "tool_use_id",
    "call_id",
    "toolCallId",
    "callId",
    "type",
    "role",
    "name",
];

/// Any damage.
pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    use Damage::{
        Again, AllNul, Byte, Crlf, Cut, CutAndGlue, Double, Drop, End, Glue, Legacy, Lose, Mark,
        Move, Nul, Null, Stray, Swap, Tear, Unended,
    };
    let (a, b, c) = (any::<u16>(), any::<u16>(), any::<u8>());
    prop_oneof![
        4 => a.prop_map(Drop),
        4 => (a, b).prop_map(|(a, b)| Double(a, b)),
        4 => (a, b).prop_map(|(a, b)| Move(a, b)),
        3 => (a, b).prop_map(|(a, b)| Cut(a, b)),
        1 => a.prop_map(End),
        2 => a.prop_map(Glue),
        2 => (a, b).prop_map(|(a, b)| CutAndGlue(a, b)),
        1 => (a, b, c).prop_map(|(a, b, c)| Lose(a, b, c)),
        1 => (a, b, c).prop_map(|(a, b, c)| Byte(a, b, c)),
        1 => (a, c).prop_map(|(a, c)| Nul(a, c)),
        1 => a.prop_map(AllNul),
        1 => (a, b).prop_map(|(a, b)| Tear(a, b)),
        4 => (a, b, c).prop_map(|(a, b, c)| Swap(a, b, c)),
        2 => (a, c).prop_map(|(a, c)| Null(a, c)),
        2 => (a, c).prop_map(|(a, c)| Stray(a, c)),
        4 => (a, b).prop_map(|(a, b)| Again(a, b)),
        1 => proptest::strategy::Just(Crlf),
        1 => proptest::strategy::Just(Unended),
        1 => a.prop_map(Mark),
        1 => proptest::strategy::Just(Legacy),
    ]
}

/// One kind of damage of a folder of event files. Numbers are taken modulo what exists.
#[derive(Clone, Debug)]
pub(crate) enum FolderDamage {
    /// An event file is lost.
    Lost(u16),
    /// An event file is empty.
    Empty(u16),
    /// An event file is truncated.
    Cut(u16, u16),
    /// NUL bytes follow an event.
    Nul(u16),
    /// An event file has a wrong number.
    Number(u16, u16),
    /// The name of an event file has a wrong ID.
    Named(u16, u16),
    /// An event is repeated under its own number.
    Again(u16, u16),
    /// A member that refers to something has the value of another event.
    Swap(u16, u16, u8),
    /// A member that refers to something is null.
    Null(u16, u8),
    /// A member that refers to something refers to nothing that exists.
    Stray(u16, u8),
    /// The host's state points to this event.
    Sample(u16),
    /// The host's state points to nothing that exists.
    LostHead,
    /// The host's state is missing.
    NoState,
}

/// Any damage of a folder.
pub(crate) fn folder_damage() -> impl Strategy<Value = FolderDamage> {
    use FolderDamage::{
        Again, Cut, Empty, Lost, LostHead, Named, NoState, Nul, Null, Number, Sample, Stray, Swap,
    };
    let (a, b, c) = (any::<u16>(), any::<u16>(), any::<u8>());
    prop_oneof![
        3 => a.prop_map(Lost),
        3 => a.prop_map(Empty),
        3 => (a, b).prop_map(|(a, b)| Cut(a, b)),
        1 => a.prop_map(Nul),
        3 => (a, b).prop_map(|(a, b)| Number(a, b)),
        2 => (a, b).prop_map(|(a, b)| Named(a, b)),
        3 => (a, b).prop_map(|(a, b)| Again(a, b)),
        4 => (a, b, c).prop_map(|(a, b, c)| Swap(a, b, c)),
        2 => (a, c).prop_map(|(a, c)| Null(a, c)),
        2 => (a, c).prop_map(|(a, c)| Stray(a, c)),
        2 => a.prop_map(Sample),
        1 => proptest::strategy::Just(LostHead),
        1 => proptest::strategy::Just(NoState),
    ]
}

/// The folder after these damages.
pub(crate) fn broken_folder(files: &Files, damages: &[FolderDamage]) -> Files {
    let mut files = files.clone();
    for damage in damages {
        let names: Vec<String> =
            files.keys().filter(|name| name.contains("/event-")).cloned().collect();
        if !names.is_empty() {
            one_of_folder(&mut files, &names, damage);
        }
    }
    files
}

fn one_of_folder(files: &mut Files, names: &[String], damage: &FolderDamage) {
    let name = |number: &u16| &names[usize::from(*number) % names.len()];
    let numbered = |old: &str, number: usize| {
        let id = old.splitn(3, '-').nth(2).unwrap_or_default();
        format!("events/event-{number:05}-{id}")
    };
    match damage {
        FolderDamage::Lost(a) => _ = files.remove(name(a)),
        FolderDamage::Empty(a) => _ = files.insert(name(a).clone(), Vec::new()),
        FolderDamage::Cut(a, b) => {
            if let Some(bytes) = files.get_mut(name(a)) {
                bytes.truncate(place(bytes, *b));
            }
        }
        FolderDamage::Nul(a) => files.entry(name(a).clone()).or_default().extend([0; 9]),
        FolderDamage::Number(a, b) => {
            let bytes = files.remove(name(a)).unwrap_or_default();
            files.insert(numbered(name(a), usize::from(*b) % (names.len() + 2)), bytes);
        }
        FolderDamage::Named(a, b) => {
            let bytes = files.remove(name(a)).unwrap_or_default();
            let number = names.iter().position(|other| other == name(a)).unwrap_or_default();
            files.insert(numbered(name(b), number), bytes);
        }
        FolderDamage::Again(a, b) => {
            let mut copy = files[name(a)].clone();
            let id = format!("{b:08x}-2222-4222-8222-222222222222");
            set(&mut copy, 0, format!("\"{id}\"").as_bytes());
            files.insert(format!("events/event-{:05}-{id}.json", names.len()), copy);
        }
        FolderDamage::Swap(a, b, c) => {
            let other = files[name(b)].clone();
            if let Some((from, to)) = member(&other, *c) {
                set(files.entry(name(a).clone()).or_default(), *c, &other[from..to]);
            }
        }
        FolderDamage::Null(a, c) => set(files.entry(name(a).clone()).or_default(), *c, b"null"),
        FolderDamage::Stray(a, c) => {
            set(
                files.entry(name(a).clone()).or_default(),
                *c,
                b"\"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee\"",
            );
        }
        FolderDamage::Sample(a) => {
            let id = name(a)
                .splitn(3, '-')
                .nth(2)
                .unwrap_or_default()
                .trim_end_matches(".json")
                .to_owned();
            point_at(files, &id);
        }
        FolderDamage::LostHead => point_at(files, "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"),
        FolderDamage::NoState => _ = files.remove("base_state.json"),
    }
}

fn point_at(files: &mut Files, id: &str) {
    let Some(state) = files.get_mut("base_state.json") else {
        return;
    };
    let key = b"\"leaf_event_id\":\"";
    let Some(from) = memchr::memmem::find(state, key).map(|at| at + key.len()) else {
        return;
    };
    let to = from + memchr::memchr(b'"', &state[from..]).unwrap_or_default();
    state.splice(from..to, id.bytes());
}

/// The file after these damages.
pub(crate) fn broken(file: &[u8], damages: &[Damage]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        file.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for damage in damages {
        if !lines.is_empty() {
            one(&mut lines, damage);
        }
    }
    lines.concat()
}

fn one(lines: &mut Vec<Vec<u8>>, damage: &Damage) {
    let count = lines.len();
    let line = |number: &u16| usize::from(*number) % count;
    match damage {
        Damage::Drop(a) => _ = lines.remove(line(a)),
        Damage::Double(a, b) => lines.insert(line(b), lines[line(a)].clone()),
        Damage::Move(a, b) => {
            let moved = lines.remove(line(a));
            lines.insert(usize::from(*b) % count, moved);
        }
        Damage::Cut(a, b) => {
            let at = place(&lines[line(a)], *b);
            lines[line(a)].truncate(at);
            lines[line(a)].push(b'\n');
        }
        Damage::End(a) => {
            let last = &mut lines[count - 1];
            let at = place(last, *a);
            last.truncate(at);
        }
        Damage::Glue(a) => _ = lines[line(a)].pop(),
        Damage::CutAndGlue(a, b) => {
            let at = place(&lines[line(a)], *b);
            lines[line(a)].truncate(at);
        }
        Damage::Lose(a, b, c) => {
            let from = place(&lines[line(a)], *b);
            let to = (from + usize::from(*c)).min(lines[line(a)].len());
            lines[line(a)].drain(from..to);
        }
        Damage::Byte(a, b, c) => {
            let at = place(&lines[line(a)], *b);
            if let Some(byte) = lines[line(a)].get_mut(at) {
                *byte = *c;
            }
        }
        Damage::Nul(a, c) => _ = lines[line(a)].splice(0..0, vec![0; usize::from(*c)]),
        Damage::AllNul(a) => {
            let end = lines[line(a)].len().saturating_sub(1);
            lines[line(a)][..end].fill(0);
        }
        Damage::Tear(a, b) => {
            let at = place(&lines[line(a)], *b);
            lines[line(a)].insert(at, b'\n');
        }
        Damage::Swap(a, b, c) => {
            if let Some(value) =
                member(&lines[line(b)], *c).map(|(from, to)| lines[line(b)][from..to].to_vec())
            {
                set(&mut lines[line(a)], *c, &value);
            }
        }
        Damage::Null(a, c) => set(&mut lines[line(a)], *c, b"null"),
        Damage::Stray(a, c) => {
            set(&mut lines[line(a)], *c, b"\"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee\"")
        }
        Damage::Again(a, b) => {
            let mut copy = lines[line(a)].clone();
            set(&mut copy, 0, format!("\"{b:08x}-2222-4222-8222-222222222222\"").as_bytes());
            lines.insert(line(b), copy);
        }
        Damage::Crlf => {
            for line in
                lines.iter_mut().filter(|line| line.ends_with(b"\n") && !line.ends_with(b"\r\n"))
            {
                line.pop();
                line.extend(b"\r\n");
            }
        }
        Damage::Unended => _ = lines[count - 1].pop(),
        Damage::Mark(a) => _ = lines[line(a)].splice(0..0, *b"\xEF\xBB\xBF"),
        Damage::Legacy => lines.iter_mut().for_each(|line| remove(line, 1)),
    }
}

fn place(line: &[u8], number: u16) -> usize {
    usize::from(number) % line.len().max(1)
}

/// The value of the first member that is called so.
fn member(line: &[u8], number: u8) -> Option<(usize, usize)> {
    let key = format!("\"{}\":\"", NAMES[usize::from(number) % NAMES.len()]);
    let from = memchr::memmem::find(line, key.as_bytes())? + key.len() - 1;
    let to = from + 1 + memchr::memchr(b'"', &line[from + 1..])? + 1;
    Some((from, to))
}

fn set(line: &mut Vec<u8>, number: u8, value: &[u8]) {
    if let Some((from, to)) = member(line, number) {
        line.splice(from..to, value.iter().copied());
    }
}

fn remove(line: &mut Vec<u8>, number: u8) {
    if let Some((from, to)) = member(line, number) {
        let key = NAMES[usize::from(number) % NAMES.len()].len() + 3;
        line.drain(from - key..to + 1);
    }
}
