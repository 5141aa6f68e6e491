//! The commands: each asks the engine and prints through the outputs.

pub mod ask;
pub mod exit;
pub mod parallel;
pub mod signals;
pub mod streams;
