//! transcript-doctor: find, explain and repair damage in recorded LLM agent conversations.

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

pub use app::signals::watch as watch_signals;
pub use commands::{main, report_panics};
