//! transcript-doctor: find, explain and repair damage in recorded LLM agent conversations.
//!
//! Most of it is a command line. Hosts written in Rust check and repair bytes in memory: [`check_bytes`] and [`repair_bytes`] read and
//! write no file.

mod app;
mod bytes;
mod cli;
mod commands;
mod containers;
mod detect;
mod dialects;
mod diff;
mod engine;
mod explain;
mod find;
mod format;
mod hosts;
mod journal;
mod json;
mod live;
mod outputs;
mod proof;
mod redact;
mod repair;
mod report;
mod requests;
mod rewrite;
mod rows;
mod rules;
mod shapes;
mod stores;
mod stories;
mod targets;
mod transcript;

#[doc(hidden)]
pub mod testing;

pub use app::library::{
    BytesConversation, BytesError, BytesFinding, BytesOptions, CheckedBytes, RepairedBytes,
    check_bytes, repair_bytes,
};
pub use app::signals::watch as watch_signals;
pub use commands::{main, report_panics};
pub use engine::Verdict;
pub use transcript::Severity;
