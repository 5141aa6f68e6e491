//! transcript-doctor: find, explain and repair damage in recorded LLM agent conversations.
pub mod bytes;
pub mod commands;
pub mod diff;
pub mod json;
pub mod outputs;
pub mod report;
