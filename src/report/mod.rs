//! The report: one model that every output prints, and the only way for strings of a transcript to
//! reach a person.

pub(crate) mod build;
pub(crate) mod coverage;
pub(crate) mod file;
mod findings;
pub(crate) mod fold;
pub(crate) mod introduction;
mod items;
pub(crate) mod ladder;
pub(crate) mod model;
pub(crate) mod offer;
pub(crate) mod places;
pub(crate) mod records;
pub(crate) mod redact;
pub(crate) mod repaired;
pub(crate) mod rows;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod sessions;
pub(crate) mod text;
pub(crate) mod totals;
