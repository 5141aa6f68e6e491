//! transcript-doctor: find, explain and repair damage in recorded LLM agent conversations.

pub mod bytes;
pub mod cli;
pub mod commands;
pub mod containers;
pub mod dialects;
pub mod diff;
pub mod engine;
pub mod explain;
pub mod find;
pub mod formats;
pub mod journal;
pub mod json;
pub mod live;
pub mod outputs;
pub mod redact;
pub mod repair;
pub mod report;
pub mod rows;
pub mod rules;
pub mod stories;
pub mod targets;
pub mod transcript;
