//! Databases, recognized by their tables: those whose sessions are read, and those that are known by name, so that they are not
//! taken for something else.

mod checkpoints;
mod content;
mod export;
mod script;
mod sessions;

use crate::containers::PathStep;
use crate::containers::database::DatabaseTable;
use crate::format::Format;
use crate::hosts::{
    AMAZON_Q, GOOGLE_ADK, GOOSE, HERMES, LANGGRAPH_CHECKPOINTS, OPENAI_AGENTS, OPENCODE,
};
pub(crate) use content::StoreContent;
use content::{SessionRows, StoredRows};
pub(crate) use export::write as export;
use script::{Cells, ColumnHolds, NewCell, OrderStep, RowOrder, Writing};
pub(crate) use script::{NotScripted, RepairScripts};
pub(crate) use sessions::{DatabaseSessions, layout};

/// A kind of database.
pub(crate) struct Store {
    /// Its name: that of the format, if it has one.
    pub name: &'static str,
    /// How its sessions are read.
    pub reads: Reads,
    /// The tables by which it is recognized, each with some of its columns.
    tables: &'static [(&'static str, &'static [&'static str])],
}

/// How the sessions of a database are read.
pub(crate) enum Reads {
    /// They are not; how users get a transcript that can be checked.
    No(&'static str),
    Sessions(&'static Reading),
}

/// Where a database has its sessions.
pub(crate) struct Reading {
    pub format: &'static Format,
    /// The table of sessions, and its column with the ID. A session without a row there does not exist for the host. `None`: the
    /// ID in the rows of its records is all that a session needs.
    sessions: Option<(&'static str, &'static str)>,
    /// The tables with the records of a session: each name, and its column with the time.
    records: &'static [(&'static str, &'static str)],
    /// The columns of a record with the ID of its session.
    key: &'static [&'static str],
    /// The ID of a session, from the values of these columns.
    named: fn(&[&str]) -> String,
    /// The session that started another one as a part of its own step: such a session is history when that step has ended.
    parent: fn(&str) -> Option<String>,
    content: Made,
    /// The path to the list in the document that is made of a session; empty for lines and files.
    list: &'static [PathStep],
    /// What its host reads back, from the entries of the transcript.
    export: fn(&export::ExportedRecords<'_>) -> Vec<u8>,
    /// How its rows are changed where they are.
    writing: Writing,
}

/// How the transcript is made of the rows of a session.
enum Made {
    /// Of all.
    All(fn(&SessionRows<'_>) -> StoreContent),
    /// Of all, if its host did not encrypt them.
    Readable(fn(&SessionRows<'_>) -> Result<StoreContent, NotRead>),
    /// Of those that its host reads.
    Selected(fn(&StoredRows<'_>) -> Result<StoreContent, NotRead>),
}

/// Why a session cannot be read.
#[derive(Debug)]
pub(crate) enum NotRead {
    /// One of its rows cannot be read.
    Damaged,
    Because(String),
}

/// What sessions with one column for their ID, which start no others, have in common.
const PLAIN: Reading = Reading {
    format: &GOOSE,
    sessions: None,
    records: &[],
    key: &["session_id"],
    named: |values| values.concat(),
    parent: |_| None,
    content: Made::All(content::goose),
    list: &[],
    export: export::goose,
    // `add_message` and `get_conversation` in `crates/goose/src/session/session_manager.rs`; older versions order by `timestamp`.
    writing: Writing {
        record: Cells::Members {
            named: &[
                ("id", "message_id", ColumnHolds::Value),
                ("role", "role", ColumnHolds::Value),
                ("created", "created_timestamp", ColumnHolds::Value),
                ("metadata", "metadata_json", ColumnHolds::Json),
                ("content", "content_json", ColumnHolds::Json),
            ],
            others: false,
        },
        order: RowOrder { columns: &["timestamp", "created_timestamp"], step: OrderStep::Same },
        new: Some(&[("session_id", NewCell::AsBefore)]),
    },
};

/// Amazon Q Developer CLI keeps the newest conversation of each folder, whose path is the key (`database/mod.rs`, 1.19.7). Kiro
/// CLI, its successor, keeps several, with IDs.
const OF_AMAZON_Q: Reading = Reading {
    format: &AMAZON_Q,
    records: &[("conversations", "")],
    key: &["key"],
    content: Made::All(content::amazon_q),
    list: &[PathStep::Key("history")],
    export: export::state,
    writing: Writing { record: Cells::Whole("value"), order: RowOrder::BY_NUMBER, new: None },
    ..PLAIN
};

/// Any table, because the application may choose its name.
const ANY: &str = "*";

const ALL: &[Store] = &[
    Store {
        name: "langgraph-checkpoints",
        reads: Reads::Sessions(&Reading {
            format: &LANGGRAPH_CHECKPOINTS,
            records: &[("checkpoints", "checkpoint_id"), ("writes", "")],
            key: &["thread_id", "checkpoint_ns"],
            named: checkpoints::name,
            parent: checkpoints::parent,
            content: Made::Selected(checkpoints::content),
            list: &[PathStep::Key("values"), PathStep::Key("messages")],
            export: export::state,
            writing: Writing { record: Cells::Checkpoint, order: RowOrder::BY_NUMBER, new: None },
            ..PLAIN
        }),
        tables: &[
            (
                "checkpoints",
                &[
                    "thread_id",
                    "checkpoint_ns",
                    "checkpoint_id",
                    "parent_checkpoint_id",
                    "type",
                    "checkpoint",
                    "metadata",
                ],
            ),
            (
                "writes",
                &[
                    "thread_id",
                    "checkpoint_ns",
                    "checkpoint_id",
                    "task_id",
                    "idx",
                    "channel",
                    "type",
                    "value",
                ],
            ),
        ],
    },
    Store {
        name: "opencode",
        reads: Reads::Sessions(&Reading {
            format: &OPENCODE,
            sessions: Some(("session", "id")),
            records: &[("message", "time_updated"), ("part", "time_updated")],
            content: Made::All(content::opencode),
            export: export::opencode,
            // Rows are ordered by their IDs, which no repair changes.
            writing: Writing {
                record: Cells::Begin("data"),
                order: RowOrder::BY_NUMBER,
                new: None,
            },
            ..PLAIN
        }),
        tables: &[
            ("session", &[]),
            ("message", &["session_id", "data"]),
            ("part", &["message_id", "data"]),
        ],
    },
    Store {
        name: "goose",
        reads: Reads::Sessions(&Reading {
            format: &GOOSE,
            sessions: Some(("sessions", "id")),
            records: &[("messages", "timestamp")],
            ..PLAIN
        }),
        tables: &[("sessions", &[]), ("messages", &["session_id", "content_json"])],
    },
    Store {
        name: "hermes",
        reads: Reads::Sessions(&Reading {
            format: &HERMES,
            sessions: Some(("sessions", "id")),
            records: &[("messages", "timestamp")],
            content: Made::All(content::hermes),
            export: export::hermes,
            // `append_message` and `get_messages` in `hermes_state.py`, 0.19.
            writing: Writing {
                record: Cells::Members {
                    named: &[
                        ("content", "content", ColumnHolds::JsonAfter(content::HERMES_JSON)),
                        ("tool_calls", "tool_calls", ColumnHolds::Json),
                        ("tool_calls_text", "tool_calls", ColumnHolds::Value),
                    ],
                    others: true,
                },
                order: RowOrder::BY_NUMBER,
                new: Some(&[("session_id", NewCell::AsBefore), ("timestamp", NewCell::AsBefore)]),
            },
            ..PLAIN
        }),
        tables: &[
            ("sessions", &["source", "system_prompt", "end_reason"]),
            ("messages", &["session_id", "tool_call_id", "tool_calls", "finish_reason"]),
        ],
    },
    Store {
        name: "google-adk",
        reads: Reads::Sessions(&Reading {
            format: &GOOGLE_ADK,
            records: &[("events", "timestamp")],
            // Each application and each user has IDs of its own.
            key: &["app_name", "user_id", "session_id"],
            named: |values| values.join("/"),
            content: Made::All(content::adk),
            export: export::agents,
            // `append_event` and `get_session` in `sqlite_session_service.py`, and `schemas/v1.py` of the other service, 2.13.0.
            writing: Writing {
                record: Cells::Whole("event_data"),
                order: RowOrder { columns: &["timestamp"], step: OrderStep::Later },
                new: Some(&[
                    ("app_name", NewCell::AsBefore),
                    ("user_id", NewCell::AsBefore),
                    ("session_id", NewCell::AsBefore),
                    ("id", NewCell::Member(&["id"])),
                    ("invocation_id", NewCell::Member(&["invocation_id", "invocationId"])),
                ]),
            },
            ..PLAIN
        }),
        tables: &[
            ("sessions", &["app_name", "user_id", "id", "state"]),
            ("events", &["app_name", "user_id", "session_id", "invocation_id", "event_data"]),
        ],
    },
    Store {
        name: "amazon-q",
        reads: Reads::Sessions(&Reading {
            records: &[("conversations_v2", "updated_at")],
            key: &["conversation_id"],
            ..OF_AMAZON_Q
        }),
        tables: &[("conversations_v2", &["key", "conversation_id", "value", "updated_at"])],
    },
    Store {
        name: "amazon-q",
        reads: Reads::Sessions(&OF_AMAZON_Q),
        tables: &[
            ("conversations", &["key", "value"]),
            ("state", &["key", "value"]),
            ("auth_kv", &["key", "value"]),
        ],
    },
    // `internal/db/migrations` of Crush 0.90.0. Since 0.59.0 it answers calls and drops results in memory (`preparePrompt`).
    Store {
        name: "Crush database",
        reads: Reads::No(
            "Crush 0.59.0 and later answer open calls and drop stray results before each request: update it",
        ),
        tables: &[
            ("sessions", &["parent_session_id", "message_count"]),
            ("messages", &["session_id", "role", "parts", "finished_at"]),
        ],
    },
    // `crates/agent/src/db.rs` of Zed.
    Store {
        name: "Zed threads database",
        reads: Reads::No("each thread is compressed in one value"),
        tables: &[("threads", &["id", "summary", "updated_at", "data_type", "data"])],
    },
    // As programs that read it have it: Cursor is closed.
    Store {
        name: "Cursor database",
        reads: Reads::No("its chats are in many values, which only Cursor reads"),
        tables: &[("cursordiskkv", &["key", "value"])],
    },
    Store {
        name: "OpenClaw SQLite store",
        reads: Reads::No("write `event_json` of a session, one value a line, and check that"),
        tables: &[("transcript_events", &["session_id", "seq", "event_json"])],
    },
    Store {
        name: "openai-agents-sqlite",
        reads: Reads::Sessions(&Reading {
            format: &OPENAI_AGENTS,
            records: &[(ANY, "created_at")],
            content: Made::Readable(content::agents),
            export: export::agents,
            // `_insert_items` and `get_items` in `agents/memory/sqlite_session.py`, 0.24.0.
            writing: Writing {
                record: Cells::Whole("message_data"),
                order: RowOrder::BY_NUMBER,
                new: Some(&[("session_id", NewCell::AsBefore), ("created_at", NewCell::AsBefore)]),
            },
            ..PLAIN
        }),
        tables: &[(ANY, &["session_id", "message_data"])],
    },
];

/// How sessions of this format are read from a database.
pub(crate) fn reading_of(format: &Format) -> Option<&'static Reading> {
    let mut readings = ALL.iter().filter_map(|store| match &store.reads {
        Reads::Sessions(reading) => Some(*reading),
        Reads::No(_) => None,
    });
    readings.find(|reading| reading.format.name == format.name)
}

/// Names of stores that are recognized but not supported yet.
pub fn named_only() -> impl Iterator<Item = &'static str> {
    let named = ALL.iter().filter(|store| matches!(store.reads, Reads::No(_)));
    named.map(|store| store.name)
}

pub(crate) fn recognize(tables: &[DatabaseTable]) -> Option<&'static Store> {
    ALL.iter().find(|store| {
        let mut wanted = store.tables.iter();
        wanted.all(|(name, columns)| find(tables, name, columns).is_some())
    })
}

fn find<'t>(
    tables: &'t [DatabaseTable],
    name: &str,
    columns: &[&str],
) -> Option<&'t DatabaseTable> {
    let mut named = tables.iter().filter(|table| name == ANY || table.name == name);
    named.find(|table| columns.iter().all(|column| table.column(column).is_some()))
}
