//! The report: one model that every output prints, and the only way a recording's strings reach a person.

pub mod build;
pub mod fold;
pub mod ladder;
pub mod model;
pub mod redact;
pub mod rows;
#[cfg(test)]
pub mod sample;
pub mod text;
pub mod totals;
