//! The program as users run it: what it prints where, its exit status, and what it leaves on disk.

#![allow(clippy::unwrap_used)] // A test fails where it unwraps.

mod batch;
mod bench;
mod check;
#[cfg(unix)]
mod completions;
mod databases;
mod detection;
mod diff;
mod error;
mod explain;
mod explain_file;
mod extent;
mod filenames;
mod help;
mod hostile;
mod ids;
#[cfg(unix)]
mod limits;
mod names;
mod options;
mod packed;
mod pasted;
mod plans;
mod policy;
mod printed;
mod process;
#[path = "../support/program.rs"]
mod program;
mod redact;
mod repair;
mod reports;
mod rows;
mod rules;
mod scripts;
mod services;
mod sessions;
#[path = "../support/share.rs"]
mod share;
mod stores;
mod summary;
mod terminal;
#[path = "../support/tools.rs"]
mod tools;
mod training;
mod undo;
mod verify;
mod walk;
mod width;
mod writers;
