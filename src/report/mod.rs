//! The report: one model that every output prints, and the only way a recording's strings reach a person.

pub mod model;
