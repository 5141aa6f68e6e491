//! A thread: its checkpoints, and what its tasks wrote.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::decoded;
use super::list::MessageList;
use crate::containers::database::{ColumnValue, Database, DatabaseTable, TableRow};
use crate::dialects::langchain::{Form, Speaker, pieces};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::record::Record;
use crate::stores::NotRead;
use crate::stores::content::{StoredRows, is_whole};
use crate::stores::sessions::MOST_BYTES;
use crate::transcript::PartKind;

/// A checkpoint.
pub(super) struct CheckpointState {
    pub(super) record: Record,
    pub(super) metadata: Vec<u8>,
}

impl CheckpointState {
    pub(super) fn root(&self) -> Node<'_> {
        self.record.root()
    }

    pub(super) fn values(&self) -> Option<Node<'_>> {
        self.root().get("channel_values")
    }
}

/// What tasks did in the step that starts from a checkpoint.
pub(super) struct Tasks {
    pub(super) tasks: Vec<Vec<u8>>,
    pub(super) error: Option<String>,
}

/// A value that a task wrote.
struct TaskWrite {
    channel: String,
    /// Its place among those of its checkpoint: the path and the ID of its task, and its number there.
    order: (String, String, i64),
    record: Record,
}

/// A thread in one namespace.
pub(super) struct Thread<'s> {
    pub(super) stored: &'s StoredRows<'s>,
    /// By ID, so in the order of time: the row, and the ID of the one before it.
    pub(super) checkpoints: BTreeMap<String, (i64, Option<String>)>,
    /// The rows with what tasks wrote, by the checkpoint from which their step starts, each with its channel.
    pub(super) writes: HashMap<String, Vec<(i64, String)>>,
}

impl<'s> Thread<'s> {
    /// `None`: a row cannot be read.
    pub(super) fn of(stored: &'s StoredRows<'s>) -> Option<Thread<'s>> {
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
    pub(super) fn rows(
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

    pub(super) fn state(&self, id: &str) -> Result<CheckpointState, NotRead> {
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
    pub(super) fn place(&self, id: &str) -> Result<String, NotRead> {
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
    pub(super) fn list(
        &self,
        id: &str,
        channel: &str,
    ) -> Result<(MessageList, Option<String>), NotRead> {
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
    pub(super) fn tasks(&self, id: &str, channel: &str) -> Result<Tasks, NotRead> {
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
    pub(super) fn recovered(&self, messages: &[Vec<u8>], channel: &str) -> Vec<Vec<u8>> {
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
