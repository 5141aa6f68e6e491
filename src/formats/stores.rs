//! Databases that are recognized by their tables but not supported yet, so that they are not taken for something else.

use crate::containers::database::Table;

/// A kind of database.
pub(crate) struct Store {
    /// Its name: that of the format, if it has one.
    pub name: &'static str,
    /// How users get a transcript from it that can be checked.
    pub instead: &'static str,
    /// The tables by which it is recognized, each with some of its columns.
    tables: &'static [(&'static str, &'static [&'static str])],
}

/// Any table, because the application may choose its name.
const ANY: &str = "*";

const ALL: &[Store] = &[
    Store {
        name: "langgraph-checkpoints",
        instead: "write the messages of a thread as JSON (`graph.get_state(config).values[\"messages\"]`) and check that",
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
        instead: "export the session (`opencode export SESSION`)",
        tables: &[
            ("session", &[]),
            ("message", &["session_id", "data"]),
            ("part", &["message_id", "data"]),
        ],
    },
    Store {
        name: "goose",
        instead: "export the session (`goose session export --format json`)",
        tables: &[
            ("sessions", &[]),
            ("messages", &["session_id", "content_json"]),
        ],
    },
    Store {
        name: "OpenClaw SQLite store",
        instead: "write `event_json` of a session, one value a line, and check that",
        tables: &[("transcript_events", &["session_id", "seq", "event_json"])],
    },
    Store {
        name: "openai-agents-sqlite",
        instead: "write the items of a session as JSON (`await session.get_items()`) and check that",
        tables: &[(ANY, &["session_id", "message_data"])],
    },
];

/// The names of all stores.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|store| store.name)
}

/// The store with these tables.
pub(crate) fn recognize(tables: &[Table]) -> Option<&'static Store> {
    let has = |wanted: &(&str, &[&str])| {
        let named = tables
            .iter()
            .filter(|table| wanted.0 == ANY || table.name == wanted.0);
        let fits = |table: &Table| {
            wanted
                .1
                .iter()
                .all(|column| table.columns.iter().any(|own| own == column))
        };
        named.into_iter().any(fits)
    };
    ALL.iter().find(|store| store.tables.iter().all(has))
}
