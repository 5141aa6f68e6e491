//! A repaired thread as one more checkpoint, as `update_state` adds one (`langgraph/pregel/main.py`, 1.2.22). No row of the
//! database changes.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::{CheckpointState, Thread, content, inside};
use crate::bytes::overlay::Overlay;
use crate::bytes::source::{Entries, Span};
use crate::containers::database::{ColumnValue, DatabaseTable, TableRow};
use crate::containers::msgpack::{self, write};
use crate::dialects::langchain::MODEL_NODES;
use crate::json::node::Node;
use crate::json::record::Record;
use crate::json::tape::Kind;
use crate::stores::content::{StoreContent, StoredRows};
use crate::stores::script::{NotScripted, RowEdit, RowEdits, RowState, equal, free_number};
use crate::stores::script::{like, text, with_cells};

/// The codes of LangGraph's extensions (`langgraph/checkpoint/serde/jsonplus.py`): an object of Pydantic, and a whole channel.
const OBJECT: i8 = 5;
const SNAPSHOT: i8 = 7;
/// Where LangChain has the class of a tool's result, and how objects are built from their members.
const RESULT: [&str; 2] = ["langchain_core.messages.tool", "ToolMessage"];
const BUILT_BY: &str = "model_validate_json";
/// What a step may have written without having done anything.
const NOTHING_DONE: &[&str] = &["__error__", "__no_writes__"];
/// The channel of deepagents with a summary.
const SUMMARY: &str = "_summarization_event";
/// The second part of a version, which only tells apart those of different runs.
const FRACTION: &str = "0.5000000000000000";

/// The row of the new checkpoint, and what is read of the thread then.
///
/// # Errors
/// Why there is none.
pub(in crate::stores) fn added(
    stored: &StoredRows<'_>,
    patched: &Overlay<'_>,
) -> Result<(RowEdits, StoreContent), NotScripted> {
    let thread = Thread::of(stored).ok_or(NotScripted::Damaged)?;
    let (newest, (row, _)) = thread.checkpoints.last_key_value().ok_or(NotScripted::Damaged)?;
    let (table, rows) = thread.rows(0, &[*row])?;
    let old = OldCheckpoint {
        thread: &thread,
        id: newest,
        table,
        row: rows.first().ok_or(NotScripted::Damaged)?,
        state: thread.state(newest)?,
    };
    let entry = patched.ids().first().copied().ok_or(NotScripted::Damaged)?;
    let (start, end) = (0, patched.len(entry));
    let document = patched.fetch(Span { entry, start, end }).map_err(|_| NotScripted::Damaged)?;
    let document = Record::parse(document).ok_or(NotScripted::NotJson)?;
    old.check(document.root())?;
    let new_id = old.new_id(document.bytes()).ok_or_else(unknown)?;
    let cells = old.cells(document.root(), &new_id)?;
    let number = free_number(stored.database, table)?;
    let new = TableRow { id: number, values: Vec::new() };
    let new = with_cells(table, new, &cells);
    let after = content(&StoredRows {
        database: stored.database,
        tables: stored.tables.clone(),
        added: Some(&new),
    })?;
    let only_if = old.only_if(&new_id)?;
    let change = RowEdit {
        table: table.name.clone(),
        before: None,
        after: Some(RowState { number, cells }),
        same: Vec::new(),
    };
    let free = Some((table.name.clone(), number));
    Ok((RowEdits { rows: vec![change], free, only_if }, after))
}

fn unknown() -> NotScripted {
    because("its newest checkpoint is not built as LangGraph 1 builds it")
}

fn because(why: &str) -> NotScripted {
    NotScripted::Because(why.to_owned())
}

/// The newest checkpoint of a thread.
struct OldCheckpoint<'o> {
    thread: &'o Thread<'o>,
    id: &'o str,
    table: &'o DatabaseTable,
    row: &'o TableRow,
    state: CheckpointState,
}

/// Messages as they are stored, by what is shown of them.
type StoredMessages = HashMap<Vec<u8>, Vec<u8>>;

impl OldCheckpoint<'_> {
    fn column(&self, name: &str) -> &ColumnValue {
        self.row.value(self.table.column(name))
    }

    /// Whether nothing runs again because of a new checkpoint, which starts with no results of tasks.
    fn check(&self, document: Node<'_>) -> Result<(), NotScripted> {
        if !matches!(self.column("checkpoint_ns").text().as_deref(), Some("")) {
            return Err(because("it is the state of a subgraph, which its thread starts"));
        }
        if self.column("type").text().as_deref() != Some("msgpack") {
            return Err(because("its values are JSON, as LangGraph 0 stored them"));
        }
        let done = self.thread.writes.get(self.id).into_iter().flatten();
        if done.clone().any(|(_, channel)| !NOTHING_DONE.contains(&channel.as_str())) {
            return Err(because(
                "a step of the thread has results that a new checkpoint would drop: resume it (invoke it with `None`)",
            ));
        }
        let runs = |node: Node<'_>| !MODEL_NODES.iter().any(|model| node.is_str(model));
        let (list, _) = self.thread.list(self.id, &super::channel(self.state.root()))?;
        let list = list.into_messages();
        let last = document.at(&["values", "messages"]).and_then(|list| list.items().last());
        let is_new = last.is_some_and(|last| list.last().is_none_or(|own| **own != *last.raw()));
        if is_new && document.items_of("next").any(runs) {
            return Err(because(
                "the tools whose calls are answered are next, and would run again",
            ));
        }
        Ok(())
    }

    /// The ID of the new checkpoint: right after the old one, with the number of its step (`langgraph/checkpoint/base/id.py`).
    fn new_id(&self, document: &[u8]) -> Option<String> {
        let digits: String = self.id.split('-').collect();
        let (high, low) = (digits.get(..12)?, digits.get(12..16)?.strip_prefix('6')?);
        let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
        let time = (number(high)? << 12 | number(low)?) + 1;
        let step = u64::try_from(self.step()? + 1).ok()? & 0x3FFF | 0x8000;
        let node: String =
            Sha256::digest(document).iter().take(6).map(|b| format!("{b:02x}")).collect();
        let (high, low) = (format!("{:012x}", time >> 12), time & 0xFFF);
        Some(format!("{}-{}-6{low:03x}-{step:04x}-{node}", high.get(..8)?, high.get(8..)?))
    }

    fn step(&self) -> Option<i64> {
        Record::parse(self.state.metadata.clone())?.root().get("step")?.as_i64()
    }

    /// The cells of the new row.
    fn cells(
        &self,
        document: Node<'_>,
        id: &str,
    ) -> Result<Vec<(String, ColumnValue)>, NotScripted> {
        let checkpoint = self.checkpoint(document, id)?;
        let metadata = self.metadata().ok_or_else(unknown)?;
        let text = |text: &str| ColumnValue::Text(text.as_bytes().to_vec());
        let cells = [
            ("thread_id", self.column("thread_id").clone()),
            ("checkpoint_ns", self.column("checkpoint_ns").clone()),
            ("checkpoint_id", text(id)),
            ("parent_checkpoint_id", text(self.id)),
            ("type", self.column("type").clone()),
            ("checkpoint", ColumnValue::Blob(checkpoint)),
            ("metadata", like(self.column("metadata"), text(&metadata))),
        ];
        Ok(cells.map(|(column, value)| (column.to_owned(), value)).into())
    }

    /// The old value with new messages, and their version.
    fn checkpoint(&self, document: Node<'_>, id: &str) -> Result<Vec<u8>, NotScripted> {
        let bytes = self.column("checkpoint").bytes().unwrap_or_default();
        let old = write::members(bytes).ok_or_else(unknown)?;
        let part = |name: &str| {
            let part = old.iter().find(|(key, _)| key == name);
            part.and_then(|(_, value)| write::members(value)).ok_or_else(unknown)
        };
        let (values, versions) = (part("channel_values")?, part("channel_versions")?);
        let mut changed: Vec<(String, Vec<u8>)> = Vec::new();
        changed.extend(self.messages(document, &values)?);
        changed.extend(summary(document, &values)?);
        let next = next_version(&versions).ok_or_else(unknown)?;
        let bumped: Vec<(String, Vec<u8>)> =
            changed.iter().map(|(channel, _)| (channel.clone(), next.clone())).collect();
        let replaced = [
            ("id".to_owned(), write::text(id)),
            ("channel_values".to_owned(), with(&values, &changed)),
            ("channel_versions".to_owned(), with(&versions, &bumped)),
        ];
        Ok(with(&old, &replaced))
    }

    /// The channel with the messages, if they change.
    fn messages(
        &self,
        document: Node<'_>,
        values: &[(String, &[u8])],
    ) -> Result<Option<(String, Vec<u8>)>, NotScripted> {
        let channel = super::channel(self.state.root());
        let (list, _) = self.thread.list(self.id, &channel)?;
        let new = document.at(&["values", "messages"]).ok_or_else(unknown)?;
        let new: Vec<Node<'_>> = new.items().collect();
        let mut before = list.into_messages().into_iter();
        if before.len() == new.len()
            && new.iter().all(|new| before.next().as_deref() == Some(&*new.raw()))
        {
            return Ok(None);
        }
        let known = self.stored_messages()?;
        let items: Result<Vec<Vec<u8>>, NotScripted> =
            new.iter().map(|message| stored_message(*message, &known)).collect();
        let list = write::list(&items?);
        let value = values.iter().find(|(key, _)| *key == channel).map(|(_, value)| *value);
        let is_plain = value.is_some_and(|value| msgpack::items(value).is_some());
        let list = if is_plain { list } else { write::extension(SNAPSHOT, &list) };
        Ok(Some((channel, list)))
    }

    /// All messages that the thread has or had.
    fn stored_messages(&self) -> Result<StoredMessages, NotScripted> {
        let channel = super::channel(self.state.root());
        let mut known = StoredMessages::new();
        let (mut at, mut left) = (Some(self.id.to_owned()), self.thread.checkpoints.len());
        // A channel that only stores what changed has its value in a checkpoint before.
        while let Some(id) = at.filter(|_| left > 0) {
            let Some((row, parent)) = self.thread.checkpoints.get(&id) else {
                break;
            };
            let (table, rows) = self.thread.rows(0, &[*row])?;
            let value = rows.first().and_then(|row| row.value(table.column("checkpoint")).bytes());
            let values = value.and_then(write::members).unwrap_or_default();
            let values = values.into_iter().find(|(key, _)| key == "channel_values");
            let values = values.and_then(|(_, value)| write::members(value)).unwrap_or_default();
            if let Some((_, value)) = values.into_iter().find(|(key, _)| *key == channel) {
                note(value, &mut known);
                break;
            }
            (at, left) = (parent.clone(), left - 1);
        }
        for own in self.thread.writes.values() {
            let own = own.iter().filter(|(_, to)| *to == channel);
            let ids: Vec<i64> = own.map(|(row, _)| *row).collect();
            let (table, rows) = self.thread.rows(1, &ids)?;
            for row in &rows {
                note(row.value(table.column("value")).bytes().unwrap_or_default(), &mut known);
            }
        }
        Ok(known)
    }

    /// What LangGraph shows of the new checkpoint in a history.
    fn metadata(&self) -> Option<String> {
        const COUNTERS: &str = "counters_since_delta_snapshot";
        let (step, channel) = (self.step()?, super::channel(self.state.root()));
        let old = Record::parse(self.state.metadata.clone())?;
        let mut members = Vec::new();
        for (key, value) in old.root().members() {
            let (key, raw) = (key.str()?, String::from_utf8(value.raw().into_owned()).ok()?);
            let value = match &*key {
                "source" => "\"update\"".to_owned(),
                "step" => (step + 1).to_string(),
                // What the step before wrote.
                "writes" => continue,
                COUNTERS => {
                    let others = value.members().filter(|(key, _)| !key.is_str(&channel));
                    let others = others.map(|(key, value)| {
                        let [key, value] = [key, value].map(|node| node.raw().into_owned());
                        String::from_utf8([key, value].join(&b": "[..])).ok()
                    });
                    format!("{{{}}}", others.collect::<Option<Vec<String>>>()?.join(", "))
                }
                _ => raw,
            };
            members.push(format!("{}: {value}", crate::json::quote::quote(&key)));
        }
        Some(format!("{{{}}}", members.join(", ")))
    }

    /// That the thread did not go on, before the repair and after it.
    fn only_if(&self, new: &str) -> Result<[Vec<String>; 2], NotScripted> {
        let own = ["thread_id", "checkpoint_ns"].map(|name| equal(name, self.column(name)));
        let own = own.join(" AND ");
        let (writes, _) = self.thread.stored.tables.get(1).ok_or(NotScripted::Damaged)?;
        let state = |id: &str, count: usize| {
            let later = format!("checkpoint_id > {}", text(id));
            let id = ColumnValue::Text(id.as_bytes().to_vec());
            vec![
                format!(
                    "NOT EXISTS (SELECT 1 FROM main.{} WHERE {own} AND {later})",
                    self.table.name
                ),
                format!(
                    "(SELECT count(*) FROM main.{} WHERE {own} AND {}) = {count}",
                    writes.name,
                    equal("checkpoint_id", &id)
                ),
            ]
        };
        let done = self.thread.writes.get(self.id).map_or(0, Vec::len);
        let mut before = state(self.id, done);
        before.push(format!(
            "EXISTS (SELECT 1 FROM main.{} WHERE rowid = {} AND {} AND {})",
            self.table.name,
            self.row.id,
            equal("checkpoint", self.column("checkpoint")),
            equal("metadata", self.column("metadata")),
        ));
        Ok([before, state(new, 0)])
    }
}

/// A map with these members replaced, or added.
fn with(old: &[(String, &[u8])], changed: &[(String, Vec<u8>)]) -> Vec<u8> {
    let of = |key: &str| changed.iter().find(|(own, _)| own == key).map(|(_, value)| &value[..]);
    let kept = old.iter().map(|(key, value)| (key.as_str(), of(key).unwrap_or(value)));
    let new = changed.iter().filter(|(key, _)| !old.iter().any(|(own, _)| own == key));
    let new = new.map(|(key, value)| (key.as_str(), &value[..]));
    let all: Vec<(&str, &[u8])> = kept.chain(new).collect();
    write::map(all.into_iter())
}

/// The version after all others, as `get_next_version` of the saver makes it.
fn next_version(versions: &[(String, &[u8])]) -> Option<Vec<u8>> {
    let numbers = versions
        .iter()
        .map(|(_, version)| write::text_of(version)?.split('.').next()?.parse::<u64>().ok());
    let most = numbers.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
    Some(write::text(&format!("{:032}.{FRACTION}", most + 1)))
}

/// Notes the messages of a value: a list, a whole channel, or one message.
fn note(value: &[u8], known: &mut StoredMessages) {
    let value = match write::extension_of(value) {
        Some((SNAPSHOT, list)) => list,
        _ => value,
    };
    for item in msgpack::items(value).unwrap_or_else(|| vec![value]) {
        if let Some(shown) = msgpack::to_json(item, inside) {
            known.insert(shown, item.to_vec());
        }
    }
}

/// A message as the thread stores it, or would.
fn stored_message(message: Node<'_>, known: &StoredMessages) -> Result<Vec<u8>, NotScripted> {
    if let Some(stored) = known.get(&*message.raw()) {
        return Ok(stored.clone());
    }
    let members = write::of_json(message).ok_or(NotScripted::NotJson)?;
    let by = write::text(BUILT_BY);
    if message.has_str("type", "tool") && message.get("tool_call_id").is_some() {
        let [module, name] = RESULT.map(write::text);
        return Ok(write::extension(OBJECT, &write::list(&[module, name, members, by])));
    }
    let why = "one of its messages changes, and it is not known how LangGraph stores it";
    let id = message.get("id").filter(|id| id.kind() == Kind::String);
    let id = id.ok_or_else(|| because(why))?;
    let same = known.iter().find(|(shown, _)| {
        let shown = Record::parse((*shown).clone());
        shown.is_some_and(|shown| shown.root().get("id").is_some_and(|own| own.same_as(&id)))
    });
    let (shown, stored) = same.ok_or_else(|| because(why))?;
    changed_object(shown, stored, members).ok_or_else(|| because(why))
}

/// An object with other members, if JSON shows all that it has.
fn changed_object(shown: &[u8], stored: &[u8], members: Vec<u8>) -> Option<Vec<u8>> {
    let (code, payload) = write::extension_of(stored)?;
    let parts = msgpack::items(payload)?;
    let shown = Record::parse(shown.to_vec())?;
    let is_exact = parts.get(2) == Some(&&write::of_json(shown.root())?[..]);
    let mut parts: Vec<Vec<u8>> = parts.into_iter().map(<[u8]>::to_vec).collect();
    *parts.get_mut(2)? = members;
    (code == OBJECT && is_exact).then(|| write::extension(code, &write::list(&parts)))
}

/// The channel with the summary, if it moves.
fn summary(
    document: Node<'_>,
    values: &[(String, &[u8])],
) -> Result<Option<(String, Vec<u8>)>, NotScripted> {
    const CUTOFF: &str = "cutoff_index";
    let Some((_, old)) = values.iter().find(|(key, _)| key == SUMMARY) else {
        return Ok(None);
    };
    let new = document.at(&["values", SUMMARY]).ok_or_else(unknown)?;
    let shown = |bytes: &[u8]| msgpack::to_json(bytes, inside);
    if shown(old).as_deref() == Some(&*new.raw()) {
        return Ok(None);
    }
    let members = write::members(old).ok_or_else(unknown)?;
    let cutoff = new.get(CUTOFF).and_then(write::of_json).ok_or_else(unknown)?;
    let changed = with(&members, &[(CUTOFF.to_owned(), cutoff)]);
    if shown(&changed).as_deref() != Some(&*new.raw()) {
        return Err(unknown());
    }
    Ok(Some((SUMMARY.to_owned(), changed)))
}
