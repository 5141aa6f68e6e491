//! LangGraph checkpoints: the state of a thread, as its host would dump it (`values`, `next`, `tasks`).
//!
//! Values are MessagePack with objects as extensions, or JSON. Nothing is constructed: names of classes are data.

mod added;
mod list;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::NotRead;
use super::content::{StoreContent, StoredRows, is_whole};
use super::sessions::MOST_BYTES;
use crate::containers::database::{ColumnValue, Database, DatabaseTable, TableRow};
use crate::containers::msgpack;
use crate::dialects::langchain::{Form, Speaker, pieces};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::json::tape::Kind;
use crate::transcript::PartKind;
pub(super) use added::added;
use list::MessageList;

/// Between a thread and its namespace.
const IN: char = '#';
/// The channel with the messages, unless the application chose another name.
const MESSAGES: &str = "messages";
/// Keys of channels whose node is next.
const NEXT: &[&str] = &["branch:to:", "start:", "branch:"];
/// 100 nanoseconds from 1582, where the times of these IDs start, to 1970.
const EPOCH: i64 = 0x01B2_1DD2_1381_4000;

/// The name of a thread, with its namespace if it has one.
pub(super) fn name(values: &[&str]) -> String {
    // The mark between both is in neither.
    let plain = |text: &str| {
        if [IN.to_string().as_str(), "%23", "%25"].iter().any(|mark| text.contains(mark)) {
            text.replace('%', "%25").replace(IN, "%23")
        } else {
            text.to_owned()
        }
    };
    match values {
        [thread, space, ..] if !space.is_empty() => {
            format!("{}{IN}{}", plain(thread), plain(space))
        }
        [thread, ..] => plain(thread),
        [] => String::new(),
    }
}

/// The namespace in which a call of a subgraph was started: `NODE:TASK` is the namespace of a call, `NODE` one that lasts.
pub(super) fn parent(name: &str) -> Option<String> {
    let (thread, space) = name.split_once(IN)?;
    let steps: Vec<&str> = space.split('|').collect();
    let call = steps.iter().position(|step| step.contains(':'))?;
    let above = steps.get(..call).filter(|above| !above.is_empty());
    Some(above.map_or(thread.to_owned(), |above| format!("{thread}{IN}{}", above.join("|"))))
}

/// Microseconds since 1970 of the ID of a checkpoint, a UUID of version 6.
pub(super) fn time(id: &str) -> Option<i64> {
    let digits: String = id.split('-').collect();
    let (high, low) = (digits.get(..12)?, digits.get(12..16)?.strip_prefix('6')?);
    let number = |digits| i64::from_str_radix(digits, 16).ok();
    let ticks = number(high)? << 12 | number(low)?;
    (digits.len() == 32).then_some((ticks - EPOCH) / 10)
}

/// The state of a thread.
pub(super) fn content(stored: &StoredRows<'_>) -> Result<StoreContent, NotRead> {
    let thread = Thread::of(stored).ok_or(NotRead::Damaged)?;
    let (newest, _) = thread.checkpoints.last_key_value().ok_or(NotRead::Damaged)?;
    let state = thread.state(newest)?;
    let channel = channel(state.root());
    let (mut list, lost) = thread.list(newest, &channel)?;
    list.add_input(state.values().and_then(|values| values.get("__start__")), &channel);
    let messages = list.into_messages();
    if messages.iter().any(|own| contains(own, msgpack::UNKNOWN)) {
        let why = "one of its messages has a MessagePack extension of an unknown kind";
        return Err(NotRead::Because(why.to_owned()));
    }
    let waiting = thread.tasks(newest, &channel)?;
    let recovered = thread.recovered(&messages, &channel);
    let mut out = b"{\n\"values\":{\"messages\":".to_vec();
    out.extend(lines(&messages));
    if let Some(event) = state.values().and_then(|values| values.get("_summarization_event")) {
        out.extend(b",\n\"_summarization_event\":");
        out.extend(&*event.raw());
    }
    out.extend(
        format!("}},\n\"next\":[{}],\n\"checkpoint\":", next(state.root()).join(",")).into_bytes(),
    );
    out.extend(thread.place(newest)?.into_bytes());
    let members = [
        ("metadata", Some(state.metadata.clone())),
        ("tasks", Some(lines(&waiting.tasks))),
        ("error", waiting.error.map(String::into_bytes)),
        ("lost_parent", lost.map(|id| quote(&id).into_bytes())),
        ("recovered", Some(lines(&recovered)).filter(|_| !recovered.is_empty())),
    ];
    for (key, value) in members {
        if let Some(value) = value {
            out.extend(format!(",\n\"{key}\":").into_bytes());
            out.extend(value);
        }
    }
    out.extend(b"\n}\n");
    Ok(StoreContent { entries: vec![(format!("checkpoints:{newest}"), out)], lines: Vec::new() })
}

/// A list, one value a line.
fn lines(values: &[Vec<u8>]) -> Vec<u8> {
    let values = values.join(&b",\n"[..]);
    [b"[", &values[..], b"]"].join(if values.is_empty() { &b""[..] } else { b"\n" })
}

fn contains(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

/// The channel with the messages: the usual one, or the first that has a list of messages and nothing else.
fn channel(root: Node<'_>) -> String {
    let values = root.get("channel_values");
    let versions = root.get("channel_versions");
    let usual = |node: Node<'_>| node.get(MESSAGES).is_some();
    if values.is_some_and(usual) || versions.is_some_and(usual) {
        return MESSAGES.to_owned();
    }
    let is_list = |value: &Node<'_>| {
        value.kind() == Kind::Array
            && value.items().next().is_some()
            && value.items().all(|item| Form::of(item).is_some())
    };
    let mut channels = values.into_iter().flat_map(|values| values.members());
    let found = channels.find(|(_, value)| is_list(value));
    let name = found.and_then(|(key, _)| Some(key.str()?.into_owned()));
    name.unwrap_or_else(|| MESSAGES.to_owned())
}

/// The nodes that are next, quoted: those of the channels that start one, and those that were sent to.
fn next(root: Node<'_>) -> Vec<String> {
    let values = root.get("channel_values");
    let mut nodes = Vec::new();
    for (key, _) in values.into_iter().flat_map(|values| values.members()) {
        let Some(key) = key.str() else { continue };
        let name = NEXT.iter().find_map(|start| key.strip_prefix(start));
        nodes.extend(name.and_then(|name| name.rsplit(':').next()).map(quote));
    }
    let sends = [values.and_then(|values| values.get("__pregel_tasks")), root.get("pending_sends")];
    for send in sends.into_iter().flatten().flat_map(|list| list.items()) {
        // `["langgraph.types", "Send", [NODE, ARGUMENT]]`
        let node = send.items().nth(2).and_then(|args| args.items().next());
        nodes.extend(node.and_then(|node| node.str()).map(|node| quote(&node)));
    }
    nodes
}

/// A value that was serialized, as JSON.
fn decoded(kind: &ColumnValue, value: &ColumnValue) -> Result<Record, NotRead> {
    let why = |why: String| Err(NotRead::Because(why));
    let bytes = value.bytes().unwrap_or_default();
    let json = match kind.text().as_deref() {
        Some("msgpack") => msgpack::to_json(bytes, inside),
        Some("json") => is_whole(bytes).then(|| bytes.to_vec()),
        Some("null") => Some(b"null".to_vec()),
        Some(kind) if kind.contains('+') => {
            return why(format!(
                "it is encrypted (`{kind}`): only LangGraph can read it, with the key"
            ));
        }
        Some("pickle") => {
            return why(
                "it is a pickle, which only Python can read, by running what is in it".to_owned()
            );
        }
        kind => {
            return why(format!(
                "its values are of an unknown type, `{}`",
                kind.unwrap_or_default()
            ));
        }
    };
    match json.and_then(Record::parse) {
        Some(record) => Ok(record),
        None => {
            why("a value of it is damaged, so LangGraph cannot open the thread either".to_owned())
        }
    }
}

/// What an object of LangGraph's serializer is shown as.
fn inside(code: i8, payload: &[u8]) -> Option<&[u8]> {
    match code {
        // Objects of Pydantic: module, class, members.
        4 | 5 => msgpack::items(payload)?.get(2).copied(),
        // Module, name and arguments; a whole channel.
        0..=3 | 7 => Some(payload),
        _ => None,
    }
}

/// A checkpoint.
struct CheckpointState {
    record: Record,
    metadata: Vec<u8>,
}

impl CheckpointState {
    fn root(&self) -> Node<'_> {
        self.record.root()
    }

    fn values(&self) -> Option<Node<'_>> {
        self.root().get("channel_values")
    }
}

/// What tasks did in the step that starts from a checkpoint.
struct Tasks {
    tasks: Vec<Vec<u8>>,
    error: Option<String>,
}

/// A value that a task wrote.
struct TaskWrite {
    channel: String,
    /// Its place among those of its checkpoint: the path and the ID of its task, and its number there.
    order: (String, String, i64),
    record: Record,
}

/// A thread in one namespace.
struct Thread<'s> {
    stored: &'s StoredRows<'s>,
    /// By ID, so in the order of time: the row, and the ID of the one before it.
    checkpoints: BTreeMap<String, (i64, Option<String>)>,
    /// The rows with what tasks wrote, by the checkpoint from which their step starts, each with its channel.
    writes: HashMap<String, Vec<(i64, String)>>,
}

impl<'s> Thread<'s> {
    /// `None`: a row cannot be read.
    fn of(stored: &'s StoredRows<'s>) -> Option<Thread<'s>> {
        let [(checkpoints, of_checkpoints), (writes, of_writes)] = stored.tables.first_chunk()?;
        let values = |table, ids, names: [&str; 2]| columns(stored.database, table, ids, &names);
        let text = |value: Option<&ColumnValue>| {
            value.and_then(ColumnValue::text).map(|text| text.into_owned())
        };
        let names = ["checkpoint_id", "parent_checkpoint_id"];
        let checkpoints = values(checkpoints, of_checkpoints, names)?;
        let checkpoints = checkpoints.into_iter().filter_map(|(row, values)| {
            let parent = text(values.get(1)).filter(|id| !id.is_empty());
            Some((text(values.first())?, (row, parent)))
        });
        let mut checkpoints: BTreeMap<String, (i64, Option<String>)> = checkpoints.collect();
        if let Some(row) = stored.added {
            let (table, _) = stored.tables.first()?;
            let [id, parent] = names.map(|name| text(Some(row.value(table.column(name)))));
            checkpoints.insert(id?, (row.id, parent));
        }
        let rows = values(writes, of_writes, ["checkpoint_id", "channel"])?;
        let mut writes: HashMap<String, Vec<(i64, String)>> = HashMap::new();
        for (row, values) in rows {
            if let (Some(id), Some(channel)) = (text(values.first()), text(values.get(1))) {
                writes.entry(id).or_default().push((row, channel));
            }
        }
        Some(Thread { stored, checkpoints, writes })
    }

    /// Rows of one of the two tables.
    fn rows(
        &self,
        number: usize,
        ids: &[i64],
    ) -> Result<(&'s DatabaseTable, Vec<TableRow>), NotRead> {
        let (table, _) = self.stored.tables.get(number).ok_or(NotRead::Damaged)?;
        if let Some(row) = self.stored.added
            && (number, ids) == (0, &[row.id])
        {
            return Ok((table, vec![row.clone()]));
        }
        let rows = self.stored.database.rows(table, ids, MOST_BYTES);
        Ok((table, rows.ok_or(NotRead::Damaged)?))
    }

    fn state(&self, id: &str) -> Result<CheckpointState, NotRead> {
        let (row, _) = self.checkpoints.get(id).ok_or(NotRead::Damaged)?;
        let (table, rows) = self.rows(0, &[*row])?;
        let row = rows.first().ok_or(NotRead::Damaged)?;
        let column = |name| row.value(table.column(name));
        let metadata = column("metadata").bytes().unwrap_or(b"null");
        if !is_whole(metadata) {
            let why = "the metadata of its newest checkpoint is not JSON, so LangGraph cannot open the thread";
            return Err(NotRead::Because(why.to_owned()));
        }
        Ok(CheckpointState {
            record: decoded(column("type"), column("checkpoint"))?,
            metadata: metadata.to_vec(),
        })
    }

    /// Where the newest checkpoint is. Its value, which may be large, is not read again.
    fn place(&self, id: &str) -> Result<String, NotRead> {
        const NAMES: [&str; 3] = ["thread_id", "checkpoint_ns", "checkpoint_id"];
        let (row, _) = self.checkpoints.get(id).ok_or(NotRead::Damaged)?;
        let (table, _) = self.stored.tables.first().ok_or(NotRead::Damaged)?;
        let values = match self.stored.added.filter(|added| added.id == *row) {
            Some(added) => NAMES.map(|name| added.value(table.column(name)).clone()).into(),
            None => {
                let rows = columns(self.stored.database, table, &[*row], &NAMES);
                rows.and_then(|mut rows| rows.pop()).ok_or(NotRead::Damaged)?.1
            }
        };
        let members: Vec<String> = NAMES
            .into_iter()
            .zip(values)
            .map(|(name, value)| format!("\"{name}\":{}", quote(&value.text().unwrap_or_default())))
            .collect();
        Ok(format!("{{{}}}", members.join(",")))
    }

    /// What tasks wrote in the step that starts from a checkpoint, to one channel or to all.
    fn writes(&self, id: &str, channel: Option<&str>) -> Result<Vec<TaskWrite>, NotRead> {
        let own = self.writes.get(id).into_iter().flatten();
        let own = own.filter(|(_, to)| channel.is_none_or(|channel| to == channel));
        let (ids, channels): (Vec<i64>, Vec<&String>) = own.map(|(row, to)| (*row, to)).unzip();
        let (table, rows) = self.rows(1, &ids)?;
        let mut writes = rows
            .iter()
            .zip(channels)
            .map(|(row, channel)| {
                let column = |name| row.value(table.column(name));
                let text = |name| column(name).text().unwrap_or_default().into_owned();
                let number = column("idx").integer().unwrap_or_default();
                Ok(TaskWrite {
                    channel: channel.clone(),
                    order: (text("task_path"), text("task_id"), number),
                    record: decoded(column("type"), column("value"))?,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        writes.sort_by(|a, b| a.order.cmp(&b.order));
        Ok(writes)
    }

    /// The messages of a checkpoint; and the checkpoint that is missing, if not all of them are there.
    fn list(&self, id: &str, channel: &str) -> Result<(MessageList, Option<String>), NotRead> {
        let mut list = MessageList::default();
        let (mut at, mut before, mut lost) = (id.to_owned(), Vec::new(), None);
        let mut seen = HashSet::new();
        loop {
            let state = self.state(&at)?;
            if let Some(value) = state.values().and_then(|values| values.get(channel)) {
                list.add(value);
                break;
            }
            // Without a version, the channel was never written.
            if before.is_empty() && state.root().at(&["channel_versions", channel]).is_none() {
                break;
            }
            let parent = self.checkpoints.get(&at).and_then(|(_, parent)| parent.clone());
            let Some(parent) = parent.filter(|parent| seen.insert(parent.clone())) else {
                break;
            };
            before.push(parent.clone());
            if !self.checkpoints.contains_key(&parent) {
                lost = Some(parent);
                break;
            }
            at = parent;
        }
        for id in before.iter().rev() {
            for write in self.writes(id, Some(channel))? {
                list.apply(write.record.root());
            }
        }
        Ok((list, lost))
    }

    /// What the tasks of the newest step have written so far: errors, interrupts, and results that are not in the messages yet.
    fn tasks(&self, id: &str, channel: &str) -> Result<Tasks, NotRead> {
        let mut tasks: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        let mut error = None;
        for write in self.writes(id, None)? {
            let root = write.record.root();
            let raw = String::from_utf8_lossy(&root.raw()).into_owned();
            let (path, task, _) = write.order;
            let own = tasks.entry((path, task)).or_default();
            match write.channel.as_str() {
                "__error__" => {
                    own.push(format!("\"error\":{raw}"));
                    error = Some(raw);
                }
                "__interrupt__" => own.push(format!("\"interrupts\":{raw}")),
                to if to == channel => own.push(format!("\"result\":{raw}")),
                _ => {}
            }
        }
        let task = |((path, id), own): (&(String, String), &Vec<String>)| {
            let named = [format!("\"id\":{}", quote(id)), format!("\"path\":{}", quote(path))];
            format!("{{{}}}", [&named[..], own].concat().join(",")).into_bytes()
        };
        Ok(Tasks { tasks: tasks.iter().map(task).collect(), error })
    }

    /// Results of open calls that their tools wrote, but whose step has not ended: they wait for the other tools, or were dropped,
    /// because a new message came instead of a resume. The first counts, if its step followed the call.
    fn recovered(&self, messages: &[Vec<u8>], channel: &str) -> Vec<Vec<u8>> {
        let (mut open, mut found) = (open_calls(messages), Vec::new());
        for id in self.checkpoints.keys() {
            if open.is_empty() {
                break;
            }
            // Replaying a checkpoint costs its whole history, so once for all results in it.
            let mut last = None;
            for write in self.writes(id, Some(channel)).unwrap_or_default() {
                let mut results = MessageList::default();
                results.add(write.record.root());
                for result in results.into_messages() {
                    let Some(call) = tool_call_id(&result).filter(|call| open.contains(call))
                    else {
                        continue;
                    };
                    let last = last.get_or_insert_with(|| self.last_calls(id, channel));
                    if last.contains(&call) {
                        open.remove(&call);
                        found.push(result);
                    }
                }
            }
        }
        found
    }

    /// The IDs of the calls in the last message of the model in a checkpoint.
    fn last_calls(&self, id: &str, channel: &str) -> Vec<String> {
        let Ok((list, _)) = self.list(id, channel) else {
            return Vec::new();
        };
        let mut messages = list.into_messages().into_iter().filter_map(Record::parse);
        let last = messages.rfind(|own| is_by(own, Speaker::Assistant));
        last.map_or_else(Vec::new, |own| ids(own.root(), PartKind::Call))
    }
}

/// These columns of rows, which are sorted. `None`: a column or a row is missing.
fn columns(
    database: &Database,
    table: &DatabaseTable,
    rows: &[i64],
    names: &[&str],
) -> Option<Vec<(i64, Vec<ColumnValue>)>> {
    let columns = names.iter().map(|name| table.column(name));
    database.values(table, rows, &columns.collect::<Option<Vec<usize>>>()?)
}

fn is_by(record: &Record, speaker: Speaker) -> bool {
    Form::of(record.root()).is_some_and(|form| form.speaker == speaker)
}

/// The IDs of the calls or results in a message.
fn ids(message: Node<'_>, kind: PartKind) -> Vec<String> {
    let form = Form::of(message);
    let pieces = form.iter().flat_map(|form| pieces(form));
    let own = pieces.filter(|piece| piece.kind == kind);
    own.filter_map(|piece| piece.id().map(|id| id.into_owned())).collect()
}

fn tool_call_id(message: &[u8]) -> Option<String> {
    let record = Record::parse(message.to_vec()).filter(|own| is_by(own, Speaker::Tool))?;
    ids(record.root(), PartKind::Result).pop()
}

/// The IDs that exactly one call has, and no result.
fn open_calls(messages: &[Vec<u8>]) -> HashSet<String> {
    let (mut calls, mut results) = (HashMap::<String, u32>::new(), HashSet::new());
    for record in messages.iter().filter_map(|own| Record::parse(own.clone())) {
        for id in ids(record.root(), PartKind::Call) {
            *calls.entry(id).or_default() += 1;
        }
        results.extend(ids(record.root(), PartKind::Result));
    }
    let open = calls.into_iter().filter(|(id, count)| *count == 1 && !results.contains(id));
    open.map(|(id, _)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_thread_and_its_namespace() {
        for (thread, space, expected) in [
            ("t", "", "t"),
            ("t", "sub", "t#sub"),
            ("a#b", "", "a%23b"),
            ("a%23b", "", "a%2523b"),
            ("50%", "", "50%"),
        ] {
            assert_eq!(name(&[thread, space]), expected);
        }
        for (name, expected) in [
            ("t", None),
            ("t#sub", None),
            ("t#sub:1f", Some("t")),
            ("t#sub|inner:1f", Some("t#sub")),
            ("t#sub:1f|inner:2f", Some("t")),
            ("t#sub:1f|inner", Some("t")),
        ] {
            assert_eq!(parent(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn an_id_has_a_time() {
        let micros = time("1f1e5853-c64a-6dfe-bfff-c7b62b63f461");
        assert_eq!(micros, Some(1_795_249_583_183_820));
        for other in ["", "1f1e5853-c64a-4dfe-bfff-c7b62b63f461", "2026-01-21T09:48:05.911Z", "é"]
        {
            assert_eq!(time(other), None, "{other}");
        }
    }
}
